//! Methods that look for the solution in Krylov spaces.

mod cgls;

pub use cgls::Cgls;
