//! Which arrays are one and the same.

use std::sync::Arc;

use arrayspan_bridge::SharedArray;

/// Whether two arrays are the same elements of the same memory.
pub(super) fn same_array(a: &SharedArray, b: &SharedArray) -> bool {
    Arc::ptr_eq(a.memory(), b.memory()) && a.layout() == b.layout() && a.dtype() == b.dtype()
}
