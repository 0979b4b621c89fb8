//! What torch can be told to differentiate.

use arrayspan_devices::Stream;
use arrayspan_devices::retry::OutOfMemory;

use crate::{Array, View};

/// A function of arrays that is linear, at least over the real numbers, and its adjoint. [`Differentiable`](super::Differentiable)
/// makes it one of tensors.
///
/// The adjoint is that with respect to the real part of the inner product, `Re ⟨A x, y⟩ = Re ⟨x, Aᴴ y⟩`, which for a
/// function that is complex-linear is the same as the usual one. It is what torch means by a gradient: `∂L/∂Re x + i ∂L/∂Im x`.
///
/// Both are called on whatever thread needs them, also on several at once. They queue their work on `on`, torch's current
/// stream, or make `on` wait for it; the result may be on another device.
pub trait LinearFunction: Send + Sync + 'static {
    /// What can go wrong, in the functions or when arrays and tensors are handed over.
    type Error: std::error::Error + OutOfMemory + Send + Sync + 'static + From<crate::Error>;

    /// What errors and torch's graph call it.
    fn name(&self) -> &str;

    /// `A x`, in a new array.
    ///
    /// # Errors
    /// The function's own: that the argument does not fit, above all.
    fn forward(&self, x: View<'_>, on: &Stream) -> Result<Array, Self::Error>;

    /// `Aᴴ y`, in a new array of the shape and the dtype of `x`.
    ///
    /// # Errors
    /// The function's own.
    fn adjoint(&self, y: View<'_>, on: &Stream) -> Result<Array, Self::Error>;
}
