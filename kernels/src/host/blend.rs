//! `y ← Σ wₖ xₖ + beta · y` over contiguous elements: the inner loop of `copy`, and of single rows of stencils.

use super::scalar::Scalar;
use super::tile::{Term, tile};

/// How the old content of `y` is used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Blend<L> {
    /// It is overwritten unread.
    Set,
    /// It is added to.
    Add,
    /// It is multiplied, then added to.
    Scale(L),
}

impl<L: Scalar> Blend<L> {
    pub(super) fn new(beta: L) -> Self {
        match beta {
            beta if beta == L::zero() => Self::Set,
            beta if beta == L::one() => Self::Add,
            beta => Self::Scale(beta),
        }
    }
}

/// One input of one row.
pub(super) fn term<L>(x: &[L], weight: L) -> Term<'_, L, 1> {
    Term { x, weights: [weight], rows: 1 }
}

/// `y ← Σ wₖ xₖ + beta · y`. Every `xₖ` is as long as `y`.
pub(super) fn blend<L: Scalar>(beta: Blend<L>, y: &mut [L], terms: &[Term<'_, L, 1>]) {
    tile(beta, [y], terms);
}
