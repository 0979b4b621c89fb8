//! What a linear operator is: for those who write one, and for those who use one.

use std::fmt::Debug;
use std::sync::Arc;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, AsView, View, ViewMut};
use arrayspan_kernels::{Executor, Update};

use crate::arguments::{Side, fits, holds};
use crate::{Context, Devices, Properties, Result, Space, Workspace};

/// An operator of which nothing is known but its two spaces and two directions: what an author writes where no
/// [`Form`](crate::Form) says it. [`Operator::new`](crate::Operator::new) makes one an [`Operator`](crate::Operator).
///
/// Arguments arrive checked (shape, dtype and device fit, input and output do not overlap), with any strides;
/// directions are enqueued verbs and do not wait. The context is that of the device of models, in both directions. All that is
/// done is asked of the context, copies between devices too, so that a [`Plan`](arrayspan_kernels::Plan) can keep it. Users
/// call [`LinearOperator`], which every `LinearMap` is.
///
/// ```
/// use arrayspan_operators::kernels::bridge::{DType, Relayout, View, ViewMut};
/// use arrayspan_operators::kernels::{Band, Stencil, Update};
/// use arrayspan_operators::{Context, LinearMap, Result, Space};
///
/// /// `y[i, …] = x[i, …] + x[i-1, …]` along the first axis, then back to front.
/// #[derive(Debug)]
/// struct Echo {
///     space: Space,
///     forward: Stencil,
///     adjoint: Stencil,
/// }
///
/// impl Echo {
///     fn new(space: Space) -> Result<Self> {
///         space.computable("Echo")?;
///         let len = space.extent("Echo", 0)?;
///         let forward = Stencil::along(0, Band::uniform(len, [(0, 1.0), (-1, 1.0)]))?;
///         Ok(Self { adjoint: forward.adjoint(), space, forward })
///     }
/// }
///
/// impl LinearMap for Echo {
///     fn name(&self) -> &str {
///         "Echo"
///     }
///
///     fn domain(&self) -> &Space {
///         &self.space
///     }
///
///     fn range(&self) -> &Space {
///         &self.space
///     }
///
///     fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
///         Ok(on.stencil(&self.forward, x, y.reversed(0)?, update)?)
///     }
///
///     fn enqueue_adjoint(&self, on: Context<'_>, y: View<'_>, x: ViewMut<'_>, update: Update) -> Result<()> {
///         Ok(on.stencil(&self.adjoint, y.reversed(0)?, x, update)?)
///     }
/// }
///
/// # fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::LinearOperator;
/// use arrayspan_operators::kernels::bridge::{Array, devices::Device};
/// let mut x = Array::empty([3], DType::Float64, &Device::cpu().stream()?)?;
/// x.view_mut().as_mut_slice()?.copy_from_slice(&[1.0, 2.0, 4.0]);
/// let y = Echo::new(Space::new([3], DType::Float64)?)?.forward(&x)?;
/// assert_eq!(y.view().as_slice::<f64>()?, [6.0, 3.0, 1.0]);
/// # Ok(()) }
/// ```
pub trait LinearMap: Debug + Send + Sync {
    /// What errors, traces and profiles call it.
    fn name(&self) -> &str;

    /// Where models live.
    fn domain(&self) -> &Space;

    /// Where data live.
    fn range(&self) -> &Space;

    /// `y ← alpha · A x + beta · y`
    ///
    /// # Errors
    /// When the device fails.
    fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()>;

    /// `x ← alpha · Aᴴ y + beta · x`
    ///
    /// # Errors
    /// When the device fails.
    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()>;

    /// The operator that this one hands its arguments on to, if it does nothing beside it that takes memory or devices: what
    /// workspace it takes, where it lives and what is known of it are those of the inner one, unless they are said anew.
    fn inner(&self) -> Option<&dyn LinearMap> {
        None
    }

    /// The bytes either direction takes from [`Context::scratch`], where models live.
    fn workspace(&self) -> usize {
        self.inner().map_or(0, LinearMap::workspace)
    }

    /// Whether applying it enqueues verbs on its context and does nothing else: nothing that a caller could see, and no work
    /// of its own. Then a solver may apply it to learn which kernels that takes, and have them built side by side before
    /// it begins (see [`warm_up`](arrayspan_kernels::warm_up)).
    fn only_enqueues(&self) -> bool {
        false
    }

    /// What is known of it: of nothing that is said, that it is complex-linear, unless it goes between a real and a complex
    /// space.
    fn properties(&self) -> Properties {
        self.inner().map_or_else(|| Properties::of(self), LinearMap::properties)
    }

    /// What [`Operator::describe`](crate::Operator::describe) says of it beside its name.
    fn description(&self) -> Option<String> {
        None
    }

    /// This operator for each index of further axes, `before` its own and `behind` them, if it can do them all at once: from
    /// `[before…, domain…, behind…]` to `[before…, range…, behind…]`. `None`: it is applied for one index after the other. Asked by
    /// [`Operator::lifted`](crate::Operator::lifted) and [`matmat`](crate::Operator::matmat).
    fn batched(&self, before: &[usize], behind: &[usize]) -> Option<Result<Arc<dyn LinearMap>>> {
        let _ = (before, behind);
        None
    }

    /// Where models and data live, of an operator that holds arrays or moves them. `None`: both on one device, whichever it
    /// is.
    fn devices(&self) -> Option<Devices> {
        self.inner().and_then(LinearMap::devices)
    }

    /// The devices that either direction computes on beside that of models, and the bytes it takes from
    /// [`Context::scratch`] [there](Context::at). That of data must be among them, if it is another.
    fn elsewhere(&self) -> Vec<(Device, usize)> {
        if let Some(inner) = self.inner() {
            return inner.elsewhere();
        }
        match self.devices() {
            Some(Devices { domain, range }) if domain != range => vec![(range, 0)],
            _ => Vec::new(),
        }
    }
}

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
fn new(space: &Space, on: &dyn Executor, device: Option<Device>) -> Result<Array> {
    let (shape, dtype) = (space.shape(), space.dtype());
    match device.filter(|device| *device != on.device()) {
        None => Ok(on.empty(shape, dtype)?),
        Some(device) => Ok(arrayspan_kernels::on(device)?.empty(shape, dtype)?),
    }
}
