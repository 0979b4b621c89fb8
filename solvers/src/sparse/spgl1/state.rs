//! The model of a run of [`Spgl1`](super::Spgl1), and steps and projections of it.

use arrayspan_bridge::{Array, View};
use arrayspan_kernels::{
    Executor, Update, Vector, VectorMut, constant, input, previous, widest_real,
};
use arrayspan_operators::{LinearMap, LinearOperator, Operator, Workspace};

use crate::Result;
use crate::engine::read::reals;
use crate::engine::system::real_dot;
use crate::sparse::read::norm;
use crate::sparse::threshold::{Shape, write};

/// The share of the descent that a step has to make.
const DESCENT: f64 = 1e-4;
/// The most halvings of a step.
const HALVINGS: usize = 30;
/// The most steps to the level of a projection, which are few: each makes the set smaller of elements that stay.
const LEVELS: usize = 200;

/// A problem under way.
pub(super) struct State<'a> {
    on: &'a dyn Executor,
    a: &'a Operator,
    pub(super) y: View<'a>,
    work: Workspace,
    pub(super) x: Array,
    next: Array,
    residual: Array,
    next_residual: Array,
    /// `Aᴴ (y - A x)`
    gradient: Array,
    size: Array,
    number: Array,
}

impl<'a> State<'a> {
    pub(super) fn new(on: &'a dyn Executor, a: &'a Operator, y: View<'a>) -> Result<Self> {
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
    pub(super) fn descend(&mut self) -> Result<()> {
        let (r, gradient) = (self.residual.view(), self.gradient.view_mut());
        Ok(self.a.apply_adjoint_with(&mut self.work, self.on, r, gradient, Update::set())?)
    }

    /// `‖Aᴴ r‖_∞`
    pub(super) fn steepest(&mut self) -> Result<f64> {
        if self.gradient.layout().is_empty() {
            return Ok(0.0);
        }
        self.gradient.abs().max_into(self.on, &mut self.number)?;
        self.read()
    }

    /// `Re <r, r - y>`
    pub(super) fn gap(&mut self) -> Result<f64> {
        let rest = (&self.residual - &self.y).compute_on(self.on)?;
        real_dot(self.on, &self.residual, &rest, &mut self.number)?;
        self.read()
    }

    fn read(&self) -> Result<f64> {
        Ok(reals(&self.number.view())?[0])
    }

    /// A first step, whose length is the radius of the ball.
    pub(super) fn first_length(&mut self, tau: f64) -> Result<f64> {
        let size = norm(self.on, &self.gradient)?;
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
    pub(super) fn begin_anew(&mut self, tau: f64) -> Result<f64> {
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
