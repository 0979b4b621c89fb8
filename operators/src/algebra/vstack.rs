//! Vertical stacks: operators above each other, of one model.

use super::blocks::{Shape, blocks};
use crate::{Formula, Operator, Result};

/// `y = [A₀ x; A₁ x; …]`: the data of several operators on one model, one after the other.
///
/// Ranges that agree in all but their first axis are joined along it, `[3, 5]` and `[2, 5]` to `[5, 5]`; else the
/// range is one-dimensional, `[3, 5]` and `[4]` to `[19]`. Parts read and write views of the one array:
/// nothing is copied, and the cost is the sum of theirs; up to four that are weights or multiples of the identity, of one shape, are
/// one launch that reads the model once. The adjoint adds up, `x = Σ Aᵢᴴ yᵢ`. A part that is a `vstack`
/// itself gives its own parts, so a stack may grow part by part.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) without operators and with more than 64 stacks of other kinds within each
/// other, [`Error::Spaces`](crate::Error::Spaces) when domains or dtypes differ,
/// [`Error::TooLarge`](crate::Error::TooLarge) when the range cannot be addressed,
/// [`Error::Devices`](crate::Error::Devices) when parts live on different devices.
///
/// Golden: PyLops 2.8.0 `VStack`, whose range is always one-dimensional.
pub fn vstack<A: Into<Formula>>(parts: impl IntoIterator<Item = A>) -> Result<Operator> {
    blocks("vstack", Shape::Above, parts)
}

/// `[A₀; A₁; …]` of operators and formulas: [`vstack`](fn@crate::vstack) where they are of different types.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::DType;
/// use arrayspan_operators::prelude::*;
/// let a = Identity::new(Space::new([5, 3], DType::Float64)?)?;
/// let operator = vstack![&a, 0.5 * &a, &a - 2.0 * &a]?;
/// # Ok(()) }
/// ```
#[macro_export]
macro_rules! vstack {
    ($($part:expr),+ $(,)?) => {
        $crate::vstack([$($crate::Formula::from($part)),+])
    };
}
