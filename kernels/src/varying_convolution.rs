//! A convolution with filters that change from place to place, as data.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::RangeInclusive;
use std::sync::Arc;

use arrayspan_bridge::DType;
use num_complex::Complex64;

use crate::convolution::vanishes;
use crate::verb::check;
use crate::{Fit, Result, fit, number};

const NAME: &str = "convolve_varying";

/// The most axes.
const MOST_AXES: usize = 3;

/// A convolution along one to three axes whose filters are given at places of a grid, and between these on straight lines along each axis:
/// `y[i] = Σₚ Σₖ filterₚ[k] wₚ[j] x[j]`, `j = i + offset - k`, with zeros beyond the array; or its transpose. Cheap to clone.
///
/// The weight `wₚ` of a place is 1 there and 0 at those beside it; before the first place of an axis, and behind the last, it is 1 of
/// theirs. A sample that is not finite reaches those results alone whose taps meet it; taps of zero, and weights of zero, meet none.
///
/// ```
/// use arrayspan_kernels::bridge::{Array, devices::Device};
/// use arrayspan_kernels::{Along, Update, VaryingConvolution, on};
///
/// let x = Array::from_slice(&[1.0, 1.0, 1.0, 1.0, 1.0], [5])?;
/// let (on, mut y) = (on(Device::cpu())?, Array::from_slice(&[0.0; 5], [5])?);
/// let along = Along { axis: 0, extent: 5, places: vec![0, 4], taps: 1, offset: 0 };
/// let filters = [1.0, 9.0].map(Into::into);
/// let convolution = VaryingConvolution::new(&[along], &filters)?;
/// on.convolve_varying(&convolution, x.view(), y.view_mut(), Update::set())?;
/// assert_eq!(y.to_vec::<f64>()?, [1.0, 3.0, 5.0, 7.0, 9.0]);
/// # Ok::<(), arrayspan_kernels::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct VaryingConvolution {
    of: Arc<Inner>,
    transposed: bool,
}

#[derive(Debug, PartialEq)]
struct Inner {
    along: Vec<Along>,
    /// Row-major: places along each axis, then taps along each.
    filters: Vec<Complex64>,
    facts: Facts,
    fingerprint: u64,
}

/// What each call asks of all taps.
#[derive(Debug, PartialEq)]
struct Facts {
    real: bool,
    /// Whether one is zero once it is rounded to 32 bits, and to 64.
    zeros: [bool; 2],
    /// One that is too large for these.
    large: [Option<Complex64>; 2],
}

/// The filters of a [`VaryingConvolution`] along an axis.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Along {
    /// The axis of arrays.
    pub axis: usize,
    /// Its number of samples.
    pub extent: usize,
    /// The samples where filters are given, rising.
    pub places: Vec<usize>,
    /// How many taps filters have.
    pub taps: usize,
    /// The tap at time zero.
    pub offset: usize,
}

impl Along {
    /// One tap, the same everywhere, along an axis that a convolution has not.
    pub(crate) fn nothing() -> Self {
        Self { axis: usize::MAX, extent: 1, places: vec![0], taps: 1, offset: 0 }
    }

    /// The place at or before a sample, or the first one, and how far the sample is towards the next place: 0 there, and where there is none.
    pub(crate) fn around(&self, sample: usize) -> (usize, f64) {
        let behind = self.places.partition_point(|place| *place <= sample);
        let Some(before) = behind.checked_sub(1) else { return (0, 0.0) };
        let next = self.places.get(behind);
        let share = next.map_or(0.0, |next| {
            let start = self.places[before];
            (sample - start) as f64 / (next - start) as f64
        });
        (before, share)
    }

    /// The weight of a place at a sample.
    pub(crate) fn weight(&self, place: usize, sample: usize) -> f64 {
        let (before, share) = self.around(sample);
        if place == before {
            1.0 - share
        } else if place == before + 1 {
            share
        } else {
            0.0
        }
    }

    /// The places that have a weight at one of those samples.
    pub(crate) fn places_of(&self, samples: RangeInclusive<usize>) -> RangeInclusive<usize> {
        let ((first, _), (last, share)) =
            (self.around(*samples.start()), self.around(*samples.end()));
        first..=last + usize::from(share > 0.0)
    }

    fn check(&self) -> Result<()> {
        let Self { axis, extent, ref places, taps, offset } = *self;
        let why = if places.is_empty() || places.windows(2).any(|pair| pair[0] >= pair[1]) {
            format!("places {places:?} along axis {axis} are not some that rise")
        } else if let Some(outside) = places.iter().find(|place| **place >= extent) {
            format!("place {outside} is not among the {extent} samples along axis {axis}")
        } else if offset >= taps {
            format!("offset {offset} is no index of the {taps} taps along axis {axis}")
        } else {
            return Ok(());
        };
        check::argument(NAME, why)
    }
}

impl VaryingConvolution {
    /// Along axes that rise, with filters for all places, `[places…, taps…]`, the last axis fastest.
    ///
    /// # Errors
    /// [`Error::Argument`](crate::Error::Argument) when there are no axes or more than three, or they do not rise; there are no places along one, they
    /// do not rise or are no samples of it; an offset is no index of a tap; filters are not as many as places and taps say, or not finite.
    pub fn new(along: &[Along], filters: &[Complex64]) -> Result<Self> {
        let axes: Vec<usize> = along.iter().map(|along| along.axis).collect();
        if along.is_empty() || along.len() > MOST_AXES || !axes.is_sorted_by(|a, b| a < b) {
            let why = format!("axes {axes:?} are not one to {MOST_AXES} that rise");
            return check::argument(NAME, why);
        }
        along.iter().try_for_each(Along::check)?;
        let extents = along.iter().flat_map(|along| [along.places.len(), along.taps]);
        let count = extents.clone().try_fold(1, |all: usize, extent| all.checked_mul(extent));
        if count != Some(filters.len()) {
            let extents: Vec<usize> = extents.collect();
            let why = format!("{} taps, of places and taps {extents:?}", filters.len());
            return check::argument(NAME, why);
        }
        if let Some(tap) = filters.iter().find(|tap| !tap.is_finite()) {
            return check::argument(NAME, format!("a tap of {tap}"));
        }
        Ok(Self { of: Inner::shared(along.to_vec(), filters.to_vec()), transposed: false })
    }

    /// The conjugate transpose.
    #[must_use]
    pub fn adjoint(&self) -> Self {
        let of = if self.is_real() {
            self.of.clone()
        } else {
            let conjugate = self.of.filters.iter().map(Complex64::conj).collect();
            Inner::shared(self.of.along.clone(), conjugate)
        };
        Self { of, transposed: !self.transposed }
    }

    /// The same along axes that stand so many places further behind.
    #[must_use]
    pub fn behind(&self, axes: usize) -> Self {
        let moved = |along: &Along| Along { axis: along.axis + axes, ..along.clone() };
        let along = self.of.along.iter().map(moved).collect();
        let of = Inner::shared(along, self.of.filters.clone());
        Self { of, transposed: self.transposed }
    }

    /// What is along each axis.
    #[must_use]
    pub fn along(&self) -> &[Along] {
        &self.of.along
    }

    /// The filters: places along each axis, then taps along each, the last one fastest.
    #[must_use]
    pub fn filters(&self) -> &[Complex64] {
        &self.of.filters
    }

    /// Whether it is the transpose: filters are those of the samples that are written.
    #[must_use]
    pub fn is_transposed(&self) -> bool {
        self.transposed
    }

    /// Whether all taps are real.
    #[must_use]
    pub fn is_real(&self) -> bool {
        self.of.facts.real
    }

    /// Taps of a filter.
    pub(crate) fn taps(&self) -> usize {
        self.along().iter().map(|along| along.taps).product()
    }

    /// The tap that results take at a time, both by number along each of its axes: the transpose goes through filters the other way round.
    pub(crate) fn tap(&self, places: &[usize], times: &[usize]) -> Complex64 {
        let of_places = self.along().iter().zip(places);
        let at = of_places.fold(0, |at, (along, place)| at * along.places.len() + place);
        let of_times = self.along().iter().zip(times);
        let at = of_times.fold(at, |at, (along, &time)| {
            at * along.taps + if self.transposed { along.taps - 1 - time } else { time }
        });
        self.filters()[at]
    }

    /// The time at zero along an axis of its own, as [`tap`](Self::tap) counts them.
    pub(crate) fn zero(&self, along: &Along) -> usize {
        if self.transposed { along.taps - 1 - along.offset } else { along.offset }
    }

    /// Whether a tap is zero once it is rounded to the precision of a dtype.
    pub(crate) fn has_zeros(&self, dtype: DType) -> bool {
        self.of.facts.zeros[Facts::of_bits(dtype)]
    }

    /// Fails unless it can be applied to arrays of that shape and dtype.
    pub(crate) fn check(&self, shape: &[usize], dtype: DType) -> Result<()> {
        let wrong = |along: &&Along| shape.get(along.axis) != Some(&along.extent);
        if let Some(Along { axis, extent, .. }) = self.along().iter().find(wrong) {
            let why = format!("shape {shape:?}, expected {extent} along axis {axis}");
            return check::argument(NAME, why);
        }
        if !dtype.is_complex() && !self.is_real() {
            return check::argument(NAME, format!("taps are complex, arrays {dtype}"));
        }
        let large = self.of.facts.large[Facts::of_bits(dtype)];
        large.map_or(Ok(()), |tap| check::argument(NAME, format!("a tap of {tap:e} for {dtype}")))
    }

    /// Whether nobody else has it.
    pub(crate) fn is_alone(&self) -> bool {
        Arc::strong_count(&self.of) == 1
    }
}

impl Inner {
    fn shared(along: Vec<Along>, filters: Vec<Complex64>) -> Arc<Self> {
        let mut hasher = DefaultHasher::new();
        along.hash(&mut hasher);
        for tap in &filters {
            number::bits(*tap).hash(&mut hasher);
        }
        let (facts, fingerprint) = (Facts::new(&filters), hasher.finish());
        Arc::new(Self { along, filters, facts, fingerprint })
    }
}

impl Facts {
    fn new(taps: &[Complex64]) -> Self {
        let both = [DType::Float32, DType::Float64];
        let too_large = |dtype| taps.iter().find(|tap| fit(**tap, dtype) == Fit::TooLarge).copied();
        Self {
            real: taps.iter().all(|tap| tap.im == 0.0),
            zeros: both.map(|dtype| taps.iter().any(|tap| vanishes(*tap, dtype))),
            large: both.map(too_large),
        }
    }

    /// Where what is known of such numbers stands.
    fn of_bits(dtype: DType) -> usize {
        usize::from(dtype.real() != DType::Float32)
    }
}

impl PartialEq for VaryingConvolution {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&self.of, &other.of);
        self.transposed == other.transposed
            && (Arc::ptr_eq(a, b) || (a.fingerprint == b.fingerprint && a == b))
    }
}

/// Taps are finite, so equality is an equivalence.
impl Eq for VaryingConvolution {}

impl Hash for VaryingConvolution {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.of.fingerprint, self.transposed).hash(state);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]
mod tests {
    use super::*;

    fn along(axis: usize, extent: usize, places: &[usize], taps: usize) -> Along {
        Along { axis, extent, places: places.to_vec(), taps, offset: taps / 2 }
    }

    #[test]
    fn weights_of_places_are_hats() {
        let own = along(0, 12, &[2, 4, 8], 1);
        let weights = |sample| [0, 1, 2].map(|place| (4.0 * own.weight(place, sample)) as usize);
        assert_eq!(weights(0), [4, 0, 0]);
        assert_eq!(weights(3), [2, 2, 0]);
        assert_eq!(weights(4), [0, 4, 0]);
        assert_eq!(weights(5), [0, 3, 1]);
        assert_eq!(weights(11), [0, 0, 4]);
        assert_eq!(
            [0..=2, 3..=4, 4..=5, 8..=11].map(|samples| own.places_of(samples)),
            [0..=0, 0..=1, 1..=2, 2..=2]
        );
    }

    #[test]
    fn the_adjoint_of_the_adjoint_is_the_same() {
        let taps: Vec<Complex64> = (0..6).map(|k| Complex64::new(f64::from(k), 1.0)).collect();
        let own = VaryingConvolution::new(&[along(1, 9, &[1, 5], 3)], &taps).unwrap();
        let adjoint = own.adjoint();
        assert_eq!(own.tap(&[1], &[0]), taps[3]);
        assert_eq!(adjoint.tap(&[1], &[0]), taps[5].conj());
        assert_ne!(adjoint, own);
        assert_eq!(adjoint.adjoint(), own);
        assert_eq!(own.behind(2).along()[0].axis, 3);
    }

    #[test]
    fn what_is_none_is_refused() {
        let new = |along: &[Along], count: usize| {
            VaryingConvolution::new(along, &vec![Complex64::ONE; count]).is_ok()
        };
        let fine = along(0, 9, &[1, 5], 3);
        assert!(new(std::slice::from_ref(&fine), 6));
        assert!(!new(&[], 1));
        assert!(!new(std::slice::from_ref(&fine), 5));
        assert!(!new(&[fine.clone(), fine.clone()], 36));
        assert!(!new(&[along(0, 9, &[], 3)], 0));
        assert!(!new(&[along(0, 9, &[5, 5], 3)], 6));
        assert!(!new(&[along(0, 5, &[1, 5], 3)], 6));
        assert!(!new(&[Along { offset: 3, ..fine.clone() }], 6));
        assert!(!new(&[Along { taps: usize::MAX, ..fine.clone() }], 6));
        let fits = |tap: f64, shape: &[usize], dtype| {
            VaryingConvolution::new(std::slice::from_ref(&fine), &[tap.into(); 6])
                .unwrap()
                .check(shape, dtype)
                .is_ok()
        };
        assert!(fits(1.0, &[9, 2], DType::Float32));
        assert!(!fits(1.0, &[8, 2], DType::Float32));
        assert!(!fits(1.0, &[], DType::Float32));
        assert!(!fits(1e39, &[9], DType::Float32));
    }
}
