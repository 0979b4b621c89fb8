//! Inverses of dense matrices, on the host.

use arrayspan_bridge::SharedArray;
use num_complex::Complex64;

use crate::laws::values::{array, numbers};
use crate::{Error, Result, number};

/// Rows of the largest matrix that is inverted. More take minutes, and are better solved with iteratively.
const MOST_ROWS: usize = 2048;

/// The inverse, where the matrix is. Waits for the device.
pub(super) fn inverse(name: &str, matrix: &SharedArray) -> Result<SharedArray> {
    let &[rows, columns] = matrix.shape() else {
        return Error::no_inverse(name, format!("a matrix of shape {:?}", matrix.shape()));
    };
    if rows != columns {
        return Error::no_inverse(name, format!("its matrix is [{rows}, {columns}], not square"));
    }
    if rows > MOST_ROWS {
        let why = format!("its matrix has {rows} rows; up to {MOST_ROWS} are inverted");
        return Error::no_inverse(name, why);
    }
    let mut all = numbers(&matrix.view())?;
    if rows > 0 && !invert(&mut all, rows) {
        return Error::no_inverse(name, "its matrix is singular, up to rounding");
    }
    let inverse = array(matrix.shape(), matrix.dtype(), &all)?;
    let narrow = numbers(&inverse.view())?;
    if narrow.iter().any(|entry| !entry.re.is_finite() || !entry.im.is_finite()) {
        return Error::no_inverse(
            name,
            format!("that of its matrix is beyond the numbers of {}", matrix.dtype()),
        );
    }
    Ok(inverse.into_device(matrix.device())?.0.into_shared())
}

/// Gauss and Jordan's elimination in place, rows exchanged so that pivots are the largest of what is left of their column
/// (Golub and Van Loan, Matrix Computations, 3.4); whether there is an inverse. There is none where a pivot is no more than
/// the rounding error of its column.
fn invert(a: &mut [Complex64], n: usize) -> bool {
    // Rows near 1 in size, so that neither the choice of pivots nor their test depends on the units of data.
    let Some(left) = scales(a, n) else { return false };
    a.iter_mut().enumerate().for_each(|(at, entry)| *entry *= left[at / n]);
    let mut largest = vec![0.0_f64; n];
    for (at, entry) in a.iter().enumerate() {
        largest[at % n] = largest[at % n].max(entry.norm());
    }
    let rounding = n as f64 * f64::EPSILON;
    let mut exchanged = Vec::with_capacity(n);
    let mut pivot_row = vec![Complex64::ZERO; n];
    for k in 0..n {
        let size = |row: &usize| a[row * n + k].norm();
        let best = (k..n).max_by(|x, y| size(x).total_cmp(&size(y))).unwrap_or(k);
        let pivot = a[best * n + k];
        if pivot.norm().is_nan() || pivot.norm() <= rounding * largest[k] {
            return false;
        }
        exchanged.push(best);
        if best != k {
            let (above, below) = a.split_at_mut(best * n);
            above[k * n..(k + 1) * n].swap_with_slice(&mut below[..n]);
        }
        a[k * n + k] = Complex64::ONE;
        // Without a square on the way, which may leave the dtype.
        let reciprocal = pivot.finv();
        a[k * n..(k + 1) * n].iter_mut().for_each(|entry| *entry *= reciprocal);
        pivot_row.copy_from_slice(&a[k * n..(k + 1) * n]);
        for (_, line) in a.chunks_exact_mut(n).enumerate().filter(|(row, _)| *row != k) {
            let factor = std::mem::take(&mut line[k]);
            if factor != Complex64::ZERO {
                line.iter_mut().zip(&pivot_row).for_each(|(entry, own)| *entry -= factor * own);
            }
        }
    }
    // Exchanged rows of the matrix are exchanged columns of its inverse.
    for (k, best) in exchanged.into_iter().enumerate().rev().filter(|(k, best)| k != best) {
        for line in a.chunks_exact_mut(n) {
            line.swap(k, best);
        }
    }
    a.iter_mut().enumerate().for_each(|(at, entry)| *entry *= left[at % n]);
    true
}

/// About the reciprocal of the largest size in each row, a power of two, by which nothing is rounded; `None` where one is zero
/// or no number.
fn scales(a: &[Complex64], n: usize) -> Option<Vec<f64>> {
    let scale = |row: &[Complex64]| {
        let largest = row
            .iter()
            .map(|entry| entry.norm())
            .fold(0.0, |a: f64, b| if b > a || b.is_nan() { b } else { a });
        number::reciprocal_unit(largest, 1000.0)
    };
    a.chunks_exact(n).map(scale).collect()
}
