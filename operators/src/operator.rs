//! What a linear operator is: for those who write one, and for those who use one.

use std::fmt::Debug;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, View, ViewMut};
use arrayspan_kernels::{Executor, Update};

use crate::{Context, Error, Operator, Result, Space, Workspace, algebra};

/// What the author of an operator writes: two spaces and two directions.
///
/// Arguments arrive checked (shape, dtype and device fit, input and output do not overlap); directions are
/// enqueued verbs and do not wait. Users call [`LinearOperator`], which every `LinearMap` is.
pub trait LinearMap: Debug + Send + Sync {
    /// What errors, traces and profiles call it.
    fn name(&self) -> &'static str;

    /// Where models live.
    fn domain(&self) -> &Space;

    /// Where data live.
    fn range(&self) -> &Space;

    /// `y ← alpha · A x + beta · y`
    ///
    /// # Errors
    /// When the device fails.
    fn forward(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()>;

    /// `x ← alpha · Aᴴ y + beta · x`
    ///
    /// # Errors
    /// When the device fails.
    fn adjoint(&self, on: Context<'_>, y: View<'_>, x: ViewMut<'_>, update: Update) -> Result<()>;

    /// The bytes either direction takes from [`Context::scratch`].
    fn workspace(&self) -> usize {
        0
    }

    /// The device of the arrays the operator holds, if it holds any.
    fn device(&self) -> Option<Device> {
        None
    }
}

/// What the user of an operator calls. Every [`LinearMap`] is one, so no operator can skip the checks.
pub trait LinearOperator: LinearMap {
    /// `y ← alpha · A x + beta · y`. Enqueued; does not wait.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::DType`], [`Error::WrongDevice`]; out of memory for intermediate results.
    fn apply(&self, on: &dyn Executor, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        self.apply_with(&mut Workspace::of(self, on)?, on, x, y, update)
    }

    /// `x ← alpha · Aᴴ y + beta · x`. Enqueued; does not wait.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    fn apply_adjoint(
        &self,
        on: &dyn Executor,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        self.apply_adjoint_with(&mut Workspace::of(self, on)?, on, y, x, update)
    }

    /// As [`apply`](Self::apply), with memory for intermediate results from `workspace`.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    fn apply_with(
        &self,
        workspace: &mut Workspace,
        on: &dyn Executor,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        fits(self, on, "model", self.domain(), &x)?;
        fits(self, on, "data", self.range(), &y.view())?;
        LinearMap::forward(self, workspace.context(on), x, y, update)
    }

    /// As [`apply_adjoint`](Self::apply_adjoint), with memory for intermediate results from `workspace`.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    fn apply_adjoint_with(
        &self,
        workspace: &mut Workspace,
        on: &dyn Executor,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        fits(self, on, "data", self.range(), &y)?;
        fits(self, on, "model", self.domain(), &x.view())?;
        LinearMap::adjoint(self, workspace.context(on), y, x, update)
    }

    /// `A x` in a new array, on the device of `x`. Enqueued; does not wait.
    ///
    /// # Errors
    /// As [`apply`](Self::apply); out of memory.
    fn forward(&self, x: &Array) -> Result<Array> {
        let on = arrayspan_kernels::on(x.device())?;
        let mut y = on.empty(self.range().shape(), self.range().dtype())?;
        self.apply(&*on, x.view(), y.view_mut(), Update::set())?;
        Ok(y)
    }

    /// `Aᴴ y` in a new array, on the device of `y`. Enqueued; does not wait.
    ///
    /// # Errors
    /// As [`apply`](Self::apply); out of memory.
    fn adjoint(&self, y: &Array) -> Result<Array> {
        let on = arrayspan_kernels::on(y.device())?;
        let mut x = on.empty(self.domain().shape(), self.domain().dtype())?;
        self.apply_adjoint(&*on, y.view(), x.view_mut(), Update::set())?;
        Ok(x)
    }

    /// The product `A B`: first `inner`, then this. Costs what both do, and a workspace of one array between.
    ///
    /// # Errors
    /// [`Error::Spaces`] unless the range of `inner` is the domain of this; [`Error::Devices`] when they live
    /// on different devices.
    fn after(self, inner: impl LinearMap + 'static) -> Result<Operator>
    where
        Self: Sized + 'static,
    {
        algebra::product(Operator::new(self), Operator::new(inner))
    }
}

impl<A: LinearMap + ?Sized> LinearOperator for A {}

fn fits(
    operator: &(impl LinearMap + ?Sized),
    on: &dyn Executor,
    argument: &'static str,
    space: &Space,
    array: &View<'_>,
) -> Result<()> {
    let name = operator.name();
    if array.shape() != space.shape() {
        let (expected, found) = (space.shape().to_vec(), array.shape().to_vec());
        return Err(Error::Shape { operator: name, argument, expected, found });
    }
    if array.dtype() != space.dtype() {
        let (expected, found) = (space.dtype(), array.dtype());
        return Err(Error::DType { operator: name, argument, expected, found });
    }
    let own = operator.device().map(|device| ("the operator itself", device));
    for (argument, found) in [(argument, array.device())].into_iter().chain(own) {
        if found != on.device() {
            let expected = on.device();
            return Err(Error::WrongDevice { operator: name, argument, expected, found });
        }
    }
    Ok(())
}
