//! Sparse matrices along the axis of lanes: each element is a row.

use std::ops::Range;
use std::slice;

use arrayspan_bridge::{Lanes, LanesMut};
use bytemuck::cast_slice_mut;
use num_complex::Complex64;
use num_complex::ComplexFloat;

use super::parts::{flat, for_each_lane, unflatten};
use super::scalar::Scalar;
use crate::factors::Known;
use crate::gather::{Indices, Starts, Table, Weights};

/// Rows that are computed at a time: a bound for what is copied together where strides demand it.
const CHUNK: usize = 8192;

/// The entries of a row, times elements of a lane, that are shared by two cores.
pub(super) const SHARED: usize = 1 << 18;

/// The sums that a row's entries are added to in turn.
const SUMS: usize = 8;

/// Rows along lanes. Sums are made in double precision.
pub(super) struct Along<'a, T> {
    x: Lanes<'a, T>,
    table: &'a Table,
    outer: usize,
    /// The extents of all axes of the rows.
    rows: Vec<usize>,
    columns: Vec<usize>,
    update: Known,
}

impl<'a, T: Scalar> Along<'a, T> {
    /// Rows counted along `rows`, whose axes come behind `outer` others.
    pub(super) fn new(
        x: Lanes<'a, T>,
        table: &'a Table,
        outer: usize,
        [rows, columns]: [Vec<usize>; 2],
        update: Known,
    ) -> Self {
        Self { x, table, outer, rows, columns, update }
    }

    /// Computes the part of the output that begins at `origin`.
    pub(super) fn part(&self, origin: &[usize], mut y: LanesMut<'_, T>) {
        let shape = y.shape().to_vec();
        let axis = shape.len() - 1;
        let (mut copied, mut result) = (Vec::new(), Vec::new());
        for_each_lane(origin, &shape, CHUNK, |index, at, len| {
            let first = flat(&self.rows, &at[self.outer..]);
            let mut lane = y.lane(index, axis, len);
            if let Some(slice) = lane.as_mut_slice() {
                return self.lane(&at[..self.outer], first, slice, &mut copied);
            }
            result.resize(len, T::default());
            if self.update.reads() {
                lane.read().gather(0, &mut result);
            }
            self.lane(&at[..self.outer], first, &mut result, &mut copied);
            lane.scatter(0, &result);
        });
    }

    /// Computes the rows from `first` on, as many as `y` has, at an index of the axes before.
    fn lane(&self, at: &[usize], first: usize, y: &mut [T], copied: &mut Vec<T>) {
        let table = self.table;
        let contiguous = match self.columns[..] {
            [columns] => self.x.lane(&[at, &[0]].concat(), self.outer, columns).as_slice(),
            _ => None,
        };
        if let Some(x) = contiguous {
            return match &table.indices {
                Indices::Narrow(indices) => {
                    self.weighted(first, y, (indices, 0), |index| x[*index as usize]);
                }
                Indices::Wide(indices) => {
                    self.weighted(first, y, (indices, 0), |index| x[*index as usize]);
                }
            };
        }
        let entries = table.span(first).start..table.span(first + y.len() - 1).end;
        self.copy(at, entries.clone(), copied);
        self.weighted(first, y, (copied, entries.start), |element| *element);
    }

    /// Copies together what some entries read.
    fn copy(&self, at: &[usize], entries: Range<usize>, copied: &mut Vec<T>) {
        let mut index = [at, &vec![0; self.columns.len()]].concat();
        copied.resize(entries.len(), T::default());
        for (entry, place) in entries.zip(copied) {
            unflatten(&self.columns, self.table.indices.get(entry), &mut index[self.outer..]);
            self.x.lane(&index, self.outer, 1).gather(0, std::slice::from_mut(place));
        }
    }

    /// Rows of entries. What `list` has of each from an entry on leads to the element of `x`.
    fn weighted<I: Sync>(
        &self,
        first: usize,
        y: &mut [T],
        (list, from): (&[I], usize),
        element: impl Fn(&I) -> T + Sync,
    ) {
        let table = self.table;
        let of = |span: &Range<usize>| &list[span.start - from..span.end - from];
        if self.update == Known::SET && table.longest == 1 && table.weights == Weights::Ones {
            return self.moved(first, y, (list, from), element);
        }
        let element = &element;
        match (&table.starts, &table.weights) {
            (Starts::Every(1), Weights::Real(weights)) => {
                return self.few::<1, I>(first, y, (list, from), weights, element);
            }
            (Starts::Every(2), Weights::Real(weights)) => {
                return self.few::<2, I>(first, y, (list, from), weights, element);
            }
            _ => {}
        }
        match &table.weights {
            Weights::Ones => self.summed(first, y, |span| {
                let list = of(&span);
                move |at| element(&list[at]).wide()
            }),
            Weights::Real(weights) => self.summed(first, y, |span| {
                let (list, weights) = (of(&span), &weights[span]);
                move |at| times(element(&list[at]).wide(), weights[at].into())
            }),
            Weights::Complex(weights) => self.summed(first, y, |span| {
                let (list, weights) = (of(&span), &weights[span]);
                move |at| times(element(&list[at]).wide(), weights[at])
            }),
        }
    }

    /// Rows of one entry at most, whose elements are copied.
    fn moved<I>(
        &self,
        first: usize,
        y: &mut [T],
        (list, from): (&[I], usize),
        element: impl Fn(&I) -> T,
    ) {
        let Some(last) = list.len().checked_sub(1) else { return y.fill(T::default()) };
        let count = y.len();
        // Rows without an entry read one, too, of which no bit is kept: which rows have none is not foreseen by processors. (By the
        // number of entries, 0 or 1: of a comparison compilers make a branch.)
        let put = |y: &mut T, [start, end]: [usize; 2]| {
            *y = element(&list[(start - from).min(last)]);
            let kept = 0_u32.wrapping_sub((end - start) as u32);
            let bits: &mut [u32] = cast_slice_mut(slice::from_mut(y));
            for bits in bits {
                *bits &= kept;
            }
        };
        match &self.table.starts {
            Starts::Every(_) => {
                let list = &list[first - from..][..count];
                y.iter_mut().zip(list).for_each(|(y, item)| *y = element(item));
            }
            Starts::Narrow(starts) => {
                let spans = starts[first..=first + count].windows(2);
                y.iter_mut()
                    .zip(spans)
                    .for_each(|(y, span)| put(y, [span[0] as usize, span[1] as usize]));
            }
            Starts::Wide(starts) => {
                let spans = starts[first..=first + count].windows(2);
                y.iter_mut().zip(spans).for_each(|(y, span)| put(y, [span[0], span[1]]));
            }
        }
    }

    /// Rows of as many entries each, with real weights.
    fn few<'l, const EACH: usize, I>(
        &self,
        first: usize,
        y: &mut [T],
        (list, from): (&'l [I], usize),
        weights: &[f64],
        element: impl Fn(&'l I) -> T,
    ) {
        let zero = <T::Wide as Scalar>::rounded(Complex64::ZERO);
        let entries = first * EACH;
        let rows = list[entries - from..].as_chunks::<EACH>().0;
        let weights = weights[entries..].as_chunks::<EACH>().0;
        for ((y, row), weights) in y.iter_mut().zip(rows).zip(weights) {
            let terms = row.iter().zip(weights);
            let sum = terms.fold(zero, |sum, (item, weight)| {
                sum + times(element(item).wide(), (*weight).into())
            });
            *y = self.finished(sum, y);
        }
    }

    /// What a sum makes of what an element held.
    #[inline(always)]
    fn finished(&self, sum: T::Wide, before: &T) -> T {
        let Known { alpha, beta } = self.update;
        let mut result = times(sum, alpha);
        if self.update.reads() {
            result = result + times(before.wide(), beta);
        }
        T::rounded(Complex64::new(result.re(), result.im()))
    }

    /// Rows of which `row` leads from a span of entries to the term of each, counted from the first of them.
    fn summed<F: Fn(usize) -> T::Wide + Sync>(
        &self,
        first: usize,
        y: &mut [T],
        row: impl Fn(Range<usize>) -> F,
    ) {
        for (number, y) in y.iter_mut().enumerate() {
            let span = self.table.span(first + number);
            *y = self.finished(sum::<T>(0..span.len(), &row(span)), y);
        }
    }
}

/// A product by parts where the factor is real: a complex infinity stays one.
fn times<W: Scalar + ComplexFloat<Real = f64>>(value: W, factor: Complex64) -> W {
    if factor.im == 0.0 {
        return W::rounded(Complex64::new(value.re() * factor.re, value.im() * factor.re));
    }
    value * W::rounded(factor)
}

/// The sum of the terms of some entries, many of them by halves.
fn sum<T: Scalar>(span: Range<usize>, term: &(impl Fn(usize) -> T::Wide + Sync)) -> T::Wide {
    if span.len() > SHARED {
        let middle = span.start + span.len() / 2;
        let (from, to) =
            rayon::join(|| sum::<T>(span.start..middle, term), || sum::<T>(middle..span.end, term));
        return from + to;
    }
    let zero = <T::Wide as Scalar>::rounded(Complex64::ZERO);
    if span.len() < SUMS {
        return span.fold(zero, |sum, at| sum + term(at));
    }
    // An addition waits for the one before it, and what it adds is far away: several sums wait side by side.
    let mut sums = [zero; SUMS];
    let mut at = span.start;
    while at + SUMS <= span.end {
        for (number, sum) in sums.iter_mut().enumerate() {
            *sum = *sum + term(at + number);
        }
        at += SUMS;
    }
    let rest = (at..span.end).fold(zero, |sum, at| sum + term(at));
    sums.into_iter().fold(rest, |sum, part| sum + part)
}
