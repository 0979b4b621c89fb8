//! Adjoints, products and sums of sparse matrices along one axis.

use num_complex::Complex64;

use super::{Gather, Table, Weights, sort};

impl Gather {
    /// The conjugate transpose. What a row picks is added where it was picked from: no two rows write to one place.
    ///
    /// Cost: in proportion to entries, rows and columns; so of all that are made of others.
    #[must_use]
    pub fn adjoint(&self) -> Self {
        let table = sort::transposed(self.table(), |weight| weight.conj());
        Self::of(self.axis(), self.columns(), self.rows(), table)
    }

    /// The transpose.
    #[must_use]
    pub fn transpose(&self) -> Self {
        let table = sort::transposed(self.table(), |weight| weight);
        Self::of(self.axis(), self.columns(), self.rows(), table)
    }

    /// The complex conjugate.
    #[must_use]
    pub fn conj(&self) -> Self {
        if self.is_real() { self.clone() } else { self.each(|_, _, weight| weight.conj()) }
    }

    /// Every entry times `factor`.
    #[must_use]
    pub fn scaled(&self, factor: impl Into<Complex64>) -> Self {
        let factor = factor.into();
        self.each(|_, _, weight| factor * weight)
    }

    /// Row `j` times `factors[j]`, of which there are as many as rows; else `None`.
    #[must_use]
    pub fn with_rows(&self, factors: &[Complex64]) -> Option<Self> {
        let fits = factors.len() == self.table().rows;
        fits.then(|| self.each(|row, _, weight| factors[row] * weight))
    }

    /// Column `i` times `factors[i]`, of which there are as many as columns; else `None`.
    #[must_use]
    pub fn with_columns(&self, factors: &[Complex64]) -> Option<Self> {
        let fits = factors.len() == self.table().columns;
        fits.then(|| self.each(|_, column, weight| weight * factors[column]))
    }

    /// The product `self · inner` of two along the same axes, or `None`. Row by row (Gustavson, ACM Transactions on
    /// Mathematical Software 4, 1978); `None`, too, when it has more than `most` entries, or a product of two weights vanishes.
    #[must_use]
    pub fn after(&self, inner: &Self, most: usize) -> Option<Self> {
        if (self.axis(), self.columns()) != (inner.axis(), inner.rows()) {
            return None;
        }
        let (outer, within) = (self.table(), inner.table());
        let mut rows = Rows::new(outer.rows, within.columns);
        for row in 0..outer.rows {
            for (between, factor) in outer.row(row) {
                for (column, weight) in within.row(between) {
                    let product = factor * weight;
                    let lost = product == Complex64::ZERO;
                    if lost && factor != Complex64::ZERO && weight != Complex64::ZERO {
                        return None;
                    }
                    rows.add(column, product);
                }
            }
            rows.end(row, most)?;
        }
        Some(Self::of(self.axis(), self.rows(), inner.columns(), rows.finish()))
    }

    /// The sum of two along the same axes, or `None`.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Option<Self> {
        let axes = |of: &Self| (of.axis(), of.rows().to_vec(), of.columns().to_vec());
        if axes(self) != axes(other) {
            return None;
        }
        let (a, b) = (self.table(), other.table());
        let mut rows = Rows::new(a.rows, a.columns);
        for row in 0..a.rows {
            a.row(row).chain(b.row(row)).for_each(|(column, weight)| rows.add(column, weight));
            rows.end(row, usize::MAX)?;
        }
        Some(Self::of(self.axis(), self.rows(), self.columns(), rows.finish()))
    }

    /// The same entries with other weights, told row, column and weight of each.
    fn each(&self, change: impl Fn(usize, usize, Complex64) -> Complex64) -> Self {
        let table = self.table();
        let mut starts = Vec::with_capacity(table.rows + 1);
        let (mut indices, mut weights) = (Vec::new(), Vec::new());
        indices.reserve_exact(table.entries());
        weights.reserve_exact(table.entries());
        starts.push(0);
        for row in 0..table.rows {
            for (column, weight) in table.row(row) {
                indices.push(column);
                weights.push(change(row, column, weight));
            }
            starts.push(indices.len());
        }
        let table = Table::new(table.columns, starts, indices, weights);
        Self::of(self.axis(), self.rows(), self.columns(), table)
    }

    /// Whether no entry is left: a product of nothing with anything.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.entries() == 0
    }

    /// Whether it is the identity: as many rows as columns, each of which picks its own.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        let table = self.table();
        self.rows() == self.columns()
            && matches!(table.weights, Weights::Ones)
            && table.longest <= 1
            && table.entries() == table.rows
            && (0..table.rows).all(|row| table.indices.get(row) == row)
    }
}

/// Rows under construction, in which each column stands once.
struct Rows {
    starts: Vec<usize>,
    indices: Vec<usize>,
    weights: Vec<Complex64>,
    /// For each column the last row that it stands in, and where; rows count from 1.
    seen: Vec<(usize, usize)>,
    columns: usize,
}

impl Rows {
    fn new(rows: usize, columns: usize) -> Self {
        let mut starts = Vec::with_capacity(rows + 1);
        starts.push(0);
        let (indices, weights) = (Vec::new(), Vec::new());
        Self { starts, indices, weights, seen: vec![(0, 0); columns], columns }
    }

    /// Adds to an entry of the row in hand.
    fn add(&mut self, column: usize, weight: Complex64) {
        let row = self.starts.len();
        let (of, at) = &mut self.seen[column];
        if *of == row {
            self.weights[*at] += weight;
            return;
        }
        (*of, *at) = (row, self.indices.len());
        self.indices.push(column);
        self.weights.push(weight);
    }

    /// Ends a row without what has cancelled; `None` with more than `most` entries so far.
    fn end(&mut self, row: usize, most: usize) -> Option<()> {
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

    fn finish(self) -> Table {
        Table::new(self.columns, self.starts, self.indices, self.weights)
    }
}
