//! Sparse matrices along the axis of lanes: each element is a row.

use std::ops::Range;

use arrayspan_bridge::{Lanes, LanesMut};
use num_complex::Complex64;
use num_complex::ComplexFloat;

use super::parts::{flat, for_each_lane, unflatten};
use super::scalar::Scalar;
use crate::factors::Known;
use crate::gather::{Indices, Table, Weights};

/// Rows that are computed at a time: a bound for what is copied together where strides demand it.
const CHUNK: usize = 8192;

/// The entries of a row, times elements of a lane, that are shared by two cores.
pub(super) const SHARED: usize = 1 << 18;

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
                Indices::Narrow(indices) => self.weighted(first, y, |at| x[indices[at] as usize]),
                Indices::Wide(indices) => self.weighted(first, y, |at| x[indices[at] as usize]),
            };
        }
        let entries = table.span(first).start..table.span(first + y.len() - 1).end;
        self.copy(at, entries.clone(), copied);
        let copied = &copied[..];
        self.weighted(first, y, |at| copied[at - entries.start]);
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

    /// Rows of entries of which `element` tells the element of `x`.
    fn weighted(&self, first: usize, y: &mut [T], element: impl Fn(usize) -> T + Sync) {
        let table = self.table;
        if self.update == Known::SET && table.longest == 1 && table.weights == Weights::Ones {
            for (row, y) in y.iter_mut().enumerate() {
                let span = table.span(first + row);
                *y = if span.is_empty() { T::default() } else { element(span.start) };
            }
            return;
        }
        match &table.weights {
            Weights::Ones => self.summed(first, y, |at| element(at).wide()),
            Weights::Real(weights) => {
                self.summed(first, y, |at| times(element(at).wide(), weights[at].into()));
            }
            Weights::Complex(weights) => {
                self.summed(first, y, |at| times(element(at).wide(), weights[at]));
            }
        }
    }

    fn summed(&self, first: usize, y: &mut [T], term: impl Fn(usize) -> T::Wide + Sync) {
        let Known { alpha, beta } = self.update;
        for (row, y) in y.iter_mut().enumerate() {
            let mut result = times(sum::<T>(self.table.span(first + row), &term), alpha);
            if self.update.reads() {
                result = result + times(y.wide(), beta);
            }
            *y = T::rounded(Complex64::new(result.re(), result.im()));
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
    span.fold(<T::Wide as Scalar>::rounded(Complex64::ZERO), |sum, at| sum + term(at))
}
