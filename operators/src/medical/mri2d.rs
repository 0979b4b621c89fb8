//! Magnetic resonance imaging of planes.

use crate::signal::{FFT, FourierAxis, FourierNorm, Spectrum};
use crate::{
    Bilinear, Diagonal, Error, KSpace, LinearMap as _, Operator, Restriction, Result, Space,
};

/// `d = R F m`: what is measured of the spectrum of an image; domain `space`, `[y, x]`, range that of a mask `[y, x]`, of lines
/// `[y, lines]`, of points `[points]`, complex.
///
/// `F` is the orthonormal discrete Fourier transform along both axes with the zero frequency in the middle, `R` what [`KSpace`] says: a
/// [`Diagonal`], a [`Restriction`] or a [`Bilinear`]. Of lines only those are transformed along the first axis that are measured.
/// Units: those of `m`. Complex: linear; of a real space, over the real numbers only. Cost: 1 launch for each axis whose lines fit local
/// memory and 1 for `R`, 2 values moved per element in each (test `bytes::mri2d`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::devices::Device;
/// use arrayspan_operators::kernels::bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// let image = Space::new([4, 6], DType::Complex64)?;
/// let mri = MRI2D::new(image, &KSpace::Lines(vec![1, 3]))?;
/// let y = mri.forward(Array::ones([4, 6], DType::Complex64, Device::cpu())?)?;
/// assert_eq!((y.shape(), mri.range().shape()), (&[4, 2][..], &[4, 2][..]));
/// # Ok(()) }
/// ```
///
/// Golden: PyLops 2.8.0 `MRI2D`, whose radial lines leave images that are not square.
#[derive(Debug)]
pub struct MRI2D(());

impl MRI2D {
    const NAME: &str = "MRI2D";

    /// Measures `k_space` of images of `space`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when `space` has not two axes, or samples along both; a mask has another shape, or another dtype than spectra;
    /// a line or a point is not within the spectrum; or the dtype is not one to compute with. [`Error::TooLarge`] when the range cannot be
    /// addressed.
    pub fn new(space: Space, k_space: &KSpace) -> Result<Operator> {
        if space.shape().len() != 2 {
            return Error::parameter(Self::NAME, format!("{space}, which has not two axes"));
        }
        let of = |error: Error| error.of(Self::NAME);
        let along = |space: Space, axis: isize| {
            let axis = FourierAxis { fftshift_after: true, ..FourierAxis::new(axis) };
            FFT::new(space, axis, Spectrum::Full, FourierNorm::Ortho).map_err(of)
        };
        let columns = along(space, 1)?;
        let partial = columns.range().clone();
        let product = match k_space {
            KSpace::Lines(lines) => {
                let kept = Restriction::new(partial, 1, lines).map_err(of)?;
                along(kept.range().clone(), 0)?.after(&kept).after(&columns)
            }
            KSpace::Mask(mask) => {
                let rows = along(partial.clone(), 0)?;
                Diagonal::new(partial, mask.clone()).map_err(of)?.after(&rows).after(&columns)
            }
            KSpace::Points(points) => {
                let rows = along(partial.clone(), 0)?;
                Bilinear::new(partial, points).map_err(of)?.after(&rows).after(&columns)
            }
        };
        Ok(product.build()?.named(Self::NAME))
    }
}
