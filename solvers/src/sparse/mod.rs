//! Models that are sparse.
//!
//! | PyLops | here | minimises |
//! |---|---|---|
//! | `ista`, `fista` | [`Ista`], [`Fista`] | `‖y - A x‖² + weight ‖x‖ₚᵖ`, with `p` of 1, 0 or 1/2 |
//! | `splitbregman` | [`SplitBregman`] | `‖y - A x‖²` and norms 1 of what operators make of `x`: total variation |
//! | `irls` | [`Irls`] | norms 1 of the residual or of `x`, by weights |
//! | `spgl1` | [`Spgl1`] | `‖x‖₁` with a misfit given, or the misfit with `‖x‖₁` given |
//! | `omp` | [`Omp`], [`Mp`] | `‖y - A x‖` with few elements of `x` |
//!
//! [`Ista`] and [`Fista`] are [`Solver`](crate::Solver)s: they take a start, an [`Observer`](crate::Observer) and a workspace. The others are loops around
//! such solvers, or wait for the device in each iteration; their own `solve` returns a [`Solution`](crate::Solution), and `solve_with` takes an observer, which is called after each iteration.
//! [`IterativeThresholding`] is the type of which [`Ista`] and [`Fista`] are names; the same method for functions of one's own is
//! [`proximal::ProximalGradient`](crate::proximal::ProximalGradient).
//!
//! # Percentiles
//!
//! A [`Threshold`] that keeps a share of the elements needs a percentile of their absolute values. It is found on the device: the
//! bracket of the percentile is halved by counting what is above its middle, 40 times where elements have 32 bits and 64 times where they
//! have 64. So it takes about 43 (67) passes that read the elements and write nothing, and as many launches of one number. Nothing waits for the
//! host. Where a device has no 64-bit floating point, counts are exact up to 2²⁴ elements.

mod irls;
mod memory;
mod percentile;
mod pursuit;
mod read;
mod sparsity;
mod spgl1;
mod split_bregman;
mod threshold;
mod thresholding;
mod watched;

pub use irls::{Irls, Reweighted};
pub use pursuit::{Mp, Omp, Pursuit};
pub use sparsity::Sparsity;
pub use spgl1::{Constraint, Spgl1, Spgl1Workspace};
pub use split_bregman::{Shrunk, Smoothed, SplitBregman};
pub use threshold::Threshold;
pub use thresholding::{Fista, Ista, IterativeThresholding};
