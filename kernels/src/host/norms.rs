//! `‖y‖²` of what rows are written, added up while they are in a core's cache.
//!
//! Rows are divided into cells of a fixed size, each of which one thread adds up; the cells are added up in their order. So the
//! sum depends on the shape only, not on the number of threads.

use std::sync::atomic::{AtomicU64, Ordering};

use arrayspan_bridge::iteration::Axes;
use num_complex::Complex64;

use super::fold::{fold, squares};
use super::parts::flat;
use super::scalar::{Scalar, with_scalar};
use crate::verb::DotCall;
use crate::{Reduction, Result};

/// Bytes of a cell.
const CELL: usize = 4096;

/// Elements of a cell.
pub(super) const fn cell<T>() -> usize {
    CELL / size_of::<T>()
}

/// The sums of all cells, as they become known.
pub(super) struct Norms {
    /// The bits of each sum, row by row. A cell is written by the thread that has its row.
    sums: Vec<AtomicU64>,
    /// The extents of all axes but the last.
    outer: Axes<usize>,
    /// Cells of a row.
    per_row: usize,
}

impl Norms {
    /// Of an array of that shape, which has axes.
    pub(super) fn new<T: Scalar>(shape: &[usize]) -> Self {
        let (last, outer) = shape.split_last().map_or((0, shape), |(last, outer)| (*last, outer));
        let per_row = last.div_ceil(cell::<T>());
        let count = outer.iter().product::<usize>() * per_row;
        let sums = (0..count).map(|_| AtomicU64::new(0)).collect();
        Self { sums, outer: outer.into(), per_row }
    }

    /// The cell that begins at that index, which is where one may begin.
    pub(super) fn cell<T>(&self, at: &[usize]) -> usize {
        let last = at.last().copied().unwrap_or(0);
        debug_assert!(last.is_multiple_of(cell::<T>()), "{at:?} is within a cell");
        flat(&self.outer, at) * self.per_row + last / cell::<T>()
    }

    /// Adds up parts of rows that lie beside each other along an axis, the first of which begins with that cell. They end where
    /// cells do, or rows.
    pub(super) fn add<'y, T: Scalar>(
        &self,
        first: usize,
        beside: usize,
        rows: impl IntoIterator<Item = &'y [T]>,
    ) {
        let inner = self.outer.get(beside + 1..).unwrap_or(&[]);
        let step = inner.iter().product::<usize>() * self.per_row;
        for (number, row) in rows.into_iter().enumerate() {
            let sums = &self.sums[first + number * step..];
            for (sum, elements) in sums.iter().zip(row.chunks(cell::<T>())) {
                // Who adds up the cells has waited for this thread.
                sum.store(squares(elements).to_bits(), Ordering::Relaxed);
            }
        }
    }

    /// The sum of all.
    pub(super) fn total(self) -> f64 {
        let sums = self.sums.into_iter().map(|sum| f64::from_bits(sum.into_inner()));
        fold(Reduction::Sum, &sums.collect::<Vec<_>>())
    }
}

/// Writes what a dot of a call's arrays has come to.
pub(super) fn put(dot: &mut DotCall<'_>, sum: f64) -> Result<()> {
    with_scalar!("map", dot.out.dtype(), T => {
        dot.out.view_mut().as_mut_slice::<T>()?.fill(T::rounded(Complex64::new(sum, 0.0)));
        Ok(())
    })
}
