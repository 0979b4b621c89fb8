//! Spectral projected gradients for constraints with a norm 1.

mod state;

use arrayspan_bridge::{AsView, View};
use arrayspan_kernels::Executor;
use arrayspan_operators::{LinearMap, Operator};

pub use self::state::Spgl1Workspace;
use self::state::State;
use super::read::fit;
use super::watched::Watched;
use crate::engine::Fit;
use crate::parameters::not_negative;
use crate::{Observer, Result, Solution, Stopped};

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
/// Waits for the device several times an iteration, for a few numbers. Storage: `3n + 2m` elements and `n` sizes, solution included ([`memory`](Self::memory)); a run in a [`workspace`](Self::workspace) allocates nothing but the solution. An iteration applies `A` once, or as often as the search takes,
/// and `Aᴴ` once.
///
/// Takes no start.
///
/// Reference: van den Berg and Friedlander, SIAM J. Sci. Comput. 31 (2008) 890. Tested by the conditions of optimality of both problems. Golden: spgl1 0.0.3
/// `spgl1`, which PyLops 2.8.0 calls.
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

impl Spgl1 {
    /// Solves from zero.
    ///
    /// # Errors
    /// A parameter that is out of its range; data that do not fit the operator; when the device fails or is out of memory.
    pub fn solve(&self, a: &Operator, y: impl AsView) -> Result<Solution> {
        self.solve_with(a, y, &mut ())
    }

    pub(super) fn check(&self) -> Result<()> {
        not_negative(NAME, "tolerance", self.tolerance)?;
        let (Constraint::Misfit(given) | Constraint::Norm(given)) = self.constraint;
        not_negative(NAME, "the constraint", given).map(drop)
    }

    /// Solves from zero; `observer` is called before the first iteration and after each. To it, the *gradient* is `‖Aᴴ (y - A x)‖_∞`.
    ///
    /// # Errors
    /// As [`solve`](Self::solve).
    pub fn solve_with(
        &self,
        a: &Operator,
        y: impl AsView,
        observer: &mut dyn Observer,
    ) -> Result<Solution> {
        let y = y.as_view();
        fit(NAME, a, &y, None)?;
        let on = arrayspan_kernels::on(y.device())?;
        self.solve_in(&mut self.workspace(a, &*on)?, &*on, a, y, observer)
    }

    /// The vectors that [`solve_in`](Self::solve_in) needs.
    ///
    /// # Errors
    /// A parameter that is out of its range; out of memory.
    pub fn workspace(&self, a: &Operator, on: &dyn Executor) -> Result<Spgl1Workspace> {
        self.check()?;
        Spgl1Workspace::new(a, on)
    }

    /// As [`solve_with`](Self::solve_with), on `on` with vectors that are already there: a run allocates nothing but the solution. Any [`Spgl1`] may use
    /// them.
    ///
    /// # Errors
    /// As [`solve`](Self::solve), and when the workspace does not fit the operator or is on another device.
    pub fn solve_in(
        &self,
        workspace: &mut Spgl1Workspace,
        on: &dyn Executor,
        a: &Operator,
        y: View<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Solution> {
        let place = Fit { solver: NAME, device: on.device() };
        place.array("data", a.range(), &y)?;
        place.operator(a)?;
        workspace.check(place, a, on)?;
        self.check()?;
        let (sigma, mut tau) = match self.constraint {
            Constraint::Misfit(sigma) => (Some(sigma), 0.0),
            Constraint::Norm(tau) => (None, tau),
        };
        let mut watched = Watched::new(NAME, self.iterations, observer)?;
        let mut state = State::new(on, a, y, workspace)?;
        let data = state.size()?;
        let mut misfit = data;
        watched.begin(data, data);
        let mut last = vec![data * data];
        let mut length: Option<f64> = None;
        state.descend()?;
        let first = state.steepest()?;
        let stopped = loop {
            let steepest = state.steepest()?;
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
            let end = if !(misfit.is_finite() && steepest.is_finite()) {
                Some(Stopped::NotFinite)
            } else if met {
                Some(if sigma.is_some() { Stopped::Residual } else { Stopped::Gradient })
            } else if steepest <= self.tolerance * f64::EPSILON.sqrt() * first {
                Some(Stopped::Gradient)
            } else {
                (watched.iterations() >= self.iterations).then_some(Stopped::Iterations)
            };
            if let Some(end) = watched.show(&state.x, [steepest, first], end) {
                break end;
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
                let _ = watched.show(&state.x, [steepest, first], Some(Stopped::Precision));
                break Stopped::Precision;
            };
            misfit = found;
            length = next.or(length);
            last.push(misfit * misfit);
            if last.len() > MEMORY {
                last.remove(0);
            }
            state.descend()?;
            watched.residuals.push(misfit);
        };
        Ok(watched.solution(state.x, Some(stopped)))
    }
}
