//! What a linear operator is for those who use one.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, AsView, View, ViewMut};
use arrayspan_kernels::{Executor, Update};

use crate::arguments::{Side, fits, holds};
use crate::linear_map::LinearMap;
use crate::{Result, Space, Workspace};

/// What the user of an operator calls. Every [`LinearMap`] is one, `dyn LinearMap` too, so no operator can skip the checks.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::{Array, DType, devices::Device};
/// use arrayspan_operators::kernels::on;
/// use arrayspan_operators::prelude::*;
///
/// let space = Space::new([4], DType::Float64)?;
/// let slope = FirstDerivative::new(space, 0, 0.5, Scheme::Forward, Edge::Zero)?;
/// let mut x = Array::empty([4], DType::Float64, &Device::cpu().stream()?)?;
/// x.view_mut().as_mut_slice()?.copy_from_slice(&[1.0, 2.0, 4.0, 4.0]);
///
/// let mut y = slope.forward(&x)?; // in a new array, where x lives
/// assert_eq!(y.view().as_slice::<f64>()?, [2.0, 4.0, 0.0, 0.0]);
///
/// let on = on(x.device())?; // y ← 3 A x + y, many times in the same memory
/// let mut workspace = Workspace::of(&slope, &*on)?;
/// slope.apply_with(&mut workspace, &*on, x.view(), y.view_mut(), Update::new(3.0, 1.0))?;
/// assert_eq!(y.view().as_slice::<f64>()?, [8.0, 16.0, 0.0, 0.0]);
/// # Ok(()) }
/// ```
pub trait LinearOperator: LinearMap {
    /// `y ← alpha · A x + beta · y`. Enqueued; does not wait.
    ///
    /// Factors are numbers of the host, or arrays of one element where `y` is (see [`Update`]), which nobody waits for:
    /// `Update::new(1.0, -Factor::from(&beta))` is `y ← A x - beta y` with the result of a reduction.
    ///
    /// `on` computes on the device of the arrays. An operator with [devices](LinearMap::devices) of its own takes an executor
    /// of any of them: what it does on the others is done by theirs (see [`Workspace`]).
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape), [`Error::DType`](crate::Error::DType),
    /// [`Error::WrongDevice`](crate::Error::WrongDevice) when an array does not fit,
    /// [`Error::WrongExecutor`](crate::Error::WrongExecutor) when `on` computes on none of the operator's devices,
    /// [`Error::Parameter`](crate::Error::Parameter) for complex factors on real arrays, and for factors that their dtype cannot hold: not finite,
    /// beyond its largest or below its normal numbers; [`Error::FactorDevice`](crate::Error::FactorDevice) for a factor on
    /// another device than `y`; out of memory for intermediate results.
    #[track_caller]
    fn apply(&self, on: &dyn Executor, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        self.apply_with(&mut Workspace::of(self, on)?, on, x, y, update)
    }

    /// `x ← alpha · Aᴴ y + beta · x`. Enqueued; does not wait.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    #[track_caller]
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
    /// As [`apply`](Self::apply); [`Error::Parameter`](crate::Error::Parameter) when the workspace is too small.
    fn apply_with(
        &self,
        workspace: &mut Workspace,
        on: &dyn Executor,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        fits(self, on, Side::Model, &x)?;
        fits(self, on, Side::Data, &y.view())?;
        holds(self, self.range(), y.device(), update)?;
        self.enqueue(workspace.context(self, on)?, x, y, update)
    }

    /// As [`apply_adjoint`](Self::apply_adjoint), with memory for intermediate results from `workspace`.
    ///
    /// # Errors
    /// As [`apply_with`](Self::apply_with).
    fn apply_adjoint_with(
        &self,
        workspace: &mut Workspace,
        on: &dyn Executor,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        fits(self, on, Side::Data, &y)?;
        fits(self, on, Side::Model, &x.view())?;
        holds(self, self.domain(), x.device(), update)?;
        self.enqueue_adjoint(workspace.context(self, on)?, y, x, update)
    }

    /// Builds what [`forward`](Self::forward) and [`adjoint`](Self::adjoint) launch on the device of `on`, side by side on all
    /// cores where the device's compiler bears it, so that the first application need not wait for one kernel after the
    /// other; how many were not there yet. Applications with other factors than those of `Update::set()`, or of views
    /// with gaps, may take kernels of their own. Waits for the compiler.
    ///
    /// Takes a model and data from the device for as long as it runs. On devices that run no kernels it does nothing.
    /// An operator with parts on [other devices](LinearMap::elsewhere) builds what those launch one after the other.
    ///
    /// # Errors
    /// As [`apply`](Self::apply); a kernel that cannot be built.
    #[track_caller]
    fn warm_up(&self, on: &dyn Executor) -> Result<usize> {
        arrayspan_kernels::warm_up(on.stream(), |on| {
            let devices = self.devices();
            let mut x = new(self.domain(), on, devices.map(|devices| devices.domain))?;
            let mut y = new(self.range(), on, devices.map(|devices| devices.range))?;
            self.apply(on, x.view(), y.view_mut(), Update::set())?;
            self.apply_adjoint(on, y.view(), x.view_mut(), Update::set())
        })
    }

    /// `A x` of whatever lends a view (an array, a shared one, a part of one), in a new array, on the device of `x`, or where
    /// the operator's [data](LinearMap::devices) live. Enqueued; does not wait.
    ///
    /// # Errors
    /// As [`apply`](Self::apply); out of memory.
    #[track_caller]
    fn forward(&self, x: impl AsView) -> Result<Array> {
        let x = x.as_view();
        let devices = self.devices();
        let on = arrayspan_kernels::on(devices.map_or(x.device(), |devices| devices.domain))?;
        let mut y = new(self.range(), &*on, devices.map(|devices| devices.range))?;
        self.apply(&*on, x, y.view_mut(), Update::set())?;
        Ok(y)
    }

    /// `Aᴴ y` of whatever lends a view, in a new array, on the device of `y`, or where the operator's [models](LinearMap::devices) live. Enqueued;
    /// does not wait.
    ///
    /// # Errors
    /// As [`apply`](Self::apply); out of memory.
    #[track_caller]
    fn adjoint(&self, y: impl AsView) -> Result<Array> {
        let y = y.as_view();
        let devices = self.devices();
        let on = arrayspan_kernels::on(devices.map_or(y.device(), |devices| devices.range))?;
        let mut x = new(self.domain(), &*on, devices.map(|devices| devices.domain))?;
        self.apply_adjoint(&*on, y, x.view_mut(), Update::set())?;
        Ok(x)
    }
}

impl<A: LinearMap + ?Sized> LinearOperator for A {}

/// A new array for results, where the caller's executor computes or on a device that is named.
#[track_caller]
pub(crate) fn new(space: &Space, on: &dyn Executor, device: Option<Device>) -> Result<Array> {
    let (shape, dtype) = (space.shape(), space.dtype());
    match device.filter(|device| *device != on.device()) {
        None => Ok(on.empty(shape, dtype)?),
        Some(device) => Ok(arrayspan_kernels::on(device)?.empty(shape, dtype)?),
    }
}
