//! Radon transforms of two axes, by phases of spectra.

use std::ops::Range;

use super::radon_spectra::{RadonAxis, fourier_radon};
use super::{FourierAxis, RadonKind};
use crate::{Operator, Result, Space};

/// `Y(h, f) = Σₚ X(p, f) exp(-2πi f p hⁿ)` of the spectra along time, `n` 1 or 2: lines or parabolas of the model's amplitudes, the Radon
/// transform from slownesses to data; domain `space`, `[slownesses, time]`, range `[offsets, time]`.
///
/// Phases of evenly spaced slownesses and offsets are a chirp and take `n log n` operations for each frequency, and
/// tables of as many numbers as spectra have; others, and those of parabolas, take a table of a number for each slowness,
/// offset and frequency. Signals are taken for periodic over the [points](FourierAxis::points) of time, with zeros behind their samples.
/// Frequencies are those of the bins of a band, or all; nothing is divided by their number. Units: those of `x`. Complex:
/// linear. Cost: 2 launches for time, 2 of a band, and 5 of a chirp or 1 of a table, where lines fit local memory (test
/// `bytes::fourier_radon2d`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// let space = Space::new([1, 4], DType::Float64)?;
/// let radon = FourierRadon2D::new(space, FourierAxis::new(-1), None, &[1.0], &[0.0, 2.0], RadonKind::Linear)?;
/// // A pulse comes later by slowness times offset.
/// let y = radon.forward(Array::from_slice(&[1.0, 0.0, 0.0, 0.0], [1, 4])?)?.to_vec::<f64>()?;
/// let expected = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
/// assert!(y.iter().zip(expected).all(|(y, expected)| (y - expected).abs() < 1e-12));
/// # Ok(()) }
/// ```
///
/// Reference: Sacchi, Statistical and Transform Methods for Geophysical Signal Processing (2007). Golden: PyLops 2.8.0 `FourierRadon2D`, engine `numpy`.
#[derive(Debug)]
pub struct FourierRadon2D(());

impl FourierRadon2D {
    const NAME: &str = "FourierRadon2D";

    /// The transform of slownesses along axis 0 to offsets, in units whose product, with that of the step of `time`, the last axis, is one of
    /// time; of bins `band` of half a spectrum.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when `space` has not two axes, the first with a sample for each slowness; there are no offsets; a
    /// number is not finite; `time` is another axis, has a shift, no points, or a step that is zero or not finite; the band has no bins or
    /// others than there are; or the dtype is not one to compute with. [`Error::TooLarge`](crate::Error::TooLarge) when spectra cannot be addressed or there is
    /// no memory for a table.
    pub fn new(
        space: Space,
        time: FourierAxis,
        band: Option<Range<usize>>,
        slownesses: &[f64],
        offsets: &[f64],
        kind: RadonKind,
    ) -> Result<Operator> {
        fourier_radon(Self::NAME, space, time, band, [RadonAxis { slownesses, offsets, kind }])
    }
}
