//! What is said of a tensor from outside that cannot be used.

use crate::{Error, Result};

/// Refuses a tensor for one of its fields.
pub(super) fn foreign<T>(field: &'static str, why: impl Into<String>) -> Result<T> {
    Err(Error::Foreign { field, why: why.into() })
}

/// What [`Layout`](crate::Layout) has against strides.
pub(super) fn refused<T>(error: Error) -> Result<T> {
    match error {
        Error::Layout { why, .. } => foreign("strides", why),
        error => Err(error),
    }
}
