//! What real and imaginary parts share.

use crate::{Form, Operator, Result, Space};

/// From complex numbers to real ones by the first form; by the second where numbers are real already.
pub(super) fn parts(
    name: &'static str,
    space: Space,
    [complex, real]: [Form; 2],
) -> Result<Operator> {
    let range = Space::of(name, space.shape(), space.dtype().real())?;
    let form = if space.dtype().is_complex() { complex } else { real };
    Operator::of(name, space, range, form)
}
