//! What proximal operators must give, and the steps that methods must take: the golden ones.

use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::Vector;
use arrayspan_operators::{MatrixMult, Operator, Space};
use arrayspan_solvers::proximal::{
    Admm, Bounds, ChambollePock, Composite, L1, L1Ball, L2, L21, Minimizer, Nuclear, Proximal,
    ProximalGradient, Scratch, Simplex, Split, SquaredL2, Steps, Tv,
};
use arrayspan_solvers::{Result as Solved, Stop};

use super::{Arrangement, Cell, Values, Verdict, devices, golden};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// The step of all golden proximal operators, and the weight of most.
const STEP: f64 = 0.75;
const WEIGHT: f64 = 1.25;

/// A golden case.
#[derive(Clone, Copy)]
struct Case<'a> {
    cell: &'a Cell,
    name: &'a str,
}

impl Case<'_> {
    fn array(&self, name: &str) -> Result<Values> {
        golden::array(*self.cell, &format!("proximal/{}", self.name), name)
    }

    fn placed(&self, name: &str) -> Result<Array> {
        self.place(&self.array(name)?, Arrangement::RowMajor)
    }

    fn place(&self, values: &Values, arrangement: Arrangement) -> Result<Array> {
        devices::place(values, self.cell.dtype, self.cell.device, arrangement)
    }

    fn number(&self, name: &str) -> Result<f64> {
        Ok(self.array(name)?.numbers[0].re)
    }

    fn operator(&self) -> Result<Operator> {
        Ok(MatrixMult::new(self.placed("matrix")?.into_shared(), &[])?)
    }

    fn near(&self, found: &Array, expected: &Values, bound: f64, what: &str) -> Verdict {
        let what = format!("{}: {what}", self.name);
        devices::read(found)?.expect_near(expected, bound * expected.norm().max(1.0), &what)
    }

    /// Proximal operators of a function and its conjugate, and its value.
    fn hold(&self, f: Solved<impl Proximal>) -> Verdict {
        let f = f?;
        let (x, tolerance) = (self.placed("x")?, 10.0 * self.cell.tolerance(35));
        self.near(&f.proximal(&x, STEP)?, &self.array("prox")?, tolerance, "prox")?;
        let conjugate = f.proximal_conjugate(&x, STEP)?;
        self.near(&conjugate, &self.array("dual")?, tolerance, "conjugate")?;
        let (found, expected) = (f.at(&x)?, self.number("value")?);
        if (found - expected).abs() > tolerance * expected.abs() {
            return Err(format!("{}: value {found}, not {expected}", self.name).into());
        }
        Ok(())
    }

    /// The projection onto a set, which is inside of it.
    fn projects(&self, f: Solved<impl Proximal>) -> Verdict {
        let (f, x) = (f?, self.placed("x")?);
        let inside = f.proximal(&x, STEP)?;
        self.near(&inside, &self.array("prox")?, 10.0 * self.cell.tolerance(35), "prox")?;
        let values = (f.at(&x)?, f.at(&inside)?);
        if values != (f64::INFINITY, 0.0) {
            return Err(format!("{}: values {values:?} before and after", self.name).into());
        }
        Ok(())
    }

    /// Takes golden steps.
    fn steps<M: Minimizer>(&self, method: &M, problem: M::Problem<'_>, start: Array) -> Verdict {
        let expected = self.array("x")?;
        let n = expected.shape[1];
        let (on, mut scratch) = (self.cell.executor()?, Scratch::default());
        let mut run = method.start(&mut scratch, &*on, problem, start)?;
        let tolerance = 100.0 * self.cell.tolerance(n);
        for (step, row) in expected.numbers.chunks_exact(n).enumerate() {
            let _ = run.step()?;
            let found = devices::read(&run.progress().solution.compute()?)?;
            let row = Values { shape: vec![n], numbers: row.to_vec() };
            let what = format!("{}: iteration {}", self.name, step + 1);
            found.expect_near(&row, tolerance * row.norm().max(1.0), &what)?;
        }
        Ok(())
    }
}

/// Every function has the golden proximal operators and values.
///
/// # Errors
/// When one differs by more than rounding, or the data are missing.
pub fn operators(cell: &Cell) -> Verdict {
    let case = |name| Case { cell, name };
    case("l1").hold(L1::new(WEIGHT))?;
    case("l2").hold(L2::new(WEIGHT))?;
    case("l21").hold(L21::new(WEIGHT, 0))?;
    case("l21_many").hold(L21::new(2.0 * WEIGHT, -2))?;
    let misfit = case("squared_l2");
    misfit.hold(Ok(SquaredL2::new(WEIGHT)?.target(misfit.placed("target")?)))?;
    for name in ["nuclear", "nuclear_wide", "nuclear_one"] {
        case(name).hold(Nuclear::new(WEIGHT))?;
    }
    if cell.dtype.is_complex() {
        return Ok(());
    }
    case("bounds").projects(Bounds::new(-0.5, WEIGHT))?;
    case("simplex").projects(Simplex::new(2.0 * WEIGHT))?;
    case("l1_ball").projects(L1Ball::new(6.0 * WEIGHT))?;
    let (tv, single) = (case("tv"), cell.dtype.real() == DType::Float32);
    let mut f = Tv::new(Space::new([5, 7], cell.dtype)?, WEIGHT)?;
    // In Float32 nobody looks: sums prove too little.
    (f.iterations, f.tolerance) = if single { (300, 0.0) } else { (50_000, 1e-7) };
    let x = tv.placed("x")?;
    let found = f.proximal(&x, STEP)?;
    tv.near(&found, &tv.array("prox")?, if single { 1e-4 } else { 2e-7 }, "prox")?;
    let off = (f.at(&x)? / tv.number("value")? - 1.0).abs();
    if off > 10.0 * cell.tolerance(35) {
        return Err(format!("tv: value off by {off}").into());
    }
    Ok(())
}

/// Every method takes the golden steps.
///
/// # Errors
/// As [`operators`].
pub fn methods(cell: &Cell) -> Verdict {
    let few = L1::new(0.25)?;
    let stop = Stop::after(12);
    for (name, accelerated) in [("gradient", false), ("accelerated", true)] {
        let case = Case { cell, name };
        let misfit = SquaredL2::new(1.0)?.operator(case.operator()?).target(case.placed("b")?);
        for backtracking in [false, true] {
            let step = Some(case.number("step")?);
            let method = ProximalGradient { step, backtracking, accelerated, stop, check_every: 4 };
            let problem = Composite { f: &misfit, g: &few };
            case.steps(&method, problem, case.placed("start")?)?;
        }
    }
    let start = |case: Case<'_>| -> Result<Array> { Ok(Array::zeros_like(case.placed("start")?)?) };
    let case = Case { cell, name: "chambolle_pock" };
    let (a, near) = (case.operator()?, SquaredL2::new(1.0)?.target(case.placed("start")?));
    let norm = Some(1.0 / case.number("step")?);
    let steps = Steps::Fixed;
    let method = ChambollePock { norm, steps, stop, ..ChambollePock::default() };
    case.steps(&method, Split { f: &near, g: &few, a: Some(&a) }, start(case)?)?;

    let case = Case { cell, name: "linearised" };
    // Not a sum of squares to those who ask: it is to be linearised.
    let opaque = arrayspan_solvers::proximal::Composed::new(near.clone());
    let (norm, rho) = (Some(case.number("norm")?), case.number("rho")?);
    let method = Admm { norm, rho, balances: false, stop, ..Admm::default() };
    case.steps(&method, Split { f: &opaque, g: &few, a: Some(&a) }, start(case)?)?;

    let case = Case { cell, name: "admm" };
    let rho = case.number("rho")?;
    let method = Admm { rho, balances: false, relaxation: 1.0, stop, ..Admm::default() };
    case.steps(&method, Split { f: &near, g: &few, a: None }, start(case)?)
}
