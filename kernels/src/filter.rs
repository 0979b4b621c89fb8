//! A filter along an axis that is applied by Fourier transforms, as data.

mod blocks;
mod facts;
mod kind;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use arrayspan_bridge::DType;
use num_complex::Complex64;
use rustfft::FftPlanner;

pub(crate) use blocks::{Blocks, cost, is_paired};

use blocks::most_taps;
use facts::{Facts, takes_points};
use kind::Kind;

use crate::fourier::LOCAL;
use crate::verb::check;
use crate::{Result, number};

const NAME: &str = "filter";

/// A convolution along an axis: `y[i] = Σₖ taps[k] x[i + offset - k]`, with zeros beyond the axis; or a product of spectra of whole lines,
/// [`periodic`](Self::periodic). Cheap to clone.
///
/// A convolution is made by Fourier transforms of blocks of the axis that overlap (overlap-save), each in memory near the processor: arrays are
/// read and written once, whatever the number of taps. Results are as exact as the largest of a block and, of real arrays, of one
/// beside it, with which it may be transformed as one signal: rounding errors of a sample are those of others up to two blocks away
/// along the axis, and where one is not finite, no result of these need be. Other lines do not matter. A
/// [`Stencil`](crate::Stencil) is better for few taps, and keeps samples apart.
///
/// ```
/// use arrayspan_kernels::bridge::{Array, devices::Device};
/// use arrayspan_kernels::{Filter, Update, on};
///
/// let x = Array::from_slice(&[0.0, 2.0, 0.0, 0.0], [4])?;
/// let (on, mut y) = (on(Device::cpu())?, Array::from_slice(&[0.0; 4], [4])?);
/// let filter = Filter::new(0, &[1.0.into(), 0.5.into(), 0.25.into()], 1)?;
/// on.filter(&filter, x.view(), y.view_mut(), Update::set())?;
/// let y = y.to_vec::<f64>()?;
/// assert!(y.iter().zip([2.0, 1.0, 0.5, 0.0]).all(|(y, exact)| (y - exact).abs() < 1e-15));
/// # Ok::<(), arrayspan_kernels::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Filter(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    axis: usize,
    kind: Kind,
    facts: Facts,
    fingerprint: u64,
}

impl Filter {
    /// Along `axis`, with `taps[offset]` at time zero.
    ///
    /// # Errors
    /// [`Error::Argument`](crate::Error::Argument) when there are no taps, `offset` is none of them, or one is not finite.
    pub fn new(axis: usize, taps: &[Complex64], offset: usize) -> Result<Self> {
        if offset >= taps.len() {
            let why = format!("offset {offset} is no index of the {} taps", taps.len());
            return check::argument(NAME, why);
        }
        if let Some(tap) = taps.iter().find(|tap| !tap.is_finite()) {
            return check::argument(NAME, format!("a tap of {tap}"));
        }
        Ok(Self::of(axis, Kind::Taps { taps: taps.to_vec(), offset }))
    }

    /// Along `axis`, a product with a spectrum of `n` bins, which are as many points, for complex arrays:
    ///
    /// ```text
    /// y[i] = 1/n Σₖ bins[k] X[k] exp(2πi i k / n),  X[k] = Σⱼ x[j] exp(-2πi j k / n)
    /// ```
    ///
    /// Bin `k` has the frequency `k / n`, from `n / 2` on `k / n - 1`. A line has up to `n` samples: zeros follow them, and results behind
    /// them are dropped. It takes one pass over memory. What is not finite, and rounding errors of a line's largest sample, reach
    /// all of its results; other lines do not matter.
    ///
    /// ```
    /// use arrayspan_kernels::bridge::{Array, devices::Device};
    /// use arrayspan_kernels::{Filter, Update, on};
    /// use num_complex::Complex64;
    ///
    /// // A delay by one sample of three: exp(-2πi k / 3).
    /// let bins = [0.0, 1.0, 2.0].map(|k| Complex64::cis(-std::f64::consts::TAU * k / 3.0));
    /// let x = Array::from_slice(&[1.0, 2.0, 4.0].map(Complex64::from), [3])?;
    /// let (on, mut y) = (on(Device::cpu())?, Array::from_slice(&[Complex64::ZERO; 3], [3])?);
    /// on.filter(&Filter::periodic(0, &bins)?, x.view(), y.view_mut(), Update::set())?;
    /// let y = y.to_vec::<Complex64>()?;
    /// assert!(y.iter().zip([4.0, 1.0, 2.0]).all(|(y, exact)| (y - exact).norm() < 1e-14));
    /// # Ok::<(), arrayspan_kernels::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Argument`](crate::Error::Argument) when there are no bins, or one is not finite. What arrays it is refused for
    /// [`FilterCall::new`](crate::verb::FilterCall::new) says.
    pub fn periodic(axis: usize, bins: &[Complex64]) -> Result<Self> {
        Self::of_spectrum(axis, bins.len(), finite(bins)?, false)
    }

    /// The same of a real filter, for real and complex arrays, by the `points / 2 + 1` bins up to half the points: the others are their
    /// conjugates. The imaginary parts of bin 0 and, of an even number of points, of bin `points / 2` are ignored.
    ///
    /// ```
    /// use arrayspan_kernels::bridge::{Array, devices::Device};
    /// use arrayspan_kernels::{Filter, Update, on};
    ///
    /// // The mean of a line, which is bin 0, and nothing else.
    /// let mean = Filter::periodic_real(0, 4, &[1.0, 0.0, 0.0].map(Into::into))?;
    /// let x = Array::from_slice(&[1.0, 2.0, 3.0, 4.0], [4])?;
    /// let (on, mut y) = (on(Device::cpu())?, Array::from_slice(&[0.0; 4], [4])?);
    /// on.filter(&mean, x.view(), y.view_mut(), Update::set())?;
    /// assert!(y.to_vec::<f64>()?.iter().all(|y| (y - 2.5).abs() < 1e-15));
    /// # Ok::<(), arrayspan_kernels::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`periodic`](Self::periodic), and when there are not `points / 2 + 1` bins.
    pub fn periodic_real(axis: usize, points: usize, bins: &[Complex64]) -> Result<Self> {
        if bins.len() != points / 2 + 1 {
            let (found, expected) = (bins.len(), points / 2 + 1);
            let why = format!("{found} bins, expected points / 2 + 1 = {expected} of {points}");
            return check::argument(NAME, why);
        }
        let mut bins = finite(bins)?;
        for single in [0, points / 2].into_iter().filter(|bin| 2 * bin % points.max(1) == 0) {
            bins[single].im = 0.0;
        }
        Self::of_spectrum(axis, points, bins, true)
    }

    fn of_spectrum(axis: usize, points: usize, bins: Vec<Complex64>, half: bool) -> Result<Self> {
        if points == 0 {
            return check::argument(NAME, "a spectrum of no points".to_owned());
        }
        Ok(Self::of(axis, Kind::Spectrum { points, bins, half }))
    }

    fn of(axis: usize, kind: Kind) -> Self {
        let mut hasher = DefaultHasher::new();
        let numbers = match &kind {
            Kind::Taps { taps, offset } => {
                offset.hash(&mut hasher);
                taps
            }
            Kind::Spectrum { points, bins, half } => {
                (usize::MAX, points, half).hash(&mut hasher);
                bins
            }
        };
        for number in numbers {
            number::bits(*number).hash(&mut hasher);
        }
        let fingerprint = hasher.finish();
        let facts = Facts::of(&kind);
        Self(Arc::new(Inner { axis, kind, facts, fingerprint }))
    }

    /// The most taps that arrays of `dtype` are filtered with: half of the samples that the memory near a processor holds.
    #[must_use]
    pub fn most_taps(dtype: DType) -> usize {
        most_taps(dtype)
    }

    /// The conjugate transpose: conjugate taps the other way round.
    #[must_use]
    pub fn adjoint(&self) -> Self {
        let Inner { axis, kind, .. } = &*self.0;
        let kind = match kind {
            Kind::Taps { taps, offset } => Kind::Taps {
                taps: taps.iter().rev().map(Complex64::conj).collect(),
                offset: taps.len() - 1 - offset,
            },
            Kind::Spectrum { points, bins, half } => Kind::Spectrum {
                bins: bins.iter().map(Complex64::conj).collect(),
                points: *points,
                half: *half,
            },
        };
        Self::of(*axis, kind)
    }

    /// The same along another axis.
    #[must_use]
    pub fn at_axis(&self, axis: usize) -> Self {
        Self::of(axis, self.0.kind.clone())
    }

    /// The axis.
    #[must_use]
    pub fn axis(&self) -> usize {
        self.0.axis
    }

    /// The taps; none of a periodic one.
    #[must_use]
    pub fn taps(&self) -> &[Complex64] {
        match &self.0.kind {
            Kind::Taps { taps, .. } => taps,
            Kind::Spectrum { .. } => &[],
        }
    }

    /// The index of the tap at time zero; 0 of a periodic one.
    #[must_use]
    pub fn offset(&self) -> usize {
        match self.0.kind {
            Kind::Taps { offset, .. } => offset,
            Kind::Spectrum { .. } => 0,
        }
    }

    /// The points of a periodic one.
    #[must_use]
    pub fn points(&self) -> Option<usize> {
        self.0.facts.points
    }

    /// The first samples of a block, which are of no result.
    pub(crate) fn overlap(&self) -> usize {
        self.taps().len().saturating_sub(1)
    }

    /// How many samples before the first result of a block it begins.
    pub(crate) fn before(&self) -> usize {
        self.overlap() - self.offset()
    }

    /// About how many operations it takes on an array of that shape.
    #[must_use]
    pub fn flops(&self, shape: &[usize], dtype: DType) -> usize {
        let extent = shape.get(self.axis()).copied().unwrap_or(0);
        let len = shape.iter().fold(1, |len: usize, extent| len.saturating_mul(*extent));
        self.blocks(extent, dtype, (LOCAL, false)).flops(len, extent)
    }

    /// Whether there is a filter with these taps for arrays of `dtype`: they are few enough, real for real ones, and no sum of them is
    /// too large.
    #[must_use]
    pub fn takes(taps: &[Complex64], dtype: DType) -> bool {
        dtype.is_computable() && Facts::of_taps(taps).refusal(dtype).is_none()
    }

    /// Whether there are periodic filters of lines of so many points for arrays of `dtype`: where 32 KiB of memory near the processor hold
    /// a line, two real samples as one complex number if there is an even number of them, and one of twice as many points if some prime
    /// factor is above 13. That is up to
    ///
    /// | points | `Float32` | `Float64`, `Complex64` | `Complex128` |
    /// |---|---|---|---|
    /// | even, prime factors up to 13 | 8192 | 4096 | 2048 |
    /// | odd, prime factors up to 13 | 4096 | 2048, 4096 | 2048 |
    /// | others | 4096 | 2048 | 1024 |
    #[must_use]
    pub fn takes_points(points: usize, dtype: DType) -> bool {
        takes_points(points, dtype)
    }

    /// Fails unless it can be applied to arrays of that shape and dtype.
    pub(crate) fn check(&self, verb: &'static str, shape: &[usize], dtype: DType) -> Result<()> {
        let axis = self.axis();
        if axis >= shape.len() {
            return check::argument(verb, format!("axis {axis} of shape {shape:?}"));
        }
        if let Some(points) = self.points().filter(|points| *points < shape[axis]) {
            let why = format!("{points} points, fewer than samples along axis {axis} of {shape:?}");
            return check::argument(verb, why);
        }
        self.0.facts.refusal(dtype).map_or(Ok(()), |why| check::argument(verb, why))
    }

    /// The cheapest blocks of an axis of that extent, for arrays of `dtype` and so much memory near a processor, which is shared by
    /// lines that lie side by side, if they do.
    pub(crate) fn blocks(&self, extent: usize, dtype: DType, room: (usize, bool)) -> Blocks {
        match self.points() {
            Some(points) => Blocks::whole(points, extent),
            None => Blocks::cheapest(self.taps().len(), extent, dtype, room),
        }
    }

    /// Its spectrum in so many points, times `scale`: all bins for complex dtypes, half of them for real ones. In 64 bits.
    pub(crate) fn response(&self, points: usize, dtype: DType, scale: f64) -> Vec<Complex64> {
        let mut bins = match &self.0.kind {
            Kind::Taps { taps, .. } => spectrum(points, taps.iter().copied().enumerate()),
            spectral @ Kind::Spectrum { .. } => {
                let own = spectral.bins();
                if own.len() == points { own } else { around(&own, points) }
            }
        };
        if !dtype.is_complex() {
            bins.truncate(points / 2 + 1);
        }
        bins.into_iter().map(|bin| bin * scale).collect()
    }

    /// Whether nobody else has it.
    pub(crate) fn is_alone(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }
}

/// These bins, all of which must be finite.
fn finite(bins: &[Complex64]) -> Result<Vec<Complex64>> {
    match bins.iter().position(|bin| !bin.is_finite()) {
        Some(at) => check::argument(NAME, format!("bin {at} is {}", bins[at])),
        None => Ok(bins.to_vec()),
    }
}

/// The transform of numbers at these places of so many.
fn spectrum(
    points: usize,
    numbers: impl IntoIterator<Item = (usize, Complex64)>,
) -> Vec<Complex64> {
    let mut all = vec![Complex64::ZERO; points];
    for (place, number) in numbers {
        all[place] = number;
    }
    FftPlanner::new().plan_fft_forward(points).process(&mut all);
    all
}

/// The spectrum in more points, at least twice as many but one, of a filter that comes round after as many samples as it has bins: each
/// sample of such a line takes what it would if the line came round, too.
fn around(bins: &[Complex64], points: usize) -> Vec<Complex64> {
    let (own, mut taps) = (bins.len(), bins.to_vec());
    FftPlanner::new().plan_fft_inverse(own).process(&mut taps);
    let tap = |k: usize| taps[k] / own as f64;
    let before = (1..own).map(|k| (points - k, tap(own - k)));
    spectrum(points, (0..own).map(|k| (k, tap(k))).chain(before))
}

impl PartialEq for Filter {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&self.0, &other.0);
        Arc::ptr_eq(a, b)
            || (a.fingerprint == b.fingerprint && a.axis == b.axis && a.kind == b.kind)
    }
}

/// Taps and bins are finite, so equality is an equivalence.
impl Eq for Filter {}

impl Hash for Filter {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.fingerprint);
    }
}

#[cfg(test)]
mod tests;
