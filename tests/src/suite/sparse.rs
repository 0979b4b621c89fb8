//! What methods for sparse models must reach: the golden steps, on one dense matrix.

use arrayspan_bridge::Array;
use arrayspan_operators::{MatrixMult, Operator};
use arrayspan_solvers::sparse::{
    Irls, IterativeThresholding, Mp, Omp, Reweighted, Shrunk, Smoothed, SplitBregman,
};
use arrayspan_solvers::{Cgls, Lsqr, Solution, Solver, Sparsity, Stop, Threshold};

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
            let solver = IterativeThresholding::<ACCELERATED> {
                sparsity: sparsity.clone(),
                step: Some(0.025),
                backtracking: false,
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

/// A case of `variational`: its problem, and what is to come out.
struct Steps<'a> {
    cell: &'a Cell,
    case: &'static str,
}

impl Steps<'_> {
    fn array(&self, name: &str) -> Result<Values> {
        golden::array(*self.cell, &format!("variational/{}", self.case), name)
    }

    fn place(&self, name: &str) -> Result<Array> {
        place(self.cell, &self.array(name)?, Arrangement::RowMajor)
    }

    fn operator(&self, name: &str) -> Result<Operator> {
        Ok(MatrixMult::new(self.place(name)?.into_shared(), &[])?)
    }

    fn hold(
        &self,
        solve: impl FnOnce(&Operator, &Array, usize) -> arrayspan_solvers::Result<Solution>,
    ) -> Verdict {
        let (x, residuals) = (self.array("x")?, self.array("residuals")?);
        let iterations = residuals.numbers.len() - 1;
        let solution = solve(&self.operator("matrix")?, &self.place("y")?, iterations)?;
        // Of problems within, which are solved to rounding times their condition.
        let tolerance = (1e3 * self.cell.tolerance(1)).max(1e-9);
        let what = self.case;
        let found = devices::read(&solution.x)?;
        found.expect_near(&x, tolerance * x.norm(), &format!("{what}: solution"))?;
        let numbers = solution.residuals.iter().map(|&norm| norm.into()).collect();
        let found = Values { shape: vec![solution.residuals.len()], numbers };
        found.expect_near(&residuals, tolerance * residuals.norm(), &format!("{what}: residuals"))
    }
}

/// All iterations that rounding leaves.
fn exact() -> Stop {
    Stop { residual: 0.0, gradient: 0.0, ..Stop::after(300) }
}

/// `SplitBregman`, with a term of each kind.
///
/// # Errors
/// As [`thresholds`].
pub fn split_bregman(cell: &Cell) -> Verdict {
    let steps = Steps { cell, case: "split_bregman" };
    let l1 = Shrunk { operator: steps.operator("slope")?, weight: 0.6, isotropic: false };
    let target = Some(steps.place("target")?.into_shared());
    let l2 = Smoothed { operator: steps.operator("bend")?, weight: 0.3, target };
    steps.hold(|a, y, iterations| {
        let least_squares = Lsqr { stop: exact(), check_every: 30, ..Lsqr::default() };
        let solver = SplitBregman {
            l1: vec![l1],
            l2: vec![l2],
            mu: 1.5,
            relaxation: 0.9,
            iterations,
            inner: 3,
            tolerance: 0.0,
            restart: false,
            least_squares,
        };
        solver.solve(a, y)
    })
}

/// `Irls` of every kind.
///
/// # Errors
/// As [`thresholds`].
pub fn irls(cell: &Cell) -> Verdict {
    for (case, kind, clipped) in [
        ("irls_data", Reweighted::Data, false),
        ("irls_clipped", Reweighted::Data, true),
        ("irls_model", Reweighted::Model, false),
        ("irls_datamodel", Reweighted::DataModel, false),
    ] {
        for warm in [false, true] {
            let solve = |a: &Operator, y: &Array, iterations| {
                let solver = Irls {
                    kind,
                    iterations,
                    tolerance: 0.0,
                    epsilon: 1e-2,
                    clipped,
                    damping: 0.1,
                    warm,
                    least_squares: Cgls { stop: exact(), check_every: 30, damping: 0.0 },
                };
                let mut solution = solver.solve(a, y)?;
                if kind == Reweighted::DataModel {
                    // Those of the stack hold the damped model, too.
                    solution.residuals.clear();
                }
                Ok(solution)
            };
            let steps = Steps { cell, case };
            if kind == Reweighted::DataModel {
                let x = steps.array("x")?;
                let iterations = steps.array("residuals")?.numbers.len() - 1;
                let found = solve(&steps.operator("matrix")?, &steps.place("y")?, iterations)?;
                let bound = (1e3 * cell.tolerance(1)).max(1e-9) * x.norm();
                devices::read(&found.x)?.expect_near(&x, bound, case)?;
            } else {
                steps.hold(solve)?;
            }
        }
    }
    Ok(())
}

/// `Omp`, of columns as they are and normalized, and `Mp`.
///
/// # Errors
/// As [`thresholds`].
pub fn pursuits(cell: &Cell) -> Verdict {
    for (case, normalize) in [("omp", false), ("omp_normalized", true)] {
        Steps { cell, case }.hold(|a, y, iterations| {
            let least_squares = Lsqr { stop: exact(), ..Lsqr::default() };
            Omp { iterations, normalize, least_squares, ..Omp::default() }.solve(a, y)
        })?;
    }
    Steps { cell, case: "mp" }
        .hold(|a, y, iterations| Mp { iterations, ..Mp::default() }.solve(a, y))
}
