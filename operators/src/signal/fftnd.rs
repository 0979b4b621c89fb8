//! Discrete Fourier transforms along several axes.

use arrayspan_kernels::{Fourier, Signals};

use super::{FourierAxis, FourierNorm, Spectrum};
use crate::{Error, Form, Formula, LinearMap as _, Operator, Result, Space};

/// `y = F x`, discrete Fourier transforms along several axes; domain `space`, range with as many bins along each of the axes, complex.
///
/// One axis after the other is transformed as by [`FFT`](crate::FFT), the last one first: that one alone is halved by
/// [`Spectrum::Half`]. The norm counts the points of all. Units: those of `x`. Complex: linear; of a real space, over the real
/// numbers only. Cost: 1 launch for each axis whose lines fit local memory and whose number of points has no prime factor above 13, 2
/// values moved per element (test `bytes::fftnd`); cuFFT, where it is taken, transforms up to three last axes together, if
/// only the last of them is padded or shifted.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::DType;
/// use arrayspan_operators::prelude::*;
/// let space = Space::new([30, 20, 10], DType::Float32)?;
/// let axes = [0, 2, 1].map(FourierAxis::new);
/// let fft = FFTND::new(space, &axes, Spectrum::Half, FourierNorm::Ortho)?;
/// assert_eq!((fft.range().shape(), fft.range().dtype()), (&[30, 11, 10][..], DType::Complex64));
/// # Ok(()) }
/// ```
///
/// Golden: PyLops 2.8.0 `FFTND`.
#[derive(Debug)]
pub struct FFTND(());

impl FFTND {
    const NAME: &str = "FFTND";

    /// Transforms `space` along the axes.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no axis or one twice; an axis does not exist, has no points or a step that is zero or not finite;
    /// half a spectrum is asked for of complex numbers; or the dtype is not one to compute with. [`Error::TooLarge`] when the range
    /// cannot be addressed.
    pub fn new(
        space: Space,
        axes: &[FourierAxis],
        spectrum: Spectrum,
        norm: FourierNorm,
    ) -> Result<Operator> {
        transform(Self::NAME, space, axes, spectrum, norm)
    }
}

/// Transforms along some axes, the last one first.
pub(super) fn transform(
    name: &'static str,
    space: Space,
    axes: &[FourierAxis],
    spectrum: Spectrum,
    norm: FourierNorm,
) -> Result<Operator> {
    space.computable(name)?;
    let mut transforms = Vec::with_capacity(axes.len());
    for (number, axis) in axes.iter().enumerate() {
        let fourier = axis.fourier(name, &space, norm)?;
        if transforms.iter().any(|known: &Fourier| known.axis() == fourier.axis()) {
            return Error::parameter(name, format!("axis {} twice", fourier.axis()));
        }
        let last = number + 1 == axes.len();
        let real = !space.dtype().is_complex();
        let fourier = match (last, spectrum) {
            (true, Spectrum::Half) if !real => {
                let why = format!("half the spectrum of {space}, whose numbers are not real");
                return Error::parameter(name, why);
            }
            (true, Spectrum::Half) => fourier.half().weighted(2.0_f64.sqrt())?,
            (true, Spectrum::Full) if real => fourier.real(),
            _ => fourier,
        };
        transforms.push(axis.turned(fourier));
    }
    let mut product: Option<Formula> = None;
    let mut domain = space;
    while let Some(fourier) = transforms.pop() {
        let one = along(name, domain, fourier)?;
        domain = one.range().clone();
        product = Some(match product {
            None => one.into(),
            Some(inner) => Formula::from(one).after(inner),
        });
    }
    match product {
        Some(product) => Ok(product.build()?.named(name)),
        None => Error::parameter(name, format!("no axes are given for {domain}")),
    }
}

/// One transform of arrays of `domain`.
pub(super) fn along(name: &'static str, domain: Space, fourier: Fourier) -> Result<Operator> {
    let mut shape = domain.shape().to_vec();
    shape[fourier.axis()] = fourier.bins();
    let [_, dtype] = fourier.dtypes(domain.dtype());
    let range = Space::of(name, shape, dtype)?;
    debug_assert!(fourier.signals() != Signals::Complex || domain.dtype().is_complex());
    Operator::of(name, domain, range, Form::Fourier(fourier))
}
