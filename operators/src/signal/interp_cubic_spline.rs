//! Interpolation by cubic splines.

use arrayspan_bridge::DType;

use super::positions::{self, Rows};
use crate::{Operator, Result, Space};

/// `y[…, j, …] = s(pⱼ)`, where `s` is the natural cubic spline through the samples of an axis, at positions `p`; domain `space`, range
/// with as many indices along the axis as there are positions.
///
/// Between samples `i` and `i + 1`, at `p = i + w` with `v = 1 - w`,
///
/// `s(p) = v xᵢ + w xᵢ₊₁ + ((v³ - v) mᵢ + (w³ - w) mᵢ₊₁) / 6`,
///
/// and the second derivatives `m` at the samples solve `(mᵢ₋₁ + 4 mᵢ + mᵢ₊₁) / 6 = xᵢ₋₁ - 2 xᵢ + xᵢ₊₁`, those at both ends being zero. Each
/// `y` is a sum of all samples, whose weights are known in closed form; they become smaller by `2 - √3` from one sample to the next, and
/// those below the precision of the dtype are left out. So nothing is solved, and the adjoint is that of the sums. Two samples have a
/// straight line between them, one stands for itself. Positions are counted in samples from the first one on; they may repeat and
/// need no order. Sums of 16-bit floats are those of `Float32`, rounded once.
/// Units: those of `x`. Complex: linear. Cost: 1 launch, each value of `x` that is used and each of `y` once, and the table: at most 62
/// weights for each position of `Float64`, 32 of `Float32` (test `bytes::interp_cubic_spline`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// let spline = InterpCubicSpline::new(Space::new([3], DType::Float64)?, 0, [0.5, 1.0, 1.5])?;
/// let y = spline.forward(Array::from_slice(&[0.0, 1.0, 0.0], [3])?)?.to_vec::<f64>()?;
/// assert!(y.iter().zip([0.6875, 1.0, 0.6875]).all(|(y, expected)| (y - expected).abs() < 1e-15));
/// # Ok(()) }
/// ```
///
/// Reference: C. de Boor, A Practical Guide to Splines, Springer 1978, chapter IV; the inverse of the tridiagonal matrix: C. F. Fischer
/// and R. A. Usmani, SIAM J. Numer. Anal. 6 (1969), 127-142. Golden: PyLops 2.8.0 `InterpCubicSpline`, which is of 64 bits only, needs two samples, moves positions at the last sample a little
/// to the left, and refuses those that repeat.
#[derive(Debug)]
pub struct InterpCubicSpline(());

impl InterpCubicSpline {
    const NAME: &str = "InterpCubicSpline";

    /// Interpolates at `positions` along `axis` of `space`, which counts from the end if it is negative.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when there is no such axis, a position is not between the first and the last
    /// sample, or the dtype is not one to compute with; [`Error::TooLarge`](crate::Error::TooLarge) when the range cannot be
    /// addressed, or there is no memory for the table.
    pub fn new(space: Space, axis: isize, positions: impl AsRef<[f64]>) -> Result<Operator> {
        // (2 - √3)ⁿ is below 2⁻⁵⁶ or 2⁻²⁸.
        let reach = match space.dtype() {
            DType::Float64 | DType::Complex128 => 30,
            _ => 15,
        };
        let each = |_| 2 * reach + 2;
        let positions = positions.as_ref();
        positions::along(Self::NAME, space, axis, positions, each, |position, extent, rows| {
            row(position, extent, reach, rows);
        })
    }
}

/// The weights of the samples at a position.
fn row(position: f64, extent: usize, reach: usize, rows: &mut Rows) {
    let (first, w) = (position.floor() as usize, position.fract());
    if w == 0.0 {
        return rows.add(first, 1.0);
    }
    let v = 1.0 - w;
    // v³ - v and w³ - w
    let curved = [-v * w * (1.0 + v), -w * v * (1.0 + w)].map(|curved| curved / 6.0);
    let last = first.saturating_add(1 + reach).min(extent - 1);
    for sample in first.saturating_sub(reach)..=last {
        let straight = match sample {
            _ if sample == first => v,
            _ if sample == first + 1 => w,
            _ => 0.0,
        };
        let [before, behind] = [first, first + 1].map(|knot| bend(knot, sample, extent));
        rows.add(sample, straight + curved[0] * before + curved[1] * behind);
    }
}

/// How much a sample adds to the second derivative at a knot.
///
/// With `T` the tridiagonal matrix of the knots but the first and the last, 1 4 1 in each row, it is the element of
/// `6 T⁻¹ D` there, `D` having 1 -2 1 in each row. In the columns of the inner samples that is `6 - 36 T⁻¹`.
fn bend(knot: usize, sample: usize, extent: usize) -> f64 {
    let end = extent - 1;
    if knot == 0 || knot == end {
        return 0.0;
    }
    match sample {
        0 => 6.0 * inverse(knot, 1, extent),
        _ if sample == end => 6.0 * inverse(knot, end - 1, extent),
        _ => f64::from(u8::from(sample == knot)) * 6.0 - 36.0 * inverse(knot, sample, extent),
    }
}

/// The element of `T⁻¹` for two inner knots: `(-r)ᵇ⁻ᵃ (1 - r²ᵃ) (1 - r²⁽ⁿ⁻ᵇ⁾) / (2√3 (1 - r²ⁿ))` for `a ≤ b`, the last knot being `n`, where
/// `r = 2 - √3`.
fn inverse(one: usize, other: usize, extent: usize) -> f64 {
    let root = 3.0_f64.sqrt();
    // 2 - √3, without a difference.
    let r = 1.0 / (2.0 + root);
    let (a, b, n) = (one.min(other), one.max(other), extent - 1);
    // Beyond this it is zero.
    let power = |n: usize| r.powi(n.min(1000) as i32);
    let sign = if (b - a).is_multiple_of(2) { 1.0 } else { -1.0 };
    let rest = |k: usize| 1.0 - power(k.saturating_mul(2));
    sign * power(b - a) * rest(a) * rest(n - b) / (2.0 * root * rest(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_is_that_of_the_tridiagonal_matrix() {
        for extent in [3, 4, 5, 11, 97] {
            let inner = 1..extent - 1;
            for (row, column) in inner.clone().flat_map(|a| inner.clone().map(move |b| (a, b))) {
                let element = |at: usize| {
                    if inner.contains(&at) { inverse(at, column, extent) } else { 0.0 }
                };
                let product = element(row - 1) + 4.0 * element(row) + element(row + 1);
                let expected = f64::from(u8::from(row == column));
                assert!(
                    (product - expected).abs() < 1e-15,
                    "{row} {column} of {extent}: {product}"
                );
            }
        }
    }
}
