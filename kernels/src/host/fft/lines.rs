//! Lines of a Fourier transform on the host: how they are gathered, transformed and written.

use arrayspan_bridge::{Lanes, LanesMut};
use bytemuck::{Pod, cast_slice};
use num_complex::Complex;
use realfft::{ComplexToReal, RealToComplex};

use super::cosines::Cosines;
use super::plans::{Plan, Planned};
use crate::host::parts::advance;
use crate::host::scalar::Scalar;
use crate::host::scan_sums::Store;
use crate::host::side_by_side::{self, Span};
use crate::host::stored::Stored;
use crate::{Fourier, Signals};

/// An element of an array, beside the numbers that are transformed.
pub(in crate::host) trait Sample<T>: Copy + Default + Pod {
    /// How many real numbers it is.
    const PARTS: usize = size_of::<Self>() / size_of::<T>();

    fn complex(self) -> Complex<T>;
    /// The real part, if it is that of a real number.
    fn of(value: Complex<T>) -> Self;
}

macro_rules! samples {
    ($($real:ty)*) => {$(
        impl Sample<$real> for $real {
            #[inline(always)]
            fn complex(self) -> Complex<$real> {
                Complex::new(self, 0.0)
            }

            #[inline(always)]
            fn of(value: Complex<$real>) -> Self {
                value.re
            }
        }

        impl Sample<$real> for Complex<$real> {
            #[inline(always)]
            fn complex(self) -> Self {
                self
            }

            #[inline(always)]
            fn of(value: Self) -> Self {
                value
            }
        }
    )*};
}

samples! { f32 f64 }

/// Where lines come from and how they are written.
pub(in crate::host) struct Ends<'a, X, L> {
    /// The axis of the transform last, lines along the one before.
    pub(in crate::host) x: Lanes<'a, X>,
    pub(in crate::host) fourier: Fourier,
    /// Those of the first sum with cosines, and of the others.
    pub(in crate::host) weights: [f64; 2],
    /// Whether neighbours are of several lines.
    pub(in crate::host) across: bool,
    pub(in crate::host) store: Store<L>,
}

/// Results that one thread makes, of whole lines.
pub(in crate::host) struct Part<'o, 'y, Y> {
    pub(in crate::host) origin: &'o [usize],
    pub(in crate::host) y: LanesMut<'y, Y>,
    /// The lines that are gathered together.
    pub(in crate::host) tile: usize,
}

/// Room for some lines.
pub(in crate::host) struct Room<T> {
    complex: Vec<Complex<T>>,
    /// As many real numbers for each, of lines that are half a spectrum or cosines.
    real: Vec<T>,
    /// Those of a line in another order.
    ordered: Vec<T>,
    scratch: Vec<Complex<T>>,
    bins: usize,
    points: usize,
}

/// Places of an array along the axis, and where in a line of the transform they are: two neighbouring runs.
#[derive(Clone, Copy)]
pub(in crate::host) struct Run {
    pub(in crate::host) place: usize,
    pub(in crate::host) at: usize,
    pub(in crate::host) len: usize,
    /// The places behind these, for which the line has nothing.
    pub(in crate::host) behind: usize,
}

/// The runs of an axis whose element 0 is number `turn` of a line of `len`.
pub(in crate::host) fn runs(extent: usize, turn: usize, len: usize) -> [Run; 2] {
    let rest = extent - turn;
    let run = |place: usize, at: usize, all: usize| {
        let len = all.min(len.saturating_sub(at));
        Run { place, at, len, behind: all - len }
    };
    [run(0, turn, rest), run(rest, 0, turn)]
}

impl Run {
    /// That of lines of `len`, one behind the other.
    fn span(&self, len: usize) -> Span {
        Span { place: self.place, at: self.at, len: self.len, pitch: len }
    }
}

impl<T: Planned + Scalar> Room<T> {
    pub(in crate::host) fn new(fourier: &Fourier, plan: &Plan<T>, lines: usize) -> Self {
        let points = fourier.points();
        let half = points / 2 + 1;
        // Complex numbers of a line, lines of them, and real numbers in order and in another one.
        let (bins, complex, real, ordered) = match fourier.signals() {
            Signals::Complex | Signals::Real => (points, lines, 0, 0),
            Signals::Half => (half, lines, lines * points, 0),
            Signals::Cosines => (half, 1, lines * points, points),
        };
        Self {
            complex: vec![Complex::default(); complex * bins],
            real: vec![T::default(); real],
            ordered: vec![T::default(); ordered],
            scratch: vec![Complex::default(); plan.scratch()],
            bins,
            points,
        }
    }

    /// Transforms that many lines.
    fn transform(&mut self, plan: &Plan<T>, lines: usize, weights: [f64; 2]) {
        let Self { complex, real, ordered, scratch, bins, points } = self;
        let weights = weights.map(|weight| T::rounded(weight.into()));
        let some = complex.len().min(lines * *bins);
        let complex = &mut complex[..some];
        match plan {
            // Rows are transformed, not lines.
            Plan::Together(_) => {}
            Plan::Complex(plan) => plan.process_with_scratch(complex, scratch),
            Plan::ToHalf(plan) => {
                let each = real.chunks_mut(*points).zip(complex.chunks_mut(*bins));
                each.for_each(|(real, complex)| to_half(&**plan, real, complex, scratch));
            }
            Plan::FromHalf(plan) => {
                let each = real.chunks_mut(*points).zip(complex.chunks_mut(*bins));
                each.for_each(|(real, complex)| from_half(&**plan, complex, real, scratch));
            }
            Plan::ToCosines(plan, cosines) => {
                for line in real.chunks_mut(*points).take(lines) {
                    Cosines::order(line, ordered);
                    to_half(&**plan, ordered, complex, scratch);
                    cosines.of_bins(complex, weights, line);
                }
            }
            Plan::FromCosines(plan, cosines) => {
                for line in real.chunks_mut(*points).take(lines) {
                    cosines.to_bins(line, weights, complex);
                    from_half(&**plan, complex, ordered, scratch);
                    Cosines::order_back(ordered, line);
                }
            }
        }
    }

    /// Multiplies the bins of half a spectrum that stand for two.
    fn weigh(&mut self, lines: usize, weight: f64) {
        let (weight, inner) = (T::rounded(weight.into()), 1..self.points.div_ceil(2));
        if weight == T::one() {
            return;
        }
        for line in self.complex[..lines * self.bins].chunks_mut(self.bins) {
            line[inner.clone()].iter_mut().for_each(|bin| *bin = *bin * weight);
        }
    }

    fn conjugate(&mut self, lines: usize) {
        self.complex[..lines * self.bins].iter_mut().for_each(|bin| *bin = bin.conj());
    }

    /// Makes the bins that stand for themselves real: what else they hold is no part of a real signal.
    fn drop_imaginary(&mut self, lines: usize) {
        for line in self.complex[..lines * self.bins].chunks_mut(self.bins) {
            line[0].im = T::zero();
            if self.points.is_multiple_of(2) {
                line[self.points / 2].im = T::zero();
            }
        }
    }
}

/// No plan fails: lengths are theirs.
fn to_half<T: Planned>(
    plan: &dyn RealToComplex<T>,
    samples: &mut [T],
    bins: &mut [Complex<T>],
    scratch: &mut [Complex<T>],
) {
    let done = plan.process_with_scratch(samples, bins, scratch);
    debug_assert!(done.is_ok(), "{done:?}");
}

/// The same, and what must be zero is.
fn from_half<T: Planned>(
    plan: &dyn ComplexToReal<T>,
    bins: &mut [Complex<T>],
    samples: &mut [T],
    scratch: &mut [Complex<T>],
) {
    let done = plan.process_with_scratch(bins, samples, scratch);
    debug_assert!(done.is_ok(), "{done:?}");
}

impl<X: Scalar, L: Scalar> Ends<'_, X, L> {
    /// Transforms the lines of a part.
    pub(in crate::host) fn transform<T, Y>(&self, plan: &Plan<T>, mut part: Part<'_, '_, Y>)
    where
        T: Planned + Scalar + Sample<T>,
        X: Sample<T>,
        Y: Stored<Number = Y> + Pod + Sample<T>,
    {
        let fourier = &self.fourier;
        let room = &mut Room::new(fourier, plan, part.tile);
        let half = fourier.signals() == Signals::Half;
        let cosines = fourier.signals() == Signals::Cosines;
        let (inverse, positive) = (fourier.is_inverse(), fourier.is_positive());
        let [from_real, to_real] = [cosines || half && !inverse, cosines || half && inverse];
        let shape = part.y.shape().to_vec();
        let line = shape.len() - 2;
        let (mut index, mut at) = (vec![0; shape.len()], part.origin.to_vec());
        let (mut row_x, mut row_y) = (Vec::new(), Vec::new());
        loop {
            for first in (0..shape[line]).step_by(part.tile) {
                let lines = part.tile.min(shape[line] - first);
                index[line] = first;
                at.iter_mut().zip(part.origin).zip(&index).for_each(|((at, a), b)| *at = a + b);
                let Room { complex, real, bins, points, .. } = &mut *room;
                if from_real {
                    let put = |x: X| x.complex().re;
                    self.gather(&mut at, lines, (real, *points), &mut row_x, put);
                } else {
                    self.gather(&mut at, lines, (complex, *bins), &mut row_x, X::complex);
                }
                if half && inverse {
                    room.drop_imaginary(lines);
                    room.weigh(lines, fourier.inner() / 2.0);
                    if !positive {
                        room.conjugate(lines);
                    }
                }
                room.transform(plan, lines, self.weights);
                if half && !inverse {
                    room.weigh(lines, fourier.inner());
                    if positive {
                        room.conjugate(lines);
                    }
                }
                let Room { complex, real, bins, points, .. } = &*room;
                if to_real {
                    let of = |value: T| Y::of(value.complex());
                    self.scatter((real, *points), (&mut part.y, &mut index), lines, &mut row_y, of);
                } else {
                    let of = Y::of;
                    self.scatter(
                        (complex, *bins),
                        (&mut part.y, &mut index),
                        lines,
                        &mut row_y,
                        of,
                    );
                }
            }
            index[line] = 0;
            if !advance(&mut index[..line], &shape[..line]) {
                return;
            }
        }
    }

    /// Fills lines with the input from the index `at` on, and zeros where there is none.
    fn gather<N: Copy + Default>(
        &self,
        at: &mut [usize],
        lines: usize,
        (to, len): (&mut [N], usize),
        row: &mut Vec<X>,
        put: impl Fn(X) -> N,
    ) {
        let (line, axis) = (at.len() - 2, at.len() - 1);
        let extent = self.x.shape()[axis];
        if extent < len {
            to[..lines * len].fill(N::default());
        }
        let [signal, spectrum] = self.fourier.turns();
        let turn = if self.fourier.is_inverse() { spectrum } else { turned(extent, signal) };
        let first = at[line];
        for run in runs(extent, turn, len).into_iter().filter(|run| run.len > 0) {
            if self.across {
                side_by_side::gather(&self.x, at, (run.span(len), lines), row, to, &put);
                continue;
            }
            at[axis] = run.place;
            for (number, to) in to.chunks_mut(len).take(lines).enumerate() {
                at[line] = first + number;
                let lane = self.x.lane(at, axis, run.len);
                let x = lane.as_slice().unwrap_or_else(|| {
                    row.resize(run.len, X::default());
                    lane.gather(0, row);
                    row
                });
                let to = to[run.at..].iter_mut();
                to.zip(x).for_each(|(to, x)| *to = put(*x));
            }
        }
        (at[line], at[axis]) = (first, 0);
    }

    /// Writes lines to the results from `index` on, and zeros where they have ended.
    fn scatter<N: Pod, Y: Stored<Number = Y> + Pod>(
        &self,
        (from, len): (&[N], usize),
        (y, index): (&mut LanesMut<'_, Y>, &mut [usize]),
        lines: usize,
        row: &mut Vec<Y>,
        of: impl Fn(N) -> Y,
    ) {
        let (line, axis) = (index.len() - 2, index.len() - 1);
        let extent = y.shape()[axis];
        let [signal, spectrum] = self.fourier.turns();
        let turn = if self.fourier.is_inverse() { turned(extent, signal) } else { spectrum };
        let first = index[line];
        if self.across {
            for run in runs(extent, turn, len) {
                let (span, store) = (run.span(len), (&self.store, &of));
                side_by_side::scatter((&mut *y, &mut *index), (span, lines), row, from, store);
                row.clear();
                row.resize(lines, Y::default());
                for place in run.place + run.len..run.place + run.len + run.behind {
                    index[axis] = place;
                    self.store.put(&mut y.lane(index, line, lines), 0, row);
                }
            }
            index[axis] = 0;
            return;
        }
        // Lines that are results as they are.
        let whole = turn == 0 && extent <= len && size_of::<N>() == size_of::<Y>();
        for (number, from) in from.chunks(len).take(lines).enumerate() {
            index[line] = first + number;
            let mut y = y.lane(index, axis, extent);
            if whole {
                self.store.put(&mut y, 0, cast_slice(&from[..extent]));
                continue;
            }
            row.clear();
            row.resize(extent, Y::default());
            for run in runs(extent, turn, len).into_iter().filter(|run| run.len > 0) {
                let (row, from) = (row[run.place..].iter_mut(), &from[run.at..][..run.len]);
                row.zip(from).for_each(|(row, from)| *row = of(*from));
            }
            self.store.put(&mut y, 0, row);
        }
        index[line] = first;
    }
}

/// What number of the axis its element 0 is, where number `first` of the axis is the first of a line.
pub(in crate::host) fn turned(extent: usize, first: usize) -> usize {
    if first == 0 { 0 } else { extent - first }
}
