//! Transforms of windows along an axis.

use super::Windows;
use super::windows::overlap_add;
use crate::{Formula, Operator, Result};

/// `y = Σ_w T_w A x_w`: an operator `A` for each of the overlapping windows of an axis, with tapers `T`; domain `[windows, A's…]`, range
/// `[extent]`.
///
/// `inner` is [lifted](Operator::lifted): forms do all windows in one pass. What they give is added up in one more, by a sparse matrix
/// that has tapers for weights, always in the order of windows. The range of `inner` is `[windows.len]`. (That of its like for several
/// axes may be flat, with as many elements as a window: then the table names them all.) Samples behind the last window are zero, and
/// the adjoint does not read them. With an [`Identity`](crate::Identity) it adds up windows: `after` that stands an operator
/// that has all windows in its range. Units: those of `inner`. Complex: as `inner`. Cost: that of `inner` on all windows, 1 launch,
/// each value of them and of `y` once, and a table of the samples in windows (test `bytes::sliding1d`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// let same = Identity::new(Space::new([3], DType::Float64)?)?;
/// let windows = Windows { taper: None, ..Windows::new(3, 1) };
/// let sliding = Sliding1D::new(same, 6, windows)?;
/// let y = sliding.forward(Array::from_slice(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3])?)?;
/// assert_eq!(y.view().as_slice::<f64>()?, [1.0, 2.0, 7.0, 5.0, 6.0, 0.0]);
/// # Ok(()) }
/// ```
///
/// Golden: PyLops 2.8.0 `Sliding1D`, which fails of a single window.
#[derive(Debug)]
pub struct Sliding1D(());

impl Sliding1D {
    const NAME: &str = "Sliding1D";

    /// Applies `inner` to each of the `windows` of `extent` samples.
    ///
    /// # Errors
    /// The first error of `inner`; [`Error::Parameter`](crate::Error::Parameter) when its range is not a window, a window has no samples
    /// or more than its axis, or windows share all their samples or, with a taper, more than half;
    /// [`Error::TooLarge`](crate::Error::TooLarge) when the models or data of all windows cannot be addressed, or there is no memory
    /// for the table.
    pub fn new(inner: impl Into<Formula>, extent: usize, windows: Windows) -> Result<Operator> {
        overlap_add(Self::NAME, inner, &[extent], &[windows])
    }
}
