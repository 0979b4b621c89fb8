//! Transforms of windows along the first of two axes.

use super::Windows;
use super::windows::overlap_add;
use crate::{Formula, Operator, Result};

/// `y = Σ_w T_w A x_w`: an operator `A` for each of the overlapping windows of the first of two axes, with tapers `T`;
/// domain `[windows, A's…]`, range `shape`.
///
/// What [`Sliding1D`](crate::Sliding1D) says holds here, too; the range of `inner` is `[windows.len, shape[1]]`, or flat.
/// Units: those of `inner`. Complex: as `inner`. Cost: that of `inner` on all windows, 1 launch, each value of them and of `y` once,
/// and a table of the samples of the first axis in windows (test `bytes::sliding2d`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::DType;
/// use arrayspan_operators::prelude::*;
/// let window = FFT2D::new(
///     Space::new([16, 100], DType::Float32)?,
///     [0, 1].map(FourierAxis::new),
///     Spectrum::Half,
///     FourierNorm::Ortho,
/// )?;
/// let sliding = Sliding2D::new(adjoint(&window), [40, 100], Windows::new(16, 4))?;
/// assert_eq!(sliding.domain().shape(), [3, 16, 51]);
/// assert_eq!(sliding.range().shape(), [40, 100]);
/// # Ok(()) }
/// ```
///
/// Golden: PyLops 2.8.0 `Sliding2D`, which fails of a single window.
#[derive(Debug)]
pub struct Sliding2D(());

impl Sliding2D {
    const NAME: &str = "Sliding2D";

    /// Applies `inner` to each of the `windows` along the first axis of data of `shape`.
    ///
    /// # Errors
    /// As [`Sliding1D::new`](crate::Sliding1D::new).
    pub fn new(inner: impl Into<Formula>, shape: [usize; 2], windows: Windows) -> Result<Operator> {
        overlap_add(Self::NAME, inner, &shape, &[windows])
    }
}
