//! `yᵣ ← Σ wᵣₖ xₖ + beta · yᵣ` over contiguous elements, for several rows `yᵣ` at once: the inner loop of stencils.
//!
//! A tile of rows and vectors is summed in registers: what is loaded of an input serves all rows, and results are
//! written once, however many terms there are. Each element is one chain of multiply-adds in the order of the terms, so
//! it does not depend on where tiles begin.

use std::marker::PhantomData;

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

/// What an input contributes to `R` rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Term<'x, L, const R: usize> {
    /// As long as the rows.
    pub(super) x: &'x [L],
    /// What it is multiplied by in each row.
    pub(super) weights: [L; R],
    /// The rows it is in, a bit each. In the others it is not even multiplied by zero: it may be infinite.
    pub(super) rows: u32,
}

/// The terms of `R` rows, which are gone through once for each tile: input, weights and rows of each. Weights stay in
/// memory, where vectors of them are loaded in one step.
pub(super) trait Terms<'t, L: 't, const R: usize>: Copy {
    fn each(self) -> impl Iterator<Item = (&'t [L], &'t [L; R], u32)>;
}

impl<'t, L, const R: usize> Terms<'t, L, R> for &'t [Term<'_, L, R>] {
    #[inline(always)]
    fn each(self) -> impl Iterator<Item = (&'t [L], &'t [L; R], u32)> {
        self.iter().map(|term| (term.x, &term.weights, term.rows))
    }
}

/// `yᵣ ← Σ wᵣₖ xₖ + beta · yᵣ` for rows of one length.
pub(super) fn tile<'x, L: Scalar, const R: usize>(
    beta: Blend<L>,
    y: [&mut [L]; R],
    terms: impl Terms<'x, L, R>,
) {
    Arch::new().dispatch(Tile { beta, y, terms, of: PhantomData });
}

/// A type, not a closure: closures are not always inlined where vector instructions are enabled.
struct Tile<'a, 'x, L, X, const R: usize> {
    beta: Blend<L>,
    y: [&'a mut [L]; R],
    terms: X,
    of: PhantomData<&'x L>,
}

impl<'x, L: Scalar, X: Terms<'x, L, R>, const R: usize> WithSimd for Tile<'_, 'x, L, X, R> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // Sums, an input and a weight fit the registers.
        match (R, S::REGISTER_COUNT) {
            (1, _) => self.walk::<S, 8>(simd),
            (_, 32..) => self.walk::<S, 4>(simd),
            _ => self.walk::<S, 2>(simd),
        }
    }
}

impl<'x, L: Scalar, X: Terms<'x, L, R>, const R: usize> Tile<'_, 'x, L, X, R> {
    /// All elements, in tiles of `B` vectors as long as there are so many.
    #[inline(always)]
    fn walk<S: Simd, const B: usize>(mut self, simd: S) {
        let (count, len) = (L::count::<S>(), self.y[0].len());
        if len < count {
            return self.few(S::IS_SCALAR);
        }
        let tiles = len / (B * count) * (B * count);
        let left = (len - tiles).div_ceil(count);
        // What is left begins within the tile before; without one, only the very last vector overlaps others. What the place
        // of the first vector held is needed then.
        let joins = tiles > 0 || left * count == len;
        let from = if joins { len - left * count } else { len - count };
        let held = from.min(len - count);
        let before = std::array::from_fn(|r| L::vectors::<S>(&self.y[r][held..])[0]);
        let mut at = 0;
        while at < tiles {
            self.vectors::<S, B>(simd, at, None);
            at += B * count;
        }
        if left == 0 {
            return;
        }
        if joins {
            return self.last::<S, B>(simd, from, left, Some(before));
        }
        self.last::<S, B>(simd, 0, left - 1, None);
        self.vectors::<S, 1>(simd, from, Some(before));
    }

    /// At most `B` vectors of each row, so many from `at` on.
    #[inline(always)]
    fn last<S: Simd, const B: usize>(
        &mut self,
        simd: S,
        mut at: usize,
        mut left: usize,
        mut before: Option<[L::Of<S>; R]>,
    ) {
        while B > 3 && left >= 4 {
            self.vectors::<S, 4>(simd, at, before.take());
            at += 4 * L::count::<S>();
            left -= 4;
        }
        match left {
            3 if B > 2 => self.vectors::<S, 3>(simd, at, before),
            2 if B > 1 => self.vectors::<S, 2>(simd, at, before),
            1 => self.vectors::<S, 1>(simd, at, before),
            _ => {}
        }
    }

    /// `B` vectors of each row from `at` on. `before` is what the first ones held, if that is not there any more.
    #[inline(always)]
    fn vectors<S: Simd, const B: usize>(
        &mut self,
        simd: S,
        at: usize,
        before: Option<[L::Of<S>; R]>,
    ) {
        let within = at..at + B * L::count::<S>();
        let mut sums = [[L::all(simd, L::zero()); B]; R];
        for (x, weights, rows) in self.terms.each() {
            let x = L::vectors::<S>(&x[within.clone()]);
            let x: [L::Of<S>; B] = std::array::from_fn(|b| x[b]);
            // In most terms all rows are.
            let all = rows == (1 << R) - 1;
            for (r, (sums, weight)) in sums.iter_mut().zip(weights).enumerate() {
                if all || rows & (1 << r) != 0 {
                    let weight = L::all(simd, *weight);
                    for (sum, x) in sums.iter_mut().zip(x) {
                        *sum = L::multiply_add(simd, weight, x, *sum);
                    }
                }
            }
        }
        for r in 0..R {
            let y = L::vectors_mut::<S>(&mut self.y[r][within.clone()]);
            for b in 0..B {
                let held = before.filter(|_| b == 0).map_or(y[b], |before| before[r]);
                y[b] = match self.beta {
                    Blend::Set => sums[r][b],
                    Blend::Add => L::plus(simd, held, sums[r][b]),
                    Blend::Scale(beta) => {
                        L::multiply_add(simd, L::all(simd, beta), held, sums[r][b])
                    }
                };
            }
        }
    }

    /// Fewer elements than a vector has, one by one.
    #[inline(always)]
    fn few(&mut self, is_scalar: bool) {
        let multiply_add = |a: L, b: L, c: L| if is_scalar { a * b + c } else { a.fused(b, c) };
        for (r, y) in self.y.iter_mut().enumerate() {
            for (i, y) in y.iter_mut().enumerate() {
                let mut sum = L::zero();
                for (x, weights, _) in self.terms.each().filter(|(.., rows)| rows & (1 << r) != 0) {
                    sum = multiply_add(weights[r], x[i], sum);
                }
                *y = match self.beta {
                    Blend::Set => sum,
                    Blend::Add => *y + sum,
                    Blend::Scale(beta) => multiply_add(beta, *y, sum),
                };
            }
        }
    }
}
