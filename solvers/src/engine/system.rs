//! What a recurrence computes with: the operator as the run has it, and its vectors and scalars side by side.

use arrayspan_bridge::{Array, AsView, Axes, Elementwise, View, ViewMut};
use arrayspan_kernels::{Executor, Reduction, Update, Vector, VectorMut};
use arrayspan_operators::{LinearMap, LinearOperator, Operator, Workspace};

use super::history::{History, State};
use super::run::{Method, Run};
use super::scale::{Scale, times};
use super::workspace::SolverWorkspace;
use crate::Result;

/// The parts of a run that a recurrence uses side by side.
#[derive(Debug)]
pub(crate) struct Parts<'a, V> {
    pub(crate) system: System<'a>,
    pub(crate) vectors: &'a mut V,
    pub(crate) history: &'a mut History,
    pub(crate) x: &'a mut Array,
    pub(crate) next: Option<&'a State>,
    pub(crate) on: &'a dyn Executor,
}

/// The operator as the run has it: scaled by `μ`.
#[derive(Debug)]
pub(crate) struct System<'a> {
    on: &'a dyn Executor,
    a: &'a dyn LinearMap,
    scale: Scale,
    work: &'a mut Workspace,
    preconditioner: Option<(&'a Operator, &'a mut Workspace)>,
}

impl<M: Method> Run<'_, M> {
    pub(crate) fn parts(&mut self) -> Parts<'_, M::Vectors> {
        let Self { method, w, on, a, scale, x, next, .. } = self;
        let SolverWorkspace { vectors, history, operator, inner, .. } = &mut **w;
        let preconditioner = method.preconditioner().zip(inner.as_mut());
        let system = System { on: *on, a: *a, scale: *scale, work: operator, preconditioner };
        Parts { system, vectors, history, x, next: next.as_ref(), on: *on }
    }
}

impl System<'_> {
    /// `y ← μ A x`
    ///
    /// Not by an update with `μ`, which an operator may multiply by its own factors or by `x` first.
    pub(crate) fn forward(&mut self, x: impl AsView, y: &mut Array) -> Result<()> {
        self.a.apply_with(self.work, self.on, x.as_view(), y.view_mut(), Update::set())?;
        self.scaled(y)
    }

    /// `y ← alpha · μ A x + beta · y`, with numbers that are on the device.
    pub(crate) fn forward_into(
        &mut self,
        [alpha, beta]: [&View<'_>; 2],
        x: &Array,
        y: &mut Array,
    ) -> Result<()> {
        if self.takes([alpha, beta]) {
            let update = Update::new(alpha, beta);
            return Ok(self.a.apply_with(self.work, self.on, x.view(), y.view_mut(), update)?);
        }
        let mut image = self.on.empty(y.shape(), y.dtype())?;
        self.forward(x, &mut image)?;
        Ok(y.update_on(self.on, |y| alpha * &image + beta * y)?)
    }

    /// `x ← alpha · μ Aᴴ y + beta · x`, with numbers that are on the device.
    pub(crate) fn adjoint_into(
        &mut self,
        [alpha, beta]: [&View<'_>; 2],
        y: &Array,
        x: &mut Array,
    ) -> Result<()> {
        if self.takes([alpha, beta]) {
            let update = Update::new(alpha, beta);
            return Ok(self.a.apply_adjoint_with(
                self.work,
                self.on,
                y.view(),
                x.view_mut(),
                update,
            )?);
        }
        let mut image = self.on.empty(x.shape(), x.dtype())?;
        self.adjoint(y, &mut image)?;
        Ok(x.update_on(self.on, |x| alpha * &image + beta * x)?)
    }

    /// Whether the operator itself can add by these numbers: not several, for one right-hand side each.
    fn takes(&self, factors: [&View<'_>; 2]) -> bool {
        self.scale.operator == 0 && factors.iter().all(|factor| factor.layout().len() == 1)
    }

    /// `x ← μ Aᴴ y`
    pub(crate) fn adjoint(&mut self, y: &Array, x: &mut Array) -> Result<()> {
        self.a.apply_adjoint_with(self.work, self.on, y.view(), x.view_mut(), Update::set())?;
        self.scaled(x)
    }

    fn scaled(&self, out: &mut Array) -> Result<()> {
        if self.scale.operator == 0 {
            return Ok(());
        }
        let (dtype, operator) = (out.dtype(), self.scale.operator);
        Ok(out.update_on(self.on, |out| times(operator, dtype, out))?)
    }

    /// `z ← M r`, where there is a preconditioner.
    pub(crate) fn precondition(&mut self, r: impl AsView, z: &mut Array) -> Result<()> {
        match &mut self.preconditioner {
            Some((m, work)) => {
                Ok(m.apply_with(work, self.on, r.as_view(), z.view_mut(), Update::set())?)
            }
            None => Ok(()),
        }
    }
}

/// `out ← Re Σ conj(a) b`: the inner product of complex vectors as real ones, in which real-linear operators have their
/// adjoint, and which is all that recurrences with real coefficients need. Of several right-hand sides `out` has one for each.
pub(crate) fn real_dot<'o>(
    on: &dyn Executor,
    a: &Array,
    b: &Array,
    out: impl Into<ViewMut<'o>>,
) -> Result<()> {
    sum_into(on, &(a.conj() * b).re(), out.into())
}

/// `out ← Σ |x|²`. Of several right-hand sides `out` has one for each.
pub(crate) fn squared_into<'o>(
    on: &dyn Executor,
    x: &impl Vector,
    out: impl Into<ViewMut<'o>>,
) -> Result<()> {
    let out = out.into();
    if out.shape().is_empty() {
        return Ok(x.norm_squared_into(on, out)?);
    }
    sum_into(on, &x.abs2(), out)
}

/// `x ← value(x)`, and `out ← Σ |x|²` of what is written: one pass, of several right-hand sides two.
pub(crate) fn update_squared<'a, 'o>(
    on: &dyn Executor,
    x: &mut Array,
    out: impl Into<ViewMut<'o>>,
    value: impl FnOnce(Elementwise<'a>) -> Elementwise<'a>,
) -> Result<()> {
    let out = out.into();
    if out.shape().is_empty() {
        return Ok(x.update_with_norm_squared_on(on, out, value)?);
    }
    x.update_on(on, value)?;
    squared_into(on, &*x, out)
}

/// The sum of all elements, or of those of each right-hand side, where `out` has an axis of these.
fn sum_into(on: &dyn Executor, value: &Elementwise<'_>, out: ViewMut<'_>) -> Result<()> {
    if out.shape().is_empty() {
        return Ok(value.sum_into(on, out)?);
    }
    let rank = value.inputs().iter().map(|view| view.shape().len()).max().unwrap_or(0);
    let axes: Axes = (0..rank.saturating_sub(1)).collect();
    Ok(value.reduce_into(on, Reduction::Sum, axes, out)?)
}
