//! Discrete wavelet transforms along two axes.

use super::Wavelet;
use super::wavelet_levels::analysis;
use crate::{Operator, Result, Space, adjoint};

/// `y = W x`, a discrete wavelet transform along two axes; domain `space`, range with powers of two along both axes.
///
/// It is [`DWTND`](crate::DWTND) of two axes. Units: those of `x`. Complex: linear. Cost: 1 launch for each axis, 2 values moved per
/// element, of the first level; of each further one those of the corner, and copies of the rest (test `bytes::dwt2d`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::DType;
/// use arrayspan_operators::prelude::*;
/// let space = Space::new([100, 3, 60], DType::Float32)?;
/// let wavelets = DWT2D::new(space, [0, -1], &Wavelet::named("db4")?, 3)?;
/// assert_eq!(wavelets.range().shape(), [128, 3, 64]);
/// # Ok(()) }
/// ```
///
/// Reference: S. Mallat, IEEE Transactions on Pattern Analysis and Machine Intelligence 11 (1989), 674-693. Golden: PyLops 2.8.0 `DWT2D`.
#[derive(Debug)]
pub struct DWT2D(());

impl DWT2D {
    const NAME: &str = "DWT2D";

    /// `levels` of the transform of `space`.
    ///
    /// # Errors
    /// As [`DWT::new`](crate::DWT::new), and when an axis is there twice.
    pub fn new(
        space: Space,
        axes: [isize; 2],
        wavelet: &Wavelet,
        levels: usize,
    ) -> Result<Operator> {
        analysis(Self::NAME, space, &axes, wavelet, levels)
    }

    /// From coefficients back to signals of `space`: `W⁺ W = 1`.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn inverse(
        space: Space,
        axes: [isize; 2],
        wavelet: &Wavelet,
        levels: usize,
    ) -> Result<Operator> {
        let inverse = adjoint(&Self::new(space, axes, &wavelet.dual(), levels)?);
        Ok(inverse.named("inverse of DWT2D"))
    }
}
