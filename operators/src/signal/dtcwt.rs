//! Dual-tree complex wavelet transforms along an axis.

use super::dual_tree::Tree;
use super::dual_tree_filters::{Biorthogonal, QuarterShift};
use crate::{Formula, Operator, Result, Space, adjoint};

/// `y = W x`, a dual-tree complex wavelet transform along an axis; domain `space`, range `[2, …]` with all coefficients along the axis: those
/// of the first tree, the real parts of complex coefficients, and those of the second one, the imaginary parts.
///
/// Coefficients are `[high 1, high 2, …, high L, low L]` of `L` levels, the low ones real: zeros stand for their imaginary parts. The first
/// level filters without leaving samples out, even ones for the first tree and odd ones for the second; each further one takes
/// every fourth sample of the low frequencies before it in both trees. Signals are mirrored at their ends, with their last samples twice; where
/// a level needs four times as many samples, one more at both ends. The inverse is [`inverse`](Self::inverse); the adjoint is another operator.
/// Units: those of `x`. Complex: linear; both trees are complex then. Cost: 1 launch for a level, 2 values moved per element and the table;
/// levels become one where that moves less; unless the axis is the first one, 1 launch more for the axis of trees (test `bytes::dtcwt`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// let space = Space::new([6], DType::Float64)?;
/// let (first, further) = (Biorthogonal::default(), QuarterShift::default());
/// let transform = DTCWT::new(space.clone(), 0, 2, first, further)?;
/// let x = Array::from_slice(&[1.0, 3.0, 2.0, 6.0, -1.0, 0.0], [6])?;
/// let y = transform.forward(&x)?;
/// assert_eq!(y.shape(), [2, 9]);
/// let back = DTCWT::inverse(space, 0, 2, first, further)?.forward(&y)?.to_vec::<f64>()?;
/// assert!(back.iter().zip(x.to_vec::<f64>()?).all(|(found, x)| (found - x).abs() < 1e-12));
/// # Ok(()) }
/// ```
///
/// Reference: N. Kingsbury, Applied and Computational Harmonic Analysis 10 (2001), 234-253. Golden: PyLops 2.8.0 `DTCWT`, whose adjoint is the
/// inverse, and which mixes real and imaginary parts of complex models.
#[derive(Debug)]
pub struct DTCWT(());

impl DTCWT {
    const NAME: &str = "DTCWT";

    /// `levels` of the transform of `space` along `axis`, which counts from the end if it is negative.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when there is no such axis, it has an odd number of samples or none, there is no level or more than 64, or the dtype is not one
    /// to compute with; [`Error::TooLarge`](crate::Error::TooLarge) when the range cannot be addressed, or there is no memory for a table.
    pub fn new(
        space: Space,
        axis: isize,
        levels: usize,
        first: Biorthogonal,
        further: QuarterShift,
    ) -> Result<Operator> {
        let tree = Tree::new(Self::NAME, space, axis, levels)?;
        let mut product = tree.analysis(0, &[first.analysis(), first.analysis()])?;
        for level in 1..levels {
            product = tree.analysis(level, &trees(further))?.after(product);
        }
        let order = tree.front()?;
        Ok(adjoint(&order).after(product).build()?.named(Self::NAME))
    }

    /// From coefficients back to signals of `space`: `W⁺ W = 1`.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn inverse(
        space: Space,
        axis: isize,
        levels: usize,
        first: Biorthogonal,
        further: QuarterShift,
    ) -> Result<Operator> {
        let tree = Tree::new(Self::NAME, space, axis, levels)?;
        let mut product = Formula::from(tree.front()?);
        for level in (1..levels).rev() {
            product = tree.synthesis(level, &trees(further))?.after(product);
        }
        let last = tree.synthesis(0, &[first.synthesis(), first.synthesis()])?;
        Ok(last.after(product).build()?.named("inverse of DTCWT"))
    }
}

/// Low-pass and high-pass filters of both trees: the second ones are the first ones the other way round.
fn trees(further: QuarterShift) -> [[Vec<f64>; 2]; 2] {
    let first = further.first();
    let second = first.clone().map(|filter| filter.into_iter().rev().collect());
    [first, second]
}
