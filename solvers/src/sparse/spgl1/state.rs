//! The model of a run of [`Spgl1`](super::Spgl1), and steps and projections of it.

use arrayspan_bridge::{Array, View};
use arrayspan_kernels::{
    Executor, Update, Vector, VectorMut, constant, input, previous, widest_real,
};
use arrayspan_operators::{LinearMap, LinearOperator, Operator, Workspace};

use crate::Result;
use crate::engine::read::{largest, reals, squared};
use crate::engine::{Fit, SolverWorkspace};
use crate::sparse::threshold::{Shape, write};

/// The share of the descent that a step has to make.
const DESCENT: f64 = 1e-4;
/// The most halvings of a step.
const HALVINGS: usize = 30;
/// The most steps to the level of a projection, which are few: each makes the set smaller of elements that stay.
const LEVELS: usize = 200;

/// What [`Spgl1`](super::Spgl1) works in: made once for an operator, for many data ([`Spgl1::workspace`](super::Spgl1::workspace)).
#[derive(Debug)]
pub struct Spgl1Workspace {
    work: Workspace,
    next: Array,
    residual: Array,
    next_residual: Array,
    /// `Aᴴ (y - A x)`
    gradient: Array,
    size: Array,
    number: Array,
}

/// A problem under way.
pub(super) struct State<'a> {
    on: &'a dyn Executor,
    a: &'a Operator,
    pub(super) y: View<'a>,
    pub(super) x: Array,
    w: &'a mut Spgl1Workspace,
}

impl Spgl1Workspace {
    /// For `a`, where `on` computes.
    pub(super) fn new(a: &Operator, on: &dyn Executor) -> Result<Self> {
        let (domain, range) = (a.domain(), a.range());
        let model = || on.empty(domain.shape(), domain.dtype());
        let data = || on.empty(range.shape(), range.dtype());
        Ok(Self {
            work: Workspace::of(a, on)?,
            next: model()?,
            residual: data()?,
            next_residual: data()?,
            gradient: model()?,
            size: on.empty(domain.shape(), domain.dtype().real())?,
            number: on.empty(&[], widest_real(on.device()))?,
        })
    }

    /// Fails unless it is one for `a` on the device.
    pub(super) fn check(&self, fit: Fit, a: &Operator, on: &dyn Executor) -> Result<()> {
        fit.array("the workspace's model", a.domain(), &self.next.view())?;
        fit.array("the workspace's residual", a.range(), &self.residual.view())?;
        SolverWorkspace::<()>::enough(fit, &self.work, a, on)
    }
}

impl<'a> State<'a> {
    /// At zero.
    pub(super) fn new(
        on: &'a dyn Executor,
        a: &'a Operator,
        y: View<'a>,
        w: &'a mut Spgl1Workspace,
    ) -> Result<Self> {
        let mut x = on.empty(a.domain().shape(), a.domain().dtype())?;
        x.assign_on(on, 0.0)?;
        on.copy(y.clone(), w.residual.view_mut(), Update::set())?;
        Ok(Self { on, a, y, x, w })
    }

    /// The norm of the data. Waits for it.
    pub(super) fn size(&mut self) -> Result<f64> {
        Ok(squared(self.on, &mut self.w.number, &self.y)?.sqrt())
    }

    /// `Aᴴ r`
    pub(super) fn descend(&mut self) -> Result<()> {
        let Spgl1Workspace { work, residual, gradient, .. } = &mut *self.w;
        let (r, gradient) = (residual.view(), gradient.view_mut());
        Ok(self.a.apply_adjoint_with(work, self.on, r, gradient, Update::set())?)
    }

    /// `‖Aᴴ r‖_∞`
    pub(super) fn steepest(&mut self) -> Result<f64> {
        let w = &mut *self.w;
        if w.gradient.layout().is_empty() {
            return Ok(0.0);
        }
        largest(self.on, &mut w.number, &w.gradient)
    }

    /// `Re <r, r - y>`
    pub(super) fn gap(&mut self) -> Result<f64> {
        let Spgl1Workspace { residual, number, .. } = &mut *self.w;
        let rest = &*residual - &self.y;
        (residual.conj() * rest).re().sum_into(self.on, &mut *number)?;
        self.read()
    }

    fn read(&self) -> Result<f64> {
        Ok(reals(&self.w.number.view())?[0])
    }

    /// A first step, whose length is the radius of the ball.
    pub(super) fn first_length(&mut self, tau: f64) -> Result<f64> {
        let size = squared(self.on, &mut self.w.number, &self.w.gradient)?.sqrt();
        Ok(if size > 0.0 { tau / size } else { 0.0 })
    }

    /// The next model along the projection arc, with its misfit and the length of the next step; `None` if there is none.
    pub(super) fn search(
        &mut self,
        mut step: f64,
        tau: f64,
        most: f64,
    ) -> Result<Option<(f64, Option<f64>)>> {
        for _ in 0..HALVINGS {
            let (on, x, w) = (self.on, &self.x, &mut *self.w);
            w.next.assign_on(on, x + step * &w.gradient)?;
            let misfit = self.project(tau)?;
            if !misfit.is_finite() {
                return Ok(Some((misfit, None)));
            }
            let (x, w) = (&self.x, &mut *self.w);
            let change = || &w.next - x;
            (w.gradient.conj() * change()).re().sum_into(on, &mut w.number)?;
            let descent = reals(&w.number.view())?[0];
            let moved = squared(on, &mut w.number, &change())?.sqrt();
            if moved == 0.0 {
                return Ok(None);
            }
            if misfit * misfit <= most - 2.0 * DESCENT * descent {
                let image = &w.next_residual - &w.residual;
                let image = squared(on, &mut w.number, &image)?.sqrt();
                self.accept();
                let quotient = (moved / image).powi(2);
                return Ok(Some((misfit, (image > 0.0).then_some(quotient))));
            }
            step *= 0.5;
        }
        Ok(None)
    }

    /// The model, projected onto another ball: its misfit.
    pub(super) fn begin_anew(&mut self, tau: f64) -> Result<f64> {
        self.on.copy(self.x.view(), self.w.next.view_mut(), Update::set())?;
        let misfit = self.project(tau)?;
        self.accept();
        self.descend()?;
        Ok(misfit)
    }

    /// Takes the next model for the present one.
    fn accept(&mut self) {
        let w = &mut *self.w;
        std::mem::swap(&mut self.x, &mut w.next);
        std::mem::swap(&mut w.residual, &mut w.next_residual);
    }

    /// Projects the next model onto the ball `‖x‖₁ ≤ τ`: its misfit.
    fn project(&mut self, tau: f64) -> Result<f64> {
        let (on, w) = (self.on, &mut *self.w);
        on.map_many(&[w.next.view()], [(input(0).abs(), w.size.view_mut())])?;
        let level = self.level(tau)?;
        let Spgl1Workspace { work, next, next_residual, number, .. } = &mut *self.w;
        if level > 0.0 {
            let complex = next.dtype().is_complex();
            let value = Shape::Soft.of(previous(), constant(level), complex);
            write(on, &value, &[], next.view_mut())?;
        }
        let image = next_residual.view_mut();
        self.a.apply_with(work, on, next.view(), image, Update::set())?;
        let y = &self.y;
        next_residual.update_on(on, |image| y - image)?;
        Ok(squared(on, number, &*next_residual)?.sqrt())
    }

    /// The level at which a soft threshold leaves `Σ |x| = τ`; zero if it is less anyway.
    ///
    /// By Newton's method from zero, for a sum that falls and is convex: never too far, and exact once the elements that stay are known.
    fn level(&mut self, tau: f64) -> Result<f64> {
        let (on, mut level) = (self.on, 0.0);
        for _ in 0..LEVELS {
            let excess = (input(0) - constant(level)).max(constant(0.0));
            on.sum(&excess, &[self.w.size.view()], self.w.number.view_mut())?;
            let sum = self.read()?;
            let counted = excess.clone().div_or_zero(excess);
            on.sum(&counted, &[self.w.size.view()], self.w.number.view_mut())?;
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
