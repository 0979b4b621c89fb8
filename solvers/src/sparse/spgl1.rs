//! Spectral projected gradients for constraints with a norm 1.

use arrayspan_bridge::{Array, AsView, View};
use arrayspan_kernels::{
    Executor, Update, Vector, VectorMut, constant, input, previous, widest_real,
};
use arrayspan_operators::{LinearMap, LinearOperator, Operator, Workspace};

use super::read::{fit, norm, sensible};
use super::threshold::{Shape, write};
use crate::engine::read::reals;
use crate::engine::system::real_dot;
use crate::{Result, Solution, Stopped};

/// Which constraint [`Spgl1`] keeps, and so what it minimises.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Constraint {
    /// `min ‖x‖₁` with `‖y - A x‖ ≤ σ`: basis pursuit denoising; with 0 basis pursuit.
    Misfit(f64),
    /// `min ‖y - A x‖` with `‖x‖₁ ≤ τ`: the lasso.
    Norm(f64),
}

/// Basis pursuit, basis pursuit denoising and the lasso: instead of a weight, either the misfit or the norm is given.
///
/// The lasso is solved by projected gradients with the step of Barzilai and Borwein. The search along the projection arc accepts a misfit that is larger than the
/// last one, as long as it is not larger than all of the last ten. For a given misfit `σ`, Newton's method finds the `τ` whose lasso has that misfit; the
/// derivative of the misfit with respect to `τ` is `-‖Aᴴ r‖_∞/‖r‖`. Projections onto `‖x‖₁ ≤ τ` are soft thresholds, whose level is found by Newton's method,
/// too. Of complex elements the absolute values count.
///
/// A run with [`Constraint::Misfit`] ends with [`Stopped::Residual`] when the duality gap is at most `tolerance · ‖y‖²` and the misfit is `σ` up to `tolerance · ‖y‖`;
/// if no model has a misfit as small as `σ`, it ends with [`Stopped::Gradient`] at the smallest misfit there is. A run with [`Constraint::Norm`] ends with
/// [`Stopped::Gradient`] when the gap is that small. When no step decreases the misfit any more, the run ends with [`Stopped::Precision`]; NaN and infinity end it with
/// [`Stopped::NotFinite`].
///
/// Waits for the device several times an iteration, for a few numbers. Storage: `4n + 3m` elements. An iteration applies `A` once, or as often as the search takes,
/// and `Aᴴ` once.
///
/// Takes no start and no [`Observer`](crate::Observer).
///
/// Reference: van den Berg and Friedlander, SIAM J. Sci. Comput. 31 (2008) 890. Tested by the conditions of optimality of both problems; there are no
/// golden data of the package `spgl1` that PyLops calls.
///
/// ```
/// use arrayspan_bridge::Array;
/// use arrayspan_operators::MatrixMult;
/// use arrayspan_solvers::sparse::{Constraint, Spgl1};
///
/// // Of all that explain the data, the one with the least norm.
/// let row = Array::from_slice(&[1.0, 2.0, 4.0], [1, 3])?;
/// let a = MatrixMult::new(row.into_shared(), &[])?;
/// let solver = Spgl1 { constraint: Constraint::Misfit(0.0), ..Spgl1::default() };
/// let x = solver.solve(&a, Array::from_slice(&[8.0], [1])?)?.x.to_vec::<f64>()?;
/// assert!(x[0].abs() + x[1].abs() < 1e-5 && (x[2] - 2.0).abs() < 1e-5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spgl1 {
    /// What is given.
    pub constraint: Constraint,
    /// At most this many iterations.
    pub iterations: usize,
    /// How small the duality gap and the error of the misfit have to be, relative to `‖y‖²` and `‖y‖`.
    pub tolerance: f64,
}

impl Default for Spgl1 {
    /// Basis pursuit; 1000 iterations, a tolerance of 1e-6.
    fn default() -> Self {
        Self { constraint: Constraint::Misfit(0.0), iterations: 1000, tolerance: 1e-6 }
    }
}

const NAME: &str = "Spgl1";
/// The misfits that a new one is compared with.
const MEMORY: usize = 10;
/// The share of the descent that a step has to make.
const DESCENT: f64 = 1e-4;
/// The most halvings of a step.
const HALVINGS: usize = 30;
/// The most steps to the level of a projection, which are few: each makes the set smaller of elements that stay.
const LEVELS: usize = 200;

/// A problem under way.
struct State<'a> {
    on: &'a dyn Executor,
    a: &'a Operator,
    y: View<'a>,
    work: Workspace,
    x: Array,
    next: Array,
    residual: Array,
    next_residual: Array,
    /// `Aᴴ (y - A x)`
    gradient: Array,
    size: Array,
    number: Array,
}

impl Spgl1 {
    /// Solves from zero.
    ///
    /// # Errors
    /// A parameter that is out of its range; data that do not fit the operator; when the device fails or is out of memory.
    pub fn solve(&self, a: &Operator, y: impl AsView) -> Result<Solution> {
        let y = y.as_view();
        fit(NAME, a, &y, None)?;
        sensible(NAME, "tolerance", self.tolerance)?;
        let (sigma, mut tau) = match self.constraint {
            Constraint::Misfit(sigma) => (Some(sigma), 0.0),
            Constraint::Norm(tau) => (None, tau),
        };
        sensible(NAME, "the constraint", sigma.unwrap_or(tau))?;
        let on = arrayspan_kernels::on(y.device())?;
        let mut state = State::new(&*on, a, y)?;
        let data = norm(&*on, &state.y)?;
        let mut misfit = data;
        let mut residuals = vec![data];
        let mut last = vec![data * data];
        let mut length: Option<f64> = None;
        state.descend()?;
        let first = state.steepest()?;
        let stopped = loop {
            let steepest = state.steepest()?;
            if !(misfit.is_finite() && steepest.is_finite()) {
                break Stopped::NotFinite;
            }
            // Beside the least misfit for this τ; both are squares.
            let gap = (state.gap()? + tau * steepest).abs();
            let level = self.tolerance * data * data;
            let met = match sigma {
                None => gap <= level,
                Some(sigma) => {
                    let off = misfit - sigma;
                    off <= self.tolerance * data
                        && (gap <= level && off >= -self.tolerance * data || tau == 0.0)
                }
            };
            if met {
                break if sigma.is_some() { Stopped::Residual } else { Stopped::Gradient };
            }
            if steepest <= self.tolerance * f64::EPSILON.sqrt() * first {
                break Stopped::Gradient;
            }
            if residuals.len() > self.iterations {
                break Stopped::Iterations;
            }
            if let Some(sigma) = sigma {
                let off = misfit - sigma;
                if gap <= level.max(0.1 * off.abs() * misfit) {
                    tau = (tau + off * misfit / steepest).max(0.0);
                    last.clear();
                    last.push(misfit * misfit);
                    if off < 0.0 {
                        // The ball is smaller: the model has to be in it, before anything is compared.
                        misfit = state.begin_anew(tau)?;
                        last[0] = misfit * misfit;
                    }
                }
            }
            let step = match length {
                Some(length) => length,
                None => state.first_length(tau)?,
            };
            let most = last.iter().copied().fold(0.0, f64::max);
            let Some((found, next)) = state.search(step, tau, most)? else {
                break Stopped::Precision;
            };
            misfit = found;
            length = next.or(length);
            last.push(misfit * misfit);
            if last.len() > MEMORY {
                last.remove(0);
            }
            state.descend()?;
            residuals.push(misfit);
        };
        let iterations = residuals.len() - 1;
        Ok(Solution { x: state.x, iterations, residuals, stopped })
    }
}

impl<'a> State<'a> {
    fn new(on: &'a dyn Executor, a: &'a Operator, y: View<'a>) -> Result<Self> {
        let (domain, range) = (a.domain(), a.range());
        let model = || on.empty(domain.shape(), domain.dtype());
        let data = || on.empty(range.shape(), range.dtype());
        let mut state = Self {
            on,
            a,
            work: Workspace::of(a, on)?,
            x: model()?,
            next: model()?,
            residual: data()?,
            next_residual: data()?,
            gradient: model()?,
            size: on.empty(domain.shape(), domain.dtype().real())?,
            number: on.empty(&[], widest_real(on.device()))?,
            y,
        };
        state.x.assign_on(on, 0.0)?;
        on.copy(state.y.clone(), state.residual.view_mut(), Update::set())?;
        Ok(state)
    }

    /// `Aᴴ r`
    fn descend(&mut self) -> Result<()> {
        let (r, gradient) = (self.residual.view(), self.gradient.view_mut());
        Ok(self.a.apply_adjoint_with(&mut self.work, self.on, r, gradient, Update::set())?)
    }

    /// `‖Aᴴ r‖_∞`
    fn steepest(&mut self) -> Result<f64> {
        if self.gradient.layout().is_empty() {
            return Ok(0.0);
        }
        self.gradient.abs().max_into(self.on, &mut self.number)?;
        self.read()
    }

    /// `Re <r, r - y>`
    fn gap(&mut self) -> Result<f64> {
        let rest = (&self.residual - &self.y).compute_on(self.on)?;
        real_dot(self.on, &self.residual, &rest, &mut self.number)?;
        self.read()
    }

    fn read(&self) -> Result<f64> {
        Ok(reals(&self.number.view())?[0])
    }

    /// A first step, whose length is the radius of the ball.
    fn first_length(&mut self, tau: f64) -> Result<f64> {
        let size = norm(self.on, &self.gradient)?;
        Ok(if size > 0.0 { tau / size } else { 0.0 })
    }

    /// The next model along the projection arc, with its misfit and the length of the next step; `None` if there is none.
    fn search(&mut self, mut step: f64, tau: f64, most: f64) -> Result<Option<(f64, Option<f64>)>> {
        for _ in 0..HALVINGS {
            let (x, gradient) = (&self.x, &self.gradient);
            self.next.assign_on(self.on, x + step * gradient)?;
            let misfit = self.project(tau)?;
            if !misfit.is_finite() {
                return Ok(Some((misfit, None)));
            }
            let change = (&self.next - &self.x).compute_on(self.on)?;
            real_dot(self.on, &self.gradient, &change, &mut self.number)?;
            let descent = self.read()?;
            let moved = norm(self.on, &change)?;
            if moved == 0.0 {
                return Ok(None);
            }
            if misfit * misfit <= most - 2.0 * DESCENT * descent {
                let image = norm(self.on, &(&self.next_residual - &self.residual))?;
                std::mem::swap(&mut self.x, &mut self.next);
                std::mem::swap(&mut self.residual, &mut self.next_residual);
                let quotient = (moved / image).powi(2);
                return Ok(Some((misfit, (image > 0.0).then_some(quotient))));
            }
            step *= 0.5;
        }
        Ok(None)
    }

    /// The model, projected onto another ball: its misfit.
    fn begin_anew(&mut self, tau: f64) -> Result<f64> {
        self.on.copy(self.x.view(), self.next.view_mut(), Update::set())?;
        let misfit = self.project(tau)?;
        std::mem::swap(&mut self.x, &mut self.next);
        std::mem::swap(&mut self.residual, &mut self.next_residual);
        self.descend()?;
        Ok(misfit)
    }

    /// Projects the next model onto the ball `‖x‖₁ ≤ τ`: its misfit.
    fn project(&mut self, tau: f64) -> Result<f64> {
        let on = self.on;
        on.map_many(&[self.next.view()], [(input(0).abs(), self.size.view_mut())])?;
        let level = self.level(tau)?;
        if level > 0.0 {
            let complex = self.next.dtype().is_complex();
            let value = Shape::Soft.of(previous(), constant(level), complex);
            write(on, &value, &[], self.next.view_mut())?;
        }
        let (next, image) = (self.next.view(), self.next_residual.view_mut());
        self.a.apply_with(&mut self.work, on, next, image, Update::set())?;
        let y = &self.y;
        self.next_residual.update_on(on, |image| y - image)?;
        norm(on, &self.next_residual)
    }

    /// The level at which a soft threshold leaves `Σ |x| = τ`; zero if it is less anyway.
    ///
    /// By Newton's method from zero, for a sum that falls and is convex: never too far, and exact once the elements that stay are known.
    fn level(&mut self, tau: f64) -> Result<f64> {
        let (on, mut level) = (self.on, 0.0);
        for _ in 0..LEVELS {
            let excess = (input(0) - constant(level)).max(constant(0.0));
            on.sum(&excess, &[self.size.view()], self.number.view_mut())?;
            let sum = self.read()?;
            let counted = excess.clone().div_or_zero(excess);
            on.sum(&counted, &[self.size.view()], self.number.view_mut())?;
            let count = self.read()?;
            let further = (sum - tau) / count;
            if further.is_nan() || further <= f64::EPSILON * level {
                break;
            }
            level += further;
        }
        Ok(level)
    }
}
