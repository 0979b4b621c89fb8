//! `y ← Σ wₖ xₖ + beta · y` over contiguous elements: the inner loop of `copy`, and of single rows of stencils.

use super::scalar::Scalar;
use super::tile::{Blend, Term, tile};

/// One input of one row.
pub(super) fn term<L>(x: &[L], weight: L) -> Term<'_, L, 1> {
    Term { x, weights: [weight], rows: 1 }
}

/// `y ← Σ wₖ xₖ + beta · y`. Every `xₖ` is as long as `y`.
pub(super) fn blend<L: Scalar>(beta: Blend<L>, y: &mut [L], terms: &[Term<'_, L, 1>]) {
    tile(beta, [y], terms);
}
