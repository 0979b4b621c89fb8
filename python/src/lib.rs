//! The Python package `arrayspan`: arrays, devices, operators and solvers of the Rust library, for `NumPy`, torch, `CuPy`, JAX and all
//! that speaks `DLPack`.
//!
//! It adds no logic of its own: what comes from Python is checked and handed to the library, and results go back as the kind of array that
//! the argument was. All unsafe code is at the boundary: arrays that others own (`incoming`, `numpy`, `capsule`).
#![deny(unsafe_op_in_unsafe_fn)]
#![allow(clippy::needless_pass_by_value, reason = "Python's arguments are converted, not lent")]
#![allow(clippy::trivially_copy_pass_by_ref, reason = "methods of Python's classes borrow them")]

mod across;
mod apply;
mod argument;
mod arithmetic;
mod array;
mod as_numpy;
mod batches;
mod buffer;
mod capsule;
mod clesperanto;
mod constructors;
mod conversion;
mod convert;
mod create;
mod device;
mod direct;
mod direction;
mod dtype;
mod eigen;
mod error;
mod incoming;
mod integer;
mod interface;
mod interrupt;
mod jax;
mod kind;
mod lock;
mod matrix;
mod memory;
mod numpy;
mod operator;
mod owner;
mod placed;
mod protocol;
mod shape;
mod shortage;
mod slopes;
mod solvers;
mod space;
mod tools;
mod torch_layer;
mod traced;
mod watch;

use pyo3::prelude::pymodule;

/// What `arrayspan` imports from. Interpreters without a global lock turn it on: arrays of `NumPy` are read with it (`numpy`).
#[pymodule(gil_used = true)]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::across::PyRun;
    #[pymodule_export]
    use crate::array::PyArray;
    #[pymodule_export]
    use crate::convert::{convert, kind_of, stack_slices, unstack_slices};
    #[pymodule_export]
    use crate::create::{asarray, empty, ones, zeros};
    #[pymodule_export]
    use crate::device::{PyDevice, best_device, devices};
    #[pymodule_export]
    use crate::jax::{Number, handlers};
    #[pymodule_export]
    use crate::operator::PyOperator;
    #[pymodule_export]
    use crate::space::PySpace;
    #[pymodule_export]
    use crate::torch_layer::Layer;
    #[pymodule_export]
    use crate::watch::{PyInPlace, in_place, unchanged};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        arrayspan::devices::retry::around(crate::lock::unlocked);
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }

    /// Constructors of operators.
    #[pymodule]
    mod operators {
        #[allow(unused_imports, reason = "attributes of the macro")]
        use pyo3::prelude::*;

        #[pymodule_export]
        use crate::constructors::algebra::{block_diagonal, hstack, kronecker, stack, vstack};
        #[pymodule_export]
        use crate::constructors::basic::{
            causal_integration, conj, diagonal, flip, identity, imag, linear_regression,
            matrix_mult, memoize_operator, pad, real, regression, restriction, roll, spread,
            sum_along, symmetrize, to_device, transpose, zero,
        };
        #[pymodule_export]
        use crate::constructors::curvelets::{curvelet_bands, udct};
        #[pymodule_export]
        use crate::constructors::curves::{ct2d, radon2d, radon3d};
        #[pymodule_export]
        use crate::constructors::derivative::{
            first_derivative, first_directional_derivative, gradient, laplacian, second_derivative,
            second_directional_derivative,
        };
        #[pymodule_export]
        use crate::constructors::filters::{
            chirp_radon2d, chirp_radon3d, fourier_radon2d, fourier_radon3d, fredholm1,
            non_stationary_convolve1d, non_stationary_convolve2d, non_stationary_convolve3d,
            non_stationary_filters1d, non_stationary_filters2d,
        };
        #[pymodule_export]
        use crate::constructors::fourier::{fft, fft2d, fftnd, shift};
        #[pymodule_export]
        use crate::constructors::functions::from_functions;
        #[pymodule_export]
        use crate::constructors::medical::mri2d;
        #[pymodule_export]
        use crate::constructors::signal::{
            bilinear, convolve_nd, convolve1d, convolve2d, interp, interp_cubic_spline,
            poststack_linear_modelling, smoothing,
        };
        #[pymodule_export]
        use crate::constructors::slopes::{pwsmoother2d, pwsprayer2d, seislet};
        #[pymodule_export]
        use crate::constructors::transforms::{dct, dtcwt, dwt, dwt2d, dwtnd, wavelets};
        #[pymodule_export]
        use crate::constructors::windows::{patch2d, patch3d, sliding1d, sliding2d, sliding3d};
    }

    /// Solvers.
    #[pymodule]
    mod solvers {
        #[allow(unused_imports, reason = "attributes of the macro")]
        use pyo3::prelude::*;

        #[pymodule_export]
        use crate::eigen::{
            cond, eigs, lobpcg, log_det, norm_estimate, power_iteration, randomized_svd, svds,
        };
        #[pymodule_export]
        use crate::solvers::krylov::{
            bicgstab, cg, cgls, gmres, lsmr, lsqr, minres, single_reduction_cg,
            single_reduction_cgls,
        };
        #[pymodule_export]
        use crate::solvers::progress::PyProgress;
        #[pymodule_export]
        use crate::solvers::solution::PySolution;
        #[pymodule_export]
        use crate::solvers::sparse::{fista, irls, ista, omp, spgl1, split_bregman};
        #[pymodule_export]
        use crate::solvers::workspace::PyWorkspace;
    }

    /// Memory of devices.
    #[pymodule]
    mod memory {
        #[allow(unused_imports, reason = "attributes of the macro")]
        use pyo3::prelude::*;

        #[pymodule_export]
        use crate::memory::fault::PyFaults;
        #[pymodule_export]
        use crate::memory::retry::with_retry;
        #[pymodule_export]
        use crate::memory::scope::PyScope;
        #[pymodule_export]
        use crate::memory::{
            clear_caches, drain, limit, report_json, reset_peak, set_cache_limit, set_headroom,
            set_limit, statistics, summary, trim,
        };
    }

    /// What stands beside operators.
    #[pymodule]
    mod tools {
        #[allow(unused_imports, reason = "attributes of the macro")]
        use pyo3::prelude::*;

        #[pymodule_export]
        use crate::slopes::{pwd_slopes, slopes};
        #[pymodule_export]
        use crate::tools::{gaussian, klauder, mae, mse, ormsby, psnr, ricker, snr, taper};
    }
}
