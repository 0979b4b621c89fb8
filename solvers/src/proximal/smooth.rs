//! What a function with a gradient is.

use std::fmt::Debug;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::Executor;
use arrayspan_operators::Space;

use super::Scratch;
use crate::Result;

/// A function with a gradient that is Lipschitz-continuous.
pub trait Smooth: Debug + Send + Sync {
    /// What errors call it.
    fn name(&self) -> &'static str;

    /// Fails unless it is a function of arrays of `space` on `device`.
    ///
    /// # Errors
    /// Says what does not fit.
    fn check(&self, space: &Space, device: Device) -> Result<()> {
        let _ = (space, device);
        Ok(())
    }

    /// `value ← f(x)`, with `value` without axes.
    ///
    /// # Errors
    /// An array that does not fit; out of memory; the device's failure.
    fn value(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        value: ViewMut<'_>,
    ) -> Result<()>;

    /// `out ← ∇f(x)` and `value ← f(x)`.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    fn gradient(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        out: ViewMut<'_>,
        value: ViewMut<'_>,
    ) -> Result<()>;

    /// A bound `L` with `‖∇f(x) - ∇f(z)‖ ≤ L ‖x - z‖`, if the function knows one. May wait for the device.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    fn lipschitz(&self, on: &dyn Executor, space: &Space) -> Result<Option<f64>> {
        let _ = (on, space);
        Ok(None)
    }

    /// The bytes that [`value`](Self::value) and [`gradient`](Self::gradient) take from a scratch, at most.
    fn memory(&self, space: &Space) -> usize {
        let _ = space;
        0
    }
}
