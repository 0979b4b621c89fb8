//! The operators and what they are tried on: one file an operator, each with `cases(dtype)`.
//!
//! Extents are odd, prime, 1 or too short on purpose: even and equal ones hide swapped axes and wrong edges.

use arrayspan_operators::{Error, Result, Space};

use crate::suite::{Cell, Operator, Values, golden};

/// The list of operators, handed to the macro `stamp`. The one place where a new operator is named.
#[macro_export]
macro_rules! for_each_operator {
    ($stamp:ident $(, $argument:ident)*) => {
        $stamp! {
            [$($argument)*]
            identity zero diagonal conj real imag matrix_mult transpose flip roll pad symmetrize restriction spread sum_along
            causal_integration regression linear_regression
            to_device function_operator memoize_operator
            first_derivative second_derivative laplacian gradient
            first_directional_derivative second_directional_derivative
            convolve1d convolve2d convolve_nd non_stationary_convolve1d non_stationary_convolve2d
            non_stationary_convolve3d non_stationary_filters1d non_stationary_filters2d fredholm1 chirp_radon2d chirp_radon3d
            fourier_radon2d fourier_radon3d radon2d radon3d ct2d
            smoothing interp interp_cubic_spline bilinear fft fft2d fftnd shift
            sliding1d sliding2d sliding3d patch2d patch3d
            dwt dwt2d dwtnd dct dtcwt udct seislet pwsprayer2d pwsmoother2d poststack_linear_modelling
            mri2d
            kronecker
            columns lifted
            after sum scaled adjoint vstack hstack stack block_diagonal
        }
    };
}

mod convolution;
mod direction;
mod fourier;
mod non_stationary;
mod parts;
mod slopes;
mod table;
mod wavelets;
mod windowed;

macro_rules! declare {
    ([] $($operator:ident)*) => {
        $(pub mod $operator;)*

        /// Every operator by name, with its cases.
        pub const ALL: &[Operator] = &[$((stringify!($operator), $operator::cases)),*];
    };
}

for_each_operator!(declare);

/// The space of this shape in a cell.
fn space(cell: &Cell, shape: &[usize]) -> Result<Space> {
    Space::new(shape, cell.dtype)
}

/// A parameter of an operator, from the golden data.
fn golden_array(cell: &Cell, key: &str, name: &str) -> Result<Values> {
    golden::array(*cell, key, name).map_err(|error| Error::Parameter {
        operator: "golden data".into(),
        why: error.to_string(),
    })
}
