//! What arrays take. Sizes that no memory holds are the largest number there is.

use arrayspan_operators::Space;

/// The bytes of an array of a space.
pub(crate) fn of(space: &Space) -> usize {
    space.len().saturating_mul(space.dtype().bytes())
}

/// The bytes of an array of the absolute values.
pub(crate) fn of_real(space: &Space) -> usize {
    space.len().saturating_mul(space.dtype().real().bytes())
}

/// All of them together.
pub(crate) fn total(parts: impl IntoIterator<Item = usize>) -> usize {
    parts.into_iter().fold(0, usize::saturating_add)
}
