//! Steps along the gradient of the misfit, each followed by a threshold.

mod backtracking;
mod recurrence;
mod rows;
mod thresholded;
mod tried;
mod vectors;

use arrayspan_bridge::Array;
use arrayspan_kernels::{Arrays as _, Vector, constant, input};
use arrayspan_operators::{LinearMap, Operator};

use super::Sparsity;
use super::percentile::Percentile;
use crate::engine::Make;
use crate::engine::history::{GRADIENT, RESIDUAL, STEP};
use crate::engine::run::{Method, Run};
use crate::engine::scale::power;
use crate::engine::system::Parts;
use crate::parameters::positive;
use crate::{NormEstimator, Result, Stop};
use rows::{BETA, ROWS};
use thresholded::lacking;
use tried::Tried;
use vectors::Vectors;

/// `min ‖y - A x‖² + weight ‖x‖ₚᵖ` by the iteration `x ← T(x + step · Aᴴ (y - A x))`, with a [`Threshold`](crate::sparse::Threshold) `T` for the
/// norm.
///
/// The objective never rises, for steps up to `1/‖A‖²` (for `p = 1`, up to twice as long). [`Fista`] takes far fewer iterations to the same
/// solution; what else is said there holds here.
///
/// Storage: `3n + m` elements (`n` model, `m` data), solution included, and `5 (check_every + 11) + 8` scalars. Values moved an iteration: `5n + 4m`, an application of `A` and of
/// `Aᴴ`, and 5 launches beside these (test `bytes::ista`).
///
/// Reference: Daubechies, Defrise and De Mol, Comm. Pure Appl. Math. 57 (2004) 1413. Golden: PyLops 2.8.0 `ista`.
pub type Ista = IterativeThresholding<false>;

/// `min ‖y - A x‖² + weight ‖x‖ₚᵖ` by proximal gradients with Nesterov's momentum.
///
/// `A` may be any linear operator. With `z = x + β (x - x before)` the next model is `T(z + step · Aᴴ (y - A z))`, and
/// `β` is `(t - 1)/t'` with `t' = (1 + √(1 + 4 t²))/2`, from `t = 1`. One application of `A` and one of `Aᴴ` an iteration: the gradient at `z` is
/// that at `x`, carried on as `z` is. (PyLops applies `A` to `z` and to `x`.) For [`Soft`](crate::sparse::Threshold::Soft) the
/// objective converges to the least one, its excess as `1/k²`; other thresholds are of objectives that are not convex, and converge to
/// a point near which nothing is less.
///
/// The *residual* is `‖y - A x‖` of the model itself. The *gradient* is `‖x - x before‖/step`, of which [`Stop::gradient`] compares the present
/// one with `‖Aᴴ (y - A x₀)‖`. The objective is `residual² + weight ‖x‖ₚᵖ`, or with `‖Sᴴ x‖ₚᵖ` where there is a basis `S`. (What PyLops keeps as
/// `cost` is `residual²/2 + weight ‖x‖₁`, for every norm and basis, and for its `ista` with the residual of the model before.)
///
/// Breakdowns: NaN or infinity end with [`Stopped::NotFinite`](crate::Stopped::NotFinite); steps that are longer than `2/‖A‖²` diverge, and end so.
/// A model that does not change at all ends with [`Stopped::Gradient`](crate::Stopped::Gradient). Two steps one after the other that are
/// less than `ε` times the way so far (`ε` of the dtype; the way is the length of all steps and of the start) end with
/// [`Stopped::Precision`](crate::Stopped::Precision), and **no iteration after that changes anything**. Data zero give the model zero, at once.
///
/// With [`backtracking`](field@IterativeThresholding::backtracking) a step that the misfit does not allow, `‖A (x⁺ - z)‖² > ‖x⁺ - z‖²/step`, is not taken, and
/// steps are halved, all on the device: an iteration is then a try, and one that is not taken leaves model, residual and gradient as they are. `A (x⁺ - z)` is made
/// of residuals, so that it costs no application more. After it momentum begins anew. What is within rounding of the data and of the way so far is
/// allowed. (For [`proximal::ProximalGradient`](crate::proximal::ProximalGradient) the function has to be applied once more.)
///
/// Data, models and operators may have any size that the dtype holds: where squares or products would leave its range, data, operator, step and
/// threshold are scaled by powers of two.
///
/// Storage: `4n + m` elements (`n` model, `m` data), solution included, and `8 (check_every + 11) + 11` scalars
/// ([`memory`](crate::Solver::memory)); with a basis its coefficients besides. Values moved an
/// iteration: `7n + 4m`, an application of `A` and of `Aᴴ`, and 5 launches beside these (test `bytes::fista`). `restart` takes one
/// more that reads `n`, a basis one of `S` and of `Sᴴ`, 2 launches and `5n` more; thresholds that keep a share find a
/// [percentile](crate::sparse#percentiles) each time. Backtracking takes `n + 2m` elements and 3 rows of scalars more (`Ista`: `2n + m`), and moves
/// `16n + 10m` in 12 launches (`Ista`: `11n + 9m` in 11; test `bytes::backtracking`).
///
/// Reference: Beck and Teboulle, SIAM J. Imaging Sci. 2 (2009) 183, with equation 2.5 for backtracking; O'Donoghue and Candès, Found. Comput. Math. 15
/// (2015) 715, for `restart`. Golden: PyLops 2.8.0 `fista`.
///
/// ```
/// use arrayspan_bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// use arrayspan_solvers::sparse::{Fista, Sparsity};
/// use arrayspan_solvers::{Solver, Stop};
///
/// // Two spikes, seen through a smooth filter.
/// let space = Space::new([64], DType::Float64)?;
/// let blur = Smoothing::new(space, &[(0, 5)])?;
/// let mut spikes = vec![0.0; 64];
/// (spikes[20], spikes[40]) = (1.0, -0.5);
/// let y = blur.forward(Array::from_slice(&spikes, [64])?)?;
/// let sparsity = Sparsity { weight: 1e-3, ..Sparsity::default() };
/// let solver = Fista { sparsity, restart: true, stop: Stop::after(500), ..Fista::default() };
/// let x = solver.solve(&blur, &y)?.x.to_vec::<f64>()?;
/// assert!((x[20] - 1.0).abs() < 0.01 && (x[40] + 0.5).abs() < 0.01 && x[30] == 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Fista = IterativeThresholding<true>;

/// [`Ista`], or [`Fista`] where `ACCELERATED`.
#[derive(Clone, Debug)]
pub struct IterativeThresholding<const ACCELERATED: bool> {
    /// The weight of the norm, the norm, and what it is of.
    pub sparsity: Sparsity,
    /// The length of steps, at most `1/‖A‖²`, the inverse of the largest eigenvalue of `Aᴴ A` (PyLops: `alpha`); it is not checked.
    /// With backtracking that of the first step: one of more than 2²⁰ times `‖g‖²/‖A g‖²` counts as so many, and `None` is what is said there.
    /// `None` without it: that of the upper bound of a [`NormEstimator`], which up to 30 applications of `A` and of `Aᴴ` find each time, in memory for a
    /// model and data besides;
    /// who solves often asks [`norm_estimate`](crate::norm_estimate) once. (PyLops takes a lower bound on GPUs, of which steps come that are too long.)
    pub step: Option<f64>,
    /// Whether steps that are too long are noticed and halved, from [`step`](Self::step) on; `None` is then the longest one that the first gradient `g` allows,
    /// `‖g‖²/‖A g‖²`, which one application of `A` finds.
    ///
    /// A try that is not taken is an iteration with the residual of the one before: [`Stop::stagnation`](crate::Stop::stagnation) has to allow as many in a row as
    /// the first step is to be halved.
    pub backtracking: bool,
    /// [`Fista`]: to begin anew with the momentum whenever the objective has risen, which converges faster where the
    /// problem is well-conditioned near its solution. [`Ista`], whose objective does not rise, does not look at it.
    pub restart: bool,
    /// When to stop.
    pub stop: Stop,
    /// How many iterations are enqueued before the host checks their norms and decides whether to go on. At least 1.
    pub check_every: usize,
}

impl<const ACCELERATED: bool> Default for IterativeThresholding<ACCELERATED> {
    /// The default [`Sparsity`], a safe step and no backtracking, no restart, the default [`Stop`], a check every 10 iterations.
    fn default() -> Self {
        let (sparsity, stop) = (Sparsity::default(), Stop::default());
        let (step, backtracking, restart) = (None, false, false);
        Self { sparsity, step, backtracking, restart, stop, check_every: 10 }
    }
}

/// How near the upper bound of the norm comes to the lower one, unless that takes too long.
const NEAR: f64 = 0.02;

impl<const ACCELERATED: bool> IterativeThresholding<ACCELERATED> {
    /// Whether the objective is looked at.
    pub(super) fn restarts(&self) -> bool {
        ACCELERATED && self.restart
    }
}

impl<const ACCELERATED: bool> Method for IterativeThresholding<ACCELERATED> {
    type Vectors = Vectors;
    const NAME: &'static str = if ACCELERATED { "Fista" } else { "Ista" };
    const ROWS: [usize; 2] = [if ACCELERATED { ROWS } else { BETA }, STEP];
    const OBJECTIVE: usize = RESIDUAL;
    const DESCENDS: bool = true;

    fn saved_as(&self) -> &'static str {
        match (ACCELERATED, self.backtracking) {
            (_, false) => Self::NAME,
            (true, true) => "Fista with backtracking",
            (false, true) => "Ista with backtracking",
        }
    }

    fn rows(&self) -> [usize; 2] {
        let [rows, state] = Self::ROWS;
        [if self.backtracking { backtracking::rows::<ACCELERATED>() } else { rows }, state]
    }

    fn stop(&self) -> &Stop {
        &self.stop
    }

    fn check_every(&self) -> usize {
        self.check_every
    }

    fn beside(&self) -> Option<&Operator> {
        self.sparsity.basis.as_ref()
    }

    fn check(&self, a: &dyn LinearMap) -> Result<()> {
        if let Some(step) = self.step {
            positive(Self::NAME, "step", step)?;
        }
        self.sparsity.check(Self::NAME, a)
    }

    fn vectors(&self, make: &mut Make<'_>) -> Result<Vectors> {
        let mut gradients = vec![make.model("the workspace's gradient")?];
        if ACCELERATED || self.backtracking {
            gradients.push(make.model("the workspace's gradient")?);
        }
        let sparsity = &self.sparsity;
        let basis = sparsity.basis.as_ref();
        let coefficients = basis.map(|basis| make.of(basis.domain())).transpose()?;
        let (dtype, len) = sparsity.coefficients(make.operator());
        let percentile = sparsity.threshold.kept().map(|_| {
            let bytes = Percentile::bytes(make.on(), dtype);
            make.made(bytes, |on| Percentile::new(on, dtype, len))
        });
        let tried = self.backtracking.then(|| Tried::new::<ACCELERATED>(make)).transpose()?;
        Ok(Vectors {
            residual: make.data("the workspace's residual")?,
            other: make.model("the workspace's model")?,
            gradients,
            coefficients,
            work: basis.map(|basis| make.workspace(basis)).transpose()?.flatten(),
            percentile: percentile.transpose()?.flatten(),
            penalty: make.scalar()?,
            step: 1.0,
            tried,
        })
    }

    fn residual(vectors: &mut Vectors) -> &mut Array {
        &mut vectors.residual
    }

    fn kept(vectors: &mut Vectors) -> Vec<&mut Array> {
        let Vectors { other, gradients, penalty, tried, .. } = vectors;
        let residuals = tried.iter_mut().flat_map(|tried| &mut tried.residuals);
        [other, penalty].into_iter().chain(gradients).chain(residuals).collect()
    }

    /// Two vectors change places in each iteration.
    fn replays(&self, iterations: usize) -> bool {
        let Sparsity { threshold, decay, .. } = &self.sparsity;
        iterations.is_multiple_of(2) && threshold.kept().is_none() && decay.is_empty()
    }

    /// With backtracking constants of the data stand in them.
    fn recorded_for(&self, vectors: &Vectors) -> Option<Vec<u64>> {
        let Sparsity { weight, threshold, .. } = &self.sparsity;
        let numbers =
            [weight.to_bits(), vectors.step.to_bits(), self.step.unwrap_or(0.0).to_bits()];
        let kinds = [threshold.shape() as u64, u64::from(self.restart)];
        (!self.backtracking).then(|| numbers.into_iter().chain(kinds).collect())
    }

    fn arrays(vectors: &mut Vectors) -> Vec<&mut Array> {
        let Vectors { residual, other, gradients, coefficients, work, penalty, tried, .. } =
            vectors;
        let mut all = vec![residual, other, penalty];
        all.extend(tried.iter_mut().flat_map(Tried::arrays));
        all.extend(gradients.iter_mut().chain(coefficients));
        if let Some(work) = work {
            work.show(&mut |array| all.push(array));
        }
        all
    }

    fn first(run: &mut Run<'_, Self>) -> Result<()> {
        let (method, started) = (run.method, run.started);
        if method.backtracking && run.w.vectors.tried.is_none() {
            return Err(lacking(method));
        }
        let Parts { mut system, vectors, history, x, on, .. } = run.parts();
        let Vectors { residual, gradients, penalty, .. } = vectors;
        system.adjoint(residual, &mut gradients[0])?;
        residual.norm_squared_into(on, history.get_mut(RESIDUAL, 0)?)?;
        gradients[0].norm_squared_into(on, history.get_mut(GRADIENT, 0)?)?;
        let mut size = constant(0.0);
        if started {
            x.norm_squared_into(on, &mut *penalty)?;
            size = input(2).sqrt();
        }
        let mut state = recurrence::begin::<ACCELERATED>(size, history.dtype());
        if method.backtracking {
            state.extend(backtracking::begin());
        }
        let others = [penalty.view()];
        history.begin(on, &others[..usize::from(started)], &state)
    }

    fn measure(run: &mut Run<'_, Self>) -> Result<()> {
        let scale = run.scale;
        if run.method.backtracking {
            run.w.vectors.step = backtracking::first(run)?;
            return Ok(());
        }
        if let Some(step) = run.method.step {
            // Of the scaled operator; by two factors, whose square may be beyond all numbers.
            run.w.vectors.step = power(-scale.operator, power(-scale.operator, step));
            return Ok(());
        }
        let norm = NormEstimator { tolerance: NEAR, ..NormEstimator::default() };
        let norm = power(scale.operator, norm.of_on(run.a, run.on)?.upper);
        let step = 1.0 / (norm * norm);
        // Nothing is to be done where the operator is zero.
        run.w.vectors.step = if step.is_finite() { step } else { 1.0 };
        Ok(())
    }

    fn turn(run: &mut Run<'_, Self>) -> Result<()> {
        recurrence::turn(run)
    }

    fn iterate(run: &mut Run<'_, Self>, step: usize) -> Result<()> {
        recurrence::iterate(run, step)
    }

    fn settle(run: &mut Run<'_, Self>, iterations: usize) -> Result<()> {
        if iterations % 2 == 1 {
            let vectors = &mut run.w.vectors;
            std::mem::swap(&mut run.x, &mut vectors.other);
            vectors.gradients.reverse();
            vectors.tried.iter_mut().for_each(|tried| tried.residuals.reverse());
        }
        Ok(())
    }
}
