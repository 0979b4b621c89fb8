//! Operators that only place, weigh or mix elements.

mod conj;
mod diagonal;
mod flip;
mod identity;
mod linear_regression;
mod matrix_mult;
mod pad;
mod polynomial;
mod regression;
mod restriction;
mod roll;
mod spread;
mod sum_along;
mod symmetrize;
mod to_device;
mod transpose;
mod zero;

pub use conj::Conj;
pub use diagonal::Diagonal;
pub use flip::Flip;
pub use identity::Identity;
pub use linear_regression::LinearRegression;
pub use matrix_mult::MatrixMult;
pub use pad::Pad;
pub use regression::Regression;
pub use restriction::Restriction;
pub use roll::Roll;
pub use spread::Spread;
pub use sum_along::SumAlong;
pub use symmetrize::Symmetrize;
pub use to_device::ToDevice;
pub use transpose::Transpose;
pub use zero::Zero;
