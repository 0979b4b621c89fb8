//! Fourier transforms of several lines at once, one of each in the elements of vectors (Stockham's order: what each stage writes is in
//! the order in which the next one reads it).

use pulp::Simd;

use super::butterflies::{Butterfly, Four, Odd, Two};
use super::complex::{Pair, Root, root};
use super::roots::part_of_circle;
use crate::host::scalar::Scalar;

/// The numbers of points of a butterfly, those that come first first.
const RADICES: [usize; 7] = [13, 11, 7, 5, 4, 3, 2];

/// The stages of a transform with a negative exponent.
pub(super) struct Stages<T>(Vec<Stage<T>>);

struct Stage<T> {
    radix: usize,
    /// Of each butterfly, by what its results are turned, `radix` roots of which the first is one.
    roots: Vec<[T; 2]>,
}

impl<T: Scalar> Stages<T> {
    /// Those of so many points; `None` if they have another factor than a butterfly has points.
    pub(super) fn new(points: usize) -> Option<Self> {
        let (mut left, mut stages) = (points, Vec::new());
        for radix in RADICES {
            while left.is_multiple_of(radix) {
                let roots = (0..left / radix).flat_map(|butterfly| {
                    (0..radix).map(move |result| part_of_circle(butterfly * result, left))
                });
                stages.push(Stage { radix, roots: roots.collect() });
                left /= radix;
            }
        }
        (left == 1).then_some(Self(stages))
    }

    /// Transforms what `points` hold, real and imaginary parts by turns. The result is in `points` again if their number of stages is
    /// even, else in `room`, which has as many.
    #[inline(always)]
    pub(super) fn run<S: Simd>(&self, simd: S, points: &mut [T::Of<S>], room: &mut [T::Of<S>]) {
        let [mut x, mut y] = [points, room];
        let mut beside = 1;
        for Stage { radix, roots } in &self.0 {
            let roots = roots.as_slice();
            match radix {
                2 => stage(simd, Two, roots, beside, x, y),
                3 => stage(simd, Odd::<T, S, 1>::new(simd), roots, beside, x, y),
                4 => stage(simd, Four, roots, beside, x, y),
                5 => stage(simd, Odd::<T, S, 2>::new(simd), roots, beside, x, y),
                7 => stage(simd, Odd::<T, S, 3>::new(simd), roots, beside, x, y),
                11 => stage(simd, Odd::<T, S, 5>::new(simd), roots, beside, x, y),
                _ => stage(simd, Odd::<T, S, 6>::new(simd), roots, beside, x, y),
            }
            std::mem::swap(&mut x, &mut y);
            beside *= radix;
        }
    }

    /// Whether results are where the points were.
    pub(super) fn is_even(&self) -> bool {
        self.0.len().is_multiple_of(2)
    }
}

/// Butterflies of `R` points with others between them; of each group, so many have the same roots and lie beside each other. Loops, not
/// closures: these are not always inlined where vector instructions are enabled.
#[inline(always)]
fn stage<T: Scalar, S: Simd, const R: usize>(
    simd: S,
    butterfly: impl Butterfly<T, S, R>,
    roots: &[[T; 2]],
    beside: usize,
    x: &[T::Of<S>],
    y: &mut [T::Of<S>],
) {
    let (roots, _) = roots.as_chunks::<R>();
    let (run, apart) = (2 * beside, 2 * beside * roots.len());
    for (number, (own, y)) in roots.iter().zip(y.chunks_exact_mut(R * run)).enumerate() {
        let mut from = [&x[..0]; R];
        for (point, from) in from.iter_mut().enumerate() {
            *from = &x[point * apart + number * run..][..run];
        }
        // The first butterflies of a group are not turned.
        if number == 0 {
            each(simd, butterfly, from, y, None);
            continue;
        }
        let mut turns = [root(simd, own[0]); R];
        for (turn, own) in turns.iter_mut().zip(own) {
            *turn = root(simd, *own);
        }
        each(simd, butterfly, from, y, Some(turns));
    }
}

/// Those that lie beside each other.
#[inline(always)]
fn each<T: Scalar, S: Simd, const R: usize>(
    simd: S,
    butterfly: impl Butterfly<T, S, R>,
    x: [&[T::Of<S>]; R],
    y: &mut [T::Of<S>],
    turns: Option<[Root<T, S>; R]>,
) {
    let beside = x[0].len() / 2;
    for at in 0..beside {
        let mut points = [Pair::read(x[0], at); R];
        for (point, x) in points.iter_mut().zip(x) {
            *point = Pair::read(x, at);
        }
        let results = butterfly.apply(simd, points);
        results[0].write(y, at);
        for result in 1..R {
            let turned = match &turns {
                Some(turns) => results[result].turned(simd, turns[result]),
                None => results[result],
            };
            turned.write(y, result * beside + at);
        }
    }
}
