//! Sparse matrices between arrays of 16-bit floats: arithmetic is that of `Float32`, and only results are rounded to 16 bits.

use std::ops::Range;

use arrayspan_bridge::{Lanes, LanesMut};

use super::parts::{flat, for_each_lane, unflatten};
use super::stored::Half;
use crate::factors::Known;
use crate::gather::Table;

/// Elements of a lane that are computed at a time.
const CHUNK: usize = 4096;

/// Rows of a sparse matrix.
pub(super) struct Halves<'a, T> {
    x: Lanes<'a, T>,
    table: &'a Table,
    /// How many axes come before those of the matrix.
    outer: usize,
    /// The extents of all axes of the rows and of the columns.
    rows: Vec<usize>,
    columns: Vec<usize>,
    /// Whether lanes go along another axis than the matrix does.
    across: bool,
    alpha: f32,
    beta: f32,
}

impl<'a, T: Half> Halves<'a, T> {
    pub(super) fn new(
        x: Lanes<'a, T>,
        table: &'a Table,
        (outer, across): (usize, bool),
        [rows, columns]: [Vec<usize>; 2],
        update: Known,
    ) -> Self {
        let (alpha, beta) = (update.alpha.re as f32, update.beta.re as f32);
        Self { x, table, outer, rows, columns, across, alpha, beta }
    }

    /// Computes the part of the output that begins at `origin`.
    pub(super) fn part(&self, origin: &[usize], mut y: LanesMut<'_, T>) {
        let shape = y.shape().to_vec();
        let axis = shape.len() - 1;
        let (mut sums, mut held) = (Vec::new(), Vec::new());
        for_each_lane(origin, &shape, CHUNK, |index, at, len| {
            sums.clear();
            sums.resize(len, 0.0);
            held.resize(len, T::default());
            if self.across {
                self.add_lanes(at, &mut sums, &mut held);
            } else {
                self.add_elements(at, &mut sums);
            }
            let mut lane = y.lane(index, axis, len);
            if self.beta != 0.0 {
                lane.read().gather(0, &mut held);
            }
            for (held, sum) in held.iter_mut().zip(&sums) {
                let new = self.alpha * sum;
                let read = self.beta != 0.0;
                *held = T::nearest(if read { new + self.beta * held.value() } else { new });
            }
            lane.scatter(0, &held);
        });
    }

    /// The row of a lane along another axis: lanes are added.
    fn add_lanes(&self, at: &[usize], sums: &mut [f32], held: &mut [T]) {
        let axis = self.outer + self.columns.len();
        let row = flat(&self.rows, &at[self.outer..at.len() - 1]);
        let mut index = vec![0; axis + 1];
        index[..self.outer].copy_from_slice(&at[..self.outer]);
        index[axis] = at[at.len() - 1];
        self.for_each_entry(self.table.span(row), |first, column, weight| {
            unflatten(&self.columns, column, &mut index[self.outer..axis]);
            self.x.lane(&index, axis, sums.len()).gather(0, held);
            for (sum, held) in sums.iter_mut().zip(&*held) {
                *sum = added(first, *sum, weight, held.value());
            }
        });
    }

    /// The rows along a lane: elements are added.
    fn add_elements(&self, at: &[usize], sums: &mut [f32]) {
        let first_row = flat(&self.rows, &at[self.outer..]);
        let mut index = [&at[..self.outer], &vec![0; self.columns.len()]].concat();
        let line = match self.columns[..] {
            [columns] if columns > 0 => self.x.lane(&index, self.outer, columns).as_slice(),
            _ => None,
        };
        let mut one = [T::default()];
        for (row, sum) in (first_row..).zip(sums) {
            self.for_each_entry(self.table.span(row), |first, column, weight| {
                if let Some(line) = line {
                    one[0] = line[column];
                } else {
                    unflatten(&self.columns, column, &mut index[self.outer..]);
                    let axis = self.outer + self.columns.len() - 1;
                    self.x.lane(&index, axis, 1).gather(0, &mut one);
                }
                *sum = added(first, *sum, weight, one[0].value());
            });
        }
    }

    /// Calls `visit` for the columns and weights of some entries, and tells it of the first.
    fn for_each_entry(&self, span: Range<usize>, mut visit: impl FnMut(bool, usize, f32)) {
        let first = span.start;
        for entry in span {
            let weight = self.table.weights.get(entry).re as f32;
            visit(entry == first, self.table.indices.get(entry), weight);
        }
    }
}

/// The sum with one more entry. What is alone keeps its sign, also that of a zero.
#[inline(always)]
fn added(first: bool, sum: f32, weight: f32, value: f32) -> f32 {
    if first { weight * value } else { sum + weight * value }
}
