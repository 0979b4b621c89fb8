//! Iterative solvers: parameters in, [`Solution`] out, on whatever device the data live.
//!
//! How a run ended is data ([`Stopped`]), not an error. The norms that a solver computes stay on the device; every few
//! iterations the host reads them, decides whether to go on and calls an [`Observer`].
#![forbid(unsafe_code)]

mod error;
mod fit;
mod history;
pub mod krylov;
mod observe;
mod read;
mod scale;
mod solution;
mod stop;

pub use error::{Error, Result};
pub use krylov::{Cgls, CglsWorkspace};
pub use observe::{Observer, Progress};
pub use solution::Solution;
pub use stop::{Stop, Stopped};
