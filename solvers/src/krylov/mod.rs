//! Methods that look for the solution in Krylov spaces.

mod cgls;
mod freeze;
mod measure;
mod recurrence;

pub use cgls::Cgls;
pub use recurrence::CglsWorkspace;
