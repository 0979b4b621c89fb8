//! Sparse matrices along axes.

mod algebra;
mod checked;
mod sort;
mod table;
#[cfg(test)]
mod tests;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrayspan_bridge::DType;
use num_complex::Complex64;

pub(crate) use table::{Indices, LONG, Table, Weights};

use crate::verb::check;
use crate::{Cost, Fit, Result, fit};

/// With so many indices of the other axes each thread of a device has rows of its own.
const MANY: usize = 1 << 18;

/// A sparse matrix along an axis, or along neighbouring axes that are counted as one: `I ⊗ S ⊗ I`. Row `j` says of which
/// columns, times which weights, `y[…, j, …]` is the sum. Cheap to clone.
///
/// A column may stand in a row more than once; its weights are added then. Sums are made in the order of a row, so that
/// results do not depend on how work is divided.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_kernels::Gather;
/// // Elements 3, 0 and 3 of 4 along axis 1.
/// let picked = Gather::pick(1, 4, [3, 0, 3])?;
/// assert_eq!((picked.rows(), picked.columns()), (&[3][..], &[4][..]));
/// // Its adjoint adds what was picked twice.
/// let entries: Vec<usize> = picked.adjoint().row(3).map(|(column, _)| column).collect();
/// assert_eq!(entries, [0, 2]);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Gather(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    axis: usize,
    rows: Vec<usize>,
    columns: Vec<usize>,
    table: Table,
}

impl Gather {
    fn of(axis: usize, rows: &[usize], columns: &[usize], table: Table) -> Self {
        Self(Arc::new(Inner { axis, rows: rows.to_vec(), columns: columns.to_vec(), table }))
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
        self.0.table.entries()
    }

    /// The entries of row `row`, in the order in which they are added: their columns and weights.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, Complex64)> + '_ {
        self.0.table.row(row)
    }

    /// Whether all weights are real.
    #[must_use]
    pub fn is_real(&self) -> bool {
        !matches!(self.0.table.weights, Weights::Complex(_))
    }

    /// Whether all weights are 1: then it moves and adds elements, and does not multiply.
    #[must_use]
    pub fn is_unweighted(&self) -> bool {
        matches!(self.0.table.weights, Weights::Ones)
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

    /// What it costs to apply it for each of `others` indices of the other axes, without what is written: the columns that
    /// stand in some row and the table are read once.
    #[must_use]
    pub fn cost(&self, others: usize, dtype: DType) -> Cost {
        let table = &self.0.table;
        let entries = table.entries();
        if entries == 0 || others == 0 {
            return Cost::default();
        }
        let flops =
            if self.is_unweighted() { entries.saturating_sub(table.rows) } else { entries * 2 };
        let read = table.touched.saturating_mul(others).saturating_mul(dtype.bytes());
        let bytes_read = read.saturating_add(table.bytes(dtype));
        Cost { flops: flops.saturating_mul(others), bytes_read, ..Cost::default() }
    }

    /// The launches that it takes on an input of that shape: long rows are another kernel's, unless there are so many other
    /// indices that a thread can take a row at each. None without rows.
    #[must_use]
    pub fn launches(&self, domain: &[usize]) -> usize {
        let both = self.shares_rows(domain) && self.table().long < self.table().rows;
        1 + usize::from(both)
    }

    /// Whether long rows are shared by threads.
    pub(crate) fn shares_rows(&self, domain: &[usize]) -> bool {
        let own = self.axis()..self.axis().saturating_add(self.columns().len());
        let others = domain.iter().enumerate().filter(|(axis, _)| !own.contains(axis));
        let others = others.fold(1, |all: usize, (_, extent)| all.saturating_mul(*extent));
        self.table().long > 0 && others < MANY
    }

    /// Whether nobody else has it.
    pub(crate) fn is_alone(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    pub(crate) fn table(&self) -> &Table {
        &self.0.table
    }

    /// Fails unless its weights are numbers of the dtype.
    pub(crate) fn check(&self, verb: &'static str, dtype: DType) -> Result<()> {
        if !dtype.is_complex() && !self.is_real() {
            return check::argument(verb, format!("weights are complex, arrays {dtype}"));
        }
        let largest = self.0.table.largest;
        if matches!(fit(largest, dtype), Fit::TooLarge | Fit::NotFinite) {
            let why = format!("a weight of {largest:e} is not a finite number of {dtype}");
            return check::argument(verb, why);
        }
        Ok(())
    }
}

impl PartialEq for Gather {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&*self.0, &*other.0);
        Arc::ptr_eq(&self.0, &other.0)
            || ((a.axis, &a.rows, &a.columns) == (b.axis, &b.rows, &b.columns)
                && a.table == b.table)
    }
}

/// Weights are finite, so equality is an equivalence.
impl Eq for Gather {}

/// Of its extents and a few entries: tables may be longer than one likes to read for a look into a map.
impl Hash for Gather {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Inner { axis, rows, columns, table } = &*self.0;
        (axis, rows, columns, table.entries()).hash(state);
        let entries = table.entries();
        for at in (0..entries).step_by((entries / 8).max(1)) {
            table.indices.get(at).hash(state);
        }
    }
}
