//! Operators that only place, weigh or mix elements.

mod diagonal;
mod identity;
mod matrix_mult;

pub use diagonal::Diagonal;
pub use identity::Identity;
pub use matrix_mult::MatrixMult;
