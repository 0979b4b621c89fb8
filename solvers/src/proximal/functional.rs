//! What a function is that a proximal method minimises.

use std::fmt::Debug;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, Elementwise, View, ViewMut};
use arrayspan_kernels::{Executor, VectorMut, on, widest_real};
use arrayspan_operators::{LinearMap, Space};

use super::Scratch;
use super::arithmetic::{reciprocal, write};
use crate::engine::read::reals;
use crate::{Result, bytes, parameters};

/// A convex function `f` of an array, whose proximal operator can be computed:
/// `prox(x, step) = argmin over z of step · f(z) + ½ ‖z - x‖²`.
///
/// Inner products and norms are those of the real numbers that the elements are made of, `Re <·,·>` for complex ones. All is
/// enqueued on `on`, and nothing waits unless a function says so. Numbers (steps, values) are arrays without axes in the widest
/// real dtype of the device, so that methods change steps without waiting. Intermediate results are taken from `scratch`.
///
/// ```
/// use arrayspan_bridge::{Array, Elementwise, View, ViewMut};
/// use arrayspan_kernels::{Executor, Vector, VectorMut};
/// use arrayspan_solvers::Result;
/// use arrayspan_solvers::proximal::{Proximal, Scratch};
///
/// /// `f(x) = Σ xᵢ`
/// #[derive(Debug)]
/// struct Linear;
///
/// impl Proximal for Linear {
///     fn name(&self) -> &'static str {
///         "Linear"
///     }
///
///     fn value(&self, on: &dyn Executor, _: &mut Scratch, x: View<'_>, out: ViewMut<'_>) -> Result<()> {
///         Ok(x.sum_into(on, out)?)
///     }
///
///     fn prox(
///         &self,
///         on: &dyn Executor,
///         _: &mut Scratch,
///         x: View<'_>,
///         step: View<'_>,
///         mut out: ViewMut<'_>,
///     ) -> Result<()> {
///         Ok(out.assign_on(on, &x - &step)?)
///     }
/// }
///
/// let x = Array::from_slice(&[3.0, -1.0], [2])?;
/// assert_eq!(Linear.at(&x)?, 2.0);
/// assert_eq!(Linear.proximal(&x, 0.5)?.to_vec::<f64>()?, [2.5, -1.5]);
/// // The conjugate of a linear function is finite in one point, on which everything is projected.
/// assert_eq!(Linear.proximal_conjugate(&x, 0.5)?.to_vec::<f64>()?, [1.0, 1.0]);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
pub trait Proximal: Debug + Send + Sync {
    /// What errors call it.
    fn name(&self) -> &'static str;

    /// Fails unless it is a function of arrays of `space` on `device`. Methods ask before they begin.
    ///
    /// # Errors
    /// Says what does not fit.
    fn check(&self, space: &Space, device: Device) -> Result<()> {
        let _ = (space, device);
        Ok(())
    }

    /// `out ← f(x)`, with `out` without axes. Functions that are finite only on a set are infinite elsewhere.
    ///
    /// # Errors
    /// An array that does not fit; out of memory; the device's failure.
    fn value(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        out: ViewMut<'_>,
    ) -> Result<()>;

    /// `out ← prox(x, step)`, with a positive number `step` on the device. When it is called, `out` holds finite numbers: of
    /// methods, the result of the last call, from which a function that computes its result by iterations may begin.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    fn prox(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        step: View<'_>,
        out: ViewMut<'_>,
    ) -> Result<()>;

    /// `out ← prox(x, step)` of the convex conjugate `f*`. By Moreau's identity, `x - step · prox(x / step, 1 / step)` of `f`,
    /// unless a function knows it better.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    fn prox_conjugate(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        step: View<'_>,
        mut out: ViewMut<'_>,
    ) -> Result<()> {
        let mut scaled = scratch.take(on, x.shape(), x.dtype())?;
        let inverse = reciprocal(on, scratch, &step)?;
        scaled.assign_on(on, &x / &step)?;
        self.prox(on, scratch, scaled.view(), inverse.view(), out.reborrow())?;
        write(on, out, &x - &step * Elementwise::previous())?;
        scratch.give(scaled);
        scratch.give(inverse);
        Ok(())
    }

    /// The bytes that [`value`](Self::value) and [`prox`](Self::prox) take from a scratch, at most.
    fn memory(&self, space: &Space) -> usize {
        let _ = space;
        0
    }

    /// The same of [`prox_conjugate`](Self::prox_conjugate).
    fn conjugate_memory(&self, space: &Space) -> usize {
        self.memory(space).saturating_add(bytes::of(space)).saturating_add(NUMBER)
    }

    /// Itself as a misfit, if it is one: some methods minimise it together with a square behind another operator.
    fn as_misfit(&self) -> Option<Misfit<'_>> {
        None
    }

    /// `f(x)`, on the host. Waits for it.
    ///
    /// # Errors
    /// An array that does not fit; out of memory; the device's failure.
    fn at(&self, x: &Array) -> Result<f64> {
        let on = on(x.device())?;
        self.check(&space(self.name(), x)?, x.device())?;
        let mut out = on.empty(&[], widest_real(x.device()))?;
        self.value(&*on, &mut Scratch::default(), x.view(), out.view_mut())?;
        Ok(reals(&out.view())?[0])
    }

    /// `prox(x, step)` as a new array.
    ///
    /// # Errors
    /// As [`at`](Self::at); a step that is not a finite number above 0.
    fn proximal(&self, x: &Array, step: f64) -> Result<Array> {
        let (on, mut scratch) = (on(x.device())?, Scratch::default());
        self.check(&space(self.name(), x)?, x.device())?;
        let (step, mut out) = (positive(self.name(), &*on, step)?, Array::zeros_like(x)?);
        self.prox(&*on, &mut scratch, x.view(), step.view(), out.view_mut())?;
        Ok(out)
    }

    /// `prox(x, step)` of the convex conjugate as a new array.
    ///
    /// # Errors
    /// As [`proximal`](Self::proximal).
    fn proximal_conjugate(&self, x: &Array, step: f64) -> Result<Array> {
        let (on, mut scratch) = (on(x.device())?, Scratch::default());
        self.check(&space(self.name(), x)?, x.device())?;
        let (step, mut out) = (positive(self.name(), &*on, step)?, Array::zeros_like(x)?);
        self.prox_conjugate(&*on, &mut scratch, x.view(), step.view(), out.view_mut())?;
        Ok(out)
    }
}

/// The function `weight/2 ‖A x - b‖²`.
#[derive(Clone, Debug)]
pub struct Misfit<'a> {
    /// At least 0.
    pub weight: f64,
    /// `A`; `None` is the identity.
    pub a: Option<&'a dyn LinearMap>,
    /// `b`; `None` is zero.
    pub b: Option<View<'a>>,
}

/// The bytes of a number on the device, at most.
pub(super) const NUMBER: usize = 8;

/// The space of an array.
fn space(name: &'static str, x: &Array) -> Result<Space> {
    let space = Space::new(x.shape(), x.dtype())?;
    space.computable(name)?;
    Ok(space)
}

/// A step on the device.
fn positive(name: &'static str, on: &dyn Executor, step: f64) -> Result<Array> {
    Scratch::default().number(on, parameters::positive(name, "step", step)?)
}
