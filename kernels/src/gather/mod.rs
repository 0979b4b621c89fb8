//! Sparse matrices along axes.

mod algebra;
mod checked;
mod cost;
mod equal;
mod facts;
mod marks;
mod rows;
mod table;
#[cfg(test)]
mod tests;
mod tiles;
mod transpose;

use std::sync::{Arc, Weak};

use num_complex::Complex64;

use equal::Same;
pub(crate) use facts::{Facts, LONG, Weighting};
pub(crate) use marks::{Marks, WORD};
pub(crate) use table::{Indices, Starts, Table, Weights};
pub(crate) use tiles::{LANES, Tiles, Tiling};
use transpose::Transpose;

use crate::Result;

/// A sparse matrix along an axis, or along neighbouring axes that are counted as one: `I ⊗ S ⊗ I`. Row `j` says of which
/// columns, times which weights, `y[…, j, …]` is the sum. Cheap to clone.
///
/// A column may stand in a row more than once; its weights are added then. Sums are made in an order that the matrix and the
/// device decide, so that results do not depend on how work is divided.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_kernels::Gather;
/// // Elements 3, 0 and 3 of 4 along axis 1.
/// let picked = Gather::pick(1, 4, [3, 0, 3])?;
/// assert_eq!((picked.rows(), picked.columns()), (&[3][..], &[4][..]));
/// // Its adjoint adds what was picked twice.
/// let entries: Vec<usize> = picked.adjoint().row(3)?.map(|(column, _)| column).collect();
/// assert_eq!(entries, [0, 2]);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Gather(Arc<Inner>);

/// A sparse matrix that may have gone.
#[derive(Debug)]
pub(crate) struct WeakGather(Weak<Inner>);

impl WeakGather {
    /// Whether it is that one, and not merely equal: its place is taken by no other while this is there.
    pub(crate) fn is(&self, other: &Gather) -> bool {
        std::ptr::eq(self.0.as_ptr(), Arc::as_ptr(&other.0))
    }
}

#[derive(Debug)]
struct Inner {
    axis: usize,
    rows: Vec<usize>,
    columns: Vec<usize>,
    facts: Facts,
    entries: Entries,
    same: Same,
}

/// Where the entries are.
#[derive(Debug)]
enum Entries {
    Given(Arc<Table>),
    Turned(Transpose),
}

impl Gather {
    fn of(axis: usize, rows: &[usize], columns: &[usize], table: Table) -> Self {
        let (rows, columns, facts) = (rows.to_vec(), columns.to_vec(), Facts::of(&table));
        let entries = Entries::Given(Arc::new(table));
        Self(Arc::new(Inner { axis, rows, columns, facts, entries, same: Same::default() }))
    }

    /// The first of the axes.
    #[must_use]
    pub fn axis(&self) -> usize {
        self.0.axis
    }

    /// The extents of the result's axes from [`axis`](Self::axis) on that count the rows together, the last one fastest.
    #[must_use]
    pub fn rows(&self) -> &[usize] {
        &self.0.rows
    }

    /// The extents of the input's axes from [`axis`](Self::axis) on that count the columns together, the last one fastest.
    #[must_use]
    pub fn columns(&self) -> &[usize] {
        &self.0.columns
    }

    /// The number of entries.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.facts().entries
    }

    /// The entries of row `row`, in the order in which they are added: their columns and weights.
    ///
    /// # Errors
    /// Out of memory: the first call on an adjoint or a transpose makes its table, with a place for each of its rows.
    pub fn row(&self, row: usize) -> Result<impl Iterator<Item = (usize, Complex64)> + '_> {
        Ok(self.table()?.row(row))
    }

    /// The weights of all entries, in any order.
    pub fn weights(&self) -> impl Iterator<Item = Complex64> + '_ {
        // `of` is no transpose itself, and has the same weights.
        let (of, conj) = match &self.0.entries {
            Entries::Given(_) => (self, false),
            Entries::Turned(turned) => (&turned.of, turned.conj),
        };
        let all = match &of.0.entries {
            Entries::Given(table) => Some(&table.weights),
            Entries::Turned(_) => None,
        };
        let weights = all.into_iter().flat_map(|all| (0..self.entries()).map(|at| all.get(at)));
        weights.map(move |weight| if conj { weight.conj() } else { weight })
    }

    /// Whether all weights are real.
    #[must_use]
    pub fn is_real(&self) -> bool {
        self.facts().weights != Weighting::Complex
    }

    /// Whether all weights are 1: then it moves and adds elements, and does not multiply.
    #[must_use]
    pub fn is_unweighted(&self) -> bool {
        self.facts().weights == Weighting::Ones
    }

    /// The shape of the result for an input of that shape; `None` unless the input has such axes.
    #[must_use]
    pub fn range_of(&self, domain: &[usize]) -> Option<Vec<usize>> {
        let Inner { axis, rows, columns, .. } = &*self.0;
        let behind = axis.checked_add(columns.len())?;
        if domain.get(*axis..behind)? != columns {
            return None;
        }
        Some([&domain[..*axis], rows, &domain[behind..]].concat())
    }

    pub(crate) fn downgrade(&self) -> WeakGather {
        WeakGather(Arc::downgrade(&self.0))
    }

    /// Whether nobody else has it.
    pub(crate) fn is_alone(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    pub(crate) fn facts(&self) -> &Facts {
        &self.0.facts
    }

    /// Its table; that of a transpose is made at the first call.
    pub(crate) fn table(&self) -> Result<&Table> {
        match &self.0.entries {
            Entries::Given(table) => Ok(table),
            Entries::Turned(turned) => turned.table(),
        }
    }
}
