//! Hand an array over from any framework without copying it, run matrix-free linear operators and solvers on it
//! wherever it lives: in the memory of the CPU, of CUDA or of `OpenCL`.
//!
//! GPU libraries are opened at run time. Building needs only cargo, and a program runs on machines without them. The
//! features `cuda` and `opencl`, on by default, can be left out: then their crates are not depended on, and their devices
//! are unavailable as on a machine without a driver.
//!
//! # A tour
//!
//! ## Arrays and devices
//!
//! An [`Array`] knows its dtype, layout and device at run time. It takes over ndarray's memory where it lies; every
//! crossing says whether elements were copied ([`Crossing`]). A [`Device`] is named in the program or by the user,
//! or is the best of the machine. Those who know NumPy begin with [the guide to arrays](guide::arrays), those who know PyLops
//! with [its table of operators](guide::pylops).
//!
//! ```
//! use arrayspan::prelude::*;
//!
//! let model = ndarray::Array2::from_shape_fn((200, 300), |(i, j)| ((i * j) as f32).sin());
//! let device: Device = "cpu".parse()?; // "cuda:0", "opencl:1"
//! let (model, crossing) = Array::from(model).into_device(device)?;
//! assert_eq!((model.shape(), model.dtype()), (&[200, 300][..], DType::Float32));
//! assert_eq!(crossing, Crossing::ZeroCopy);
//!
//! let best = Device::best();
//! println!("{best}: {} of {} devices", best.info().name, Device::all().len());
//! # Ok::<(), Error>(())
//! ```
//!
//! ## Operators
//!
//! An [`Operator`] maps arrays of one [`Space`] to arrays of another, and back by its adjoint, on the device of the
//! array it is given. Operators are combined as matrices are, and what one pass over the memory can do is done in one.
//!
//! ```
//! use arrayspan::prelude::*;
//!
//! let space = Space::new([200, 300], DType::Float32)?;
//! let slope = FirstDerivative::new(space.clone(), 0, 1.0, Scheme::Centered3, Edge::Reduced)?;
//! let axes = [0, 1].map(|axis| Along { axis, step: 1.0, weight: 1.0 });
//! let bend = Laplacian::new(space, &axes, Scheme::Centered3, Edge::Zero)?;
//! let a = vstack![&slope, 0.5 * &bend]?;
//! println!("{}", a.describe());
//!
//! let model = ndarray::Array2::from_shape_fn((200, 300), |(i, j)| ((i * j) as f32).sin());
//! let data = a.forward(&Array::from(model))?;
//! let gradient = a.adjoint(&data)?;
//! assert_eq!((data.shape(), gradient.shape()), (&[400, 300][..], &[200, 300][..]));
//! # Ok::<(), Error>(())
//! ```
//!
//! Your own are written as the library's are: [the guide](guide::write_an_operator).
//!
//! ## Solvers
//!
//! A solver is a struct of parameters; how the run ended is a part of the [`Solution`].
//!
//! ```
//! use arrayspan::prelude::*;
//!
//! let space = Space::new([60, 40], DType::Float64)?;
//! let identity = Identity::new(space.clone())?;
//! let slope = FirstDerivative::new(space, 0, 1.0, Scheme::Centered3, Edge::Zero)?;
//! let a = vstack![&identity, 2.0 * &slope]?;
//! let data = a.forward(&Array::from(ndarray::Array2::<f64>::ones((60, 40))))?;
//! let solution = Cgls { stop: Stop::after(50), ..Cgls::default() }.solve(&a, &data)?;
//! println!("{:?} after {} iterations", solution.stopped, solution.iterations);
//! assert!(solution.x.view().to_vec::<f64>()?.iter().all(|x| (x - 1.0).abs() < 1e-8));
//! # Ok::<(), Error>(())
//! ```
//!
//! ## Vectors
//!
//! Arithmetic of arrays is computed in one pass, and numbers stay on the device: what solvers are made of. Arrays are
//! borrowed (`&x`) or, where nobody needs them afterwards, taken over (`&y - a.forward(&x)?`).
//! [`View::to_ndarray`] and [`Array::into_ndarray`] give elements back to ndarray, `to_vec` and `item` to the program.
//!
//! ```
//! use arrayspan::prelude::*;
//!
//! let x = Array::from(ndarray::Array1::from_elem(100, 2.0_f32));
//! let y = (&x * &x + 1.0).compute()?;
//! let unit = (&x / x.norm()?).compute()?;
//! assert_eq!((y.shape(), unit.norm()?.shape()), (&[100][..], &[][..]));
//! let y = y.view().to_ndarray::<f32>()?; // a copy on the host, from whatever device
//! assert_eq!(y[[7]], 5.0);
//! # Ok::<(), Error>(())
//! ```
//!
//! ## Many batches, several devices
//!
//! Each device uploads one batch while it computes another and downloads a third; results come in the order of the
//! inputs.
//!
//! ```
//! use arrayspan::prelude::*;
//!
//! let space = Space::new([64, 48], DType::Float32)?;
//! let slope = FirstDerivative::new(space, 0, 1.0, Scheme::Centered3, Edge::Zero)?;
//! let sections = (0..12).map(|i| ndarray::Array2::<f32>::from_elem((64, 48), i as f32));
//! let mut run = sections.across([Device::best(), Device::cpu()]).map(move |x, _| slope.forward(x))?;
//! for result in run.by_ref() {
//!     assert_eq!(result?.shape(), [64, 48]); // on the CPU
//! }
//! println!("{}", run.report());
//! # Ok::<(), Error>(())
//! ```
//!
//! ## Torch
//!
//! The feature `torch` hands tensors of [tch](https://docs.rs/tch) over, both ways, on the CPU and on CUDA, without
//! copying them, and makes an operator a function of tensors that torch differentiates. Building it needs libtorch 2.11, that of the Python package, and the variable `LIBTORCH` (its folder).
//!
#![cfg_attr(feature = "torch", doc = "```")]
#![cfg_attr(not(feature = "torch"), doc = "```ignore")]
//! use arrayspan::prelude::*;
//! use arrayspan::torch::tch::{Kind, Tensor};
//! use arrayspan::torch::{self, TorchOptions};
//!
//! let options = TorchOptions::default();
//! let picture = Tensor::randn([512, 512], (Kind::Float, torch::device(Device::cpu())?));
//! let (picture, _) = torch::import(picture, options)?; // this memory, now an array
//! let space = Space::new([512, 512], DType::Float32)?;
//! let slope = FirstDerivative::new(space, 0, 1.0, Scheme::Centered3, Edge::Zero)?;
//! let (x, crossing) = torch::export(slope.forward(&picture)?, options)?; // and a tensor again
//! println!("{:?}: {crossing}", x.size());
//!
//! let layer = slope.torch(); // a function of tensors, which torch differentiates
//! let x = x.set_requires_grad(true);
//! layer.forward(&x)?.square().sum(Kind::Float).backward(); // back by the adjoint
//! println!("the gradient: {:?}", x.grad().size());
//! # Ok::<(), Error>(())
//! ```
//!
//! # Errors
//!
//! Each crate has an error type. [`Error`] takes all of them, and `fn main() -> arrayspan::Result<()>` prints what went
//! wrong in a line. A device, driver or library that is not there is an error, [`devices::Error::Unavailable`], and
//! never a panic.
//!
//! # What is where
//!
//! | | |
//! |---|---|
//! | [`prelude`] | what most programs import |
//! | [`devices`] | [`Device`], [`Stream`]; memory with limits ([`Limit`](devices::Limit), [`Scope`](devices::Scope)), who holds it ([`account`](devices::account)), what is done when it runs out ([`retry`](devices::retry)) |
//! | [`bridge`] | [`Array`], [`SharedArray`], [`View`], [`Elementwise`]; [`concatenate`], [`stack`](bridge::stack()); [`dlpack`](bridge::dlpack), [`interop`](bridge::interop) with other libraries, [`convert`](bridge::convert()) from any kind of array to any other |
//! | [`pipeline`] | [`batch`](pipeline::batch)es over several devices, work that is split and moved when memory is short ([`retry`](pipeline::retry)), arrays that wait on the host ([`spill`](pipeline::spill)) |
//! | [`kernels`] | the verbs ([`Executor`]) that operators and solvers are written in: `map`, `copy`, `stencil`, `gather`, `reduce`, `fft`, `gemm` and others; arithmetic of arrays ([`Vector`], [`VectorMut`]); [`Trace`] counts what they cost, [`Plan`] runs them over and over; kernels of your own ([`user`](kernels::user)) |
//! | [`operators`] | [`Operator`], [`LinearOperator`], their [`algebra`](operators::algebra), [`check_adjoint`] and [`laws`] to try them by, and what authors import ([`author`](operators::author)) |
//! | [`solvers`] | [`Solver`]: [`Cgls`], [`Lsqr`], [`Lsmr`], [`Cg`], [`Minres`], [`Gmres`], [`BiCgStab`]; [`Fista`], [`Ista`] for models that are sparse, and others in [`sparse`](solvers::sparse); functions with proximal operators ([`proximal`](solvers::proximal)); [`solve`](solvers::solve()); [`norm_estimate`], [`eigs`], [`svds`], [`cond`] and others of spectra ([`eigen`](solvers::eigen)); [`Stop`], [`Condition`]; [`Observer`], [`observers`](solvers::observers); [`Saved`] runs |
//! | [`guide`] | pages to read: arrays for those who know NumPy; operators for those who know PyLops, and [all in one table](guide::operators); writing an operator, a solver, a kernel; memory, accounting, what DLPack imports check, figures |
//!
//! | operators | |
//! |---|---|
//! | basic | [`Identity`], [`Zero`], [`Diagonal`], [`Conj`], [`Real`], [`Imag`], [`MatrixMult`], [`Transpose`], [`Flip`], [`Roll`], [`Pad`], [`Symmetrize`], [`Restriction`], [`Spread`], [`SumAlong`], [`CausalIntegration`], [`Regression`], [`LinearRegression`], [`FunctionOperator`], [`MemoizeOperator`], [`ToDevice`] |
//! | derivatives | [`FirstDerivative`], [`SecondDerivative`], [`Laplacian`], [`Gradient`], [`FirstDirectionalDerivative`], [`SecondDirectionalDerivative`] |
//! | signals | [`Convolve1D`], [`Convolve2D`], [`ConvolveND`], [`NonStationaryConvolve1D`], [`NonStationaryConvolve2D`], [`NonStationaryConvolve3D`], [`NonStationaryFilters1D`], [`NonStationaryFilters2D`], [`Fredholm1`], [`ChirpRadon2D`], [`ChirpRadon3D`], [`FourierRadon2D`], [`FourierRadon3D`], [`Radon2D`], [`Radon3D`], [`Smoothing`], [`Interp`], [`InterpCubicSpline`], [`Bilinear`], [`FFT`], [`FFT2D`], [`FFTND`], [`Shift`], [`DCT`], [`DWT`], [`DWT2D`], [`DWTND`], [`Sliding1D`], [`Sliding2D`], [`Sliding3D`], [`Patch2D`], [`Patch3D`], [`DTCWT`], [`UDCT`], [`Seislet`], [`PWSprayer2D`], [`PWSmoother2D`] |
//! | seismic | [`PoststackLinearModelling`] |
//! | medical | [`CT2D`], [`MRI2D`] |
//! | algebra | [`adjoint`], `+`, `-`, `*`, [`after`](Operator::after), [`pow`](Operator::pow), [`transpose`](Operator::transpose), [`conj`](Operator::conj), [`to_real`](Operator::to_real), [`to_imag`](Operator::to_imag), [`Kronecker`], [`vstack!`], [`hstack!`], [`stack!`], [`block_diagonal!`], [`columns`](Operator::columns), [`lifted`](Operator::lifted), [`on`](Operator::on), [`visiting`](Operator::visiting) |
//! | about them | [`describe`](Operator::describe), [`cost`](Operator::cost), [`to_dense`](Operator::to_dense), [`to_sparse`](Operator::to_sparse), [`trace`](Operator::trace), [`TraceEstimator`](operators::TraceEstimator), [`Counter`](operators::Counter) |
//! | beside them | [`wavelet`](operators::wavelet), [`taper`](operators::taper), [`slopes`](operators::slopes), [`matrices`](operators::matrices), [`events`](operators::events), [`metrics`](operators::metrics) |
//! | yours | [`Operator::of`] with a [`Form`], [`Operator::new`] with a [`LinearMap`] |
//!
//! Steps, taps and factors are `f64` or [`num_complex`]'s `Complex64` (two `f64`, what [`DType::Complex128`] names),
//! whatever the dtype of the space, and are rounded to it.
#![forbid(unsafe_code)]

mod error;
pub mod guide;

pub use arrayspan_bridge as bridge;
pub use arrayspan_devices as devices;
pub use arrayspan_kernels as kernels;
pub use arrayspan_operators as operators;
pub use arrayspan_pipeline as pipeline;
pub use arrayspan_solvers as solvers;
/// The versions of these crates whose types the interface has.
pub use {ndarray, num_complex};

pub use error::{Error, Result};

/// libtorch, through [`tch`](torch::tch): tensors become arrays and arrays tensors ([`bridge::torch`]), and operators are functions of
/// tensors that torch differentiates ([`operators::torch`]).
#[cfg(feature = "torch")]
pub mod torch {
    pub use arrayspan_bridge::torch::*;
    pub use arrayspan_operators::torch::*;
}

/// What most programs need: `use arrayspan::prelude::*;`.
///
/// Arrays and devices, arithmetic ([`Vector`], [`VectorMut`]), operators and their algebra, what tries them
/// ([`check_adjoint`], [`laws`]), [`Plan`] and [`Trace`], batches ([`Across`]), solvers. Authors of operators import
/// [`author`](crate::operators::author) instead, or beside it, and then say which `Error` and `Result` are meant:
/// `use arrayspan::{Error, Result};`.
///
/// ```
/// use arrayspan::operators::author::*;
/// use arrayspan::prelude::*;
/// use arrayspan::{Error, Result};
///
/// fn roughness(space: Space) -> Result<Operator> {
///     let slope = FirstDerivative::new(space, 0, 1.0, Scheme::Forward, Edge::Zero)?;
///     Ok(adjoint(&slope).after(&slope).build()?)
/// }
///
/// let operator = roughness(Space::new([7, 3], DType::Float64)?)?;
/// assert!(operator.is_positive() && check_adjoint(&operator)?.holds());
/// # Ok::<(), Error>(())
/// ```
pub mod prelude {
    pub use crate::{Error, Result};
    pub use arrayspan_bridge::{
        Array, AsView, Crossing, DType, Elementwise, Layout, Relayout, SharedArray, Transfer, View,
        ViewMut, concatenate, stack,
    };
    pub use arrayspan_devices::{Device, DeviceKind, Stream};
    pub use arrayspan_kernels::{
        Executor, Factor, Plan, Trace, Update, Vector, VectorMut, on, on_stream,
    };
    pub use arrayspan_operators::prelude::*;
    pub use arrayspan_operators::{check_adjoint, check_adjoint_on, laws};
    pub use arrayspan_pipeline::batch::{Across, Assignment, BatchPlace, OnLost};
    pub use arrayspan_solvers::{
        BiCgStab, Cg, Cgls, Condition, Direct, Eigs, Fista, Gmres, Ista, Lobpcg, LogDet, Lsmr,
        Lsqr, Minres, NormEstimator, Observer, PowerIteration, Progress, RandomizedSvd, Saved,
        SingleReductionCg, SingleReductionCgls, Solution, Solve, SolvedBy, Solver, Sparsity,
        Stagnation, Stop, Stopped, Svds, Threshold, Which, cond, eigs, log_det, norm_estimate,
        solve, svds,
    };
}

#[cfg(doc)]
#[allow(unused_imports, reason = "names that the page above links")]
use prelude::*;

/// The examples of the page on the front of the repository, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
