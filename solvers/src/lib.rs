//! Iterative solvers: parameters in, [`Solution`] out, on whatever device the data live.
//!
//! How a run ended is data ([`Stopped`]), not an error. The norms that a solver computes stay on the device; every few
//! iterations the host reads them, decides whether to go on and calls an [`Observer`].
//!
//! ```
//! use arrayspan_bridge::{Array, DType};
//! use arrayspan_operators::prelude::*;
//! use arrayspan_solvers::{Cgls, Solver, Stop, Stopped};
//!
//! // The values of a line at some places, and that it bends little.
//! let space = Space::new([50], DType::Float64)?;
//! let picked = Restriction::new(space.clone(), 0, [3, 17, 42])?;
//! let bend = SecondDerivative::new(space, 0, 1.0, Scheme::Centered3, Edge::Zero)?;
//! let a = vstack![&picked, 0.01 * &bend]?;
//! let mut data = Array::zeros(a.range().shape(), DType::Float64, arrayspan_bridge::devices::Device::cpu())?;
//! data.view_mut().as_mut_slice::<f64>()?[..3].copy_from_slice(&[1.0, 2.0, 0.0]);
//!
//! let stop = Stop { iterations: 2000, ..Stop::default() };
//! let solution = Cgls { stop, ..Cgls::default() }.solve(&a, &data)?;
//! assert!(matches!(solution.stopped, Stopped::Residual | Stopped::Gradient | Stopped::Precision));
//! println!("{} iterations, residual {:.1e}", solution.iterations, solution.residuals[solution.iterations]);
//! # Ok::<(), arrayspan_solvers::Error>(())
//! ```
//!
//! Examples here name this crate and those below it. In programs that depend on `arrayspan` alone, `arrayspan::prelude::*` has what they import.
#![forbid(unsafe_code)]

mod bytes;
mod condition;
mod dense;
pub mod eigen;
mod encoded;
mod engine;
mod error;
pub mod krylov;
mod launched;
pub mod least_squares;
mod observe;
pub mod observers;
mod parameters;
pub mod preconditioner;
pub mod proximal;
pub mod slopes;
mod solution;
mod solve;
pub mod sparse;
mod stop;

pub use condition::Condition;
pub use eigen::{
    ConditionNumber, Eigenpair, Eigenpairs, Eigs, Lobpcg, LogDet, LogDetEstimate, LowRank,
    NormEstimate, NormEstimator, PowerIteration, RandomizedSvd, SingularTriplets, Svds, Which,
    cond, cond_memory, cond_on, eigs, log_det, norm_estimate, svds,
};
pub use engine::{Column, Columns, Running, Saved, Solver, SolverWorkspace};
pub use error::{Error, Result};
pub use krylov::{
    BiCgStab, Cg, Cgls, Gmres, Lsmr, Lsqr, Minres, SingleReductionCg, SingleReductionCgls,
};
pub use launched::{Launched, Singly};
pub use observe::{Observer, Progress};
pub use solution::Solution;
pub use solve::{Direct, Solve, Solved, SolvedBy, solve};
pub use sparse::{Fista, Ista, IterativeThresholding, Sparsity, Threshold};
pub use stop::{Stagnation, Stop, Stopped};
