//! Matrix-free linear operators: written once, run wherever the array lives.
//!
//! An [`Operator`] maps a [`Space`] of models to a [`Space`] of data and back by its adjoint. It is data: a [`Form`] and two
//! spaces, or other operators combined by the [`algebra`]. Adjoint, transpose and conjugate follow, and before it is first
//! applied it is rewritten so that what one pass over the arrays can do is done in one. Authors write a constructor
//! that gives a form (model: `derivative/first.rs`), or a [`LinearMap`] where no form fits; users call [`LinearOperator`].
//! [`author`] is what they import, [`check_adjoint`] and [`laws::check`] try what they wrote, and the guide
//! [`docs/write-an-operator.md`](https://github.com/arrayspan/arrayspan/blob/main/docs/write-an-operator.md) shows all of it.
//!
//! Numbers that operators are given (steps, weights, taps, factors, `alpha` and `beta`) are checked in the dtype they are
//! computed with. What becomes infinite once rounded is an [`Error::Parameter`], and so is what is not zero and becomes
//! zero or subnormal: devices may take subnormal numbers for zero, and results would depend on where they are computed.
//! `Float16` and `BFloat16` are what arrays hold: `Float32` is computed of them, and rounded to the nearest, ties to even, once for each pass
//! that writes. Dense matrices and what is opaque do not take them.
//! Sizes are checked too: a [`Space`] can be addressed, or it is an [`Error::TooLarge`].
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use arrayspan_operators::kernels::bridge::DType;
//! use arrayspan_operators::prelude::*;
//!
//! // Seismic data of an impedance section, above a measure of how rough the section is.
//! let space = Space::new([400, 600], DType::Float32)?;
//! let wavelet = [-0.2, 0.6, 1.0, 0.6, -0.2];
//! let data = PoststackLinearModelling::new(space.clone(), &wavelet, Scheme::Centered3)?;
//! let terms = [0, 1].map(|axis| Along { axis, step: 1.0, weight: 1.0 });
//! let roughness = Laplacian::new(space, &terms, Scheme::Centered3, Edge::Zero)?;
//! let both = vstack![&data, 0.05 * &roughness]?;
//! assert_eq!(both.range().shape(), [800, 600]);
//! # Ok(()) }
//! ```
//!
//! Examples here name this crate and those below it. In programs that depend on `arrayspan` alone, `arrayspan::prelude::*` has what they import.
#![forbid(unsafe_code)]
#![allow(clippy::new_ret_no_self, reason = "all operators are of one type, whatever makes them")]

pub mod algebra;
mod arguments;
pub mod author;
pub mod avo;
pub mod basic;
mod check;
mod context;
pub mod derivative;
mod devices;
mod elementwise;
mod error;
pub mod events;
mod filter_tap;
pub mod form;
mod key;
pub mod laws;
mod linear_map;
pub mod matrices;
pub mod medical;
pub mod metrics;
mod number;
mod operator;
pub mod prelude;
mod property;
pub mod random;
pub mod signal;
pub mod slopes;
mod space;
mod sparse;
pub mod taper;
#[cfg(feature = "torch")]
pub mod torch;
mod trace;
mod visiting;
pub mod wavelet;
mod workspace;

pub use arrayspan_kernels as kernels;

pub use check::{AdjointCheck, check_adjoint, check_adjoint_on};
pub use context::{Context, scratch_bytes};
pub use devices::Devices;
pub use error::{Error, Result};
pub use filter_tap::FilterTap;
pub use key::OperatorKey;
pub use linear_map::LinearMap;
pub use operator::LinearOperator;
pub use property::Properties;
pub use space::Space;
pub use workspace::Workspace;

pub use algebra::{
    Counter, Formula, Kronecker, Lift, Operator, adjoint, block_diagonal, hstack, stack, vstack,
};
pub use avo::PoststackLinearModelling;
pub use basic::{
    CausalIntegration, Conj, Diagonal, Flip, FunctionOperator, Identity, Imag, Integral,
    LinearRegression, MatrixMult, MemoizeOperator, Pad, Real, Regression, Restriction, Roll,
    Spread, SumAlong, Symmetrize, ToDevice, Transpose, Zero,
};
pub use derivative::{
    Along, Direction, Edge, FirstDerivative, FirstDirectionalDerivative, Gradient, Laplacian,
    Scheme, SecondDerivative, SecondDirectionalDerivative,
};
pub use form::Form;
pub use medical::{BeamGeometry, CT2D, KSpace, MRI2D};
pub use signal::{
    Bilinear, Biorthogonal, ChirpRadon2D, ChirpRadon3D, Convolution, Convolve1D, Convolve2D,
    ConvolveND, Cosines, CurveletBand, CurveletKind, Curvelets, DCT, DTCWT, DWT, DWT2D, DWTND, FFT,
    FFT2D, FFTND, FinestScale, FourierAxis, FourierNorm, FourierRadon2D, FourierRadon3D, Fredholm1,
    Interp, InterpCubicSpline, Interpolation, NonStationaryConvolve1D, NonStationaryConvolve2D,
    NonStationaryConvolve3D, NonStationaryFilters1D, NonStationaryFilters2D, PWSmoother2D,
    PWSprayer2D, Patch2D, Patch3D, QuarterShift, Radon2D, Radon3D, RadonKind, Seislet,
    SeisletBasis, Shift, Sliding1D, Sliding2D, Sliding3D, Smoothing, Spectrum, UDCT, Wavelet,
    Windows,
};
pub use sparse::Sparse;
pub use trace::{Sampler, TraceEstimator, TraceMethod};
