//! Sparse, triangular and dense matrices.

use arrayspan_kernels::{Gather, Scan, Update};
use num_complex::Complex64;

use super::tensor::{Expected, Tensor, indices};
use super::updated;

/// `y ← alpha · S x + beta · y`, the axes of rows and columns counted together, the last one fastest.
pub fn gather(gather: &Gather, x: &Tensor, y: &Tensor, update: Update) -> Expected {
    let axis = gather.axis();
    let behind = |extents: &[usize]| axis + extents.len();
    let number = |extents: &[usize], index: &[usize]| {
        extents.iter().zip(index).fold(0, |number, (extent, at)| number * extent + at)
    };
    let element = |index: Vec<usize>| {
        let row = number(gather.rows(), &index[axis..behind(gather.rows())]);
        let mut sum = (Complex64::default(), 0.0);
        for (column, weight) in gather.row(row).unwrap() {
            let mut place = gather.columns().to_vec();
            let mut rest = column;
            for at in place.iter_mut().rev() {
                (*at, rest) = (rest % *at, rest / *at);
            }
            let place = [&index[..axis], &place, &index[behind(gather.rows())..]].concat();
            let term = weight * x.at(&place);
            sum = (sum.0 + term, sum.1 + term.norm());
        }
        updated(update, sum, y.at(&index))
    };
    let (values, scale) = indices(&y.shape).map(element).unzip();
    let rows = gather.rows().iter().product();
    let most = (0..rows).map(|row| gather.row(row).unwrap().count()).max().unwrap_or(0);
    Expected { result: Tensor::new(&y.shape, values), scale, terms: most + 3 }
}

/// A sum, and that of the magnitudes in it.
type Sum = (Complex64, f64);

/// `y ← alpha · S x + beta · y`, a line after the other, in the order of its sums.
pub fn scan(scan: &Scan, x: &Tensor, y: &Tensor, update: Update) -> Expected {
    let (axis, [rows_out, columns_out]) = (scan.axis(), scan.left_out());
    let [diagonal, corner, coupling] = scan.weights();
    let mut result = y.clone();
    let mut scale = vec![0.0; y.values.len()];
    let mut lines = y.shape.clone();
    lines[axis] = 1;
    let times = |weight: f64, (value, size): Sum| match weight {
        0.0 => (Complex64::default(), 0.0),
        weight => (value * weight, size * weight.abs()),
    };
    let plus = |a: Sum, b: Sum| (a.0 + b.0, a.1 + b.1);
    for line in indices(&lines) {
        let mut place = line.clone();
        let mut sum = (Complex64::default(), 0.0);
        for step in 0..scan.extent() {
            let i = if scan.is_backward() { scan.extent() - 1 - step } else { step };
            let value = i.checked_sub(columns_out).map_or(Complex64::default(), |column| {
                place[axis] = column;
                x.at(&place)
            });
            let value = (value, value.norm());
            let (mut before, mut share, mut own) = (sum, value, times(diagonal, value));
            if i == 0 {
                own = times(corner, value);
                if scan.is_backward() {
                    before = times(coupling, before);
                } else {
                    share = times(coupling, value);
                }
            }
            sum = plus(sum, share);
            let Some(row) = i.checked_sub(rows_out) else { continue };
            place[axis] = row;
            let at = place.iter().zip(&y.shape).fold(0, |at, (index, extent)| at * extent + index);
            (result.values[at], scale[at]) = updated(update, plus(before, own), y.values[at]);
        }
    }
    Expected { result, scale, terms: 20 }
}

/// `c ← alpha · a b + beta · c` for shapes `[batch, m, k]`, `[batch, k, n]`, `[batch, m, n]`.
pub fn gemm(a: &Tensor, conjugate: bool, b: &Tensor, c: &Tensor, update: Update) -> Expected {
    let inner = a.shape[2];
    let element = |index: Vec<usize>| {
        let mut sum = (Complex64::default(), 0.0);
        for l in 0..inner {
            let a = a.at(&[index[0], index[1], l]);
            let a = if conjugate { a.conj() } else { a };
            let term = a * b.at(&[index[0], l, index[2]]);
            sum = (sum.0 + term, sum.1 + term.norm());
        }
        updated(update, sum, c.at(&index))
    };
    let (values, scale) = indices(&c.shape).map(element).unzip();
    Expected { result: Tensor::new(&c.shape, values), scale, terms: inner + 3 }
}
