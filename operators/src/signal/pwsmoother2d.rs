//! Smoothing along local slopes.

use super::plane_waves::gathered;
use crate::{Operator, Result, Space, adjoint};

/// `y = Pᴴ P m`: every value sprayed along local slopes and collected there; domain and range are both `space`, `[z, x]`.
///
/// `P` is the [`PWSprayer2D`](crate::PWSprayer2D), so that it is self-adjoint and positive; weights do not add up to one. Units: those of
/// `m`; slopes are in samples per column. Complex: linear. Cost: 2 launches, each value once in each, and their tables (test
/// `bytes::pwsmoother2d`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// let smoother = PWSmoother2D::new(Space::new([2, 3], DType::Float64)?, [0.0; 6], 1, 0.5)?;
/// let y = smoother.forward(Array::from_slice(&[0.0, 1.0, 0.0, 0.0, 0.0, 0.0], [2, 3])?)?;
/// assert_eq!(y.to_vec::<f64>()?, [1.0, 1.5, 1.0, 0.0, 0.0, 0.0]);
/// assert!(smoother.is_self_adjoint());
/// # Ok(()) }
/// ```
///
/// Golden: PyLops 2.8.0 `PWSmoother2D`, which takes all slopes on a way at the depth where it begins.
#[derive(Debug)]
pub struct PWSmoother2D(());

impl PWSmoother2D {
    const NAME: &str = "PWSmoother2D";

    /// Smooths over `radius` columns on each side, times `decay` for each, along `slopes`, one for each element of `space` in its order.
    ///
    /// # Errors
    /// As [`PWSprayer2D::new`](crate::PWSprayer2D::new).
    pub fn new(
        space: Space,
        slopes: impl AsRef<[f64]>,
        radius: usize,
        decay: f64,
    ) -> Result<Operator> {
        let gathered = gathered(Self::NAME, space, slopes.as_ref(), radius, decay)?;
        let sprayed = adjoint(&gathered).named("PWSprayer2D");
        Ok(adjoint(&sprayed).after(&sprayed).build()?.named(Self::NAME))
    }
}
