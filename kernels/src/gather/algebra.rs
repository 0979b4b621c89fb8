//! Adjoints, products and sums of sparse matrices along one axis.

use std::borrow::Cow;
use std::sync::Arc;

use num_complex::Complex64;

use super::rows::Rows;
use super::{Entries, Gather, Inner, Same, Table, Transpose};

impl Gather {
    /// The conjugate transpose. What a row picks is added where it was picked from: no two rows write to one place.
    ///
    /// Cost: in proportion to entries; its table, with a place for each column of this, is made when it is first applied. All
    /// else that is made of others takes time and memory for entries and rows.
    #[must_use]
    pub fn adjoint(&self) -> Self {
        self.turned(!self.is_real())
    }

    /// The same along axes from `axis` on. Both share their table.
    #[must_use]
    pub fn at_axis(&self, axis: usize) -> Self {
        match &self.0.entries {
            Entries::Given(table) => Self(Arc::new(Inner {
                axis,
                rows: self.0.rows.clone(),
                columns: self.0.columns.clone(),
                facts: self.0.facts.clone(),
                same: Same::default(),
                entries: Entries::Given(table.clone()),
            })),
            Entries::Turned(turned) => turned.of.at_axis(axis).turned(turned.conj),
        }
    }

    /// The transpose.
    #[must_use]
    pub fn transpose(&self) -> Self {
        self.turned(false)
    }

    /// The complex conjugate.
    #[must_use]
    pub fn conj(&self) -> Self {
        if self.is_real() {
            return self.clone();
        }
        match &self.0.entries {
            Entries::Given(table) => self.each(table, |_, _, weight| weight.conj()),
            Entries::Turned(turned) => turned.of.turned(!turned.conj),
        }
    }

    /// Every entry times `factor`.
    #[must_use]
    pub fn scaled(&self, factor: impl Into<Complex64>) -> Self {
        let factor = factor.into();
        match &self.0.entries {
            Entries::Given(table) => self.each(table, |_, _, weight| factor * weight),
            Entries::Turned(Transpose { of, conj, .. }) => {
                of.scaled(if *conj { factor.conj() } else { factor }).turned(*conj)
            }
        }
    }

    /// Row `j` times `factors[j]`, of which there are as many as rows; else `None`.
    #[must_use]
    pub fn with_rows(&self, factors: &[Complex64]) -> Option<Self> {
        if factors.len() != self.facts().rows {
            return None;
        }
        match &self.0.entries {
            Entries::Given(table) => Some(self.each(table, |row, _, weight| factors[row] * weight)),
            Entries::Turned(Transpose { of, conj, .. }) => {
                Some(of.with_columns(&conjugated(factors, *conj))?.turned(*conj))
            }
        }
    }

    /// Column `i` times `factors[i]`, of which there are as many as columns; else `None`.
    #[must_use]
    pub fn with_columns(&self, factors: &[Complex64]) -> Option<Self> {
        if factors.len() != self.facts().columns {
            return None;
        }
        match &self.0.entries {
            Entries::Given(table) => {
                Some(self.each(table, |_, column, weight| weight * factors[column]))
            }
            Entries::Turned(Transpose { of, conj, .. }) => {
                Some(of.with_rows(&conjugated(factors, *conj))?.turned(*conj))
            }
        }
    }

    /// The product `self · inner` of two along the same axes, or `None`. Row by row (Gustavson, ACM Transactions on
    /// Mathematical Software 4, 1978); `None`, too, when it has more than `most` entries, a product of two weights vanishes,
    /// or there is no memory for the table of a transpose.
    #[must_use]
    pub fn after(&self, inner: &Self, most: usize) -> Option<Self> {
        if (self.axis(), self.columns()) != (inner.axis(), inner.rows()) {
            return None;
        }
        let (outer, within) = (self.table().ok()?, inner.table().ok()?);
        let entries = outer.entries().saturating_add(within.entries());
        let mut rows = Rows::new(outer.rows, within.columns, entries)?;
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

    /// The sum of two along the same axes, or `None`; so, too, when there is no memory for the table of a transpose.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Option<Self> {
        let axes = |of: &Self| (of.axis(), of.rows().to_vec(), of.columns().to_vec());
        if axes(self) != axes(other) {
            return None;
        }
        let (a, b) = (self.table().ok()?, other.table().ok()?);
        let mut rows = Rows::new(a.rows, a.columns, a.entries().saturating_add(b.entries()))?;
        for row in 0..a.rows {
            a.row(row).chain(b.row(row)).for_each(|(column, weight)| rows.add(column, weight));
            rows.end(row, usize::MAX)?;
        }
        Some(Self::of(self.axis(), self.rows(), self.columns(), rows.finish()))
    }

    /// The transpose, its weights conjugated or not.
    fn turned(&self, conj: bool) -> Self {
        let conj = conj && !self.is_real();
        if self.is_diagonal() && !conj {
            return self.clone();
        }
        match &self.0.entries {
            Entries::Turned(turned) if turned.conj == conj => turned.of.clone(),
            Entries::Turned(turned) => turned.of.conj(),
            Entries::Given(table) => Self(Arc::new(Inner {
                axis: self.axis(),
                rows: self.columns().to_vec(),
                columns: self.rows().to_vec(),
                facts: self.facts().transposed(table, conj),
                same: Same::default(),
                entries: Entries::Turned(Transpose::new(self.clone(), conj)),
            })),
        }
    }

    /// The same entries with other weights, told row, column and weight of each.
    fn each(&self, table: &Table, change: impl Fn(usize, usize, Complex64) -> Complex64) -> Self {
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
        self.is_unweighted() && self.is_diagonal()
    }

    /// Whether each row has one entry, in the column of its own indices: then it is its own transpose.
    fn is_diagonal(&self) -> bool {
        self.facts().diagonal && self.rows() == self.columns()
    }
}

fn conjugated(factors: &[Complex64], conj: bool) -> Cow<'_, [Complex64]> {
    if conj { factors.iter().map(Complex64::conj).collect() } else { factors.into() }
}
