//! Transforms of several lines at once, one of each in the elements of vectors: lines do not touch each other, and no number is moved
//! within a vector.

use pulp::{Arch, Simd, WithSimd};
use rustfft::FftNum;

use super::bins::Bins;
use super::cosines::Cosines;
use super::factors::Factors;
use super::kind::Kind;
use super::place::Place;
use super::stages::Stages;
use crate::host::scalar::Scalar;

/// Bytes of lines that are transformed at once, and of as much room.
pub(in crate::host) const NEAR: usize = 1 << 20;

/// How lines of one length are transformed.
pub(in crate::host) struct Together<T> {
    kind: Kind,
    samples: usize,
    stages: Stages<T>,
    bins: Bins<T>,
    cosines: Option<Cosines<T>>,
}

impl<T: FftNum + Scalar> Together<T> {
    /// `None` for lengths with another prime factor than butterflies have points.
    pub(in crate::host) fn new(kind: Kind, samples: usize) -> Option<Self> {
        let stages = Stages::new(if kind.by_twos(samples) { samples / 2 } else { samples })?;
        let cosines = kind.has_cosines().then(|| Cosines::new(samples));
        Some(Self { kind, samples, stages, bins: Bins::new(samples), cosines })
    }

    /// The most rows of real numbers that lines are.
    pub(in crate::host) fn rows(&self) -> usize {
        if self.kind.by_twos(self.samples) { self.samples + 2 } else { 2 * self.samples }
    }

    /// Where samples are, in rows, that lines begin with.
    pub(in crate::host) fn before(&self) -> Place {
        match self.kind {
            Kind::Complex { positive } => Place::complex(positive),
            Kind::ToHalf => self.samples(false, false),
            Kind::ToCosines => self.samples(true, false),
            Kind::FromHalf => Place::complex(false),
            Kind::FromCosines => Place::real(),
        }
    }

    /// Where they are in the end.
    pub(in crate::host) fn behind(&self) -> Place {
        match self.kind {
            Kind::Complex { positive } => Place::complex(positive),
            Kind::ToHalf => Place::complex(false),
            Kind::ToCosines => Place::real(),
            Kind::FromHalf => self.samples(false, true),
            Kind::FromCosines => self.samples(true, true),
        }
    }

    /// Where real samples are among points.
    fn samples(&self, ordered: bool, exchanged: bool) -> Place {
        let place =
            if self.kind.by_twos(self.samples) { Place::real() } else { Place::complex(false) };
        let place = if ordered { place.ordered(self.samples) } else { place };
        if exchanged { place.exchanged() } else { place }
    }

    /// Transforms the lines whose rows, as wide as vectors, `lines` holds, by means of as much `room`. Returns whether the results are
    /// there.
    pub(super) fn run(&self, lines: &mut [T], room: &mut [T], factors: Factors<T>) -> bool {
        dispatch(Run { plan: self, lines, room, factors })
    }
}

/// Runs it with vectors of 32 bytes where the processor has them, though it may have longer ones: lines together are to stay in the
/// nearest cache.
pub(in crate::host) fn dispatch<O: WithSimd>(operation: O) -> O::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = pulp::x86::V3::try_new() {
        return Simd::vectorize(simd, operation);
    }
    Arch::new().dispatch(operation)
}

/// Whether so many lines of so many points fill vectors, and these no more than a near cache: a group of them, two of lines side by side,
/// and as much room as for one.
pub(in crate::host) fn fill<T: Scalar>(lines: usize, points: usize, across: bool) -> bool {
    let width = width::<T>();
    let most = 8 * lines >= 7 * lines.next_multiple_of(width);
    let groups = if across { 3 } else { 2 };
    let bytes = points.saturating_mul(2 * groups * width * size_of::<T>());
    width > 1 && most && bytes <= NEAR
}

/// How many lines vectors of the processor hold.
pub(in crate::host) fn width<T: Scalar>() -> usize {
    struct Width<T>(std::marker::PhantomData<T>);

    impl<T: Scalar> WithSimd for Width<T> {
        type Output = usize;

        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) -> usize {
            T::count::<S>()
        }
    }

    dispatch(Width::<T>(std::marker::PhantomData))
}

struct Run<'a, T> {
    plan: &'a Together<T>,
    lines: &'a mut [T],
    room: &'a mut [T],
    factors: Factors<T>,
}

impl<T: FftNum + Scalar> WithSimd for Run<'_, T> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        let Self { plan, lines, room, factors } = self;
        let [mut x, mut y] = [lines, room].map(|rows| T::vectors_mut::<S>(rows));
        let Together { kind, samples, stages, bins, cosines } = plan;
        let mut moved = false;
        if let (Kind::FromCosines, Some(cosines)) = (kind, cosines) {
            cosines.to_bins_together(simd, (x, *samples), factors, y);
            std::mem::swap(&mut x, &mut y);
            moved = !moved;
        }
        // Sums with cosines are multiplied by all factors, bins of half a spectrum otherwise.
        let own = if cosines.is_some() { Factors::none() } else { factors };
        if kind.is_inverse() {
            bins.to_points(simd, x, y, own);
            std::mem::swap(&mut x, &mut y);
            moved = !moved;
        }
        stages.run(simd, x, y);
        if !stages.is_even() {
            std::mem::swap(&mut x, &mut y);
            moved = !moved;
        }
        match (kind, cosines) {
            (Kind::Complex { .. } | Kind::FromHalf, _) if own.first != T::one() => {
                let factor = T::all(simd, own.first);
                for number in x {
                    *number = T::times(simd, *number, factor);
                }
            }
            (Kind::ToHalf, _) => {
                bins.of_points(simd, x, y, own);
                moved = !moved;
            }
            (Kind::ToCosines, Some(cosines)) => {
                bins.of_points(simd, x, y, own);
                cosines.of_bins_together(simd, y, factors, (x, *samples));
            }
            _ => {}
        }
        moved
    }
}

#[cfg(test)]
mod tests;
