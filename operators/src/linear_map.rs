//! What a linear operator is for those who write one.

use std::fmt::Debug;
use std::sync::Arc;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::Update;

use crate::{Context, Devices, OperatorKey, Properties, Result, Space};

/// An operator of which nothing is known but its two spaces and two directions: what an author writes where no
/// [`Form`](crate::Form) says it. [`Operator::new`](crate::Operator::new) makes one an [`Operator`](crate::Operator).
///
/// Arguments arrive checked (shape, dtype and device fit, input and output do not overlap), with any strides;
/// directions are enqueued verbs and do not wait. The context is that of the device of models, in both directions. All that is
/// done is asked of the context, copies between devices too, so that a [`Plan`](arrayspan_kernels::Plan) can keep it. Users
/// call [`LinearOperator`](crate::LinearOperator), which every `LinearMap` is.
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

    /// By what it is known again, if both directions enqueue the same verbs whenever they are asked for arguments that lie alike: then
    /// a solver keeps what it has recorded for the next run. `None`: it may be another one next time, even under the same name.
    fn key(&self) -> Option<OperatorKey> {
        None
    }

    /// What is known of it: of nothing that is said, that it is complex-linear, unless it goes between a real and a complex
    /// space.
    fn properties(&self) -> Properties {
        self.inner().map_or_else(|| Properties::of(self), LinearMap::properties)
    }

    /// About how many operations either direction takes, of an operator that is one launch, which reads what it is applied to and writes its
    /// result once each: what [`Operator::cost`](crate::Operator::cost) tells then. `None`: nobody knows what it costs.
    fn operations(&self) -> Option<usize> {
        None
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
