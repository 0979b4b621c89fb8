//! What is said of an axis that is transformed.

use arrayspan_bridge::devices::vectors::collected;
use arrayspan_kernels::Fourier;

use crate::{Error, Result, Space};

/// An axis of a discrete Fourier transform: see [`FFT`](crate::FFT).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::prelude::*;
/// let axis = FourierAxis { step: 0.25, fftshift_after: true, ..FourierAxis::new(0) };
/// assert_eq!(axis.frequencies(4, Spectrum::Full)?, [-2.0, -1.0, 0.0, 1.0]);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FourierAxis {
    /// The axis, which counts from the end if it is negative: -1 is the last one.
    pub axis: isize,
    /// The points of the transform: zeros follow the samples up to there, or samples behind there are cut off. Without a number there
    /// are as many as samples.
    pub points: Option<usize>,
    /// From one sample to the next: what [`frequencies`](Self::frequencies) are counted by.
    pub step: f64,
    /// Whether sample `extent / 2` is taken first, and the half before it last.
    pub ifftshift_before: bool,
    /// Whether the negative frequencies come first. Half a spectrum has none: its upper half comes first then, as NumPy's `fftshift` has it.
    pub fftshift_after: bool,
}

/// Which bins of a spectrum there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spectrum {
    /// All.
    Full,
    /// Of real signals, those up to half the points, of which the others are the conjugates. Those that stand for two are multiplied by
    /// √2, so that half a spectrum is as long as a full one.
    Half,
}

/// What a transform of `n` points, all axes together, is divided by, and what its adjoint is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FourierNorm {
    /// Both by `√n`: the transform keeps lengths. PyLops: `"ortho"`.
    Ortho,
    /// Neither. PyLops: `"none"`.
    Unscaled,
    /// Both by `n`. PyLops: `"1/n"`.
    OverN,
}

impl FourierNorm {
    pub(super) fn scale(self, points: usize) -> f64 {
        match self {
            Self::Ortho => 1.0 / (points as f64).sqrt(),
            Self::Unscaled => 1.0,
            Self::OverN => 1.0 / points as f64,
        }
    }
}

impl FourierAxis {
    /// An axis whose samples are 1 apart, with as many points as samples, and all in order.
    #[must_use]
    pub fn new(axis: isize) -> Self {
        let (ifftshift_before, fftshift_after) = (false, false);
        Self { axis, points: None, step: 1.0, ifftshift_before, fftshift_after }
    }

    /// The frequencies of the bins of an axis of so many samples, in their order: cycles per unit of the step.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there are no points, or the step is zero or not finite; out of memory.
    pub fn frequencies(&self, extent: usize, spectrum: Spectrum) -> Result<Vec<f64>> {
        const NAME: &str = "FourierAxis";
        self.check_step(NAME)?;
        let points = self.points.unwrap_or(extent);
        if points == 0 {
            return Error::parameter(NAME, format!("no points along axis {}", self.axis));
        }
        let bins = match spectrum {
            Spectrum::Full => points,
            Spectrum::Half => points / 2 + 1,
        };
        let all = points as f64 * self.step;
        let first = if self.fftshift_after { bins - bins / 2 } else { 0 };
        let frequency = |place: usize| {
            let bin = (place + first) % bins;
            // Bins from half the points on have negative frequencies; of half a spectrum there are none.
            let negative = spectrum == Spectrum::Full && 2 * bin >= points;
            (if negative { bin as f64 - points as f64 } else { bin as f64 }) / all
        };
        Ok(collected(bins, (0..bins).map(frequency))?)
    }

    fn check_step(&self, operator: &str) -> Result<()> {
        if self.step.is_finite() && self.step != 0.0 {
            return Ok(());
        }
        let Self { axis, step, .. } = self;
        Error::parameter(operator, format!("a step of {step:?} along axis {axis}"))
    }

    /// The axis it means, and the transform of complex signals along it.
    pub(super) fn fourier(
        &self,
        operator: &str,
        space: &Space,
        norm: FourierNorm,
    ) -> Result<Fourier> {
        let axis = space.axis(operator, self.axis)?;
        let extent = space.shape()[axis];
        let points = self.points.unwrap_or(extent);
        self.check_step(operator)?;
        match Fourier::new(axis, points) {
            Ok(fourier) => Ok(fourier.of_extent(extent).scaled(norm.scale(points))?),
            Err(_) => Error::parameter(
                operator,
                format!("a transform of {points} points along axis {axis} of {space}"),
            ),
        }
    }

    /// With turns, once it is known how many bins there are.
    pub(super) fn turned(&self, fourier: Fourier) -> Fourier {
        let signal = if self.ifftshift_before { fourier.extent() / 2 } else { 0 };
        let bins = fourier.bins();
        let spectrum = if self.fftshift_after { bins - bins / 2 } else { 0 };
        fourier.turned([signal, spectrum])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequencies_are_those_of_numpy() -> Result<()> {
        let axis = FourierAxis { step: 0.5, ..FourierAxis::new(0) };
        assert_eq!(axis.frequencies(4, Spectrum::Full)?, [0.0, 0.5, -1.0, -0.5]);
        assert_eq!(axis.frequencies(5, Spectrum::Full)?, [0.0, 0.4, 0.8, -0.8, -0.4]);
        assert_eq!(axis.frequencies(4, Spectrum::Half)?, [0.0, 0.5, 1.0]);
        assert_eq!(axis.frequencies(5, Spectrum::Half)?, [0.0, 0.4, 0.8]);
        let turned = FourierAxis { fftshift_after: true, points: Some(5), ..axis };
        assert_eq!(turned.frequencies(9, Spectrum::Full)?, [-0.8, -0.4, 0.0, 0.4, 0.8]);
        assert_eq!(turned.frequencies(9, Spectrum::Half)?, [0.8, 0.0, 0.4]);
        for points in [0, 1 << 60, usize::MAX] {
            let axis = FourierAxis { points: Some(points), ..axis };
            assert!(axis.frequencies(4, Spectrum::Full).is_err(), "{points}");
        }
        assert!(FourierAxis { step: 0.0, ..axis }.frequencies(4, Spectrum::Full).is_err());
        Ok(())
    }
}
