//! Transforms of patches of two axes.

use super::Windows;
use super::windows::overlap_add;
use crate::{Formula, Operator, Result};

/// `y = Σ_w T_w A x_w`: an operator `A` for each of the overlapping patches of two axes, with products of tapers `T`;
/// domain `[windows, windows, A's…]`, range `shape`.
///
/// What [`Sliding1D`](crate::Sliding1D) says holds here, too; the range of `inner` is `[windows[0].len, windows[1].len]`, or flat.
/// Units: those of `inner`. Complex: as `inner`. Cost: that of `inner` on all windows, 1 launch, each value of them and of `y` once,
/// and a table of all samples in patches (test `bytes::patch2d`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::DType;
/// use arrayspan_operators::prelude::*;
/// let same = Identity::new(Space::new([4, 5], DType::Float32)?)?;
/// let patches = Patch2D::new(same, [10, 9], [Windows::new(4, 1), Windows::new(5, 1)])?;
/// assert_eq!(patches.domain().shape(), [3, 2, 4, 5]);
/// # Ok(()) }
/// ```
///
/// Golden: PyLops 2.8.0 `Patch2D`, which tapers one outer end of a single patch.
#[derive(Debug)]
pub struct Patch2D(());

impl Patch2D {
    const NAME: &str = "Patch2D";

    /// Applies `inner` to each patch, of the `windows` of both axes, of data of `shape`.
    ///
    /// # Errors
    /// As [`Sliding1D::new`](crate::Sliding1D::new).
    pub fn new(
        inner: impl Into<Formula>,
        shape: [usize; 2],
        windows: [Windows; 2],
    ) -> Result<Operator> {
        overlap_add(Self::NAME, inner, &shape, &windows)
    }
}
