//! Sparse matrices as they grow, row by row.

use std::collections::HashMap;

use arrayspan_bridge::devices::vectors;
use num_complex::Complex64;

use super::table::Table;

/// Rows under construction, in which each column stands once.
pub(super) struct Rows {
    starts: Vec<usize>,
    indices: Vec<usize>,
    weights: Vec<Complex64>,
    seen: Seen,
    columns: usize,
}

/// For each column the last row that it stands in, and where; rows count from 1.
enum Seen {
    Each(Vec<(usize, usize)>),
    /// Where most columns stand in no row.
    Some(HashMap<usize, (usize, usize)>),
}

impl Rows {
    /// For a matrix of `columns` columns that is made of about so many `entries`; `None` where there is no memory for it.
    pub(super) fn new(rows: usize, columns: usize, entries: usize) -> Option<Self> {
        let mut starts = Vec::new();
        starts.try_reserve_exact(rows.checked_add(1)?).ok()?;
        starts.push(0);
        let (indices, weights) = (Vec::new(), Vec::new());
        let seen = if columns / 8 <= entries {
            Seen::Each(vectors::filled(columns, (0, 0)).ok()?)
        } else {
            Seen::Some(HashMap::new())
        };
        Some(Self { starts, indices, weights, seen, columns })
    }

    /// Adds to an entry of the row in hand.
    pub(super) fn add(&mut self, column: usize, weight: Complex64) {
        let (row, at) = (self.starts.len(), self.indices.len());
        let last = match &mut self.seen {
            Seen::Each(seen) => &mut seen[column],
            Seen::Some(seen) => seen.entry(column).or_default(),
        };
        if last.0 == row {
            self.weights[last.1] += weight;
            return;
        }
        *last = (row, at);
        self.indices.push(column);
        self.weights.push(weight);
    }

    /// Ends a row without what has cancelled; `None` with more than `most` entries so far.
    pub(super) fn end(&mut self, row: usize, most: usize) -> Option<()> {
        let from = self.starts[row];
        let mut kept = from;
        for at in from..self.indices.len() {
            if self.weights[at] != Complex64::ZERO {
                self.indices[kept] = self.indices[at];
                self.weights[kept] = self.weights[at];
                kept += 1;
            }
        }
        self.indices.truncate(kept);
        self.weights.truncate(kept);
        self.starts.push(kept);
        (kept <= most).then_some(())
    }

    pub(super) fn finish(self) -> Table {
        Table::new(self.columns, self.starts, self.indices, self.weights)
    }
}
