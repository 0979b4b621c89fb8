//! A stencil and the squared norm of what it writes, as one call.

use super::overlap::{is_same, overlap};
use crate::verb::{Call, DotCall, DotOf, Terms};

/// Whether the second call is `‖y‖²` of what the first, a stencil, has written.
pub(super) fn is_norm(first: &Call<'static>, second: &Call<'static>) -> bool {
    let (Call::Stencil(first), Call::Reduce(second)) = (first, second) else { return false };
    let y = first.y.as_operand();
    // Norms of 16-bit floats are of what was rounded.
    let of_y = second.dot().is_some_and(|[a, b]| a == b && is_same(&second.inputs[a], y));
    let out = second.out.as_operand();
    let apart = !overlap(out, y) && !overlap(out, &first.x);
    let last = second.epilogue.is_none();
    first.norm.is_none() && last && y.dtype().is_computable() && of_y && apart
}

/// The one call.
pub(super) fn with_norm(first: Call<'static>, second: Call<'static>) -> Call<'static> {
    match (first, second) {
        (Call::Stencil(mut first), Call::Reduce(second)) => {
            first.norm = Some(DotCall {
                of: [DotOf::Output(0); 2],
                terms: Terms::Products,
                out: second.out,
            });
            Call::Stencil(first)
        }
        (first, _) => first,
    }
}
