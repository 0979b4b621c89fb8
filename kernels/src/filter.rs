//! A long filter along an axis, as data.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use arrayspan_bridge::DType;
use num_complex::Complex64;
use rustfft::FftPlanner;

use crate::fourier::LOCAL;
use crate::verb::check;
use crate::{Fit, Result, fit, number};

const NAME: &str = "filter";

/// A convolution along an axis: `y[i] = Σₖ taps[k] x[i + offset - k]`, with zeros beyond the axis. Cheap to clone.
///
/// It is made by Fourier transforms of blocks of the axis that overlap (overlap-save), each in memory near the processor: arrays are
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
    taps: Vec<Complex64>,
    offset: usize,
    facts: Facts,
    fingerprint: u64,
}

/// What decides for which dtypes taps can be those of a filter.
#[derive(Clone, Copy, Debug)]
struct Facts {
    count: usize,
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
        Ok(Self::of(axis, taps.to_vec(), offset))
    }

    fn of(axis: usize, taps: Vec<Complex64>, offset: usize) -> Self {
        let mut hasher = DefaultHasher::new();
        offset.hash(&mut hasher);
        for tap in &taps {
            number::bits(*tap).hash(&mut hasher);
        }
        let fingerprint = hasher.finish();
        let facts = Facts::of(&taps);
        Self(Arc::new(Inner { axis, taps, offset, facts, fingerprint }))
    }

    /// The most taps that arrays of `dtype` are filtered with: half of the samples that the memory near a processor holds.
    #[must_use]
    pub fn most_taps(dtype: DType) -> usize {
        most_samples(dtype, LOCAL) / 2
    }

    /// The conjugate transpose: conjugate taps the other way round.
    #[must_use]
    pub fn adjoint(&self) -> Self {
        let Inner { axis, taps, offset, .. } = &*self.0;
        let turned = taps.iter().rev().map(Complex64::conj).collect();
        Self::of(*axis, turned, taps.len() - 1 - offset)
    }

    /// The same along another axis.
    #[must_use]
    pub fn at_axis(&self, axis: usize) -> Self {
        Self::of(axis, self.taps().to_vec(), self.offset())
    }

    /// The axis.
    #[must_use]
    pub fn axis(&self) -> usize {
        self.0.axis
    }

    /// The taps.
    #[must_use]
    pub fn taps(&self) -> &[Complex64] {
        &self.0.taps
    }

    /// The index of the tap at time zero.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// How many samples before the first result of a block it begins.
    pub(crate) fn before(&self) -> usize {
        self.taps().len() - 1 - self.offset()
    }

    /// Whether there is a filter with these taps for arrays of `dtype`: they are few enough, real for real ones, and no sum of them is
    /// too large.
    #[must_use]
    pub fn takes(taps: &[Complex64], dtype: DType) -> bool {
        dtype.is_computable() && Facts::of(taps).refusal(dtype).is_none()
    }

    /// Fails unless it can be applied to arrays of that shape and dtype.
    pub(crate) fn check(&self, verb: &'static str, shape: &[usize], dtype: DType) -> Result<()> {
        let axis = self.axis();
        if axis >= shape.len() {
            return check::argument(verb, format!("axis {axis} of shape {shape:?}"));
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
    fn of(taps: &[Complex64]) -> Self {
        let parts = taps.iter().flat_map(|tap| [tap.re.abs(), tap.im.abs()]);
        let real = taps.iter().all(|tap| tap.im == 0.0);
        Self { count: taps.len(), real, largest: parts.fold(0.0, f64::max) }
    }

    /// Why arrays of `dtype` have no filter with these taps, if they have none.
    fn refusal(self, dtype: DType) -> Option<String> {
        let (Self { count, real, largest }, most) = (self, Filter::most_taps(dtype));
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
            || (a.fingerprint == b.fingerprint
                && (a.axis, a.offset) == (b.axis, b.offset)
                && a.taps == b.taps)
    }
}

/// Taps are finite, so equality is an equivalence.
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
    }
}
