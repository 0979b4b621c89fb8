//! The same elements, or some of them, seen in another order or shape.

use crate::{Layout, Result};

/// What can be laid out anew. Only this crate implements it, because a new layout may name no place that
/// the old one did not.
pub trait WithLayout: Sized {
    #[doc(hidden)]
    fn parts(&self) -> &Layout;
    #[doc(hidden)]
    fn with_layout(self, layout: Layout) -> Self;
}

/// The same elements, or some of them, seen in another order or shape. Nothing moves.
///
/// Errors are those of the method of [`Layout`] with the same name.
pub trait Relayout: WithLayout {
    /// The axes in another order: axis `i` of the result is axis `axes[i]` of this.
    ///
    /// # Errors
    /// As [`Layout::permuted`].
    fn permuted(self, axes: &[usize]) -> Result<Self> {
        let layout = self.parts().permuted(axes)?;
        Ok(self.with_layout(layout))
    }

    /// The indices `start..start + len` along one axis.
    ///
    /// # Errors
    /// As [`Layout::sliced`].
    fn sliced(self, axis: usize, start: usize, len: usize) -> Result<Self> {
        let layout = self.parts().sliced(axis, start, len)?;
        Ok(self.with_layout(layout))
    }

    /// Every `step`-th index along one axis, from the first.
    ///
    /// # Errors
    /// As [`Layout::stepped`].
    fn stepped(self, axis: usize, step: usize) -> Result<Self> {
        let layout = self.parts().stepped(axis, step)?;
        Ok(self.with_layout(layout))
    }

    /// One axis from its end to its start.
    ///
    /// # Errors
    /// As [`Layout::reversed`].
    fn reversed(self, axis: usize) -> Result<Self> {
        let layout = self.parts().reversed(axis)?;
        Ok(self.with_layout(layout))
    }

    /// The same elements with another shape.
    ///
    /// # Errors
    /// As [`Layout::reshaped`].
    fn reshaped(self, shape: &[usize]) -> Result<Self> {
        let layout = self.parts().reshaped(shape)?;
        Ok(self.with_layout(layout))
    }
}

impl<T: WithLayout> Relayout for T {}
