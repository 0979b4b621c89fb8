//! Running sums along an axis, as data.

use arrayspan_bridge::DType;

use crate::verb::check;
use crate::{Fit, Result, fit};

const NAME: &str = "scan";

/// Running sums along an axis: a triangular matrix of ones, with weights in three places.
///
/// `y[k] = Σ x[j] over j < k, + diagonal · x[k]`. Column 0 differs: its first element, on the diagonal, is `corner`, and `x[0]`
/// is multiplied by `coupling` in all sums behind it. The [transpose](Self::transpose) sums backwards: `y[k]` is the sum over
/// `j > k`, and row 0 differs. Weights are real, so the transpose is the adjoint. Some first rows and columns may be
/// [left out](Self::without).
///
/// Where a weight is 0, what it multiplies counts for nothing, infinite or not. Sums are kept in 64-bit floating point where the
/// device has it; there, up to 32 neighbours may be added in the dtype first, by halves. They are added in an order that shapes and layouts
/// alone decide: results are the same whenever a device repeats the call.
///
/// ```
/// use arrayspan_kernels::bridge::{Array, devices::Device};
/// use arrayspan_kernels::{Scan, Update, on};
///
/// let x = Array::from_slice(&[1.0, 2.0, 3.0, 4.0], [4])?;
/// let (on, mut y) = (on(Device::cpu())?, Array::from_slice(&[0.0; 4], [4])?);
/// let sums = Scan::inclusive(0, 4);
/// on.scan(&sums, x.view(), y.view_mut(), Update::set())?;
/// assert_eq!(y.to_vec::<f64>()?, [1.0, 3.0, 6.0, 10.0]);
/// on.scan(&sums.transpose(), x.view(), y.view_mut(), Update::set())?;
/// assert_eq!(y.to_vec::<f64>()?, [10.0, 9.0, 7.0, 4.0]);
/// # Ok::<(), arrayspan_kernels::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scan {
    axis: usize,
    extent: usize,
    backward: bool,
    weights: Weights,
    left_out: [usize; 2],
}

/// What stands in the matrix beside ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Weights {
    pub(crate) diagonal: f64,
    pub(crate) corner: f64,
    pub(crate) coupling: f64,
}

impl Weights {
    const ONES: Self = Self { diagonal: 1.0, corner: 1.0, coupling: 1.0 };

    pub(crate) fn all(self) -> [f64; 3] {
        [self.diagonal, self.corner, self.coupling]
    }
}

impl Scan {
    /// `y[k] = x[0] + … + x[k]` along an axis of that extent.
    #[must_use]
    pub fn inclusive(axis: usize, extent: usize) -> Self {
        Self { axis, extent, backward: false, weights: Weights::ONES, left_out: [0, 0] }
    }

    /// `y[k] = x[0] + … + x[k - 1]`, and `y[0] = 0`.
    #[must_use]
    pub fn exclusive(axis: usize, extent: usize) -> Self {
        let weights = Weights { diagonal: 0.0, corner: 0.0, coupling: 1.0 };
        Self { weights, ..Self::inclusive(axis, extent) }
    }

    /// `y[k] = coupling · x[0] + x[1] + … + x[k - 1] + diagonal · x[k]`, and `y[0] = corner · x[0]`.
    ///
    /// # Errors
    /// [`Error::Argument`](crate::Error::Argument) when a weight is not finite.
    pub fn weighted(
        axis: usize,
        extent: usize,
        diagonal: f64,
        corner: f64,
        coupling: f64,
    ) -> Result<Self> {
        let weights = Weights { diagonal, corner, coupling };
        if let Some(weight) = weights.all().into_iter().find(|weight| !weight.is_finite()) {
            return check::argument(NAME, format!("a weight of {weight}"));
        }
        Ok(Self { weights, ..Self::inclusive(axis, extent) })
    }

    /// The same without so many more of its first rows, which are the first results.
    ///
    /// # Errors
    /// [`Error::Argument`](crate::Error::Argument) when there are not as many.
    pub fn without(self, rows: usize) -> Result<Self> {
        if rows > self.rows() {
            return check::argument(NAME, format!("{rows} of {} rows are left out", self.rows()));
        }
        let [left_out, columns] = self.left_out;
        Ok(Self { left_out: [left_out + rows, columns], ..self })
    }

    /// The transpose, which is the adjoint: sums from the other end.
    #[must_use]
    pub fn transpose(self) -> Self {
        let [rows, columns] = self.left_out;
        Self { backward: !self.backward, left_out: [columns, rows], ..self }
    }

    /// The axis.
    #[must_use]
    pub fn axis(&self) -> usize {
        self.axis
    }

    /// The same along another axis.
    #[must_use]
    pub fn at_axis(self, axis: usize) -> Self {
        Self { axis, ..self }
    }

    /// The results along the axis.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.extent - self.left_out[0]
    }

    /// The elements of an input along the axis.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.extent - self.left_out[1]
    }

    /// Whether sums begin at the end of the axis.
    #[must_use]
    pub fn is_backward(&self) -> bool {
        self.backward
    }

    /// The entry of the matrix in a row and a column.
    #[must_use]
    pub fn entry(&self, row: usize, column: usize) -> f64 {
        let (k, j) = (row + self.left_out[0], column + self.left_out[1]);
        let (k, j) = if self.backward { (j, k) } else { (k, j) };
        let Weights { diagonal, corner, coupling } = self.weights;
        match j {
            _ if j > k => 0.0,
            0 if k == 0 => corner,
            0 => coupling,
            _ if j == k => diagonal,
            _ => 1.0,
        }
    }

    /// The diagonal, the first element of the diagonal, and what stands before element 0 in all other sums.
    #[must_use]
    pub fn weights(&self) -> [f64; 3] {
        self.weights.all()
    }

    /// The shape of the result for an input of that shape; `None` unless the input has as many columns along the axis.
    #[must_use]
    pub fn range_of(&self, domain: &[usize]) -> Option<Vec<usize>> {
        if domain.get(self.axis) != Some(&self.columns()) {
            return None;
        }
        let mut range = domain.to_vec();
        range[self.axis] = self.rows();
        Some(range)
    }

    /// The extent of the square matrix of which rows and columns are left out.
    #[must_use]
    pub fn extent(&self) -> usize {
        self.extent
    }

    /// How many of the first rows and columns are left out.
    #[must_use]
    pub fn left_out(&self) -> [usize; 2] {
        self.left_out
    }

    /// Fails unless its weights are numbers of the dtype.
    pub(crate) fn check(&self, verb: &'static str, dtype: DType) -> Result<()> {
        for weight in self.weights.all() {
            if matches!(fit(weight, dtype), Fit::TooLarge | Fit::NotFinite) {
                let why = format!("a weight of {weight:e} is not a finite number of {dtype}");
                return check::argument(verb, why);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(scan: &Scan) -> Vec<Vec<f64>> {
        let row = |row| (0..scan.columns()).map(|column| scan.entry(row, column)).collect();
        (0..scan.rows()).map(row).collect()
    }

    #[test]
    fn entries_are_those_of_the_formula() {
        assert_eq!(matrix(&Scan::inclusive(0, 2)), [[1.0, 0.0], [1.0, 1.0]]);
        assert_eq!(matrix(&Scan::exclusive(0, 2)), [[0.0, 0.0], [1.0, 0.0]]);
        let weighted = Scan::weighted(0, 3, 0.5, 0.25, 4.0).unwrap();
        assert_eq!(matrix(&weighted), [[0.25, 0.0, 0.0], [4.0, 0.5, 0.0], [4.0, 1.0, 0.5]]);
    }

    #[test]
    fn the_transpose_has_the_entries_of_the_transpose() {
        let scan = Scan::weighted(0, 5, 0.5, 0.25, 4.0).unwrap().without(2).unwrap();
        let turned = scan.transpose();
        assert_eq!((turned.rows(), turned.columns()), (5, 3));
        for row in 0..5 {
            for column in 0..3 {
                let [one, other] = [turned.entry(row, column), scan.entry(column, row)];
                assert_eq!(one.to_bits(), other.to_bits(), "{row}, {column}");
            }
        }
        assert_eq!(turned.transpose(), scan);
    }

    #[test]
    fn rows_that_are_not_there_cannot_be_left_out() {
        let some = Scan::inclusive(0, 3).without(2).unwrap();
        assert!(some.without(2).is_err());
        assert_eq!(some.without(1).unwrap().rows(), 0);
        assert!(Scan::weighted(0, 3, f64::NAN, 0.0, 1.0).is_err());
        assert!(Scan::weighted(0, 3, 0.0, 0.0, f64::INFINITY).is_err());
    }
}
