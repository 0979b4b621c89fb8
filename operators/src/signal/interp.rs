//! Interpolation between the samples of an axis.

use std::f64::consts::PI;

use super::{Interpolation, positions};
use crate::{Error, Operator, Result, Space};

/// `y[…, j, …] = (1 - w) x[…, i, …] + w x[…, i + 1, …]` with `i + w` the position `j`, along one axis; domain `space`, range with
/// as many indices along the axis as there are positions.
///
/// [`Interpolation::Nearest`] takes the sample that is nearest, of two equally near ones the even one; [`Interp::sinc`] sums all
/// samples times `sinc(position - i)`; splines are [`InterpCubicSpline`](crate::InterpCubicSpline). Positions are counted in
/// samples from the first one on; they may repeat and need no order. Sums of 16-bit floats are those of `Float32`, rounded
/// once. Units: those of `x`. Complex: linear. Cost: 1 launch, each
/// value of `x` that is used and each of `y` once, and the table (test `bytes::interp`).
///
/// Golden: PyLops 2.8.0 `Interp`, kinds `linear`, `nearest` and `sinc`. PyLops moves positions at the last sample a little to the left,
/// also in the caller's array, and refuses those that repeat.
#[derive(Debug)]
pub struct Interp(());

impl Interp {
    const NAME: &str = "Interp";

    /// Interpolates at `positions` along `axis` of `space`, which counts from the end if it is negative.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no such axis, a position is not between the first and the last sample, a weight does
    /// not fit the dtype, or that is not one to compute with; [`Error::TooLarge`] when the range cannot be addressed, or there is no
    /// memory for the table.
    pub fn new(
        space: Space,
        axis: isize,
        positions: impl AsRef<[f64]>,
        interpolation: Interpolation,
    ) -> Result<Operator> {
        positions::along(
            Self::NAME,
            space,
            axis,
            positions.as_ref(),
            |_| 2,
            |position, _, rows| {
                let (first, weight) = match interpolation {
                    Interpolation::Nearest => (position.round_ties_even() as usize, 0.0),
                    Interpolation::Linear => (position.floor() as usize, position.fract()),
                };
                rows.add(first, 1.0 - weight);
                rows.add(first + 1, weight);
            },
        )
    }

    /// `y[…, j, …] = Σᵢ sinc(pⱼ - i) x[…, i, …]` at the positions `p` along `axis` of `space`, which counts from the end if it is
    /// negative; `sinc(t) = sin(πt) / πt`.
    ///
    /// Weights of a magnitude below `least` are left out, and with it most samples far away: PyLops's `tol`. Without any, 0, the
    /// table has a weight for each position and sample, which a device with a fast matrix product multiplies by sooner as a
    /// [`MatrixMult::along`](crate::MatrixMult::along).
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use arrayspan_operators::kernels::bridge::{Array, DType};
    /// use arrayspan_operators::prelude::*;
    /// let between = Interp::sinc(Space::new([5], DType::Float64)?, 0, [1.5, 3.0], 0.1)?;
    /// let y = between.forward(Array::from_slice(&[0.0, 1.0, 0.0, 2.0, 0.0], [5])?)?.to_vec::<f64>()?;
    /// let expected = [2.0 / std::f64::consts::PI * (1.0 - 2.0 / 3.0), 2.0];
    /// assert!(y.iter().zip(expected).all(|(y, expected)| (y - expected).abs() < 1e-15));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`new`](Self::new); [`Error::Parameter`] when `least` is negative or not a number.
    pub fn sinc(
        space: Space,
        axis: isize,
        positions: impl AsRef<[f64]>,
        least: f64,
    ) -> Result<Operator> {
        if least.is_nan() || least < 0.0 {
            return Error::parameter(Self::NAME, format!("{least} as the least weight"));
        }
        // |sinc(t)| is at most 1 / π|t|.
        let reach = 1.0 / (PI * least);
        let each = |_| ((2.0 * reach).ceil() as usize).saturating_add(1);
        let window = |position: f64, extent: usize| {
            let first = (position - reach).ceil().max(0.0) as usize;
            let last = (position + reach).floor() as usize;
            first..last.saturating_add(1).min(extent)
        };
        let sum = |position: f64, extent, rows: &mut positions::Rows| {
            for sample in window(position, extent) {
                let weight = sinc(position - sample as f64);
                if weight.abs() >= least {
                    rows.add(sample, weight);
                }
            }
        };
        positions::along(Self::NAME, space, axis, positions.as_ref(), each, sum)
    }
}

/// `sin(πt) / πt`, which is zero at whole numbers.
fn sinc(t: f64) -> f64 {
    if t == 0.0 {
        return 1.0;
    }
    let whole = t.round();
    let sign = if whole % 2.0 == 0.0 { 1.0 } else { -1.0 };
    sign * (PI * (t - whole)).sin() / (PI * t)
}
