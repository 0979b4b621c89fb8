//! What lends an array to be read.

use std::rc::Rc;
use std::sync::Arc;

use crate::{Array, LentArray, Operand, SharedArray, View, ViewMut};

/// What lends an array to be read: arrays of every kind, views, and references to them.
///
/// Functions that only read take `impl AsView`, so that callers write `f(&array)`, `f(&shared)` or `f(array.view())`, and
/// `f(g()?)` for an array that nobody needs afterwards.
///
/// ```
/// use arrayspan_bridge::{Array, AsView, Relayout, Result};
///
/// fn sum(x: impl AsView) -> Result<f64> {
///     Ok(x.as_view().to_vec::<f64>()?.iter().sum())
/// }
///
/// let array = Array::from_vec(vec![1.0, 2.0, 3.0, 4.0], [2, 2])?;
/// assert_eq!(sum(&array)?, 10.0);
/// assert_eq!(sum(array.view().selected(0, 1)?)?, 7.0);
/// assert_eq!(sum(&array.into_shared())?, 10.0);
/// # Ok::<(), arrayspan_bridge::Error>(())
/// ```
pub trait AsView {
    /// Borrows the whole array. Nothing is copied.
    #[must_use]
    fn as_view(&self) -> View<'_>;
}

impl AsView for Array {
    fn as_view(&self) -> View<'_> {
        self.view()
    }
}

impl AsView for SharedArray {
    fn as_view(&self) -> View<'_> {
        self.view()
    }
}

impl AsView for LentArray {
    fn as_view(&self) -> View<'_> {
        self.view()
    }
}

impl AsView for Operand<'_> {
    fn as_view(&self) -> View<'_> {
        self.view()
    }
}

impl AsView for View<'_> {
    fn as_view(&self) -> View<'_> {
        self.clone()
    }
}

impl AsView for ViewMut<'_> {
    fn as_view(&self) -> View<'_> {
        self.view()
    }
}

macro_rules! behind {
    ($($pointer:ty),*) => {$(
        impl<T: AsView + ?Sized> AsView for $pointer {
            fn as_view(&self) -> View<'_> {
                (**self).as_view()
            }
        }
    )*};
}

behind!(&T, &mut T, Box<T>, Arc<T>, Rc<T>);
