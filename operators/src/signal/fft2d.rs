//! Discrete Fourier transforms along two axes.

use super::fftnd::transform;
use super::{FourierAxis, FourierNorm, Spectrum};
use crate::{Operator, Result, Space};

/// `y = F x`, discrete Fourier transforms along two axes: [`FFTND`](crate::FFTND) of these; domain `space`, range with as many bins
/// along each, complex.
///
/// [`Spectrum::Half`] halves the second axis. Units: those of `x`. Complex: linear; of a real space, over the real numbers only. Cost: 1
/// launch for each axis whose lines fit local memory and whose number of points has no prime factor above 13, 2 values moved per element
/// (test `bytes::fft2d`).
///
/// Golden: PyLops 2.8.0 `FFT2D`, engine `numpy`. Its engine `scipy` divides by `√n` where `n` is needed, so that the adjoint of the norms
/// `"none"` and `"1/n"` is none, and fails where points are fewer than samples.
#[derive(Debug)]
pub struct FFT2D(());

impl FFT2D {
    const NAME: &str = "FFT2D";

    /// Transforms `space` along two axes.
    ///
    /// # Errors
    /// As [`FFTND::new`](crate::FFTND::new).
    pub fn new(
        space: Space,
        axes: [FourierAxis; 2],
        spectrum: Spectrum,
        norm: FourierNorm,
    ) -> Result<Operator> {
        transform(Self::NAME, space, &axes, spectrum, norm)
    }
}
