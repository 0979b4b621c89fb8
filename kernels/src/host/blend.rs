//! `y ← Σ wₖ xₖ + beta · y` over contiguous elements: the inner loop of `stencil` and `copy`.

use pulp::{Arch, Simd, WithSimd};

use super::scalar::Scalar;

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

/// Terms added in one pass.
const TERMS: usize = 8;

/// Bytes of `y` that stay in the nearest cache while several passes add to them.
const BLOCK_BYTES: usize = 4096;

/// `y ← Σ wₖ xₖ + beta · y`. Every `xₖ` is as long as `y`.
pub(super) fn blend<L: Scalar>(beta: Blend<L>, y: &mut [L], terms: &[(&[L], L)]) {
    Arch::new().dispatch(Sum { beta, y, terms });
}

/// A type, not a closure: closures are not always inlined where vector instructions are enabled.
struct Sum<'a, L> {
    beta: Blend<L>,
    y: &'a mut [L],
    terms: &'a [(&'a [L], L)],
}

impl<L: Scalar> WithSimd for Sum<'_, L> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        // Every processor with vectors that pulp knows also fuses.
        if S::IS_SCALAR {
            self.blocks(|w, x, sum| sum + w * x);
        } else {
            self.blocks(L::fused);
        }
    }
}

impl<L: Scalar> Sum<'_, L> {
    #[inline(always)]
    fn blocks(self, multiply_add: impl Fn(L, L, L) -> L + Copy) {
        let Self { beta, y, terms } = self;
        let block = if terms.len() > TERMS { BLOCK_BYTES / size_of::<L>() } else { y.len().max(1) };
        for (i, y) in y.chunks_mut(block).enumerate() {
            passes(beta, y, terms, i * block, multiply_add);
        }
    }
}

/// `y` begins at `from` of each term.
#[inline(always)]
fn passes<L: Scalar>(
    mut beta: Blend<L>,
    y: &mut [L],
    mut terms: &[(&[L], L)],
    from: usize,
    multiply_add: impl Fn(L, L, L) -> L + Copy,
) {
    if terms.is_empty() {
        match beta {
            Blend::Set => y.fill(L::zero()),
            Blend::Add => {}
            Blend::Scale(beta) => y.iter_mut().for_each(|y| *y = beta * *y),
        }
    }
    while !terms.is_empty() {
        terms = match terms.len() {
            TERMS.. => pass::<L, TERMS>(beta, y, terms, from, multiply_add),
            6.. => pass::<L, 6>(beta, y, terms, from, multiply_add),
            4.. => pass::<L, 4>(beta, y, terms, from, multiply_add),
            3 => pass::<L, 3>(beta, y, terms, from, multiply_add),
            2 => pass::<L, 2>(beta, y, terms, from, multiply_add),
            _ => pass::<L, 1>(beta, y, terms, from, multiply_add),
        };
        beta = Blend::Add;
    }
}

/// Adds the first `N` terms and returns the rest.
#[inline(always)]
fn pass<'t, 's, L: Scalar, const N: usize>(
    beta: Blend<L>,
    y: &mut [L],
    terms: &'t [(&'s [L], L)],
    from: usize,
    multiply_add: impl Fn(L, L, L) -> L,
) -> &'t [(&'s [L], L)] {
    let Some((terms, rest)) = terms.split_first_chunk::<N>() else { return &[] };
    let x = terms.map(|(x, _)| &x[from..from + y.len()]);
    let w = terms.map(|(_, w)| w);
    match beta {
        Blend::Set => add(y, x, w, multiply_add, |_, sum| sum),
        Blend::Add => add(y, x, w, multiply_add, |y, sum| y + sum),
        Blend::Scale(beta) => add(y, x, w, multiply_add, |y, sum| beta * y + sum),
    }
    rest
}

/// Inlined into a function compiled for the processor at hand, which makes it vector code.
#[inline(always)]
fn add<L: Scalar, const N: usize>(
    y: &mut [L],
    x: [&[L]; N],
    w: [L; N],
    multiply_add: impl Fn(L, L, L) -> L,
    meet: impl Fn(L, L) -> L,
) {
    for (i, y) in y.iter_mut().enumerate() {
        let mut sum = w[0] * x[0][i];
        for k in 1..N {
            sum = multiply_add(w[k], x[k][i], sum);
        }
        *y = meet(*y, sum);
    }
}
