//! Discrete Fourier transforms along an axis.

use super::fftnd::transform;
use super::{FourierAxis, FourierNorm, Spectrum};
use crate::{Operator, Result, Space};

/// `y[k] = s Σ x[j] exp(-2πi j k / n)` along one axis; domain `space`, range with as many bins along it, complex.
///
/// | | |
/// |---|---|
/// | `n` | the [points](FourierAxis::points): zeros follow the samples up to there, or samples behind there are cut off |
/// | `s` | `1 / √n`, `1` or `1 / n`: see [`FourierNorm`] |
/// | [`Spectrum::Half`] | of a real space: `n / 2 + 1` bins, those that stand for two times √2 |
/// | [`ifftshift_before`](FourierAxis::ifftshift_before) | sample `extent / 2` is `x[0]`, those before it come last |
/// | [`fftshift_after`](FourierAxis::fftshift_after) | the negative frequencies come first |
///
/// The adjoint is `x[j] = s Σ y[k] exp(2πi j k / n)`, of a real space the real part of it, with the same shifts the other way round: of
/// [`FourierNorm::Ortho`] it is the inverse. [`inverse`](Operator::inverse) is that for all norms, unless samples are cut off;
/// [`FourierAxis::frequencies`] are those of the bins. Where a transform and its inverse follow each other in a product, neither is done.
/// Shifts, zeros, scale and weights are part of the transform and take no pass of their own. Units: those of `x`, of `x` per bin with
/// `1 / n`. Complex: linear; of a real space, over the real numbers only: `Re ⟨F x, y⟩ = ⟨x, Fᴴ y⟩`. Cost: 1 launch where a line fits
/// local memory (4096 points of `Complex64`, 2048 of `Complex128` along the last axis, 1024 along others), 2 values moved per
/// element (test `bytes::fft`); longer lines take a further pass for each factor of 1024, those whose length has prime factors above 13
/// two transforms of a length about twice their own.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// let space = Space::new([4], DType::Float64)?;
/// let time = FourierAxis { step: 0.5, ..FourierAxis::new(0) };
/// let fft = FFT::new(space, time, Spectrum::Half, FourierNorm::Unscaled)?;
/// let x = Array::from_slice(&[1.0, -1.0, 1.0, -1.0], [4])?;
/// let y = fft.forward(&x)?;
/// let bins = y.to_vec::<num_complex::Complex64>()?;
/// assert_eq!(bins.iter().map(|bin| bin.re).collect::<Vec<_>>(), [0.0, 0.0, 4.0]);
/// assert_eq!(time.frequencies(4, Spectrum::Half)?, [0.0, 0.5, 1.0]);
/// assert_eq!(fft.inverse()?.forward(&y)?.to_vec::<f64>()?, x.to_vec::<f64>()?);
/// # Ok(()) }
/// ```
///
/// Golden: PyLops 2.8.0 `FFT`, which takes the real part of complex data where half a spectrum is asked for.
#[derive(Debug)]
pub struct FFT(());

impl FFT {
    const NAME: &str = "FFT";

    /// Transforms `space` along one axis.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when there is no such axis, it has no points, or a step that is zero or not finite; half
    /// a spectrum is asked for of complex numbers; or the dtype is not one to compute with.
    /// [`Error::TooLarge`](crate::Error::TooLarge) when the range cannot be addressed.
    pub fn new(
        space: Space,
        axis: FourierAxis,
        spectrum: Spectrum,
        norm: FourierNorm,
    ) -> Result<Operator> {
        transform(Self::NAME, space, &[axis], spectrum, norm)
    }
}
