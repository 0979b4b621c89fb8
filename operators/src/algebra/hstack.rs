//! Horizontal stacks: operators beside each other, whose results are added.

use super::blocks::{Shape, blocks};
use crate::{Formula, Operator, Result};

/// `y = A₀ x₀ + A₁ x₁ + …`: the data of several models, added up.
///
/// The domain joins theirs as the range of a [`vstack`](fn@crate::vstack) does, and the cost is the sum of theirs:
/// this is the adjoint of a `vstack` of adjoints.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) without operators and with more than 64 stacks of other kinds within
/// each other, [`Error::Spaces`](crate::Error::Spaces) when ranges or dtypes differ,
/// [`Error::TooLarge`](crate::Error::TooLarge) when the domain cannot be addressed,
/// [`Error::Devices`](crate::Error::Devices) when parts live on different devices.
///
/// Golden: PyLops 2.8.0 `HStack`, whose domain is always one-dimensional.
pub fn hstack<A: Into<Formula>>(parts: impl IntoIterator<Item = A>) -> Result<Operator> {
    blocks("hstack", Shape::Beside, parts)
}

/// `[A₀ A₁ …]` of operators and formulas: [`hstack`](fn@crate::hstack) where they are of different types.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::DType;
/// use arrayspan_operators::prelude::*;
/// let a = Identity::new(Space::new([5, 3], DType::Float64)?)?;
/// let operator = hstack![&a, 0.5 * &a, &a - 2.0 * &a]?;
/// # Ok(()) }
/// ```
#[macro_export]
macro_rules! hstack {
    ($($part:expr),+ $(,)?) => {
        $crate::hstack([$($crate::Formula::from($part)),+])
    };
}
