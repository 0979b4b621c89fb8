//! What a batch may be made of: whatever becomes a shared array without a copy.

use ndarray::Dimension;

use crate::{Array, Element, SharedArray};

/// Gives up writing to share the memory, as [`Array::into_shared`].
impl From<Array> for SharedArray {
    fn from(array: Array) -> Self {
        array.into_shared()
    }
}

/// Takes over the memory without a copy, whatever the strides.
impl<T: Element, D: Dimension> From<ndarray::Array<T, D>> for SharedArray {
    fn from(values: ndarray::Array<T, D>) -> Self {
        Array::from(values).into_shared()
    }
}
