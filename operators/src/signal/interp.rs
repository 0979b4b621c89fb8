//! Interpolation between the samples of an axis.

use arrayspan_kernels::Gather;
use num_complex::Complex64;

use super::Interpolation;
use crate::{Error, Form, Operator, Result, Space};

/// `y[…, j, …] = (1 - w) x[…, i, …] + w x[…, i + 1, …]` with `i + w` the position `j`, along one axis; domain `space`, range with
/// as many indices along the axis as there are positions.
///
/// [`Interpolation::Nearest`] takes the sample that is nearest, of two equally near ones the even one. Positions are counted in
/// samples from the first one on; they may repeat and need no order. Sums of 16-bit floats are those of `Float32`, rounded
/// once. Units: those of `x`. Complex: linear. Cost: 1 launch, each
/// value of `x` that is used and each of `y` once, and the table (test `bytes::interp`).
///
/// Golden: PyLops 2.8.0 `Interp`, kinds `linear` and `nearest`. PyLops moves positions at the last sample a little to the left,
/// also in the caller's array, and refuses those that repeat.
#[derive(Debug)]
pub struct Interp(());

impl Interp {
    const NAME: &str = "Interp";

    /// Interpolates at `positions` along `axis` of `space`, which counts from the end if it is negative.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no such axis, a position is not between the first and the last sample, a weight does
    /// not fit the dtype, or that is not one to compute with; [`Error::TooLarge`] when the range cannot be addressed.
    pub fn new(
        space: Space,
        axis: isize,
        positions: impl AsRef<[f64]>,
        interpolation: Interpolation,
    ) -> Result<Operator> {
        let positions = positions.as_ref();
        space.stored(Self::NAME)?;
        let axis = space.axis(Self::NAME, axis)?;
        let mut shape = space.shape().to_vec();
        let extent = std::mem::replace(&mut shape[axis], positions.len());
        let range = Space::of(Self::NAME, shape, space.dtype())?;
        let last = extent as f64 - 1.0;
        let outside = |position: &f64| !(0.0..=last).contains(position);
        if let Some(at) = positions.iter().position(outside) {
            let position = positions[at];
            let why = format!(
                "position {position}, number {at}, is not among the {extent} samples along axis {axis} of {space}"
            );
            return Error::parameter(Self::NAME, why);
        }
        let (mut starts, mut indices) = (vec![0], Vec::new());
        let mut weights: Vec<Complex64> = Vec::new();
        for position in positions {
            let (first, weight) = match interpolation {
                Interpolation::Nearest => (position.round_ties_even() as usize, 0.0),
                Interpolation::Linear => (position.floor() as usize, position.fract()),
            };
            indices.push(first);
            weights.push((1.0 - weight).into());
            // A sample with weight zero gets no entry: it may be NaN, and zero times that is NaN.
            if weight > 0.0 {
                indices.push(first + 1);
                weights.push(weight.into());
            }
            starts.push(indices.len());
        }
        let (rows, columns) = ([positions.len()], [extent]);
        let gather = Gather::new(axis, &rows, &columns, starts, indices, Some(weights))?;
        Operator::of(Self::NAME, space, range, Form::Gather(gather))
    }
}
