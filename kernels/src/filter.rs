//! A filter along an axis that is applied by Fourier transforms, as data.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use arrayspan_bridge::DType;
use num_complex::Complex64;
use rustfft::FftPlanner;

use crate::fourier::{LOCAL, factors};
use crate::verb::check;
use crate::{Fit, Result, fit, number};

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

/// What lines are filtered with.
#[derive(Debug, PartialEq)]
enum Kind {
    Taps {
        taps: Vec<Complex64>,
        offset: usize,
    },
    /// Of lines of so many points: all bins, or those up to half the points, of which the others are the conjugates.
    Spectrum {
        points: usize,
        bins: Vec<Complex64>,
        half: bool,
    },
}

/// What decides for which dtypes taps or bins can be those of a filter.
#[derive(Clone, Copy, Debug)]
struct Facts {
    /// Taps; none of a spectrum, which has points.
    count: usize,
    points: Option<usize>,
    real: bool,
    /// The largest magnitude of a real or imaginary part.
    largest: f64,
}

/// How an axis is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Blocks {
    /// Samples that are transformed together.
    pub(crate) samples: usize,
    /// Results of a block, its last samples.
    pub(crate) results: usize,
    pub(crate) count: usize,
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

    /// Along `axis`, `y = F⁻¹ diag(bins) F x` with discrete Fourier transforms `F` of as many points as there are bins, in the order of
    /// these: zeros follow the samples of a line, and results behind them are left. In one pass over memory, each line near the
    /// processor. What is not finite, and rounding errors of a line's largest sample, reach all of its results; other lines do not
    /// matter.
    ///
    /// ```
    /// use arrayspan_kernels::bridge::{Array, devices::Device};
    /// use arrayspan_kernels::{Filter, Update, on};
    ///
    /// // A delay by one sample of four: exp(-2πi k / 4).
    /// let bins = [(1.0, 0.0), (0.0, -1.0), (-1.0, 0.0), (0.0, 1.0)].map(|(re, im)| num_complex::Complex64::new(re, im));
    /// let x = Array::from_slice(&[1.0, 2.0, 3.0, 4.0], [4])?;
    /// let (on, mut y) = (on(Device::cpu())?, Array::from_slice(&[0.0; 4], [4])?);
    /// let delay = Filter::periodic_real(0, 4, &bins[..3])?;
    /// on.filter(&delay, x.view(), y.view_mut(), Update::set())?;
    /// let y = y.to_vec::<f64>()?;
    /// assert!(y.iter().zip([4.0, 1.0, 2.0, 3.0]).all(|(y, exact)| (y - exact).abs() < 1e-15));
    /// # Ok::<(), arrayspan_kernels::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Argument`](crate::Error::Argument) when there are no bins, or one is not finite.
    pub fn periodic(axis: usize, bins: &[Complex64]) -> Result<Self> {
        Self::of_spectrum(axis, bins.len(), bins, false)
    }

    /// The same of a real filter, by the bins up to half the points: the others are their conjugates. The imaginary part of those that are
    /// their own conjugates is left. Real arrays take such filters only.
    ///
    /// # Errors
    /// As [`periodic`](Self::periodic), and when there are not `points / 2 + 1` bins.
    pub fn periodic_real(axis: usize, points: usize, bins: &[Complex64]) -> Result<Self> {
        if bins.len() != points / 2 + 1 {
            let why = format!("{} bins of {points} points, expected half of them", bins.len());
            return check::argument(NAME, why);
        }
        let mut bins = bins.to_vec();
        for single in [0, points / 2].into_iter().filter(|bin| 2 * bin % points.max(1) == 0) {
            bins[single].im = 0.0;
        }
        Self::of_spectrum(axis, points, &bins, true)
    }

    fn of_spectrum(axis: usize, points: usize, bins: &[Complex64], half: bool) -> Result<Self> {
        if points == 0 {
            return check::argument(NAME, "a spectrum without bins".to_owned());
        }
        if let Some(bin) = bins.iter().find(|bin| !bin.is_finite()) {
            return check::argument(NAME, format!("a bin of {bin}"));
        }
        Ok(Self::of(axis, Kind::Spectrum { points, bins: bins.to_vec(), half }))
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
        most_samples(dtype, LOCAL) / 2
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
        let kind = match &self.0.kind {
            Kind::Taps { taps, offset } => Kind::Taps { taps: taps.clone(), offset: *offset },
            Kind::Spectrum { points, bins, half } => {
                Kind::Spectrum { points: *points, bins: bins.clone(), half: *half }
            }
        };
        Self::of(axis, kind)
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

    /// Whether there is a filter with these taps for arrays of `dtype`: they are few enough, real for real ones, and no sum of them is
    /// too large.
    #[must_use]
    pub fn takes(taps: &[Complex64], dtype: DType) -> bool {
        dtype.is_computable() && Facts::of_taps(taps).refusal(dtype).is_none()
    }

    /// Whether there are periodic filters of lines of so many points for arrays of `dtype`: their prime factors are at most 13, and memory
    /// near the processor holds a line.
    #[must_use]
    pub fn takes_points(points: usize, dtype: DType) -> bool {
        let numbers = if is_paired(points, dtype) { points / 2 } else { points };
        let most = most_samples(dtype.real(), LOCAL) / 2;
        dtype.is_computable() && (1..=most).contains(&numbers) && factors(points).is_some()
    }

    /// Fails unless it can be applied to arrays of that shape and dtype.
    pub(crate) fn check(&self, verb: &'static str, shape: &[usize], dtype: DType) -> Result<()> {
        let axis = self.axis();
        if axis >= shape.len() {
            return check::argument(verb, format!("axis {axis} of shape {shape:?}"));
        }
        if let Some(points) = self.points().filter(|points| *points < shape[axis]) {
            return check::argument(
                verb,
                format!("{points} points along axis {axis} of shape {shape:?}"),
            );
        }
        self.0.facts.refusal(dtype).map_or(Ok(()), |why| check::argument(verb, why))
    }

    /// The cheapest blocks of an axis of that extent, for arrays of `dtype` and so much memory near a processor, which is shared by
    /// lines that lie side by side, if they do.
    pub(crate) fn blocks(
        &self,
        extent: usize,
        dtype: DType,
        (room, across): (usize, bool),
    ) -> Blocks {
        if let Some(samples) = self.points() {
            return Blocks { samples, results: extent.max(1), count: 1 };
        }
        let taps = self.taps().len();
        let most = most_samples(dtype, room);
        let blocks = |samples: usize| {
            let results = samples + 1 - taps;
            Blocks { samples, results, count: extent.div_ceil(results).max(1) }
        };
        let cost = |blocks: &Blocks| {
            let beside = across.then(|| most / blocks.samples * dtype.bytes());
            cost(blocks.count, blocks.samples, beside, APART)
        };
        let least = (2 * taps).next_power_of_two().clamp(LEAST, most);
        let sizes = std::iter::successors(Some(least), |samples| Some(2 * samples));
        let sizes = sizes.take_while(|samples| *samples <= most).map(blocks);
        sizes.min_by(|a, b| cost(a).total_cmp(&cost(b))).unwrap_or(blocks(least))
    }

    /// Its spectrum in so many points, times `scale`: all bins for complex dtypes, half of them for real ones. In 64 bits.
    pub(crate) fn response(&self, points: usize, dtype: DType, scale: f64) -> Vec<Complex64> {
        if let Kind::Spectrum { bins, half, .. } = &self.0.kind {
            let all = if dtype.is_complex() { points } else { points / 2 + 1 };
            let of = |bin: usize| match bins.get(bin) {
                Some(own) => own * scale,
                None if *half => bins[points - bin].conj() * scale,
                None => Complex64::ZERO,
            };
            return (0..all).map(of).collect();
        }
        let mut bins = vec![Complex64::ZERO; points];
        for (bin, tap) in bins.iter_mut().zip(self.taps()) {
            *bin = tap * scale;
        }
        FftPlanner::new().plan_fft_forward(points).process(&mut bins);
        if !dtype.is_complex() {
            bins.truncate(points / 2 + 1);
        }
        bins
    }

    /// Whether nobody else has it.
    pub(crate) fn is_alone(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }
}

impl Blocks {
    /// Operations on an array of so many elements, along an axis of that extent: those of two transforms.
    pub(crate) fn flops(self, len: usize, extent: usize) -> usize {
        let lines = len / extent.max(1);
        let each = self.samples * (self.samples.ilog2() as usize) * 5;
        lines.saturating_mul(self.count).saturating_mul(each)
    }
}

impl Facts {
    fn of(kind: &Kind) -> Self {
        match kind {
            Kind::Taps { taps, .. } => Self::of_taps(taps),
            Kind::Spectrum { points, bins, half } => {
                Self { count: 0, points: Some(*points), real: *half, largest: largest(bins) }
            }
        }
    }

    fn of_taps(taps: &[Complex64]) -> Self {
        let real = taps.iter().all(|tap| tap.im == 0.0);
        Self { count: taps.len(), points: None, real, largest: largest(taps) }
    }

    /// Why arrays of `dtype` have no filter with these taps, if they have none.
    fn refusal(self, dtype: DType) -> Option<String> {
        let (Self { count, points, real, largest }, most) = (self, Filter::most_taps(dtype));
        if let Some(points) = points {
            if !dtype.is_complex() && !real {
                return Some(format!("a spectrum of complex samples, arrays {dtype}"));
            }
            if !Filter::takes_points(points, dtype) {
                return Some(format!("{points} points are none that {dtype} is filtered with"));
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

/// The largest magnitude of a real or imaginary part.
fn largest(numbers: &[Complex64]) -> f64 {
    let parts = numbers.iter().flat_map(|number| [number.re.abs(), number.im.abs()]);
    parts.fold(0.0, f64::max)
}

/// Whether two samples of so many are transformed as one complex number.
pub(crate) fn is_paired(samples: usize, dtype: DType) -> bool {
    !dtype.is_complex() && samples.is_multiple_of(2)
}

/// What loads, stores and the product cost beside a bit of the points.
const PASSES: f64 = 6.0;

/// Bytes that memory moves at once, and what it costs to move as many again of what others need.
const SIDE_BY_SIDE: usize = 32;
const APART: f64 = 0.25;

/// What so many blocks of so many points cost, of lines that take so many bytes side by side, if they lie so: a part of what memory moves
/// at once is of other lines than a group's then, and to move as many bytes again costs `apart`.
pub(crate) fn cost(count: usize, points: usize, beside: Option<usize>, apart: f64) -> f64 {
    let points = points as f64;
    let again = |beside: usize| (SIDE_BY_SIDE as f64 / beside as f64).max(1.0) - 1.0;
    count as f64 * points * (points.log2() + PASSES) * (1.0 + apart * beside.map_or(0.0, again))
}

/// Fewer samples leave threads without work.
const LEAST: usize = 128;

/// Samples of a line that so much memory holds: complex numbers, or two real ones in place of each.
fn most_samples(dtype: DType, room: usize) -> usize {
    room / dtype.real().bytes() / if dtype.is_complex() { 2 } else { 1 }
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
#[allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]
mod tests {
    use super::*;

    #[test]
    fn blocks_make_all_results_and_fit() {
        for taps in [1, 2, 41, 65, 1001, 1024] {
            let filter = Filter::new(0, &vec![Complex64::ONE; taps], taps / 2).unwrap();
            for dtype in [DType::Float32, DType::Complex64, DType::Float64, DType::Complex128] {
                for (extent, across) in [(1, false), (100, true), (8000, true), (1 << 20, false)] {
                    let blocks = filter.blocks(extent, dtype, (LOCAL, across));
                    assert!(blocks.results * blocks.count >= extent);
                    assert!(blocks.results * (blocks.count - 1) < extent);
                    assert_eq!(blocks.results + taps - 1, blocks.samples);
                    assert!(blocks.samples <= most_samples(dtype, LOCAL));
                }
            }
        }
    }

    #[test]
    fn the_adjoint_is_the_filter_the_other_way_round() {
        let taps = [1.0, 2.0, 3.0].map(|re| Complex64::new(re, -re));
        let filter = Filter::new(1, &taps, 0).unwrap();
        let turned = filter.adjoint();
        assert_eq!((turned.offset(), turned.taps()[0]), (2, Complex64::new(3.0, 3.0)));
        assert_eq!(turned.adjoint(), filter);
    }

    #[test]
    fn what_is_no_filter_is_refused() {
        for (taps, offset) in [(vec![], 0), (vec![1.0], 1), (vec![f64::NAN], 0)] {
            let taps: Vec<Complex64> = taps.into_iter().map(Complex64::from).collect();
            assert!(Filter::new(0, &taps, offset).is_err());
        }
        let one = |taps: usize| Filter::new(0, &vec![Complex64::ONE; taps], 0).unwrap();
        assert!(one(4096).check(NAME, &[5], DType::Float32).is_ok());
        assert!(one(4097).check(NAME, &[5], DType::Float32).is_err());
        assert!(one(1).check(NAME, &[], DType::Float32).is_err());
        let large = Filter::new(0, &[1e38.into(); 8], 0).unwrap();
        assert!(large.check(NAME, &[5], DType::Float32).is_err());
        let turned = Filter::new(0, &[Complex64::I], 0).unwrap();
        assert!(turned.check(NAME, &[5], DType::Float64).is_err());
        let one = vec![Complex64::ONE; 9000];
        assert!(Filter::periodic(0, &[]).is_err());
        assert!(Filter::periodic(0, &[f64::INFINITY.into()]).is_err());
        assert!(Filter::periodic_real(0, 4, &one[..4]).is_err());
        assert!(Filter::periodic_real(0, 0, &one[..1]).is_err());
        let whole = Filter::periodic(0, &one[..8]).unwrap();
        assert!(whole.check(NAME, &[8], DType::Float32).is_err());
        assert!(whole.check(NAME, &[8], DType::Complex64).is_ok());
        assert!(whole.check(NAME, &[9], DType::Complex64).is_err());
        let half = |points: usize| Filter::periodic_real(0, points, &one[..=points / 2]).unwrap();
        assert!(half(8192).check(NAME, &[8000], DType::Float32).is_ok());
        assert!(half(8190 + 10).check(NAME, &[8000], DType::Float32).is_err());
        assert!(half(17).check(NAME, &[5], DType::Float32).is_err());
        let large = Filter::periodic(0, &[1e39.into(); 8]).unwrap();
        assert!(large.check(NAME, &[5], DType::Complex64).is_err());
    }
}
