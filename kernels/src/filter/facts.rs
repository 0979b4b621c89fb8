//! For which dtypes taps or bins can be those of a filter.

use arrayspan_bridge::DType;
use num_complex::Complex64;

use super::blocks::{is_paired, line, most_samples, most_taps};
use super::kind::Kind;
use crate::fourier::LOCAL;
use crate::{Fit, fit};

/// What decides for which dtypes taps or bins can be those of a filter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    /// Taps; none of a spectrum, which has points.
    count: usize,
    pub(super) points: Option<usize>,
    real: bool,
    /// The largest magnitude of a real or imaginary part.
    largest: f64,
}

impl Facts {
    pub(super) fn of(kind: &Kind) -> Self {
        match kind {
            Kind::Taps { taps, .. } => Self::of_taps(taps),
            Kind::Spectrum { points, bins, half } => {
                Self { count: 0, points: Some(*points), real: *half, largest: largest(bins) }
            }
        }
    }

    pub(super) fn of_taps(taps: &[Complex64]) -> Self {
        let real = taps.iter().all(|tap| tap.im == 0.0);
        Self { count: taps.len(), points: None, real, largest: largest(taps) }
    }

    /// Why arrays of `dtype` have no filter with these taps, if they have none.
    pub(super) fn refusal(self, dtype: DType) -> Option<String> {
        let (Self { count, points, real, largest }, most) = (self, most_taps(dtype));
        if let Some(points) = points {
            if !dtype.is_complex() && !real {
                let of = "a spectrum of complex samples, of real ones that of a real filter";
                return Some(format!("{of}; arrays are {dtype}"));
            }
            if !takes_points(points, dtype) {
                let why = "too many for lines near the processor, or with too large a prime factor";
                return Some(format!("{points} points of {dtype}: {why}"));
            }
            let too_large = fit(largest, dtype) == Fit::TooLarge;
            return too_large
                .then(|| format!("bins of up to {largest:e} are too large for {dtype}"));
        }
        if !dtype.is_complex() && !real {
            return Some(format!("taps are complex, arrays {dtype}"));
        }
        if count > most {
            return Some(format!("{count} taps, at most {most} for {dtype}"));
        }
        // What bins of the spectrum may add up to.
        let too_large = fit(largest * count as f64, dtype) == Fit::TooLarge;
        too_large.then(|| format!("taps of up to {largest:e} are too large for {dtype}"))
    }
}

/// Whether there are periodic filters of so many points for arrays of `dtype`.
pub(super) fn takes_points(points: usize, dtype: DType) -> bool {
    let most = most_samples(dtype.real(), LOCAL) / 2;
    let holds = || {
        let samples = line(points);
        samples <= if is_paired(samples, dtype) { 2 * most } else { most }
    };
    dtype.is_computable() && (1..=2 * most).contains(&points) && holds()
}

/// The largest magnitude of a real or imaginary part.
fn largest(numbers: &[Complex64]) -> f64 {
    let parts = numbers.iter().flat_map(|number| [number.re.abs(), number.im.abs()]);
    parts.fold(0.0, f64::max)
}
