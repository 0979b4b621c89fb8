//! What methods for sparse models must reach: the golden steps, on one dense matrix.

use arrayspan_bridge::Array;
use arrayspan_operators::{MatrixMult, Operator};
use arrayspan_solvers::sparse::ProximalGradient;
use arrayspan_solvers::{Solver, Sparsity, Stop, Threshold};

use super::{Arrangement, Cell, Values, Verdict, devices, golden};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// The kinds of thresholds by their golden names.
const KINDS: [(&str, Threshold); 3] =
    [("soft", Threshold::Soft), ("hard", Threshold::Hard), ("half", Threshold::Half)];

fn array(cell: &Cell, case: &str, name: &str) -> Result<Values> {
    golden::array(*cell, &format!("sparse/{case}"), name)
}

fn place(cell: &Cell, values: &Values, arrangement: Arrangement) -> Result<Array> {
    devices::place(values, cell.dtype, cell.device, arrangement)
}

fn operator(cell: &Cell, name: &str) -> Result<Operator> {
    let matrix = place(cell, &array(cell, "problem", name)?, Arrangement::RowMajor)?;
    Ok(MatrixMult::new(matrix.into_shared(), &[])?)
}

/// Every kind of `Threshold`, of arrays in every arrangement.
///
/// # Errors
/// When results differ by more than rounding, or the data are missing.
pub fn thresholds(cell: &Cell) -> Verdict {
    for (name, kind) in KINDS {
        let keeping = match kind {
            Threshold::Soft => Threshold::SoftKeeping(60.0),
            Threshold::Hard => Threshold::HardKeeping(60.0),
            _ => Threshold::HalfKeeping(60.0),
        };
        for (case, threshold) in
            [(format!("threshold_{name}"), kind), (format!("threshold_{name}_keeping"), keeping)]
        {
            let (x, expected) = (array(cell, &case, "x")?, array(cell, &case, "result")?);
            let x = x.reshaped(&[5, 7])?;
            let expected = expected.reshaped(&[5, 7])?;
            for arrangement in [
                Arrangement::RowMajor,
                Arrangement::Transposed,
                Arrangement::Stepped,
                Arrangement::Reversed,
            ] {
                let found = threshold.apply(place(cell, &x, arrangement)?.view(), 0.3)?;
                let bound = 4.0 * cell.tolerance(1) * expected.norm();
                devices::read(&found)?.expect_near(&expected, bound, &case)?;
            }
        }
    }
    Ok(())
}

/// `Ista` and `Fista` with every kind of threshold, a decay and a basis.
///
/// # Errors
/// As [`thresholds`].
pub fn proximal_gradients<const ACCELERATED: bool>(cell: &Cell) -> Verdict {
    let (a, y) = (operator(cell, "matrix")?, array(cell, "problem", "y")?);
    let method = if ACCELERATED { "fista" } else { "ista" };
    let plain = Sparsity { weight: 0.5, ..Sparsity::default() };
    let mut cases: Vec<(&str, Sparsity)> =
        KINDS.map(|(name, threshold)| (name, Sparsity { threshold, ..plain.clone() })).into();
    let threshold = Threshold::HalfKeeping(40.0);
    cases.push(("keeping", Sparsity { threshold, ..plain.clone() }));
    let decay = (0..12).map(|k| 0.8_f64.powi(k)).collect();
    cases.push(("decay", Sparsity { decay, ..plain.clone() }));
    let basis = Some(operator(cell, "basis")?);
    cases.push(("basis", Sparsity { basis, ..plain }));
    for (name, sparsity) in cases {
        let case = format!("{method}_{name}");
        let (x, residuals) = (array(cell, &case, "x")?, array(cell, &case, "residuals")?);
        let iterations = residuals.numbers.len() - 1;
        for check_every in [1, 5, 100] {
            let solver = ProximalGradient::<ACCELERATED> {
                sparsity: sparsity.clone(),
                step: Some(0.025),
                restart: false,
                stop: Stop::after(iterations),
                check_every,
            };
            let solution = solver.solve(&a, place(cell, &y, Arrangement::RowMajor)?)?;
            let tolerance = 10.0 * cell.tolerance(y.numbers.len());
            let what = format!("{case} checking every {check_every}");
            let found = devices::read(&solution.x)?;
            found.expect_near(&x, tolerance * x.norm(), &format!("{what}: solution"))?;
            let numbers = solution.residuals.iter().map(|&norm| norm.into()).collect();
            let found = Values { shape: residuals.shape.clone(), numbers };
            let bound = tolerance * residuals.norm();
            found.expect_near(&residuals, bound, &format!("{what}: residuals"))?;
        }
    }
    Ok(())
}
