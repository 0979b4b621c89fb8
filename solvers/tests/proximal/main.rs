//! Proximal functions and methods: what each promises.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]
#![allow(clippy::float_cmp, reason = "sets say exactly zero or infinity")]

mod arguments;
mod cost;
mod functions;
mod limits;
mod methods;
mod saved;
mod sets;
#[path = "../support/mod.rs"]
mod support;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType};
use arrayspan_operators::LinearMap;
use arrayspan_solvers::Stop;
use arrayspan_solvers::proximal::{
    Admm, ChambollePock, Composite, L1, Minimizer, ProximalGradient, Split, SquaredL2, Steps,
};
use arrayspan_solvers::{Result, Solution};
use num_complex::Complex64;
use support::{Problem, Random, values};

const DTYPES: [DType; 4] = [DType::Float32, DType::Float64, DType::Complex64, DType::Complex128];

/// `min ½ ‖A x - b‖² + weight ‖x‖₁`
struct Lasso {
    problem: Problem,
    weight: f64,
}

/// How it is solved.
#[derive(Clone, Copy, Debug)]
enum Method {
    Gradient(ProximalGradient),
    Admm(Admm),
    ChambollePock(ChambollePock),
}

/// All methods, stopping so.
fn methods(stop: Stop, check_every: usize) -> Vec<Method> {
    let gradient = ProximalGradient { stop, check_every, ..ProximalGradient::default() };
    let admm = Admm { stop, check_every, ..Admm::default() };
    let dual = ChambollePock { stop, check_every, ..ChambollePock::default() };
    vec![
        Method::Gradient(gradient),
        Method::Gradient(ProximalGradient { accelerated: false, ..gradient }),
        Method::Gradient(ProximalGradient { backtracking: false, ..gradient }),
        Method::Admm(admm),
        Method::Admm(Admm { balances: false, relaxation: 1.0, inner: 20, ..admm }),
        Method::ChambollePock(dual),
        Method::ChambollePock(ChambollePock { steps: Steps::Fixed, ratio: 3.0, ..dual }),
    ]
}

impl Lasso {
    fn new(dtype: DType, [rows, columns]: [usize; 2], spread: f64, random: &mut Random) -> Self {
        let problem = Problem::new(dtype, [rows, columns], spread, false, random);
        let mut lasso = Self { problem, weight: 0.0 };
        let most = lasso.adjoint(&lasso.problem.y).iter().map(|z| z.norm()).fold(0.0, f64::max);
        lasso.weight = 0.1 * most;
        lasso
    }

    fn adjoint(&self, y: &[Complex64]) -> Vec<Complex64> {
        let Problem { columns, matrix, .. } = &self.problem;
        let row = |j: usize| {
            let column = matrix.iter().skip(j).step_by(*columns);
            column.zip(y).map(|(a, y)| a.conj() * y).sum()
        };
        (0..*columns).map(row).collect()
    }

    fn start(&self) -> Array {
        Array::zeros([self.problem.columns], self.problem.dtype, Device::cpu()).unwrap()
    }

    /// By any method: those of a split have the misfit of the data behind the operator.
    fn solve(&self, method: Method) -> Result<Solution> {
        let (a, b) = (self.problem.operator(), self.problem.data());
        let few = L1::new(self.weight)?;
        let misfit = SquaredL2::new(1.0)?.target(b);
        let behind = misfit.clone().operator(a.clone());
        let identity = arrayspan_operators::Identity::new(a.domain().clone())?;
        match method {
            Method::Gradient(method) => {
                method.solve(Composite { f: &behind, g: &few }, self.start())
            }
            Method::Admm(method) => {
                let problem = Split { f: &behind, g: &few, a: Some(&identity) };
                method.solve(problem, self.start())
            }
            Method::ChambollePock(method) => {
                let problem = Split { f: &few, g: &misfit, a: Some(&a) };
                method.solve(problem, self.start())
            }
        }
    }

    /// The objective, and how far it is above the least one at most: the duality gap of the residual as a dual variable, made
    /// feasible.
    fn gap(&self, x: &Array) -> (f64, f64) {
        let x = values(x);
        let image = self.problem.forward(&x);
        let residual: Vec<Complex64> =
            self.problem.y.iter().zip(&image).map(|(y, image)| y - image).collect();
        let squared = |v: &[Complex64]| v.iter().map(Complex64::norm_sqr).sum::<f64>();
        let sizes: f64 = x.iter().map(|x| x.norm()).sum();
        let primal = 0.5 * squared(&residual) + self.weight * sizes;
        let pull = self.adjoint(&residual);
        let most = pull.iter().map(|z| z.norm()).fold(0.0, f64::max);
        let share = if most > self.weight { self.weight / most } else { 1.0 };
        let left: Vec<Complex64> =
            self.problem.y.iter().zip(&residual).map(|(y, r)| y - share * r).collect();
        let dual = 0.5 * squared(&self.problem.y) - 0.5 * squared(&left);
        (primal, primal - dual)
    }
}

/// Real numbers.
fn reals(array: &Array) -> Vec<f64> {
    values(array).iter().map(|value| value.re).collect()
}

/// An array of real numbers in Float64.
fn wide(numbers: &[f64], shape: &[usize]) -> Array {
    Array::from_slice(numbers, shape).unwrap()
}
