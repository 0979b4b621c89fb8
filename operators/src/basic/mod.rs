//! Operators that only place, weigh or mix elements.

mod diagonal;
mod identity;
mod matrix_mult;
mod restriction;
mod roll;
mod sum_along;
mod to_device;

pub use diagonal::Diagonal;
pub use identity::Identity;
pub use matrix_mult::MatrixMult;
pub use restriction::Restriction;
pub use roll::Roll;
pub use sum_along::SumAlong;
pub use to_device::ToDevice;
