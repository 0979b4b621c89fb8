//! The same elements, or some of them, seen in another order or shape.

use crate::{Axis, Layout, Result};

/// What can be laid out anew. Only this crate can name it, and thus implement it.
pub trait WithLayout: Sized {
    #[doc(hidden)]
    fn layout(&self) -> &Layout;
    /// # Safety
    /// The new layout names only places that the old one names, each at most as often.
    #[doc(hidden)]
    #[must_use]
    unsafe fn with_layout(self, layout: Layout) -> Self;
}

/// The same elements, or some of them, seen in another order or shape. Nothing moves.
///
/// These methods take what they are called on: an array stays one that owns its memory, `array.view().reversed(0)` only
/// borrows. Axes are counted from either end ([`Axis`]).
///
/// Errors are those of the method of [`Layout`] with the same name.
pub trait Relayout: WithLayout {
    /// The axes in another order: axis `i` of the result is axis `axes[i]` of this.
    ///
    /// # Errors
    /// As [`Layout::permuted`].
    fn permuted(self, axes: &[impl Into<Axis> + Copy]) -> Result<Self> {
        let layout = self.layout().permuted(axes)?;
        // SAFETY: the same places in another order.
        Ok(unsafe { self.with_layout(layout) })
    }

    /// The indices `start..start + len` along one axis.
    ///
    /// # Errors
    /// As [`Layout::sliced`].
    fn sliced(self, axis: impl Into<Axis>, start: usize, len: usize) -> Result<Self> {
        let layout = self.layout().sliced(axis, start, len)?;
        // SAFETY: some of the places.
        Ok(unsafe { self.with_layout(layout) })
    }

    /// One index along an axis, which is gone after.
    ///
    /// # Errors
    /// As [`Layout::selected`].
    fn selected(self, axis: impl Into<Axis>, index: usize) -> Result<Self> {
        let layout = self.layout().selected(axis, index)?;
        // SAFETY: some of the places.
        Ok(unsafe { self.with_layout(layout) })
    }

    /// Every `step`-th index along one axis, from the first.
    ///
    /// # Errors
    /// As [`Layout::stepped`].
    fn stepped(self, axis: impl Into<Axis>, step: usize) -> Result<Self> {
        let layout = self.layout().stepped(axis, step)?;
        // SAFETY: some of the places.
        Ok(unsafe { self.with_layout(layout) })
    }

    /// One axis from its end to its start.
    ///
    /// # Errors
    /// As [`Layout::reversed`].
    fn reversed(self, axis: impl Into<Axis>) -> Result<Self> {
        let layout = self.layout().reversed(axis)?;
        // SAFETY: the same places in another order.
        Ok(unsafe { self.with_layout(layout) })
    }

    /// The same elements with another shape.
    ///
    /// # Errors
    /// As [`Layout::reshaped`].
    fn reshaped(self, shape: &[usize]) -> Result<Self> {
        let layout = self.layout().reshaped(shape)?;
        // SAFETY: the same places in the same order.
        Ok(unsafe { self.with_layout(layout) })
    }
}

impl<T: WithLayout> Relayout for T {}
