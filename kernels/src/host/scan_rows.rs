//! Running sums from row to row.

use arrayspan_bridge::{LanesMut, parallel};
use bytemuck::{cast_slice, cast_slice_mut};
use pulp::{Arch, Simd, WithSimd};
use smallvec::SmallVec;

use super::parts::{flat, for_each_block, unflatten};
use super::scalar::Scalar;
use super::scan_line::times;
use super::scan_sums::Sums;
use super::stored::{Part, Stored};

/// Rows of a block: as for lanes.
const BLOCK: usize = 1024;

/// Bytes of the neighbours that go from row to row together: memory is read in long pieces, and their sums stay in a near cache. Half
/// as many take half as long again, a sixteenth more than twice as long (7919 x 8191, one thread).
const STRIP: usize = 32 << 10;

/// The same, where there would be fewer strips than threads: a row of less is sooner summed than found.
const LEAST_STRIP: usize = 256;

/// What caches move at once: no two threads write to the same.
const CACHE_LINE: usize = 64;

/// Sums along the axis before the last, of lanes along the last.
pub(super) struct Across<'a, S, L>(pub(super) Sums<'a, S, L>);

impl<S: Stored, L: Scalar> Across<'_, S, L> {
    pub(super) fn run(&self, y: LanesMut<'_, S>) {
        let shape = y.shape().to_vec();
        let axis = shape.len() - 2;
        let (rows, columns) = (shape[axis], shape[axis + 1]);
        let elements = shape.iter().product();
        let grain = parallel::even_grain(elements, 2 * size_of::<S>(), 4);
        let threads = if grain == usize::MAX { 1 } else { parallel::threads(usize::MAX) };
        let width = Self::width(columns, elements / rows / columns, threads);
        let (strips, blocks) = (columns.div_ceil(width), rows.div_ceil(BLOCK));
        let mut block = vec![1; axis];
        block.extend([rows, width]);
        let parts = strips * shape[..axis].iter().product::<usize>();
        if Sums::<S, L>::shares(blocks, parts, elements) {
            return self.shared(y, block, blocks);
        }
        // Strips of few rows are too little for a thread alone.
        let together = (grain / (rows * width)).max(1);
        if strips == 1 && axis > 0 {
            block[axis - 1] = together.min(shape[axis - 1]);
        }
        let block = (grain < usize::MAX).then_some(block);
        for_each_block(y, block, &|origin: &[usize], part: LanesMut<'_, S>| {
            self.part(origin, part, width, blocks);
        });
    }

    /// Elements of a strip, of rows of so many that there are so many others of: so that each thread has one, if that is not
    /// too narrow.
    fn width(columns: usize, others: usize, threads: usize) -> usize {
        let [least, most, line] =
            [LEAST_STRIP, STRIP, CACHE_LINE].map(|bytes| bytes / size_of::<S>());
        let share = (columns * others).div_ceil(threads).clamp(least, most).min(columns);
        let even = columns.div_ceil(columns.div_ceil(share));
        even.next_multiple_of(line).min(columns)
    }

    /// All rows of a part of the other axes.
    fn part(&self, origin: &[usize], part: LanesMut<'_, S>, width: usize, blocks: usize) {
        let axis = origin.len() - 2;
        let mut block = vec![1; axis];
        block.extend([part.shape()[axis], width]);
        let strip = |from: &[usize], mut part: LanesMut<'_, S>| {
            let at: SmallVec<[usize; 8]> = origin.iter().zip(from).map(|(a, b)| a + b).collect();
            let mut carries = vec![0.0; Self::parts(part.shape()[axis + 1])];
            for number in self.0.order(blocks) {
                let sums = self.block(&at, number, &carries, Rows::All(&mut part));
                carries.iter_mut().zip(&sums).for_each(|(carry, sum)| *carry += sum);
            }
        };
        each_strip(part, &block, &strip);
    }

    /// Threads share strips: what the blocks of each add up to first, then the results of each.
    fn shared(&self, y: LanesMut<'_, S>, mut block: Vec<usize>, blocks: usize) {
        let shape = y.shape().to_vec();
        let axis = shape.len() - 2;
        let width = block[axis + 1];
        let counts: Vec<usize> =
            shape.iter().zip(&block).map(|(extent, block)| extent.div_ceil(*block)).collect();
        let strips: usize = counts.iter().product();
        let all = (0..strips * blocks).collect();
        let sums = parallel::collect(all, &|part: usize| {
            let mut at = SmallVec::<[usize; 8]>::from_elem(0, shape.len());
            unflatten(&counts, part / blocks, &mut at);
            at[axis + 1] *= width;
            let len = width.min(shape[axis + 1] - at[axis + 1]);
            self.block(&at, part % blocks, &vec![0.0; Self::parts(len)], Rows::None)
        });
        let mut carries = sums.clone();
        for (sums, carries) in sums.chunks(blocks).zip(carries.chunks_mut(blocks)) {
            let mut carry = vec![0.0; sums[0].len()];
            for number in self.0.order(blocks) {
                carries[number].copy_from_slice(&carry);
                carry.iter_mut().zip(&sums[number]).for_each(|(carry, sum)| *carry += sum);
            }
        }
        block[axis] = BLOCK;
        for_each_block(y, Some(block), &|origin: &[usize], mut part: LanesMut<'_, S>| {
            let number = origin[axis] / BLOCK;
            let mut at = SmallVec::<[usize; 8]>::from_slice(origin);
            at[axis] = 0;
            at[axis + 1] /= width;
            let carry = &carries[flat(&counts, &at) * blocks + number];
            self.block(origin, number, carry, Rows::Block(&mut part));
        });
    }

    /// The numbers that elements are made of.
    fn parts(elements: usize) -> usize {
        elements * size_of::<S::Number>() / size_of::<Part<S>>()
    }

    /// The sums of a block of rows of the strip at `at`, as wide as `carry`, from the parts of all elements.
    fn block(
        &self,
        at: &[usize],
        number: usize,
        carry: &[f64],
        mut y: Rows<'_, '_, S>,
    ) -> Vec<f64> {
        let Sums { x, scan, store } = &self.0;
        let [y_first, x_first] = scan.left_out();
        let [diagonal, corner, coupling] = scan.weights();
        let axis = at.len() - 2;
        let width = carry.len() * size_of::<Part<S>>() / size_of::<S::Number>();
        let all = self.0.block(number, BLOCK);
        let mut index = SmallVec::<[usize; 8]>::from_slice(at);
        let mut place = SmallVec::<[usize; 8]>::from_elem(0, at.len());
        let (mut from, mut to) = (Vec::new(), vec![S::Number::default(); width]);
        let mut sums = vec![0.0; carry.len()];
        for row in self.0.order(all.len()) {
            let i = all.start + row;
            from.clear();
            let lane = i.checked_sub(x_first).map(|row| {
                index[axis] = row;
                x.lane(&index, axis + 1, width)
            });
            let slice = lane.as_ref().and_then(S::slice);
            let items = slice.unwrap_or_else(|| {
                from.resize(width, S::Number::default());
                if let Some(lane) = lane {
                    S::load(&lane, 0, &mut from);
                }
                &from
            });
            let (first, backward) = (i == 0, scan.is_backward());
            let step = Step {
                first,
                diagonal: if first { corner } else { diagonal },
                share: if first && !backward { coupling } else { 1.0 },
                taken: if first && backward { coupling } else { 1.0 },
                carry,
                sums: &mut sums,
                x: cast_slice::<S::Number, Part<S>>(items),
            };
            let result = i.checked_sub(y_first).and_then(|row| match &mut y {
                Rows::All(part) => {
                    place[axis] = row;
                    Some(part.lane(&place, axis + 1, width))
                }
                Rows::Block(part) => {
                    place[axis] = row - number * BLOCK;
                    Some(part.lane(&place, axis + 1, width))
                }
                Rows::None => None,
            });
            let Some(mut lane) = result else {
                step.run(cast_slice_mut(&mut to));
                continue;
            };
            if store.plain
                && let Some(slice) = S::slice_mut(&mut lane)
            {
                step.run(cast_slice_mut(slice));
                continue;
            }
            step.run(cast_slice_mut(&mut to));
            store.put(&mut lane, 0, &to);
        }
        sums
    }
}

/// Where the results of a block go.
enum Rows<'p, 'y, T> {
    /// Into a part with all rows.
    All(&'p mut LanesMut<'y, T>),
    /// Into one with those of the block.
    Block(&'p mut LanesMut<'y, T>),
    None,
}

/// Calls `work` for the parts of that shape that make up `part`, with the index where each begins, on this thread.
fn each_strip<'y, T: Stored>(
    part: LanesMut<'y, T>,
    block: &[usize],
    work: &impl Fn(&[usize], LanesMut<'y, T>),
) {
    let mut left = vec![(vec![0; block.len()], part)];
    while let Some((origin, part)) = left.pop() {
        let long = (0..block.len()).find(|axis| part.shape()[*axis] > block[*axis]);
        let Some(axis) = long else {
            work(&origin, part);
            continue;
        };
        let (first, rest) = part.split_at(axis, block[axis]);
        let mut behind = origin.clone();
        behind[axis] += block[axis];
        left.extend([(behind, rest), (origin, first)]);
    }
}

/// One row, its complex elements as two numbers each.
struct Step<'a, P> {
    /// Whether its weights may differ from those of others.
    first: bool,
    diagonal: f64,
    /// What the row is multiplied by in sums behind it.
    share: f64,
    /// What the sums before it are multiplied by.
    taken: f64,
    carry: &'a [f64],
    sums: &'a mut [f64],
    x: &'a [P],
}

impl<P: Scalar<Wide = f64>> Step<'_, P> {
    fn run(self, y: &mut [P]) {
        Arch::new().dispatch(Row { step: self, y });
    }
}

struct Row<'a, 'y, P> {
    step: Step<'a, P>,
    y: &'y mut [P],
}

impl<P: Scalar<Wide = f64>> WithSimd for Row<'_, '_, P> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { step: Step { first, diagonal, share, taken, carry, sums, x }, y } = self;
        let all = carry.iter().zip(sums).zip(x.iter().zip(y));
        if first || diagonal == 0.0 {
            for ((carry, sum), (x, y)) in all {
                let x = x.wide();
                *y = (times(taken, carry + *sum) + times(diagonal, x)).converted();
                *sum += times(share, x);
            }
        } else {
            for ((carry, sum), (x, y)) in all {
                let x = x.wide();
                *y = (carry + *sum + x * diagonal).converted();
                *sum += x;
            }
        }
    }
}
