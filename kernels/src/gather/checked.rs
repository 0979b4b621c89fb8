//! Sparse matrices from indices and weights, which are checked.

use num_complex::Complex64;

use super::{Gather, Table};
use crate::Result;
use crate::verb::check;

const NAME: &str = "gather";

impl Gather {
    /// The matrix whose row `j` has the entries `starts[j]..starts[j + 1]` of `indices`, which are their columns, and of
    /// `weights`; without weights all are 1. Rows and columns are counted along the extents `rows` and `columns` of
    /// neighbouring axes, from `axis` on.
    ///
    /// # Errors
    /// [`Error::Argument`](crate::Error::Argument) unless `starts` rises from 0 to the number of entries and has one more than there
    /// are rows, indices are below the number of columns, and weights are finite and as many as indices.
    pub fn new(
        axis: usize,
        rows: &[usize],
        columns: &[usize],
        starts: Vec<usize>,
        indices: Vec<usize>,
        weights: Option<Vec<Complex64>>,
    ) -> Result<Self> {
        let [count, width] = [len("rows", rows)?, len("columns", columns)?];
        let rises = starts.windows(2).all(|pair| pair[0] <= pair[1]);
        let ends = starts.first() == Some(&0) && starts.last() == Some(&indices.len());
        if !rises || !ends || starts.len() - 1 != count {
            let (starts, entries) = (starts.len(), indices.len());
            let why = format!("{starts} row starts for {count} rows with {entries} entries");
            return check::argument(NAME, why);
        }
        if let Some(at) = indices.iter().position(|index| *index >= width) {
            let why = format!("index {} of entry {at} is beyond {width} columns", indices[at]);
            return check::argument(NAME, why);
        }
        if let Some(weights) = &weights
            && weights.len() != indices.len()
        {
            let (weights, entries) = (weights.len(), indices.len());
            return check::argument(NAME, format!("{weights} weights for {entries} entries"));
        }
        let weights = weights.unwrap_or_default();
        if let Some(at) = weights.iter().position(|weight| !weight.is_finite()) {
            return check::argument(NAME, format!("weight {} of entry {at}", weights[at]));
        }
        Ok(Self::of(axis, rows, columns, Table::new(width, starts, indices, weights)))
    }

    /// `y[…, j, …] = x[…, indices[j], …]` along `axis`, which has `extent` columns. Indices may repeat and need no order.
    ///
    /// # Errors
    /// [`Error::Argument`](crate::Error::Argument) when an index is not below `extent`.
    pub fn pick(axis: usize, extent: usize, indices: impl Into<Vec<usize>>) -> Result<Self> {
        let indices = indices.into();
        let rows = indices.len();
        Self::new(axis, &[rows], &[extent], (0..=rows).collect(), indices, None)
    }
}

fn len(what: &str, extents: &[usize]) -> Result<usize> {
    let len = extents.iter().try_fold(1_usize, |len, extent| len.checked_mul(*extent));
    match len.filter(|len| *len < isize::MAX as usize / 32) {
        Some(len) if !extents.is_empty() => Ok(len),
        _ => check::argument(NAME, format!("{what} along axes of extents {extents:?}")),
    }
}
