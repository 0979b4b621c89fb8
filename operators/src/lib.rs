//! Matrix-free linear operators: written once, run wherever the array lives.
//!
//! An operator maps a [`Space`] of models to a [`Space`] of data and back by its adjoint. Authors write
//! [`LinearMap`]; users call [`LinearOperator`].
#![forbid(unsafe_code)]

pub mod algebra;
pub mod avo;
pub mod basic;
mod context;
pub mod derivative;
mod elementwise;
mod error;
mod operator;
pub mod prelude;
pub mod signal;
mod space;

pub use arrayspan_kernels as kernels;
pub use context::{Context, Workspace, scratch_bytes};
pub use error::{Error, Result};
pub use operator::{LinearMap, LinearOperator};
pub use space::Space;

pub use algebra::{Operator, adjoint, block_diagonal, hstack, vstack};

pub use avo::PoststackLinearModelling;
pub use basic::{Diagonal, Identity, MatrixMult};
pub use derivative::{Along, Edge, FirstDerivative, Laplacian, Scheme, SecondDerivative};
pub use signal::Convolve1D;
