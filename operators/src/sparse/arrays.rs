//! Sparse matrices from arrays, which are checked.

use arrayspan_bridge::devices::vectors::{filled, reserve};
use arrayspan_bridge::{AsView, DType, View};
use num_complex::Complex64;

use super::Sparse;
use super::algebra::turned;
use super::rows::Rows;
use crate::form::Orientation;
use crate::laws::values::numbers;
use crate::{Error, Result};

const NAME: &str = "Sparse";

impl Sparse {
    /// The matrix `[rows, columns]` whose row `i` has the entries `indptr[i]..indptr[i + 1]` of `indices`, their columns, and of
    /// `values`: compressed sparse rows, as other libraries keep them. Columns may be in any order, and those that a row names
    /// several times are added.
    ///
    /// Arrays are one-dimensional, the first two of an integer dtype, and may be on any device: they are brought to the host.
    ///
    /// # Errors
    /// [`Error::Parameter`] when an array has another rank or dtype, `indptr` does not rise from 0 to the number of entries or has
    /// not one more element than there are rows, or an index is negative or beyond the columns; out of memory; the device's
    /// failure.
    pub fn from_csr(
        shape: [usize; 2],
        indptr: impl AsView,
        indices: impl AsView,
        values: impl AsView,
    ) -> Result<Self> {
        listed(shape, ["rows", "columns"], &indptr.as_view(), &indices.as_view(), &values.as_view())
    }

    /// As [`from_csr`](Self::from_csr), column by column: `indices` are rows.
    ///
    /// # Errors
    /// As [`from_csr`](Self::from_csr), of columns instead of rows.
    pub fn from_csc(
        shape: [usize; 2],
        indptr: impl AsView,
        indices: impl AsView,
        values: impl AsView,
    ) -> Result<Self> {
        let [rows, columns] = shape;
        let (indptr, indices, values) = (indptr.as_view(), indices.as_view(), values.as_view());
        let names = ["columns", "rows"];
        let transposed = listed([columns, rows], names, &indptr, &indices, &values)?;
        let transpose = Orientation { adjoint: true, conj: true };
        Ok(turned(&transposed, transpose, Complex64::ONE)?.into_owned())
    }

    /// The matrix `[rows, columns]` with the entries `values[k]` in row `rows[k]` and column `columns[k]`, in any order. Those that
    /// are named several times are added, in this order.
    ///
    /// # Errors
    /// [`Error::Parameter`] when an array has another rank or dtype, the three have not the same length, or an index is negative
    /// or beyond the matrix; out of memory; the device's failure.
    pub fn from_coo(
        shape: [usize; 2],
        rows: impl AsView,
        columns: impl AsView,
        values: impl AsView,
    ) -> Result<Self> {
        let (rows, columns) =
            (integers("rows", &rows.as_view())?, integers("columns", &columns.as_view())?);
        let values = entries(&values.as_view())?;
        same_length("rows", rows.len(), values.len())?;
        same_length("columns", columns.len(), values.len())?;
        below("rows", &rows, shape[0], "rows")?;
        below("columns", &columns, shape[1], "columns")?;
        let mut starts = filled(shape[0].saturating_add(1), 0)?;
        for row in &rows {
            starts[row + 1] += 1;
        }
        for row in 0..shape[0] {
            starts[row + 1] += starts[row];
        }
        // Stable, so that sums do not depend on anything but the arrays.
        let mut next = starts.clone();
        let (mut indices, mut sorted) =
            (filled(values.len(), 0)?, filled(values.len(), Complex64::default())?);
        for ((row, column), value) in rows.iter().zip(&columns).zip(&values) {
            (indices[next[*row]], sorted[next[*row]]) = (*column, *value);
            next[*row] += 1;
        }
        compressed(shape, ["rows", "columns"], &starts, &indices, &sorted)
    }
}

/// From arrays that are listed row by row, or column by column of a matrix that is called by `names` of its own.
fn listed(
    shape: [usize; 2],
    names: [&str; 2],
    indptr: &View<'_>,
    indices: &View<'_>,
    values: &View<'_>,
) -> Result<Sparse> {
    let starts = integers("indptr", indptr)?;
    let columns = integers("indices", indices)?;
    compressed(shape, names, &starts, &columns, &entries(values)?)
}

/// Row by row, in the order that a [`Sparse`] has. Errors call rows and columns by `names`.
fn compressed(
    shape: [usize; 2],
    names: [&str; 2],
    starts: &[usize],
    columns: &[usize],
    values: &[Complex64],
) -> Result<Sparse> {
    let ([rows, width], [lines, places]) = (shape, names);
    same_length("indices", columns.len(), values.len())?;
    let rises = starts.windows(2).all(|pair| pair[0] <= pair[1]);
    let ends = starts.first() == Some(&0) && starts.last() == Some(&columns.len());
    if !rises || !ends || starts.len() - 1 != rows {
        let (found, entries) = (starts.len(), columns.len());
        let why = format!(
            "indptr has {found} elements for {rows} {lines} with {entries} entries: it has to have one more than {lines}, and to rise from 0 to the number of entries"
        );
        return Error::parameter(NAME, why);
    }
    below("indices", columns, width, places)?;
    let mut all = Rows::new(shape)?;
    for pair in starts.windows(2) {
        let span = pair[0]..pair[1];
        let row = columns[span.clone()].iter().zip(&values[span]);
        row.for_each(|(column, value)| all.add(*column, *value));
        all.end()?;
    }
    Ok(all.finish())
}

fn same_length(what: &str, found: usize, values: usize) -> Result<()> {
    if found == values {
        return Ok(());
    }
    Error::parameter(NAME, format!("{what} has {found} elements, values {values}"))
}

fn below(what: &str, indices: &[usize], extent: usize, places: &str) -> Result<()> {
    match indices.iter().position(|index| *index >= extent) {
        None => Ok(()),
        Some(at) => {
            let index = indices[at];
            let why = format!("{what}[{at}] is {index}, of a matrix of {extent} {places}");
            Error::parameter(NAME, why)
        }
    }
}

fn entries(view: &View<'_>) -> Result<Vec<Complex64>> {
    one_dimensional("values", view)?;
    if !view.dtype().is_computable() {
        let why = format!("values are {}, expected floating-point or complex", view.dtype());
        return Error::parameter(NAME, why);
    }
    numbers(view)
}

fn one_dimensional(what: &str, view: &View<'_>) -> Result<()> {
    if view.shape().len() == 1 {
        return Ok(());
    }
    Error::parameter(NAME, format!("{what} have shape {:?}, expected one axis", view.shape()))
}

/// Indices, none of which is negative.
fn integers(what: &str, view: &View<'_>) -> Result<Vec<usize>> {
    one_dimensional(what, view)?;
    match view.dtype() {
        DType::Int8 => indices::<i8>(what, view),
        DType::Int16 => indices::<i16>(what, view),
        DType::Int32 => indices::<i32>(what, view),
        DType::Int64 => indices::<i64>(what, view),
        DType::UInt8 => indices::<u8>(what, view),
        DType::UInt16 => indices::<u16>(what, view),
        DType::UInt32 => indices::<u32>(what, view),
        DType::UInt64 => indices::<u64>(what, view),
        other => Error::parameter(NAME, format!("{what} are {other}, expected integers")),
    }
}

fn indices<T>(what: &str, view: &View<'_>) -> Result<Vec<usize>>
where
    T: arrayspan_bridge::Element + TryInto<usize> + std::fmt::Display,
{
    let found = view.to_vec::<T>()?;
    let mut all = Vec::new();
    reserve(&mut all, found.len())?;
    for (at, index) in found.into_iter().enumerate() {
        let Ok(place) = index.try_into() else {
            let why = format!("{what}[{at}] is {index}, which no place in a matrix is");
            return Error::parameter(NAME, why);
        };
        all.push(place);
    }
    Ok(all)
}
