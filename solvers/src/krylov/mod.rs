//! Methods that look for the solution in Krylov spaces.

mod cgls;
mod freeze;
mod measure;
mod recurrence;
mod rehearse;
mod run;
mod workspace;

pub use cgls::Cgls;
pub use workspace::CglsWorkspace;
