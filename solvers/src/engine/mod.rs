//! What all methods share: the loop, when it stops, what the host looks at, how a run begins and ends.
//!
//! A method is its parameters, its vectors and its recurrence ([`run::Method`]). Everything else is here, once: arguments
//! are checked (`fit`), data and operator are scaled so that no square leaves the dtype (`scale`, `measure`), kernels are
//! built side by side before the first iteration (`rehearse`), iterations are enqueued in blocks whose scalars come to the
//! host in one transfer (`history`), and the host decides whether to go on ([`Running`]).

pub(crate) mod arguments;
mod begin;
mod columns;
pub(crate) mod fit;
pub(crate) mod history;
mod kept;
mod measure;
pub(crate) mod read;
mod recorded;
mod rehearse;
mod replay;
pub(crate) mod run;
mod running;
mod saved;
pub(crate) mod scale;
pub(crate) mod solver;
mod state;
pub(crate) mod system;
pub(crate) mod workspace;

pub use columns::{Column, Columns};
pub(crate) use fit::Fit;
pub use running::Running;
pub use saved::Saved;
pub(crate) use saved::{copied, moved};
pub use solver::Solver;
pub(crate) use workspace::Make;
pub use workspace::SolverWorkspace;
