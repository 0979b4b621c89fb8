//! Matrices of convolutions, for those who want to see or factor them: [`Convolve1D`](crate::Convolve1D) applies them without.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use arrayspan_operators::matrices::convmtx;
//! use arrayspan_operators::prelude::*;
//! let matrix = convmtx(&[1.0, 2.0], 2, 0)?;
//! let rows: Vec<Vec<f64>> = (0..3).map(|row| matrix.row(row).map(|entry| entry.1.re).collect()).collect();
//! assert_eq!((matrix.shape, rows), ([3, 2], vec![vec![1.0], vec![2.0, 1.0], vec![2.0]]));
//! # Ok(()) }
//! ```

use num_complex::Complex64;

use crate::{Error, FilterTap, Result, Sparse};

/// `C[i, j] = h[i - j + offset]`: the matrix of the whole convolution with a filter whose time zero is at `offset`, of as many rows as
/// `h.len() + columns - 1`. PyLops: `convmtx`.
///
/// # Errors
/// [`Error::Parameter`] when there are no taps or no columns, or there is no memory for it.
pub fn convmtx<T: FilterTap>(filter: &[T], columns: usize, offset: usize) -> Result<Sparse> {
    let taps = filter.len();
    if taps == 0 || columns == 0 {
        let why = format!("{taps} taps and {columns} columns");
        return Error::parameter("convmtx", why);
    }
    let rows = taps.saturating_add(columns - 1);
    banded("convmtx", [rows, columns], taps, offset, |_, tap| filter[tap].to_complex())
}

/// `C[i, j] = hⱼ[i - j + offset]`: the matrix of a convolution whose filter is another one for each sample, `filters` one behind the other and
/// as many of them as columns. PyLops: `nonstationary_convmtx`, whose `pad` is not needed.
///
/// # Errors
/// [`Error::Parameter`] when filters have no taps or there is another number than that of whole ones, or there is no memory for it.
pub fn nonstationary_convmtx<T: FilterTap>(
    filters: &[T],
    taps: usize,
    rows: usize,
    offset: usize,
) -> Result<Sparse> {
    let name = "nonstationary_convmtx";
    if taps == 0 || filters.is_empty() || !filters.len().is_multiple_of(taps) {
        let why = format!("{} numbers for filters of {taps} taps", filters.len());
        return Error::parameter(name, why);
    }
    let columns = filters.len() / taps;
    let tap = |column: usize, tap: usize| filters[column * taps + tap].to_complex();
    banded(name, [rows, columns], taps, offset, tap)
}

/// `C[i, j] = h(j, i - j + offset)` where there is such a tap.
fn banded(
    name: &str,
    [rows, columns]: [usize; 2],
    taps: usize,
    offset: usize,
    tap: impl Fn(usize, usize) -> Complex64,
) -> Result<Sparse> {
    let (mut indptr, mut indices, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let entries = columns.saturating_mul(taps);
    let room = [
        indptr.try_reserve_exact(rows.saturating_add(1)),
        indices.try_reserve_exact(entries),
        values.try_reserve_exact(entries),
    ];
    if room.iter().any(std::result::Result::is_err) {
        let why = format!("a matrix of {rows} rows with {entries} entries does not fit the memory");
        return Error::parameter(name, why);
    }
    indptr.push(0);
    for row in 0..rows {
        // 0 ≤ row - column + offset < taps
        let place = row.saturating_add(offset);
        for column in place.saturating_sub(taps - 1)..columns.min(place.saturating_add(1)) {
            indices.push(column);
            values.push(tap(column, place - column));
        }
        indptr.push(indices.len());
    }
    Ok(Sparse { shape: [rows, columns], indptr, indices, values })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dense(matrix: &Sparse) -> Vec<Vec<f64>> {
        let row = |row| {
            let mut dense = vec![0.0; matrix.shape[1]];
            for (column, value) in matrix.row(row) {
                dense[column] = value.re;
            }
            dense
        };
        (0..matrix.shape[0]).map(row).collect()
    }

    /// What PyLops 2.8.0 gives.
    #[test]
    fn matrices_are_those_of_pylops() {
        let matrix = convmtx(&[1.0_f32, 2.0, 3.0], 2, 1).unwrap();
        let expected = [[2.0, 1.0], [3.0, 2.0], [0.0, 3.0], [0.0, 0.0]];
        assert_eq!(dense(&matrix), expected);
        let filters = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
        let matrix = nonstationary_convmtx(&filters, 3, 3, 1).unwrap();
        let expected = [[2.0, 4.0, 0.0], [3.0, 5.0, 7.0], [0.0, 6.0, 8.0]];
        assert_eq!(dense(&matrix), expected);
    }

    #[test]
    fn matrices_that_are_none_are_refused() {
        assert!(convmtx::<f64>(&[], 2, 0).is_err() && convmtx(&[1.0], 0, 0).is_err());
        assert!(convmtx(&[1.0, 1.0], usize::MAX, 0).is_err());
        assert!(nonstationary_convmtx(&[1.0; 5], 2, 3, 0).is_err());
        assert!(nonstationary_convmtx(&[1.0; 4], 0, 3, 0).is_err());
        assert_eq!(dense(&convmtx(&[1.0], 1, 9).unwrap()), [[0.0]]);
    }
}
