//! Transforms of patches of three axes.

use super::Windows;
use super::windows::overlap_add;
use crate::{Formula, Operator, Result};

/// `y = Σ_w T_w A x_w`: an operator `A` for each of the overlapping patches of three axes, with products of tapers `T`;
/// domain `[windows, windows, windows, A's…]`, range `shape`.
///
/// What [`Sliding1D`](crate::Sliding1D) says holds here, too; the range of `inner` is `[windows[0].len, windows[1].len, windows[2].len]`, or flat.
/// Units: those of `inner`. Complex: as `inner`. Cost: that of `inner` on all windows, 1 launch, each value of them and of `y` once,
/// and a table of all samples in patches (test `bytes::patch3d`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::DType;
/// use arrayspan_operators::prelude::*;
/// let same = Identity::new(Space::new([4, 5, 3], DType::Float32)?)?;
/// let windows = [Windows::new(4, 1), Windows::new(5, 1), Windows::new(3, 0)];
/// let patches = Patch3D::new(same, [10, 9, 7], windows)?;
/// assert_eq!(patches.domain().shape(), [3, 2, 2, 4, 5, 3]);
/// # Ok(()) }
/// ```
///
/// Golden: PyLops 2.8.0 `Patch3D`, which tapers one outer end of a single patch.
#[derive(Debug)]
pub struct Patch3D(());

impl Patch3D {
    const NAME: &str = "Patch3D";

    /// Applies `inner` to each patch, of the `windows` of all axes, of data of `shape`.
    ///
    /// # Errors
    /// As [`Sliding1D::new`](crate::Sliding1D::new).
    pub fn new(
        inner: impl Into<Formula>,
        shape: [usize; 3],
        windows: [Windows; 3],
    ) -> Result<Operator> {
        overlap_add(Self::NAME, inner, &shape, &windows)
    }
}
