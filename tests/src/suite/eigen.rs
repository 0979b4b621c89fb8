//! What methods for eigenvalues and singular values must find: the golden values, of dense matrices.

use arrayspan_operators::{MatrixMult, Operator, adjoint};
use arrayspan_solvers::{Eigs, Lobpcg, RandomizedSvd, Svds, Which, cond, log_det, norm_estimate};

use super::{Arrangement, Cell, Verdict, devices, golden};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// The golden values of `SciPy` 1.17 (`eigsh`, `lobpcg`, `svds`) and PyLops 2.8.0 (`cond`), by every method that finds them.
///
/// # Errors
/// When values differ by more than rounding, or the data are missing.
pub fn values(cell: &Cell) -> Verdict {
    let hermitian = Matrix { cell, key: "eigen/hermitian" };
    let a = hermitian.operator()?;
    for (name, which) in [
        ("eigsh_lm", Which::LargestMagnitude),
        ("eigsh_la", Which::Largest),
        ("eigsh_sa", Which::Smallest),
        ("eigsh_be", Which::BothEnds),
    ] {
        for basis in [None, Some(9)] {
            let found = Eigs { count: 4, which, basis, ..Eigs::default() }.of(&a)?;
            hermitian.expect(name, &found.values)?;
        }
    }
    let block = Lobpcg { count: 4, which: Which::Largest, tolerance: 1e-10, ..Lobpcg::default() };
    hermitian.expect("lobpcg", &block.of(&a)?.values)?;
    let squared = adjoint(&a).after(&a).build()?;
    hermitian.expect("logdet", &[log_det(&squared)?.value])?;

    let tall = Matrix { cell, key: "eigen/tall" };
    let a = tall.operator()?;
    for basis in [None, Some(9)] {
        let find = |which| Svds { count: 4, which, basis, ..Svds::default() }.of(&a);
        tall.expect("largest", &find(Which::Largest)?.values)?;
        tall.expect("smallest", &find(Which::Smallest)?.values)?;
    }
    tall.expect(
        "largest",
        &RandomizedSvd { count: 4, oversampling: 27, ..RandomizedSvd::default() }.of(&a)?.values,
    )?;
    tall.expect("cond", &[cond(&a)?.value])?;
    let (norm, exact) = (norm_estimate(&a)?, tall.golden("largest")?[0]);
    let slack = 1.0 + cell.tolerance(26);
    if norm.lower > exact * slack || norm.upper * slack < exact {
        return Err(
            format!("the norm {exact} is not between {} and {}", norm.lower, norm.upper).into()
        );
    }
    Ok(())
}

/// A golden matrix and what it is said to have.
struct Matrix<'a> {
    cell: &'a Cell,
    key: &'static str,
}

impl Matrix<'_> {
    fn golden(&self, name: &str) -> Result<Vec<f64>> {
        let values = golden::array(*self.cell, self.key, name)?;
        Ok(values.numbers.iter().map(|value| value.re).collect())
    }

    fn operator(&self) -> Result<Operator> {
        let (cell, values) = (self.cell, golden::array(*self.cell, self.key, "matrix")?);
        let matrix = devices::place(&values, cell.dtype, cell.device, Arrangement::RowMajor)?;
        Ok(MatrixMult::new(matrix.into_shared(), &[])?)
    }

    fn expect(&self, name: &str, found: &[f64]) -> Verdict {
        let expected = self.golden(name)?;
        let size = expected.iter().fold(1.0, |most: f64, v| most.max(v.abs()));
        let bound = (1e-8 + 100.0 * self.cell.tolerance(expected.len())) * size;
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= bound;
        if found.len() == expected.len() && found.iter().zip(&expected).all(near) {
            return Ok(());
        }
        Err(format!("{} {name}: {found:?}, expected {expected:?}", self.key).into())
    }
}
