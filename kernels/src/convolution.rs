//! A dense convolution along several axes, as data.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use arrayspan_bridge::DType;
use num_complex::{Complex32, Complex64};

use crate::verb::check;
use crate::{Fit, Result, fit, number};

const NAME: &str = "convolve";

/// A convolution along one axis or several: `y[i] = Σₖ taps[k] x[i + offset - k]`, with zeros beyond the array. Cheap to clone.
///
/// Products are added up as they are: a sample that is not finite reaches those results alone whose taps meet it, and a tap of zero meets
/// none. Along one axis a [`Stencil`](crate::Stencil) does the same, and a [`Filter`](crate::Filter) is better for many taps.
///
/// ```
/// use arrayspan_kernels::bridge::{Array, devices::Device};
/// use arrayspan_kernels::{Convolution, Update, on};
///
/// let x = Array::from_slice(&[0.0, 0.0, 0.0, 0.0, 1.0, 0.0], [2, 3])?;
/// let (on, mut y) = (on(Device::cpu())?, Array::from_slice(&[0.0; 6], [2, 3])?);
/// let taps = [1.0, 2.0, 3.0, 4.0].map(Into::into);
/// let convolution = Convolution::new(&[0, 1], &[2, 2], &taps, &[1, 0])?;
/// on.convolve(&convolution, x.view(), y.view_mut(), Update::set())?;
/// assert_eq!(y.to_vec::<f64>()?, [0.0, 1.0, 2.0, 0.0, 3.0, 4.0]);
/// # Ok::<(), arrayspan_kernels::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Convolution(Arc<Inner>);

#[derive(Debug, PartialEq)]
struct Inner {
    axes: Vec<usize>,
    extents: Vec<usize>,
    offsets: Vec<usize>,
    /// Row-major.
    taps: Vec<Complex64>,
    fingerprint: u64,
}

impl Convolution {
    /// Along `axes`, which rise, with as many taps along each as `extents` says, the last axis fastest, and time zero at `offsets`.
    ///
    /// # Errors
    /// [`Error::Argument`](crate::Error::Argument) when there are no axes, or they do not rise; there are not as many extents, offsets and taps;
    /// there are no taps along an axis, or its offset is none of them; or a tap is not finite.
    pub fn new(
        axes: &[usize],
        extents: &[usize],
        taps: &[Complex64],
        offsets: &[usize],
    ) -> Result<Self> {
        if axes.is_empty() || !axes.is_sorted_by(|a, b| a < b) {
            return check::argument(NAME, format!("axes {axes:?} are not some that rise"));
        }
        if [extents.len(), offsets.len()] != [axes.len(); 2] {
            let why = format!("extents {extents:?} and offsets {offsets:?} for axes {axes:?}");
            return check::argument(NAME, why);
        }
        let ends = extents.iter().zip(offsets);
        if let Some((extent, offset)) = ends.clone().find(|(extent, offset)| offset >= extent) {
            let why = format!("offset {offset} is no index of the {extent} taps along an axis");
            return check::argument(NAME, why);
        }
        let count = extents.iter().try_fold(1, |all: usize, extent| all.checked_mul(*extent));
        if count != Some(taps.len()) {
            return check::argument(NAME, format!("{} taps of extents {extents:?}", taps.len()));
        }
        if let Some(tap) = taps.iter().find(|tap| !tap.is_finite()) {
            return check::argument(NAME, format!("a tap of {tap}"));
        }
        Ok(Self::of(axes.to_vec(), extents.to_vec(), offsets.to_vec(), taps.to_vec()))
    }

    fn of(
        axes: Vec<usize>,
        extents: Vec<usize>,
        offsets: Vec<usize>,
        taps: Vec<Complex64>,
    ) -> Self {
        let mut hasher = DefaultHasher::new();
        (&axes, &extents, &offsets).hash(&mut hasher);
        for tap in &taps {
            number::bits(*tap).hash(&mut hasher);
        }
        let fingerprint = hasher.finish();
        Self(Arc::new(Inner { axes, extents, offsets, taps, fingerprint }))
    }

    /// The conjugate transpose: conjugate taps the other way round.
    #[must_use]
    pub fn adjoint(&self) -> Self {
        let Inner { axes, extents, offsets, taps, .. } = &*self.0;
        let turned = extents.iter().zip(offsets).map(|(extent, offset)| extent - 1 - offset);
        let taps = taps.iter().rev().map(Complex64::conj).collect();
        Self::of(axes.clone(), extents.clone(), turned.collect(), taps)
    }

    /// The same along axes that stand so many places further behind.
    #[must_use]
    pub fn behind(&self, axes: usize) -> Self {
        let Inner { axes: own, extents, offsets, taps, .. } = &*self.0;
        let own = own.iter().map(|axis| axis + axes).collect();
        Self::of(own, extents.clone(), offsets.clone(), taps.clone())
    }

    /// The axes.
    #[must_use]
    pub fn axes(&self) -> &[usize] {
        &self.0.axes
    }

    /// How many taps there are along each.
    #[must_use]
    pub fn extents(&self) -> &[usize] {
        &self.0.extents
    }

    /// Along each the index of the tap at time zero.
    #[must_use]
    pub fn offsets(&self) -> &[usize] {
        &self.0.offsets
    }

    /// The taps, the last axis fastest.
    #[must_use]
    pub fn taps(&self) -> &[Complex64] {
        &self.0.taps
    }

    /// Whether all taps are real.
    #[must_use]
    pub fn is_real(&self) -> bool {
        self.taps().iter().all(|tap| tap.im == 0.0)
    }

    /// The extent and the offset along an axis: one tap at time zero along one that is not its own.
    pub(crate) fn along(&self, axis: usize) -> (usize, usize) {
        let at = self.axes().iter().position(|own| *own == axis);
        at.map_or((1, 0), |at| (self.extents()[at], self.offsets()[at]))
    }

    /// From one tap to the next along an axis, 0 along one that is not its own.
    pub(crate) fn step(&self, axis: usize) -> usize {
        let at = self.axes().iter().position(|own| *own == axis);
        at.map_or(0, |at| self.extents()[at + 1..].iter().product())
    }

    /// Fails unless it can be applied to arrays of that shape and dtype.
    pub(crate) fn check(&self, verb: &'static str, shape: &[usize], dtype: DType) -> Result<()> {
        if let Some(axis) = self.axes().iter().find(|axis| **axis >= shape.len()) {
            return check::argument(verb, format!("axis {axis} of shape {shape:?}"));
        }
        if !dtype.is_complex() && !self.is_real() {
            return check::argument(verb, format!("taps are complex, arrays {dtype}"));
        }
        let large = self.taps().iter().find(|tap| fit(**tap, dtype) == Fit::TooLarge);
        large.map_or(Ok(()), |tap| check::argument(verb, format!("a tap of {tap:e} for {dtype}")))
    }

    /// Whether nobody else has it.
    pub(crate) fn is_alone(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }
}

/// Whether a tap is zero once it is rounded to the precision of a dtype.
pub(crate) fn vanishes(tap: Complex64, dtype: DType) -> bool {
    let narrow = || Complex32::new(tap.re as f32, tap.im as f32) == Complex32::ZERO;
    if dtype.real() == DType::Float32 { narrow() } else { tap == Complex64::ZERO }
}

impl PartialEq for Convolution {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&self.0, &other.0);
        Arc::ptr_eq(a, b) || (a.fingerprint == b.fingerprint && a == b)
    }
}

/// Taps are finite, so equality is an equivalence.
impl Eq for Convolution {}

impl Hash for Convolution {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.fingerprint);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]
mod tests {
    use super::*;

    fn counted(count: usize) -> Vec<Complex64> {
        (1..=count).map(|k| Complex64::new(k as f64, -(k as f64))).collect()
    }

    #[test]
    fn the_adjoint_is_the_convolution_the_other_way_round() {
        let own = Convolution::new(&[0, 2], &[2, 3], &counted(6), &[0, 2]).unwrap();
        let turned = own.adjoint();
        assert_eq!((turned.offsets(), turned.taps()[0]), (&[1, 0][..], Complex64::new(6.0, 6.0)));
        assert_eq!(turned.adjoint(), own);
        assert_eq!(own.behind(1).axes(), [1, 3]);
        assert_ne!(own.behind(1), own);
        assert_eq!((own.along(2), own.along(1)), ((3, 2), (1, 0)));
        assert_eq!([0, 1, 2].map(|axis| own.step(axis)), [3, 0, 1]);
    }

    #[test]
    fn what_is_no_convolution_is_refused() {
        let new = |axes: &[usize], extents: &[usize], count: usize, offsets: &[usize]| {
            Convolution::new(axes, extents, &counted(count), offsets).is_ok()
        };
        assert!(new(&[0, 1], &[2, 3], 6, &[1, 2]));
        assert!(!new(&[], &[], 1, &[]));
        assert!(!new(&[1, 0], &[2, 3], 6, &[0, 0]));
        assert!(!new(&[1, 1], &[2, 3], 6, &[0, 0]));
        assert!(!new(&[0, 1], &[2], 2, &[0, 0]));
        assert!(!new(&[0, 1], &[2, 3], 6, &[0]));
        assert!(!new(&[0, 1], &[2, 3], 5, &[0, 0]));
        assert!(!new(&[0, 1], &[2, 0], 0, &[0, 0]));
        assert!(!new(&[0, 1], &[2, 3], 6, &[2, 0]));
        assert!(!new(&[0, 1], &[usize::MAX, 3], 6, &[0, 0]));
        assert!(Convolution::new(&[0], &[1], &[f64::NAN.into()], &[0]).is_err());
    }

    #[test]
    fn arrays_that_it_does_not_fit_are_refused() {
        let fits = |tap: Complex64, shape: &[usize], dtype| {
            let own = Convolution::new(&[1], &[1], &[tap], &[0]).unwrap();
            own.check(NAME, shape, dtype).is_ok()
        };
        assert!(fits(Complex64::ONE, &[1, 1], DType::Float32));
        assert!(!fits(Complex64::ONE, &[1], DType::Float32));
        assert!(!fits(Complex64::I, &[1, 1], DType::Float32));
        assert!(fits(Complex64::I, &[1, 1], DType::Complex64));
        assert!(!fits(1e39.into(), &[1, 1], DType::Complex64));
        assert!(fits(1e39.into(), &[1, 1], DType::Float64));
    }
}
