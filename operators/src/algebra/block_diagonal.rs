//! Block diagonals: operators that each have a model and data of their own.

use super::blocks::{Shape, blocks};
use crate::{Formula, Operator, Result};

/// `y = [A₀ x₀; A₁ x₁; …]`: each operator on its own part of the model, for its own part of the data.
///
/// Domain and range join those of the parts as the range of a [`vstack`](fn@crate::vstack) does. Parts read and
/// write views of the one array: nothing is copied, and the cost is the sum of theirs.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) without operators and with more than 64 stacks within each other,
/// [`Error::Spaces`](crate::Error::Spaces) when dtypes differ, [`Error::TooLarge`](crate::Error::TooLarge) when a space
/// cannot be addressed, [`Error::Devices`](crate::Error::Devices) when parts live on different devices.
///
/// Golden: PyLops 2.8.0 `BlockDiag`.
pub fn block_diagonal<A: Into<Formula>>(parts: impl IntoIterator<Item = A>) -> Result<Operator> {
    blocks("block_diagonal", Shape::Diagonal, parts)
}

/// Operators and formulas, each on its own part: [`block_diagonal`](fn@crate::block_diagonal) where they are of different types.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::DType;
/// use arrayspan_operators::prelude::*;
/// let a = Identity::new(Space::new([5, 3], DType::Float64)?)?;
/// let operator = block_diagonal![&a, 0.5 * &a, &a - 2.0 * &a]?;
/// # Ok(()) }
/// ```
#[macro_export]
macro_rules! block_diagonal {
    ($($part:expr),+ $(,)?) => {
        $crate::block_diagonal([$($crate::Formula::from($part)),+])
    };
}
