//! Operators above each other, along a new axis.

use super::blocks::{Shape, blocks};
use crate::{Formula, Operator, Result};

/// `y[k, …] = Aₖ x`: the data of several operators on one model, along a new first axis. Ranges are equal: of two with `[3, 5]` it
/// is `[2, 3, 5]`.
///
/// Parts read and write views of the one array: nothing is copied, and the cost is the sum of theirs; up to four that are weights or
/// multiples of the identity are one launch that reads the model once. The adjoint adds up,
/// `x = Σ Aₖᴴ y[k, …]`.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::DType;
/// use arrayspan_operators::prelude::*;
/// use arrayspan_operators::stack;
/// let space = Space::new([50, 40], DType::Float64)?;
/// let along = |axis| FirstDerivative::new(space.clone(), axis, 1.0, Scheme::Forward, Edge::Zero);
/// assert_eq!(stack([along(0)?, along(1)?])?.range().shape(), [2, 50, 40]);
/// # Ok(()) }
/// ```
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) without operators and with more than 64 stacks within each other,
/// [`Error::Spaces`](crate::Error::Spaces) when domains or ranges differ, [`Error::TooLarge`](crate::Error::TooLarge) when the range
/// cannot be addressed, [`Error::Devices`](crate::Error::Devices) when parts live on different devices.
pub fn stack<A: Into<Formula>>(parts: impl IntoIterator<Item = A>) -> Result<Operator> {
    blocks("stack", Shape::Stacked, parts)
}

/// [`stack`](fn@crate::stack) of operators and formulas where they are of different types. (The function of this name in the
/// prelude of `arrayspan` is that of arrays.)
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::DType;
/// use arrayspan_operators::prelude::*;
/// let a = Identity::new(Space::new([5, 3], DType::Float64)?)?;
/// assert_eq!(stack![&a, 0.5 * &a]?.range().shape(), [2, 5, 3]);
/// # Ok(()) }
/// ```
#[macro_export]
macro_rules! stack {
    ($($part:expr),+ $(,)?) => {
        $crate::stack([$($crate::Formula::from($part)),+])
    };
}
