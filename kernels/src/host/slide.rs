//! `yᵢ ← Σ wₖ xᵢ₊ₖ + beta · yᵢ` along the contiguous axis, for filters longer than a vector.
//!
//! Taps that lie whole vectors apart read the same vectors of the input, each for another vector of the output: these taps
//! are taken together, so that what is loaded once, most often across two cache lines, serves several of them. Each
//! element is one chain of multiply-adds, in an order that depends on the filter and the processor only, so it does not
//! depend on where lanes are cut.

use pulp::{Arch, Simd, WithSimd};

use super::scalar::Scalar;
use super::tile::Blend;

/// A filter whose taps lie beside each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filter<'w, L> {
    pub(super) weights: &'w [L],
    /// How many components of `x` lie between two taps.
    pub(super) unit: usize,
}

impl<L: Scalar> Filter<'_, L> {
    /// Whether taps of it read the same vectors.
    pub(super) fn is_long(self) -> bool {
        Arch::new().dispatch(Long(self))
    }

    /// `yᵢ ← Σ wₖ xᵢ₊ₖ + beta · yᵢ` for a [long](Self::is_long) filter; `x` has as many components more than `y` as the taps
    /// reach.
    pub(super) fn apply(self, beta: Blend<L>, y: &mut [L], x: &[L]) {
        debug_assert_eq!(x.len(), y.len() + self.reach(), "as many as are taken");
        Arch::new().dispatch(Slide { filter: self, beta, y, x });
    }

    /// How many components of `x` lie between its first tap and its last one.
    pub(super) fn reach(self) -> usize {
        self.weights.len().saturating_sub(1) * self.unit
    }

    /// How many taps lie between two that are a vector of so many components apart, if that is a whole number.
    #[inline(always)]
    fn stride(self, count: usize) -> Option<usize> {
        count.is_multiple_of(self.unit).then(|| count / self.unit)
    }
}

struct Long<'w, L>(Filter<'w, L>);

impl<L: Scalar> WithSimd for Long<'_, L> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> bool {
        let stride = self.0.stride(L::count::<S>());
        !S::IS_SCALAR && stride.is_some_and(|stride| stride < self.0.weights.len())
    }
}

/// A type, not a closure: closures are not always inlined where vector instructions are enabled.
struct Slide<'a, L> {
    filter: Filter<'a, L>,
    beta: Blend<L>,
    y: &'a mut [L],
    x: &'a [L],
}

impl<L: Scalar> WithSimd for Slide<'_, L> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // Sums, what is loaded for them and a weight fit the registers.
        if S::REGISTER_COUNT >= 32 { self.walk::<S, 12>(simd) } else { self.walk::<S, 4>(simd) }
    }
}

impl<L: Scalar> Slide<'_, L> {
    /// All elements, `B` vectors at a time as long as there are so many.
    #[inline(always)]
    fn walk<S: Simd, const B: usize>(mut self, simd: S) {
        let (count, len) = (L::count::<S>(), self.y.len());
        let Some(stride) = self.filter.stride(count) else { return };
        if len < count {
            return self.few(simd, stride);
        }
        // The last vector overlaps the one before, if elements are left; what its place held is needed then.
        let last = len - count;
        let before = [L::vectors::<S>(&self.y[last..])[0]];
        let mut at = 0;
        while at + B * count <= len {
            self.vectors::<S, B>(simd, stride, at, None);
            at += B * count;
        }
        if B > 8 && at + 8 * count <= len {
            self.vectors::<S, 8>(simd, stride, at, None);
            at += 8 * count;
        }
        if B > 4 && at + 4 * count <= len {
            self.vectors::<S, 4>(simd, stride, at, None);
            at += 4 * count;
        }
        if at + 2 * count <= len {
            self.vectors::<S, 2>(simd, stride, at, None);
            at += 2 * count;
        }
        if at + count <= len {
            self.vectors::<S, 1>(simd, stride, at, None);
            at += count;
        }
        if at < len {
            self.vectors::<S, 1>(simd, stride, last, Some(before));
        }
    }

    /// `B` vectors from `at` on. `before` is what they held, if that is not there any more.
    #[inline(always)]
    fn vectors<S: Simd, const B: usize>(
        &mut self,
        simd: S,
        stride: usize,
        at: usize,
        before: Option<[L::Of<S>; B]>,
    ) {
        let weights = self.filter.weights;
        let mut sums = [L::all(simd, L::zero()); B];
        for first in 0..stride {
            let (mut tap, mut from) = (first, at + first * self.filter.unit);
            while tap < weights.len() {
                // Taps that are left: as many as the loads of four serve, or what there is.
                let left = (weights.len() - tap).div_ceil(stride);
                let x = &self.x[from..];
                let taken = match left {
                    1 => self.taps::<S, B, 1>(simd, x, (tap, stride), &mut sums),
                    2 | 5 => self.taps::<S, B, 2>(simd, x, (tap, stride), &mut sums),
                    3 | 6 => self.taps::<S, B, 3>(simd, x, (tap, stride), &mut sums),
                    _ => self.taps::<S, B, 4>(simd, x, (tap, stride), &mut sums),
                };
                tap += taken * stride;
                from += taken * L::count::<S>();
            }
        }
        let within = at..at + B * L::count::<S>();
        let y = L::vectors_mut::<S>(&mut self.y[within]);
        for b in 0..B {
            let held = before.map_or(y[b], |before| before[b]);
            y[b] = match self.beta {
                Blend::Set => sums[b],
                Blend::Add => L::plus(simd, held, sums[b]),
                Blend::Scale(beta) => L::multiply_add(simd, L::all(simd, beta), held, sums[b]),
            };
        }
    }

    /// Adds `Q` taps, each a vector further than the one before, to `B` sums: what they load is the same but for its ends.
    #[inline(always)]
    fn taps<S: Simd, const B: usize, const Q: usize>(
        &self,
        simd: S,
        x: &[L],
        (tap, stride): (usize, usize),
        sums: &mut [L::Of<S>; B],
    ) -> usize {
        let x = &L::vectors::<S>(x)[..B + Q - 1];
        for q in 0..Q {
            let weight = L::all(simd, self.filter.weights[tap + q * stride]);
            for b in 0..B {
                sums[b] = L::multiply_add(simd, weight, x[b + q], sums[b]);
            }
        }
        Q
    }

    /// Fewer elements than a vector has: as a vector, with zeros behind what is there.
    #[inline(always)]
    fn few<S: Simd>(&mut self, simd: S, stride: usize) {
        let (count, len) = (L::count::<S>(), self.y.len());
        let mut padded = vec![L::zero(); 2 * count + self.filter.reach()];
        let (y, x) = padded.split_at_mut(count);
        if self.beta != Blend::Set {
            y[..len].copy_from_slice(self.y);
        }
        x[..self.x.len()].copy_from_slice(self.x);
        Slide { filter: self.filter, beta: self.beta, y, x }.vectors::<S, 1>(simd, stride, 0, None);
        self.y.copy_from_slice(&y[..len]);
    }
}

#[cfg(test)]
mod tests {
    use num_complex::{Complex32, Complex64};

    use super::*;

    /// Numbers that are sums of few powers of two, so that products and sums of them are exact.
    fn numbers<L: Scalar>(len: usize, seed: usize) -> Vec<L> {
        let part = |i: usize| ((i * 37 + seed) % 17) as f64 / 8.0 - 1.0;
        (0..len).map(|i| L::rounded(Complex64::new(part(i), part(i + 5)))).collect()
    }

    fn is_the_sum_of_its_products<L: Scalar>() {
        for (taps, unit) in [(9, 1), (17, 1), (41, 1), (101, 1), (21, 2), (60, 4), (33, 8)] {
            let weights = numbers::<L>(taps, 1);
            let filter = Filter { weights: &weights, unit };
            for len in (1..70).chain([127, 191, 192, 193, 500]).filter(|_| filter.is_long()) {
                let (x, held) = (numbers::<L>(len + filter.reach(), 2), numbers::<L>(len, 3));
                let two = L::one() + L::one();
                for beta in [Blend::Set, Blend::Add, Blend::Scale(two)] {
                    // What is not to be read is no number.
                    let lost = L::rounded(Complex64::new(f64::NAN, f64::NAN));
                    let mut y = if beta == Blend::Set { vec![lost; len] } else { held.clone() };
                    filter.apply(beta, &mut y, &x);
                    for (i, y) in y.iter().enumerate() {
                        let products = (0..taps).map(|k| weights[k] * x[i + k * unit]);
                        let sum = products.fold(L::zero(), |sum, product| sum + product);
                        let expected = match beta {
                            Blend::Set => sum,
                            Blend::Add => sum + held[i],
                            Blend::Scale(_) => sum + two * held[i],
                        };
                        assert!(*y == expected, "{i} of {len}, {taps} taps {unit} apart, {beta:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn each_element_is_the_sum_of_its_products() {
        is_the_sum_of_its_products::<f32>();
        is_the_sum_of_its_products::<f64>();
        is_the_sum_of_its_products::<Complex32>();
        is_the_sum_of_its_products::<Complex64>();
    }

    #[test]
    fn elements_do_not_depend_on_where_a_lane_is_cut() {
        let inexact = |i: usize| (i as f32).sin();
        let (weights, len) = ((0..41).map(inexact).collect::<Vec<_>>(), 300);
        let filter = Filter { weights: &weights, unit: 1 };
        let x: Vec<f32> = (0..len + filter.reach()).map(inexact).collect();
        let mut whole = vec![0.0; len];
        if !filter.is_long() {
            return;
        }
        filter.apply(Blend::Set, &mut whole, &x);
        for cut in 1..len {
            let mut y = vec![0.0; len];
            let (a, b) = y.split_at_mut(cut);
            filter.apply(Blend::Set, a, &x[..cut + filter.reach()]);
            filter.apply(Blend::Set, b, &x[cut..]);
            assert!(y == whole, "cut at {cut}");
        }
    }
}
