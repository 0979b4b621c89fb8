//! Spraying along local slopes.

use super::plane_waves::gathered;
use crate::{Operator, Result, Space, adjoint};

/// `y(z + ζₖ, x + k) += decay^|k| m(z, x)` for `|k| ≤ radius`: every value sprayed to both sides along local slopes; domain and range are both
/// `space`, `[z, x]`.
///
/// A wave goes from column to column by the slope where it is, `ζₖ₊₁ = ζₖ + p(z + ζₖ, x + k)`, linear between samples of `z`, and its value is
/// shared out between the two samples around it; above the first sample and below the last one it stays there. The adjoint collects what it
/// meets on the same ways. Units: those of `m`; slopes are in samples of `z` per column, positive downwards, as `pwd_slope_estimate` of the solvers
/// has them; those of [`slope_estimate`](crate::slopes::slope_estimate) have the other sign. Complex: linear. Cost: 1 launch, each value
/// once, and a table of up to `4 radius + 1` weights for each (test `bytes::pwsprayer2d`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// let sprayer = PWSprayer2D::new(Space::new([3, 3], DType::Float64)?, [1.0; 9], 1, 0.5)?;
/// let spike = Array::from_slice(&[0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0], [3, 3])?;
/// let y = sprayer.forward(spike)?;
/// assert_eq!(y.to_vec::<f64>()?, [1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0]);
/// # Ok(()) }
/// ```
///
/// Reference: S. Fomel, Geophysics 75 (2010), A25-A30. Golden: PyLops 2.8.0 `PWSprayer2D`, which takes all slopes on a way at the depth where it
/// begins.
#[derive(Debug)]
pub struct PWSprayer2D(());

impl PWSprayer2D {
    const NAME: &str = "PWSprayer2D";

    /// Sprays to `radius` columns on each side, times `decay` for each, along `slopes`, one for each element of `space` in its order.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when `space` has not two axes; there is not one finite slope for each element; the
    /// decay is not above 0 and at most 1; or the dtype is not one to compute with. [`Error::TooLarge`](crate::Error::TooLarge) when there
    /// is no memory for the table.
    pub fn new(
        space: Space,
        slopes: impl AsRef<[f64]>,
        radius: usize,
        decay: f64,
    ) -> Result<Operator> {
        let gathered = gathered(Self::NAME, space, slopes.as_ref(), radius, decay)?;
        Ok(adjoint(&gathered).named(Self::NAME))
    }
}
