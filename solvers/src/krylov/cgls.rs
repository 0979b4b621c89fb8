//! Conjugate gradients on the normal equations, without forming them.

use std::ops::ControlFlow;

use arrayspan_bridge::{Array, View};
use arrayspan_kernels::{Executor, Expression, Update, constant, input, previous};
use arrayspan_operators::{LinearMap, LinearOperator, Space, Workspace};

use crate::history::{History, Norms};
use crate::{Error, Observer, Progress, Result, Solution, Stop, Stopped};

/// `min ‖y - A x‖² + damping² ‖x‖²` for any linear `A`.
///
/// `A` may be of any shape and rank; with `damping = 0` and a rank-deficient `A` the part of the start
/// vector that `A` does not see is kept. Breakdowns: an exactly zero gradient ends with
/// [`Stopped::Gradient`]; NaN or infinity, in `y` or from overflow, with [`Stopped::NotFinite`].
///
/// Scalars stay on the device. The host looks every [`look`](Self::look) iterations, so a tolerance may be
/// overshot by fewer than that; once the gradient is zero further iterations change nothing.
///
/// Storage: `3n + 2m` elements (`n` model, `m` data) and `2 look + 4` scalars. Values moved an iteration:
/// `7n + 5m` (`11n + 5m` with damping) and one application of `A` and of `Aᴴ` (test `bytes::cgls`).
///
/// Reference: Björck, Numerical Methods for Least Squares Problems, SIAM 1996, algorithm 7.4.1.
/// Golden: PyLops 2.8.0 `cgls` (which takes `damping` for `damping²` in its first step when `x₀ ≠ 0`).
///
/// ```
/// use arrayspan_bridge::{Array, DType};
/// use arrayspan_operators::{Edge, FirstDerivative, LinearOperator, Scheme, Space};
/// use arrayspan_solvers::{Cgls, Stop};
///
/// let space = Space::new([64], DType::Float64);
/// let a = FirstDerivative::new(space, 0, 1.0, Scheme::Centered3, Edge::Reduced)?;
/// let y = Array::from_slice(&[1.0; 64], [64])?;
/// let solution = Cgls { stop: Stop::after(40), ..Cgls::default() }.solve(&a, &y)?;
/// assert!(solution.residuals[40] < 1e-6 * solution.residuals[0]);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cgls {
    /// How much the size of `x` counts: `damping² ‖x‖²` is added to the misfit.
    pub damping: f64,
    /// When to stop.
    pub stop: Stop,
    /// Iterations between two looks of the host, at least 1.
    pub look: usize,
}

impl Default for Cgls {
    /// No damping, the default [`Stop`], a look every 10 iterations.
    fn default() -> Self {
        Self { damping: 0.0, stop: Stop::default(), look: 10 }
    }
}

/// The vectors of [`Cgls`], for one operator on one device; usable for many right-hand sides.
#[derive(Debug)]
pub struct CglsWorkspace {
    /// `y - A x`
    residual: Array,
    /// `A c`
    image: Array,
    /// `Aᴴ (y - A x) - damping² x`
    gradient: Array,
    /// The conjugate direction, `c`.
    direction: Array,
    history: History,
    /// `‖A c‖²`, then `‖c‖²`.
    curvature: [Array; 2],
    operator: Workspace,
}

impl Cgls {
    const NAME: &str = "Cgls";

    /// Solves from `x = 0`.
    ///
    /// # Errors
    /// When `y` does not fit `A`, a parameter makes no sense, or the device fails or is out of memory.
    pub fn solve(&self, a: &(impl LinearMap + ?Sized), y: &Array) -> Result<Solution> {
        self.solve_from(a, y, None, &mut ())
    }

    /// Solves from `start` (`None`: zero), watched by `observer`.
    ///
    /// # Errors
    /// As [`solve`](Self::solve), and when `start` does not fit `A`.
    pub fn solve_from(
        &self,
        a: &(impl LinearMap + ?Sized),
        y: &Array,
        start: Option<Array>,
        observer: &mut dyn Observer,
    ) -> Result<Solution> {
        let on = arrayspan_kernels::on(y.device())?;
        let mut workspace = self.workspace(a, &*on)?;
        self.solve_in(&mut workspace, &*on, a, y.view(), start, observer)
    }

    /// The vectors that [`solve_in`](Self::solve_in) needs.
    ///
    /// # Errors
    /// Out of memory, or a parameter that makes no sense.
    pub fn workspace(
        &self,
        a: &(impl LinearMap + ?Sized),
        on: &dyn Executor,
    ) -> Result<CglsWorkspace> {
        self.check()?;
        let array = |space: &Space| on.empty(space.shape(), space.dtype());
        let (model, data) = (a.domain(), a.range());
        let scalar = || on.empty(&[], data.dtype());
        Ok(CglsWorkspace {
            residual: array(data)?,
            image: array(data)?,
            gradient: array(model)?,
            direction: array(model)?,
            history: History::new(on, data.dtype(), self.look)?,
            curvature: [scalar()?, scalar()?],
            operator: Workspace::of(a, on)?,
        })
    }

    /// Solves on `on` with vectors that are already there.
    ///
    /// # Errors
    /// As [`solve_from`](Self::solve_from); a workspace of another operator or device.
    pub fn solve_in(
        &self,
        workspace: &mut CglsWorkspace,
        on: &dyn Executor,
        a: &(impl LinearMap + ?Sized),
        y: View<'_>,
        start: Option<Array>,
        observer: &mut dyn Observer,
    ) -> Result<Solution> {
        self.check()?;
        let mut x = self.begin(workspace, on, a, &y, start)?;
        on.sum(&input(0).abs2(), &[y], workspace.curvature[0].view_mut())?;
        let data = crate::read::reals(&workspace.curvature[0].view())?[0].sqrt();
        let (mut seen, mut ahead) = (Norms::default(), 0);
        loop {
            workspace.history.read(ahead, &mut seen)?;
            let (residual, gradient) = seen.last();
            let iteration = seen.iterations();
            let progress = Progress { iteration, residual, gradient, solution: x.view() };
            let watched = observer.observe(&progress);
            let asked = (watched == ControlFlow::Break(())).then_some(Stopped::Observer);
            if let Some(stopped) = self.stop.judge(&seen, data).or(asked) {
                let residuals = seen.residuals;
                return Ok(Solution { x, iterations: iteration, residuals, stopped });
            }
            workspace.history.restart(on, ahead)?;
            ahead = self.look.min(self.stop.iterations - iteration);
            for step in 0..ahead {
                self.iterate(workspace, on, a, &mut x, step)?;
            }
        }
    }

    /// The state before the first iteration.
    fn begin(
        &self,
        w: &mut CglsWorkspace,
        on: &dyn Executor,
        a: &(impl LinearMap + ?Sized),
        y: &View<'_>,
        start: Option<Array>,
    ) -> Result<Array> {
        on.copy(y.clone(), w.residual.view_mut(), Update::set())?;
        let x = if let Some(x) = start {
            let subtract = Update::new(-1.0, 1.0);
            a.apply_with(&mut w.operator, on, x.view(), w.residual.view_mut(), subtract)?;
            x
        } else {
            let mut x = on.empty(a.domain().shape(), a.domain().dtype())?;
            on.map(&constant(0.0), &[], x.view_mut())?;
            x
        };
        self.descend(w, on, a, &x, 0)?;
        on.copy(w.gradient.view(), w.direction.view_mut(), Update::set())?;
        Ok(x)
    }

    /// One step along the conjugate direction. All of it is enqueued; nothing comes to the host.
    fn iterate(
        &self,
        w: &mut CglsWorkspace,
        on: &dyn Executor,
        a: &(impl LinearMap + ?Sized),
        x: &mut Array,
        step: usize,
    ) -> Result<()> {
        let (direction, image) = (w.direction.view(), w.image.view_mut());
        a.apply_with(&mut w.operator, on, direction, image, Update::set())?;
        let [image_norm, direction_norm] = &mut w.curvature;
        on.sum(&input(0).abs2(), &[w.image.view()], image_norm.view_mut())?;
        let mut curvature = input(2);
        let mut scalars = vec![w.history.gradient(step)?, image_norm.view()];
        if self.damping != 0.0 {
            on.sum(&input(0).abs2(), &[w.direction.view()], direction_norm.view_mut())?;
            curvature = curvature + constant(self.damping * self.damping) * input(3);
            scalars.push(direction_norm.view());
        }
        let length = input(1).div_or_zero(curvature);
        let moved = |sign: Expression| previous() + sign * length.clone() * input(0);
        let with = |view| [&[view], scalars.as_slice()].concat();
        on.map(&moved(constant(1.0)), &with(w.direction.view()), x.view_mut())?;
        on.map(&moved(constant(-1.0)), &with(w.image.view()), w.residual.view_mut())?;
        self.descend(w, on, a, x, step + 1)?;
        let ratio = [w.gradient.view(), w.history.gradient(step + 1)?, w.history.gradient(step)?];
        let conjugate = input(0) + input(1).div_or_zero(input(2)) * previous();
        Ok(on.map(&conjugate, &ratio, w.direction.view_mut())?)
    }

    /// The gradient and both norms, for slot `step`.
    fn descend(
        &self,
        w: &mut CglsWorkspace,
        on: &dyn Executor,
        a: &(impl LinearMap + ?Sized),
        x: &Array,
        step: usize,
    ) -> Result<()> {
        let mut update = Update::set();
        if self.damping != 0.0 {
            let pull = Update::new(-self.damping * self.damping, 0.0);
            on.copy(x.view(), w.gradient.view_mut(), pull)?;
            update = Update::add();
        }
        let (residual, gradient) = (w.residual.view(), w.gradient.view_mut());
        a.apply_adjoint_with(&mut w.operator, on, residual, gradient, update)?;
        on.sum(&input(0).abs2(), &[w.residual.view()], w.history.residual_mut(step)?)?;
        Ok(on.sum(&input(0).abs2(), &[w.gradient.view()], w.history.gradient_mut(step)?)?)
    }

    fn check(&self) -> Result<()> {
        let wrong = |why: String| Err(Error::Parameter { solver: Self::NAME, why });
        if !(self.damping.is_finite() && self.damping >= 0.0) {
            return wrong(format!("damping {} is not a number ≥ 0", self.damping));
        }
        if self.look == 0 {
            return wrong("the host must look after at least 1 iteration".into());
        }
        if self.stop.residual.is_nan() || self.stop.gradient.is_nan() {
            return wrong("a tolerance is NaN".into());
        }
        Ok(())
    }
}
