//! Operators that only place, weigh or mix elements.

mod diagonal;
mod identity;
mod matrix_mult;
mod roll;
mod to_device;

pub use diagonal::Diagonal;
pub use identity::Identity;
pub use matrix_mult::MatrixMult;
pub use roll::Roll;
pub use to_device::ToDevice;
