//! Norms, eigenvalues and singular values of operators that are applied, not looked into.
//!
//! | what | method |
//! |---|---|
//! | bounds of `‖A‖` that hold, for lengths of steps | [`norm_estimate`], [`NormEstimator`] |
//! | eigenvalues and vectors of `A = Aᴴ` | [`eigs`], [`Eigs`]; the largest alone [`PowerIteration`] |
//! | the same at one end, with a preconditioner, a block at a time | [`Lobpcg`] |
//! | singular values and vectors | [`svds`], [`Svds`]; of low rank in a few passes [`RandomizedSvd`] |
//! | the largest by the smallest singular value | [`cond`] |
//! | `ln det A` of a positive `A` | [`log_det`], [`LogDet`] |
//!
//! All run where the operator's arrays are, or on the CPU if it has none; methods that end in `_on` take the executor. Random vectors
//! are drawn on the host from a seed, the same on every device. What a method takes is predicted (`memory`, [`cond_memory`]).

mod applied;
mod basis;
pub(crate) mod block;
mod cond;
mod eigs;
mod golub_kahan;
mod lanczos;
mod lobpcg;
mod log_det;
mod norm;
mod polynomial;
mod power;
mod quadrature;
mod random;
mod randomized;
mod search;
mod svds;
mod which;

pub use cond::{ConditionNumber, cond, cond_memory, cond_on};
pub use eigs::{Eigenpairs, Eigs, eigs};
pub use lobpcg::Lobpcg;
pub use log_det::{LogDet, LogDetEstimate, log_det};
pub use norm::{NormEstimate, NormEstimator, norm_estimate};
pub use power::{Eigenpair, PowerIteration};
pub use randomized::{LowRank, RandomizedSvd};
pub use svds::{SingularTriplets, Svds, svds};
pub use which::Which;
