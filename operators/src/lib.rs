//! Matrix-free linear operators: written once, run wherever the array lives.
//!
//! An operator maps a [`Space`] of models to a [`Space`] of data and back by its adjoint. Authors write
//! [`LinearMap`]; users call [`LinearOperator`].
#![forbid(unsafe_code)]

mod context;
pub mod derivative;
mod error;
mod operator;
mod space;

pub use arrayspan_kernels as kernels;
pub use context::{Context, Workspace, scratch_bytes};
pub use derivative::{Edge, FirstDerivative, Scheme};
pub use error::{Error, Result};
pub use operator::{LinearMap, LinearOperator};
pub use space::Space;
