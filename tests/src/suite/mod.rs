//! The laws, each a function from a cell and a case to a [`Verdict`], so that the suite can be tried on
//! operators that break them.

pub mod agreement;
mod arrangement;
mod case;
mod cell;
mod cells;
pub mod cost;
pub mod devices;
pub mod dot_test;
pub mod eigen;
pub mod golden;
pub mod krylov;
pub mod leaks;
pub mod least_squares;
pub mod linearity;
pub mod proximal;
mod run;
mod sample;
pub mod shapes;
pub mod sparse;
mod spent;
pub mod stored;
pub mod update;
mod values;

pub use arrangement::Arrangement;
pub use case::{Case, Moves};
pub use cell::Cell;
pub use cells::{hold, hold_golden, kernels};
pub use run::{Direction, Run};
pub use sample::{MOST_KERNELS, Sample};
pub use spent::Spent;
pub use values::Values;

/// What a law says about a case: obeyed, or why not.
pub type Verdict = Result<(), Box<dyn std::error::Error + Send + Sync>>;

/// A law, tried on one case in one cell.
pub type Law = fn(&Cell, &Case) -> Verdict;

/// An operator by name, with its cases in a dtype.
pub type Operator = (&'static str, fn(arrayspan_bridge::DType) -> Vec<Case>);
