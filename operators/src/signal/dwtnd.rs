//! Discrete wavelet transforms along several axes.

use super::Wavelet;
use super::wavelet_levels::analysis;
use crate::{Operator, Result, Space, adjoint};

/// `y = W x`, a discrete wavelet transform along several axes; domain `space`, range with powers of two along the axes.
///
/// A level is that of [`DWT`](crate::DWT) along one axis after the other, of the corner that has the low frequencies of the level before along
/// all of them; its own low frequencies are in the corner of that. All else is as there. Units: those of `x`. Complex: linear.
/// Cost: 1 launch for each axis, 2 values moved per element, of the first level; of each further one those of the corner, and copies
/// of the rest (test `bytes::dwtnd`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::DType;
/// use arrayspan_operators::prelude::*;
/// let space = Space::new([30, 20, 10], DType::Float32)?;
/// let wavelets = DWTND::new(space, &[0, 1, 2], &Wavelet::named("bior2.2")?, 2)?;
/// assert_eq!(wavelets.range().shape(), [32, 32, 16]);
/// # Ok(()) }
/// ```
///
/// Reference: S. Mallat, IEEE Transactions on Pattern Analysis and Machine Intelligence 11 (1989), 674-693. Golden: PyLops 2.8.0 `DWTND`.
#[derive(Debug)]
pub struct DWTND(());

impl DWTND {
    const NAME: &str = "DWTND";

    /// `levels` of the transform of `space`.
    ///
    /// # Errors
    /// As [`DWT::new`](crate::DWT::new), and when an axis is there twice.
    pub fn new(space: Space, axes: &[isize], wavelet: &Wavelet, levels: usize) -> Result<Operator> {
        analysis(Self::NAME, space, axes, wavelet, levels)
    }

    /// From coefficients back to signals of `space`: `W⁺ W = 1`.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn inverse(
        space: Space,
        axes: &[isize],
        wavelet: &Wavelet,
        levels: usize,
    ) -> Result<Operator> {
        let inverse = adjoint(&Self::new(space, axes, &wavelet.dual(), levels)?);
        Ok(inverse.named("inverse of DWTND"))
    }
}
