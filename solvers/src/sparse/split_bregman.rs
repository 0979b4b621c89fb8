//! Split Bregman: norms 1 of what operators make of a model.

use arrayspan_bridge::{Array, AsView, DType, Relayout, SharedArray, View, ViewMut};
use arrayspan_kernels::{Executor, Reduction, Update, VectorMut, constant, input, previous};
use arrayspan_operators::{LinearMap, LinearOperator, Operator, Workspace};

use super::read::{copy, fit, judge, norm};
use super::threshold::{Shape, write};
use super::watched::{UNKNOWN, Watched};
use crate::least_squares::{Regularized, Term, regularized};
use crate::parameters::{not_negative, positive, wrong};
use crate::{Lsqr, Observer, Result, Solution, Solver, Stopped};

/// `weight² ‖R x‖₁`, a term of [`SplitBregman`].
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// `R`
    pub operator: Operator,
    /// The weight (PyLops: an element of `epsRL1s`). Its square weighs the norm; it is the threshold of each step.
    pub weight: f64,
    /// Whether the elements along the first axis of the range of `R` are one vector, whose length is shrunk: with a
    /// [`Gradient`](arrayspan_operators::Gradient) the isotropic total variation. Otherwise each element is shrunk, which is the anisotropic one.
    pub isotropic: bool,
}

/// `weight ‖target - R x‖²`, a term of [`SplitBregman`].
#[derive(Clone, Debug)]
pub struct Smoothed {
    /// `R`
    pub operator: Operator,
    /// The weight (PyLops: an element of `epsRL2s`).
    pub weight: f64,
    /// The target; `None` is zero.
    pub target: Option<SharedArray>,
}

/// `min μ/2 ‖y - A x‖² + Σ weight/2 ‖target - R x‖² + Σ weight² ‖R x‖₁`, by split Bregman: total variation, and any number of terms of both
/// kinds.
///
/// For each `R` of a norm 1 there are `d`, which stands for `R x`, and `b`, the sum of the differences `R x - d` so far. A step solves the least-squares problem
/// `‖y - A x‖² + Σ weight/μ ‖target - R x‖² + Σ weight/μ ‖d - b - R x‖²` by [`Lsqr`], and shrinks: `d = T(R x + b)`, soft, with the weight for a threshold. After
/// `inner` of these `b` takes `relaxation · (R x - d)`, which ends an iteration.
///
/// PyLops writes its functional with the norm 1 unweighted; but a threshold of `weight` beside a penalty of `weight` solves for a norm with
/// `weight²`, which is what stands above. Steps are the same.
///
/// Ends when a model differs from the one before by at most `tolerance` times its norm ([`Stopped::Stagnation`]), and with
/// [`Stopped::NotFinite`] when a norm is NaN or infinite. Waits for the device in each iteration. For total variation
/// alone [`ChambollePock`](crate::proximal::ChambollePock) with [`L21`](crate::proximal::L21) solves the same problem: its weight is the square of the one here.
///
/// Storage: beside that of [`Lsqr`] for the stack of all operators, its data, a model, and three vectors of the range of each `R` of a norm 1.
///
/// Reference: Goldstein and Osher, SIAM J. Imaging Sci. 2 (2009) 323. Golden: PyLops 2.8.0 `splitbregman`.
///
/// ```
/// use arrayspan_bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// use arrayspan_solvers::sparse::{Shrunk, SplitBregman};
///
/// // A step, and what noise has made of it.
/// let y: Vec<f64> = (0..40).map(|i| f64::from(u8::from(i >= 20)) + 0.1 * f64::from(i * 7919).sin()).collect();
/// let space = Space::new([40], DType::Float64)?;
/// let slope = FirstDerivative::new(space.clone(), 0, 1.0, Scheme::Forward, Edge::Zero)?;
/// let variation = Shrunk { operator: slope, weight: 0.7, isotropic: false };
/// let solver = SplitBregman { l1: vec![variation], iterations: 500, ..SplitBregman::default() };
/// let x = solver.solve(&Identity::new(space)?, Array::from_slice(&y, [40])?)?.x.to_vec::<f64>()?;
/// assert!((x[1] - x[18]).abs() < 1e-3 && (x[21] - x[38]).abs() < 1e-3 && x[30] - x[10] > 0.8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SplitBregman {
    /// The terms with a norm 1. At least one.
    pub l1: Vec<Shrunk>,
    /// The terms with a square.
    pub l2: Vec<Smoothed>,
    /// `μ`, the weight of the misfit. Above 0.
    pub mu: f64,
    /// The share of `R x - d` that is added to `b` in each iteration (PyLops: `tau`).
    pub relaxation: f64,
    /// At most this many iterations (PyLops: `niter_outer`).
    pub iterations: usize,
    /// Least-squares problems in an iteration (PyLops: `niter_inner`). At least 1.
    pub inner: usize,
    /// A change of the model that is at most this times its norm ends the run (PyLops: `tol`, which is absolute).
    pub tolerance: f64,
    /// Whether each least-squares problem is begun at the start, and not at the model before.
    pub restart: bool,
    /// What solves the least-squares problems.
    pub least_squares: Lsqr,
}

impl Default for SplitBregman {
    /// No terms, `μ = 1`, all of the difference, 50 iterations of 3 problems each, a change of 1e-8, from model to model, the default [`Lsqr`].
    fn default() -> Self {
        let (l1, l2) = (Vec::new(), Vec::new());
        let (mu, relaxation, tolerance, restart) = (1.0, 1.0, 1e-8, false);
        let least_squares = Lsqr::default();
        Self { l1, l2, mu, relaxation, iterations: 50, inner: 3, tolerance, restart, least_squares }
    }
}

/// What a term with a norm 1 keeps.
struct Split<'a> {
    of: &'a Shrunk,
    work: Workspace,
    /// `d`, `b` and `R x`.
    d: Array,
    b: Array,
    image: Array,
    /// The lengths of vectors along the first axis.
    size: Option<Array>,
    /// Where its target begins in the data.
    at: usize,
}

const NAME: &str = "SplitBregman";

impl SplitBregman {
    /// Solves from zero.
    ///
    /// # Errors
    /// A parameter that is out of its range; data, targets and operators that do not fit; when the device fails or is out of memory.
    pub fn solve(&self, a: &Operator, y: impl AsView) -> Result<Solution> {
        self.solve_from(a, y, None)
    }

    /// Solves from `start` (`None`: zero).
    ///
    /// # Errors
    /// As [`solve`](Self::solve), and when `start` does not fit.
    pub fn solve_from(
        &self,
        a: &Operator,
        y: impl AsView,
        start: Option<&Array>,
    ) -> Result<Solution> {
        self.solve_with(a, y, start, &mut ())
    }

    /// Solves from `start` (`None`: zero); `observer` is called before the first iteration and after each. To it, the *gradient* is the change of the
    /// model, which is infinite at first.
    ///
    /// # Errors
    /// As [`solve_from`](Self::solve_from).
    pub fn solve_with(
        &self,
        a: &Operator,
        y: impl AsView,
        start: Option<&Array>,
        observer: &mut dyn Observer,
    ) -> Result<Solution> {
        let y = y.as_view();
        fit(NAME, a, &y, start)?;
        self.check()?;
        let mut watched = Watched::new(NAME, self.iterations, observer)?;
        let on = &*arrayspan_kernels::on(y.device())?;
        let mut problem = regularized(a, &y, &self.terms())?;
        let mut at = a.range().len();
        for term in &self.l2 {
            let space = term.operator.range();
            if let Some(target) = &term.target {
                let place = place(&mut problem, at, term.operator.range().shape())?;
                on.copy(target.view(), place, Update::new(self.share(term.weight), 0.0))?;
            }
            at += space.len();
        }
        let mut splits = Vec::with_capacity(self.l1.len());
        for term in &self.l1 {
            splits.push(Split::new(on, term, at)?);
            at += term.operator.range().len();
        }

        let mut workspace = self.least_squares.workspace(&problem.operator, on)?;
        let zero = || -> Result<Array> {
            let mut x = on.empty(a.domain().shape(), a.domain().dtype())?;
            x.assign_on(on, 0.0)?;
            Ok(x)
        };
        let begin = || start.map_or_else(zero, |start| copy(on, &start.view()));
        let mut x = begin()?;
        watched.begin(norm(on, &y)?, left(on, a, &y, &x)?);
        let over = |done: usize| (done >= self.iterations).then_some(Stopped::Iterations);
        let mut stopped = watched.show(&x, UNKNOWN, over(0));
        while stopped.is_none() {
            let before = copy(on, &x.view())?;
            for _ in 0..self.inner {
                for split in &splits {
                    let place = place(&mut problem, split.at, split.d.shape())?;
                    split.target(on, self.share(split.of.weight), place)?;
                }
                let from = if self.restart { begin()? } else { x };
                let (operator, data) = (&problem.operator, problem.data.view());
                let solver = &self.least_squares;
                let solved =
                    solver.solve_in(&mut workspace, on, operator, data, Some(from), &mut ())?;
                x = solved.x;
                for split in &mut splits {
                    split.shrink(on, &x)?;
                }
            }
            for split in &mut splits {
                let (image, d) = (&split.image, &split.d);
                split.b.update_on(on, |b| b + self.relaxation * (image - d))?;
            }
            let residual = left(on, a, &y, &x)?;
            let change = [norm(on, &(&x - &before))?, norm(on, &x)?];
            watched.residuals.push(residual);
            let end = judge(residual, change, self.tolerance);
            stopped = watched.show(&x, change, end.or(over(watched.iterations())));
        }
        Ok(watched.solution(x, stopped))
    }

    /// The terms of the least-squares problems, those of squares first.
    pub(super) fn terms(&self) -> Vec<Term<'_>> {
        let l2 = self.l2.iter().map(|term| (self.share(term.weight), &term.operator, None));
        let l1 = self.l1.iter().map(|term| (self.share(term.weight), &term.operator, None));
        l2.chain(l1).collect()
    }

    /// What a term of that weight is multiplied by beside the misfit.
    fn share(&self, weight: f64) -> f64 {
        (weight / self.mu).sqrt()
    }

    pub(super) fn check(&self) -> Result<()> {
        if self.l1.is_empty() {
            return wrong(
                NAME,
                "there is no term with a norm 1: a solver of least squares is enough",
            );
        }
        let weights = self.l1.iter().map(|term| term.weight);
        for weight in weights.chain(self.l2.iter().map(|term| term.weight)) {
            not_negative(NAME, "weight", weight)?;
        }
        positive(NAME, "mu", self.mu)?;
        not_negative(NAME, "relaxation", self.relaxation)?;
        not_negative(NAME, "tolerance", self.tolerance)?;
        if self.inner == 0 {
            return wrong(NAME, "inner is 0: an iteration solves at least 1 problem");
        }
        for (number, term) in self.l1.iter().enumerate() {
            if term.isotropic && term.operator.range().shape().is_empty() {
                return wrong(
                    NAME,
                    format!("term {number} has no first axis, along which it is isotropic"),
                );
            }
        }
        for term in &self.l2 {
            let range = term.operator.range();
            if let Some(target) = &term.target
                && (target.shape(), target.dtype()) != (range.shape(), range.dtype())
            {
                let (name, shape, dtype) = (term.operator.name(), target.shape(), target.dtype());
                return wrong(
                    NAME,
                    format!("a target is {shape:?} {dtype}, and {name} makes {range}"),
                );
            }
        }
        Ok(())
    }
}

impl<'a> Split<'a> {
    fn new(on: &dyn Executor, of: &'a Shrunk, at: usize) -> Result<Self> {
        let range = of.operator.range();
        let zero = || -> Result<Array> {
            let mut array = on.empty(range.shape(), range.dtype())?;
            array.assign_on(on, 0.0)?;
            Ok(array)
        };
        let size = match range.shape() {
            [_, rest @ ..] if of.isotropic => Some(on.empty(rest, range.dtype().real())?),
            _ => None,
        };
        let work = Workspace::of(&of.operator, on)?;
        Ok(Self { of, work, d: zero()?, b: zero()?, image: zero()?, size, at })
    }

    /// `weight · (d - b)`, the target of the least-squares problem.
    fn target(&self, on: &dyn Executor, weight: f64, mut place: ViewMut<'_>) -> Result<()> {
        Ok(place.assign_on(on, weight * (&self.d - &self.b))?)
    }

    /// `d = T(R x + b)`
    fn shrink(&mut self, on: &dyn Executor, x: &Array) -> Result<()> {
        let (x, image) = (x.view(), self.image.view_mut());
        self.of.operator.apply_with(&mut self.work, on, x, image, Update::set())?;
        let (image, b) = (&self.image, &self.b);
        let complex = image.dtype().is_complex();
        let Some(size) = &mut self.size else {
            let sum = input(0) + input(1);
            let value = Shape::Soft.of(sum, constant(self.of.weight), complex);
            return write(on, &value, &[image.view(), b.view()], self.d.view_mut());
        };
        self.d.assign_on(on, image + b)?;
        if self.of.weight == 0.0 {
            return Ok(());
        }
        // In units of the weight, and never so long that a square is beyond the dtype, which is far above 1 in any case.
        let far = if size.dtype() == DType::Float32 { 1e15 } else { 1e150 };
        let length = constant(1.0 / self.of.weight) * input(0).abs();
        let length = length.clone() / (constant(1.0) + length * constant(1.0 / far));
        on.reduce(Reduction::Sum, &length.abs2(), &[self.d.view()], &[0], size.view_mut())?;
        let length = previous().sqrt();
        let shrunk = (length.clone() - constant(1.0)).max(constant(0.0));
        on.map(&shrunk.div_or_zero(length), &[], size.view_mut())?;
        Ok(self.d.update_on(on, |d| d * &*size)?)
    }
}

/// The part of the data of this shape that begins at `at`.
fn place<'p>(problem: &'p mut Regularized, at: usize, shape: &[usize]) -> Result<ViewMut<'p>> {
    let all = problem.data.layout().len();
    let flat = problem.data.view_mut().reshaped(&[all])?;
    Ok(flat.sliced(0, at, shape.iter().product())?.reshaped(shape)?)
}

/// `‖y - A x‖`. Waits for it.
fn left(on: &dyn Executor, a: &Operator, y: &View<'_>, x: &Array) -> Result<f64> {
    let image = a.forward(x)?;
    norm(on, &(y - &image))
}
