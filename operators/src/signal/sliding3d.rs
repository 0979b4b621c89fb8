//! Transforms of windows along the first two of three axes.

use super::Windows;
use super::windows::overlap_add;
use crate::{Formula, Operator, Result};

/// `y = Σ_w T_w A x_w`: an operator `A` for each of the overlapping windows of the first two of three axes, with products of tapers `T`;
/// domain `[windows, windows, A's…]`, range `shape`.
///
/// What [`Sliding1D`](crate::Sliding1D) says holds here, too; the range of `inner` is `[windows[0].len, windows[1].len, shape[2]]`, or flat.
/// Units: those of `inner`. Complex: as `inner`. Cost: that of `inner` on all windows, 1 launch, each value of them and of `y` once,
/// and a table of the samples of the first two axes in windows (test `bytes::sliding3d`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::DType;
/// use arrayspan_operators::prelude::*;
/// let same = Identity::new(Space::new([4, 5, 30], DType::Float32)?)?;
/// let sliding = Sliding3D::new(same, [10, 9, 30], [Windows::new(4, 1), Windows::new(5, 2)])?;
/// assert_eq!(sliding.domain().shape(), [3, 2, 4, 5, 30]);
/// # Ok(()) }
/// ```
///
/// Golden: PyLops 2.8.0 `Sliding3D`, which tapers one outer end of a single window.
#[derive(Debug)]
pub struct Sliding3D(());

impl Sliding3D {
    const NAME: &str = "Sliding3D";

    /// Applies `inner` to each of the `windows` along the first two axes of data of `shape`.
    ///
    /// # Errors
    /// As [`Sliding1D::new`](crate::Sliding1D::new).
    pub fn new(
        inner: impl Into<Formula>,
        shape: [usize; 3],
        windows: [Windows; 2],
    ) -> Result<Operator> {
        overlap_add(Self::NAME, inner, &shape, &windows)
    }
}
