//! What methods of Krylov spaces must reach: the golden steps, on dense matrices of their kind.

use arrayspan_operators::{MatrixMult, Operator};
use arrayspan_solvers::{
    BiCgStab, Cg, Gmres, Lsmr, Lsqr, Minres, SingleReductionCg, SingleReductionCgls, Solver, Stop,
};

use super::{Arrangement, Cell, Values, Verdict, devices, golden};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// A golden case.
struct Case<'a> {
    cell: &'a Cell,
    key: String,
}

impl Case<'_> {
    fn array(&self, name: &str) -> Result<Values> {
        golden::array(*self.cell, &self.key, name)
    }

    fn place(&self, values: &Values) -> Result<arrayspan_bridge::Array> {
        devices::place(values, self.cell.dtype, self.cell.device, Arrangement::RowMajor)
    }

    fn operator(&self, values: &Values) -> Result<Operator> {
        Ok(MatrixMult::new(self.place(values)?.into_shared(), &[])?)
    }

    /// Takes as many iterations as the golden data, and compares solution and history.
    fn hold<S: Solver>(&self, solver: impl Fn(Stop, usize) -> S) -> Verdict {
        let a = self.operator(&self.array("matrix")?)?;
        let (y, residuals) = (self.array("y")?, self.array("residuals")?);
        let (x, iterations) = (self.array("x")?, residuals.numbers.len() - 1);
        for check_every in [1, 4, 100] {
            let solver = solver(Stop::after(iterations), check_every);
            let solution = solver.solve(&a, self.place(&y)?)?;
            // Rounding grows with the iterations, as directions lose their conjugacy.
            let tolerance = 100.0 * self.cell.tolerance(y.numbers.len());
            let what = format!("{} checking every {check_every}", self.key);
            let found = devices::read(&solution.x)?;
            found.expect_near(&x, tolerance * x.norm(), &format!("{what}: solution"))?;
            let numbers = solution.residuals.iter().map(|&norm| norm.into()).collect();
            let found = Values { shape: residuals.shape.clone(), numbers };
            let bound = tolerance * residuals.norm();
            found.expect_near(&residuals, bound, &format!("{what}: residuals"))?;
        }
        Ok(())
    }
}

fn case<'a>(cell: &'a Cell, name: &str) -> Case<'a> {
    Case { cell, key: format!("krylov/{name}") }
}

/// `Cg`, without a preconditioner and with the inverse of the diagonal.
///
/// # Errors
/// When solution or residuals differ by more than rounding, or the data are missing.
pub fn cg(cell: &Cell) -> Verdict {
    let solver = |stop, check_every| Cg { stop, check_every, ..Cg::default() };
    case(cell, "cg").hold(solver)?;
    let jacobi = case(cell, "cg_jacobi");
    let mut inverse = jacobi.array("matrix")?;
    let n = inverse.shape[0];
    for (at, entry) in inverse.numbers.iter_mut().enumerate() {
        *entry = if at % (n + 1) == 0 { 1.0 / *entry } else { 0.0.into() };
    }
    let inverse = jacobi.operator(&inverse)?;
    jacobi.hold(|stop, check_every| {
        let preconditioner = Some(inverse.clone());
        Cg { preconditioner, stop, check_every }
    })
}

/// `Lsqr`, without damping and with it.
///
/// # Errors
/// As [`cg`].
pub fn lsqr(cell: &Cell) -> Verdict {
    for (name, damping) in [("lsqr", 0.0), ("lsqr_damped", 1.5)] {
        case(cell, name).hold(|stop, check_every| Lsqr { damping, stop, check_every })?;
    }
    Ok(())
}

/// `Lsmr`, without damping and with it.
///
/// # Errors
/// As [`cg`].
pub fn lsmr(cell: &Cell) -> Verdict {
    for (name, damping) in [("lsmr", 0.0), ("lsmr_damped", 1.5)] {
        case(cell, name).hold(|stop, check_every| Lsmr { damping, stop, check_every })?;
    }
    Ok(())
}

/// `Minres`.
///
/// # Errors
/// As [`cg`].
pub fn minres(cell: &Cell) -> Verdict {
    case(cell, "minres").hold(|stop, check_every| Minres { stop, check_every })
}

/// `BiCgStab`.
///
/// # Errors
/// As [`cg`].
pub fn bicgstab(cell: &Cell) -> Verdict {
    let case = case(cell, "bicgstab");
    case.hold(|stop, check_every| BiCgStab { stop, check_every, ..BiCgStab::default() })
}

/// `Gmres`, in one cycle and in three.
///
/// # Errors
/// As [`cg`].
pub fn gmres(cell: &Cell) -> Verdict {
    let solver =
        |restart| move |stop, check_every| Gmres { restart, stop, check_every, ..Gmres::default() };
    case(cell, "gmres").hold(solver(30))?;
    let case = case(cell, "gmres_restarted");
    let a = case.operator(&case.array("matrix")?)?;
    let (y, x, ends) = (case.array("y")?, case.array("x")?, case.array("residuals")?);
    for check_every in [1, 4, 100] {
        let solver = solver(3)(Stop::after(9), check_every);
        let solution = solver.solve(&a, case.place(&y)?)?;
        let tolerance = 100.0 * cell.tolerance(y.numbers.len());
        let found = devices::read(&solution.x)?;
        found.expect_near(&x, tolerance * x.norm(), "gmres_restarted: solution")?;
        let numbers = [3, 6, 9].map(|end| solution.residuals[end].into()).to_vec();
        let found = Values { shape: ends.shape.clone(), numbers };
        found.expect_near(&ends, tolerance * ends.norm(), "gmres_restarted: residuals")?;
    }
    Ok(())
}

/// `SingleReductionCg` and `SingleReductionCgls`, by the data of `Cg` and `Lsqr`.
///
/// # Errors
/// As [`cg`].
pub fn single_reduction(cell: &Cell) -> Verdict {
    let solver = |stop, check_every| SingleReductionCg { preconditioner: None, stop, check_every };
    case(cell, "cg").hold(solver)?;
    for (name, damping) in [("lsqr", 0.0), ("lsqr_damped", 1.5)] {
        let solver = |stop, check_every| SingleReductionCgls { damping, stop, check_every };
        case(cell, name).hold(solver)?;
    }
    Ok(())
}
