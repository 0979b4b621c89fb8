//! What a linear operator is: for those who write one, and for those who use one.

use std::fmt::Debug;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, View, ViewMut};
use arrayspan_kernels::{Executor, Update};

use crate::{Context, Error, Result, Space, Workspace, number};

/// An operator of which nothing is known but its two spaces and two directions: what an author writes where no
/// [`Form`](crate::Form) says it. [`Operator::new`](crate::Operator::new) makes one an [`Operator`](crate::Operator).
///
/// Arguments arrive checked (shape, dtype and device fit, input and output do not overlap), with any strides;
/// directions are enqueued verbs and do not wait. Users call [`LinearOperator`], which every `LinearMap` is.
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
    /// # Errors
    /// [`Error::Shape`], [`Error::DType`], [`Error::WrongDevice`] when an array does not fit,
    /// [`Error::Parameter`] for complex factors on real arrays, and for factors that their dtype cannot hold: not finite,
    /// beyond its largest or below its normal numbers; out of memory for intermediate results.
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
    /// As [`apply`](Self::apply); [`Error::Parameter`] when the workspace is too small.
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
        holds(self, self.range(), update)?;
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
        fits(self, on, "data", self.range(), &y)?;
        fits(self, on, "model", self.domain(), &x.view())?;
        holds(self, self.domain(), update)?;
        self.enqueue_adjoint(workspace.context(self, on)?, y, x, update)
    }

    /// `A x` in a new array, on the device of `x`. Enqueued; does not wait.
    ///
    /// # Errors
    /// As [`apply`](Self::apply); out of memory.
    #[track_caller]
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
    #[track_caller]
    fn adjoint(&self, y: &Array) -> Result<Array> {
        let on = arrayspan_kernels::on(y.device())?;
        let mut x = on.empty(self.domain().shape(), self.domain().dtype())?;
        self.apply_adjoint(&*on, y.view(), x.view_mut(), Update::set())?;
        Ok(x)
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
        return Err(Error::Shape { operator: name.into(), argument, expected, found });
    }
    if array.dtype() != space.dtype() {
        let (expected, found) = (space.dtype(), array.dtype());
        return Err(Error::DType { operator: name.into(), argument, expected, found });
    }
    let own = operator.device().map(|device| ("the operator itself", device));
    for (argument, found) in [(argument, array.device())].into_iter().chain(own) {
        if found != on.device() {
            let expected = on.device();
            return Err(Error::WrongDevice { operator: name.into(), argument, expected, found });
        }
    }
    Ok(())
}

/// Fails unless arrays of `space`, to which results go, can hold the factors.
fn holds(operator: &(impl LinearMap + ?Sized), space: &Space, update: Update) -> Result<()> {
    for (what, factor) in [("alpha", update.alpha), ("beta", update.beta)] {
        let what = || format!("{what} {}", number::text(factor));
        number::check(operator.name(), what, factor, space.dtype())?;
    }
    if space.dtype().is_complex() || update.is_real() {
        return Ok(());
    }
    let Update { alpha, beta } = update;
    let [alpha, beta] = [alpha, beta].map(number::text);
    let why = format!("alpha {alpha} and beta {beta} must be real for {space}");
    Error::parameter(operator.name(), why)
}
