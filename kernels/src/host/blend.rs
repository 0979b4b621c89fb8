//! `y ← Σ wₖ xₖ + beta · y` over contiguous elements: the inner loop of `stencil` and `copy`.

use pulp::Arch;

use super::scalar::Scalar;

/// What becomes of the old content.
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

/// `y ← Σ wₖ xₖ + beta · y`. Every `xₖ` is as long as `y`.
///
/// Several terms are added in one pass, so that `y` is loaded and stored few times; it stays in the
/// nearest cache between passes if it is short.
pub(super) fn blend<L: Scalar>(beta: Blend<L>, y: &mut [L], terms: &[(&[L], L)]) {
    Arch::new().dispatch(
        #[inline(always)]
        || passes(beta, y, terms),
    );
}

#[inline(always)]
fn passes<L: Scalar>(mut beta: Blend<L>, y: &mut [L], mut terms: &[(&[L], L)]) {
    if terms.is_empty() {
        match beta {
            Blend::Set => y.fill(L::zero()),
            Blend::Add => {}
            Blend::Scale(beta) => y.iter_mut().for_each(|y| *y = beta * *y),
        }
    }
    while !terms.is_empty() {
        terms = match terms.len() {
            8.. => pass::<L, 8>(beta, y, terms),
            6.. => pass::<L, 6>(beta, y, terms),
            4.. => pass::<L, 4>(beta, y, terms),
            3 => pass::<L, 3>(beta, y, terms),
            2 => pass::<L, 2>(beta, y, terms),
            _ => pass::<L, 1>(beta, y, terms),
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
) -> &'t [(&'s [L], L)] {
    let Some((terms, rest)) = terms.split_first_chunk::<N>() else { return &[] };
    let x = terms.map(|(x, _)| &x[..y.len()]);
    let w = terms.map(|(_, w)| w);
    match beta {
        Blend::Set => add(y, x, w, |_, sum| sum),
        Blend::Add => add(y, x, w, |y, sum| y + sum),
        Blend::Scale(beta) => add(y, x, w, |y, sum| beta * y + sum),
    }
    rest
}

#[inline(always)]
fn add<L: Scalar, const N: usize>(y: &mut [L], x: [&[L]; N], w: [L; N], meet: impl Fn(L, L) -> L) {
    for (i, y) in y.iter_mut().enumerate() {
        let mut sum = w[0] * x[0][i];
        for k in 1..N {
            sum = sum + w[k] * x[k][i];
        }
        *y = meet(*y, sum);
    }
}
