//! Running sums along lanes.

use std::ops::Range;

use arrayspan_bridge::{LaneMut, LanesMut, parallel};
use num_complex::{Complex64, ComplexFloat};
use pulp::{Arch, Simd, WithSimd};
use smallvec::SmallVec;

use super::parts::{Parts, flat, for_each_block, for_each_lane, unflatten};
use super::scalar::Scalar;
use super::scan_sums::Sums;
use super::stored::{Stored, Wide};
use crate::Scan;

/// Results of a block: enough that it pays to share lanes, and a fixed number, because it decides how sums are rounded.
const BLOCK: usize = 1 << 16;

/// Elements that are summed at a time: what is copied stays in the cache.
const PIECE: usize = 2048;

/// Elements that are added to each other before to the sum, so that one sum need not wait for another.
const GROUP: usize = 4;

/// Sums along the last axis.
pub(super) struct Along<'a, S, L>(pub(super) Sums<'a, S, L>);

impl<S: Stored, L: Scalar> Along<'_, S, L> {
    pub(super) fn run(&self, y: LanesMut<'_, S>) {
        let shape = y.shape().to_vec();
        let axis = shape.len() - 1;
        let (outer, rows) = (shape[..axis].to_vec(), shape[axis]);
        let (lines, blocks) = (outer.iter().product::<usize>(), rows.div_ceil(BLOCK));
        if Sums::<S, L>::shares(blocks, lines, lines * rows) {
            return self.shared(y, &outer, blocks);
        }
        let grain = parallel::even_grain(lines * rows, 2 * size_of::<S>(), 4);
        let block = (grain < usize::MAX).then(|| {
            let mut block = Parts::Lanes.block(&outer, (grain / rows).max(1));
            block.push(rows);
            block
        });
        for_each_block(y, block, &|origin: &[usize], mut part: LanesMut<'_, S>| {
            let shape = part.shape().to_vec();
            for_each_lane(origin, &shape, rows, |index, at, _| {
                let mut carry = Wide::<S>::default();
                for number in self.0.order(blocks) {
                    let mut index = SmallVec::<[usize; 8]>::from_slice(index);
                    index[axis] = number * BLOCK;
                    let len = BLOCK.min(rows - index[axis]);
                    let mut lane = part.lane(&index, axis, len);
                    carry = carry + self.block(at, number, carry, Some(&mut lane));
                }
            });
        });
    }

    /// Threads share lanes: what the blocks of each add up to first, then the results of each.
    fn shared(&self, y: LanesMut<'_, S>, outer: &[usize], blocks: usize) {
        let axis = outer.len();
        let all = (0..outer.iter().product::<usize>() * blocks).collect();
        let sums = parallel::collect(all, &|part: usize| {
            let mut at = SmallVec::<[usize; 8]>::from_elem(0, axis + 1);
            unflatten(outer, part / blocks, &mut at[..axis]);
            self.block(&at, part % blocks, Wide::<S>::default(), None)
        });
        let mut carries = vec![Wide::<S>::default(); sums.len()];
        for (sums, carries) in sums.chunks(blocks).zip(carries.chunks_mut(blocks)) {
            let mut carry = Wide::<S>::default();
            for number in self.0.order(blocks) {
                carries[number] = carry;
                carry = carry + sums[number];
            }
        }
        let mut block = vec![1; axis];
        block.push(BLOCK);
        for_each_block(y, Some(block), &|origin: &[usize], mut part: LanesMut<'_, S>| {
            let number = origin[axis] / BLOCK;
            let carry = carries[flat(outer, &origin[..axis]) * blocks + number];
            let len = part.shape()[axis];
            let mut lane = part.lane(&SmallVec::<[usize; 8]>::from_elem(0, axis + 1), axis, len);
            self.block(origin, number, carry, Some(&mut lane));
        });
    }

    /// The sum of a block of the lane at `at`. `y` are its results.
    fn block(
        &self,
        at: &[usize],
        number: usize,
        carry: Wide<S>,
        mut y: Option<&mut LaneMut<'_, S>>,
    ) -> Wide<S> {
        let Sums { x, scan, store } = &self.0;
        let [y_first, x_first] = scan.left_out();
        let axis = at.len() - 1;
        let mut index = SmallVec::<[usize; 8]>::from_slice(at);
        index[axis] = 0;
        let lane = x.lane(&index, axis, scan.columns());
        let all = self.0.block(number, BLOCK);
        let first_result = all.start.max(y_first);
        let (mut from, mut to) = (Vec::new(), Vec::new());
        let mut sum = Wide::<S>::default();
        for piece in self.0.order(all.len().div_ceil(PIECE)) {
            let start = all.start + piece * PIECE;
            let piece = start..all.end.min(start + PIECE);
            let items = match S::slice(&lane) {
                Some(slice) if start >= x_first => &slice[start - x_first..piece.end - x_first],
                _ => {
                    from.clear();
                    from.resize(piece.len(), S::Number::default());
                    let there = start.max(x_first).min(piece.end);
                    if there < piece.end {
                        S::load(&lane, there - x_first, &mut from[there - start..]);
                    }
                    &from[..]
                }
            };
            let slice = match &mut y {
                Some(y) if store.plain && start >= y_first => S::slice_mut(y),
                _ => None,
            };
            if let Some(slice) = slice {
                let results = &mut slice[start - first_result..piece.end - first_result];
                sum = steps(scan, start, carry, sum, items, results);
                continue;
            }
            to.resize(piece.len(), S::Number::default());
            sum = steps(scan, start, carry, sum, items, &mut to);
            let there = start.max(y_first);
            if let Some(y) = y.as_mut().filter(|_| there < piece.end) {
                store.put(y, there - first_result, &to[there - start..]);
            }
        }
        sum
    }
}

/// The results of elements from index `start` on, and the sum behind them. `carry + sum` is that before them.
fn steps<T: Scalar>(
    scan: &Scan,
    start: usize,
    carry: T::Wide,
    sum: T::Wide,
    x: &[T],
    y: &mut [T],
) -> T::Wide {
    let backward = scan.is_backward();
    let [diagonal, corner, coupling] = scan.weights();
    let run = |sum, x, y| Arch::new().dispatch(Run { diagonal, backward, carry, sum, x, y });
    if start > 0 {
        return run(sum, x, y);
    }
    let (Some((&first, x)), Some((result, y))) = (x.split_first(), y.split_first_mut()) else {
        return sum;
    };
    let first = first.wide();
    if backward {
        let sum = run(sum, x, y);
        *result = (times(coupling, carry + sum) + times(corner, first)).converted();
        sum
    } else {
        *result = times(corner, first).converted();
        run(times(coupling, first), x, y)
    }
}

/// Nothing where the weight is zero.
#[inline(always)]
pub(super) fn times<W: Scalar + ComplexFloat<Real = f64>>(weight: f64, value: W) -> W {
    match weight {
        0.0 => W::zero(),
        1.0 => value,
        weight => W::rounded(Complex64::new(value.re() * weight, value.im() * weight)),
    }
}

struct Run<'a, T: Scalar> {
    diagonal: f64,
    backward: bool,
    carry: T::Wide,
    sum: T::Wide,
    x: &'a [T],
    y: &'a mut [T],
}

impl<T: Scalar> WithSimd for Run<'_, T> {
    type Output = T::Wide;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> T::Wide {
        // Where results are sums and nothing else, they are not multiplied.
        match (self.backward, self.diagonal) {
            (false, 1.0) => self.go::<false, true>(),
            (false, _) => self.go::<false, false>(),
            (true, 1.0) => self.go::<true, true>(),
            (true, _) => self.go::<true, false>(),
        }
    }
}

impl<T: Scalar> Run<'_, T> {
    #[inline(always)]
    fn go<const BACKWARD: bool, const INCLUSIVE: bool>(self) -> T::Wide {
        let Self { diagonal, carry, mut sum, x, y, .. } = self;
        let len = x.len().min(y.len());
        let whole = len / GROUP;
        for group in 0..whole {
            let at = group * GROUP;
            let at = if BACKWARD { len - at - GROUP..len - at } else { at..at + GROUP };
            sum = Self::group::<BACKWARD, INCLUSIVE>(
                diagonal,
                carry,
                sum,
                &x[at.clone()],
                &mut y[at],
            );
        }
        let left: Range<usize> = if BACKWARD { 0..len - whole * GROUP } else { whole * GROUP..len };
        Self::group::<BACKWARD, INCLUSIVE>(diagonal, carry, sum, &x[left.clone()], &mut y[left])
    }

    /// The results of a few elements, which are added to each other first.
    #[inline(always)]
    fn group<const BACKWARD: bool, const INCLUSIVE: bool>(
        diagonal: f64,
        carry: T::Wide,
        sum: T::Wide,
        x: &[T],
        y: &mut [T],
    ) -> T::Wide {
        let (base, mut own) = (carry + sum, T::Wide::default());
        let mut step = |x: T, y: &mut T| {
            let x = x.wide();
            let before = own;
            own = own + x;
            let result = if INCLUSIVE { base + own } else { base + before + times(diagonal, x) };
            *y = result.converted();
        };
        if BACKWARD {
            x.iter().zip(y).rev().for_each(|(x, y)| step(*x, y));
        } else {
            x.iter().zip(y).for_each(|(x, y)| step(*x, y));
        }
        sum + own
    }
}
