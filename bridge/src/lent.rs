//! Shared arrays passed to functions that take borrowed ones.

use std::fmt;
use std::ops::Deref;

use crate::{Array, SharedArray};

/// A shared array as what takes `&Array` wants it.
///
/// Others may hold the memory, so nobody gets the array itself, nor may write it: it is lent by shared reference only.
pub struct LentArray(Array);

impl From<SharedArray> for LentArray {
    fn from(array: SharedArray) -> Self {
        Self(Array::lent(array))
    }
}

impl Deref for LentArray {
    type Target = Array;

    fn deref(&self) -> &Array {
        &self.0
    }
}

impl fmt::Debug for LentArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
