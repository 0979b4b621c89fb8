//! Interpolation between the samples of two axes.

use super::positions::{self, Rows};
use crate::{Error, Operator, Result, Space};

/// `y[p, …] = (1 - v) (1 - w) x[i, j, …] + (1 - v) w x[i, j + 1, …] + v (1 - w) x[i + 1, j, …] + v w x[i + 1, j + 1, …]` with
/// `(i + v, j + w)` the position `p` on the first two axes; domain `space`, range with one axis of positions instead of these two.
///
/// Positions are counted in samples from the first one of each axis on; they may lie on the last ones, may repeat and need no order.
/// The adjoint adds what it gives to one sample in an order that is always the same on a device. Sums of 16-bit floats are those
/// of `Float32`, rounded once. Units: those of `x`. Complex: linear. Cost: 1 launch in each direction, each
/// value of `x` that is used and each of `y` once, and the table (test `bytes::bilinear`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// let between = Bilinear::new(Space::new([2, 3], DType::Float64)?, [[0.5, 1.5], [1.0, 2.0]])?;
/// let y = between.forward(Array::from_slice(&[0.0, 1.0, 2.0, 4.0, 5.0, 6.0], [2, 3])?)?;
/// assert_eq!(y.view().as_slice::<f64>()?, [3.5, 6.0]);
/// # Ok(()) }
/// ```
///
/// Golden: PyLops 2.8.0 `Bilinear`, which refuses positions that repeat, and reads beyond the last samples for those that lie on them.
#[derive(Debug)]
pub struct Bilinear(());

impl Bilinear {
    const NAME: &str = "Bilinear";

    /// Interpolates at `positions`, each `[along axis 0, along axis 1]` of `space`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when `space` has fewer than two axes, a position is not between the first and the last sample of an axis,
    /// a weight does not fit the dtype, or that is not one to compute with; [`Error::TooLarge`] when the range cannot be addressed, or
    /// there is no memory for the table.
    pub fn new(space: Space, positions: impl AsRef<[[f64; 2]]>) -> Result<Operator> {
        let positions = positions.as_ref();
        space.stored(Self::NAME)?;
        let &[height, width, ref others @ ..] = space.shape() else {
            let why = format!("{space}, which needs two axes to interpolate along");
            return Error::parameter(Self::NAME, why);
        };
        let shape = [&[positions.len()], others].concat();
        let range = Space::of(Self::NAME, shape, space.dtype())?;
        for (number, position) in positions.iter().enumerate() {
            for (axis, along) in position.iter().enumerate() {
                positions::check(Self::NAME, &space, axis, number, *along)?;
            }
        }
        let mut rows = Rows::new(Self::NAME, space.shape(), space.dtype(), positions.len(), 4)?;
        for position in positions {
            let [i, j] = position.map(|position| position.floor() as usize);
            let [v, w] = position.map(f64::fract);
            for (row, part) in [(i, 1.0 - v), (i + 1, v)].into_iter().filter(|row| row.1 > 0.0) {
                rows.add(row * width + j, part * (1.0 - w));
                rows.add(row * width + j + 1, part * w);
            }
            rows.end();
        }
        rows.between(Self::NAME, [space, range], 0, [&[positions.len()], &[height, width]])
    }
}
