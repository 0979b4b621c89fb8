//! Parallel work: the output is split into parts, each of which runs on a free core.

use arrayspan_bridge::iteration::{Axes, collapse};
use arrayspan_bridge::{LanesMut, Relayout, View, ViewMut, parallel};

use smallvec::{SmallVec, smallvec};

use super::halves::LINES;
use crate::Result;

/// The shape of the parts of an output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Parts {
    /// Whole lanes, as long as there are several.
    Lanes,
    /// About square, for inputs that are contiguous along another axis.
    Squares,
}

impl Parts {
    /// The shape of parts of about `grain` elements.
    pub(super) fn block(self, shape: &[usize], grain: usize) -> Vec<usize> {
        let mut block = shape.to_vec();
        match self {
            Self::Lanes => {
                let mut left = grain.max(1);
                for extent in block.iter_mut().rev() {
                    // Parts of nearly the same size, of whole cache lines where they are long.
                    let all = *extent;
                    *extent = all.div_ceil(all.div_ceil(left).max(1)).max(1);
                    if (16 * LINES..all).contains(extent) {
                        *extent = extent.next_multiple_of(LINES);
                    }
                    left = (left / *extent).max(1);
                }
            }
            Self::Squares => {
                while block.iter().fold(1, |len: usize, extent| len.saturating_mul(*extent)) > grain
                {
                    let Some(longest) = block.iter_mut().max().filter(|extent| **extent > 1) else {
                        break;
                    };
                    *longest = longest.div_ceil(2);
                }
            }
        }
        block
    }
}

/// The extent of parts of nearly the same size, of at most so much each.
pub(super) fn even(extent: usize, most: usize) -> usize {
    extent.div_ceil(extent.div_ceil(most.max(1)))
}

/// What can be cut in two along an axis.
pub(super) trait Divide: Sized + Send {
    fn shape(&self) -> &[usize];
    fn split_at(self, axis: usize, index: usize) -> (Self, Self);
}

impl<T: Send> Divide for LanesMut<'_, T> {
    fn shape(&self) -> &[usize] {
        LanesMut::shape(self)
    }

    fn split_at(self, axis: usize, index: usize) -> (Self, Self) {
        LanesMut::split_at(self, axis, index)
    }
}

/// What is done with a part, whose first element has that index in the whole. It is called once for thousands of elements; what
/// calls it is compiled once for all.
pub(super) type Work<'w, D> = dyn Fn(&[usize], D) + Sync + 'w;

/// Calls `work` for parts of `out` that make up all of it, with the index in `out` where each begins. Each element costs
/// so many bytes of memory and so many operations.
pub(super) fn for_each_part<D: Divide>(
    out: D,
    parts: Parts,
    (bytes, flops): (usize, usize),
    work: &Work<'_, D>,
) {
    let grain = parallel::even_grain(out.shape().iter().product(), bytes, flops);
    let block = (grain < usize::MAX).then(|| parts.block(out.shape(), grain));
    let last = out.shape().len().saturating_sub(1);
    for_each_block_along(out, block, last, work);
}

/// The same with parts of that shape, each of which begins a multiple of it from the start; one part without.
pub(super) fn for_each_block<D: Divide>(out: D, block: Option<Vec<usize>>, work: &Work<'_, D>) {
    let last = out.shape().len().saturating_sub(1);
    for_each(out, block, (last, Regions::Blocks), work);
}

/// The same with parts of at most that shape, which begin anywhere; a thread takes parts that follow each other along the axis `first`
/// one after the other.
pub(super) fn for_each_block_along<D: Divide>(
    out: D,
    block: Option<Vec<usize>>,
    first: usize,
    work: &Work<'_, D>,
) {
    for_each(out, block, (first, Regions::Even), work);
}

/// Where the regions of threads end.
#[derive(Clone, Copy)]
enum Regions {
    /// Where parts of the full size do.
    Blocks,
    /// Evenly, so that regions of calls of the same arrays are the same, however their parts are cut. Rows stay in their groups of
    /// four, and cells along the last axis whole.
    Even,
}

fn for_each<D: Divide>(
    out: D,
    block: Option<Vec<usize>>,
    (first, ends): (usize, Regions),
    work: &Work<'_, D>,
) {
    let shape = out.shape();
    if shape.contains(&0) {
        return;
    }
    let Some(block) = block else { return work(&vec![0; shape.len()], out) };
    let counts: Axes<usize> =
        shape.iter().zip(&block).map(|(extent, block)| extent.div_ceil(*block)).collect();
    let count = counts.iter().product();
    // Threads begin in different regions along the axis with the most blocks.
    let longest = (0..counts.len()).rev().max_by_key(|axis| counts[*axis]);
    let Some((axis, along)) = longest.map(|axis| (axis, counts[axis])) else {
        return work(&[], out);
    };
    let most = parallel::threads(count).min(along);
    let extent = shape[axis];
    let zeros = block[axis].trailing_zeros();
    let unit = 1 << if axis + 1 < shape.len() { zeros.min(2) } else { zeros };
    let mut left = Some((Axes::from_elem(0, shape.len()), out));
    let regions = (1..=most).map_while(|number| {
        let (origin, rest) = left.take()?;
        let end = match ends {
            Regions::Blocks => number * along / most * block[axis],
            Regions::Even => (number * extent / most + unit / 2) / unit * unit,
        };
        if number == most || end >= origin[axis] + rest.shape()[axis] {
            return Some(Blocks::new(&block, first, (origin, rest)));
        }
        let (part, rest) = rest.split_at(axis, end - origin[axis]);
        let mut next = origin.clone();
        next[axis] = end;
        left = Some((next, rest));
        Some(Blocks::new(&block, first, (origin, part)))
    });
    parallel::share_regions(count, regions, &|(origin, part): (Axes<usize>, D)| {
        work(&origin, part);
    });
}

/// Cuts off one block after the other.
struct Blocks<'b, D> {
    block: &'b [usize],
    /// The axis along which they follow each other.
    first: usize,
    /// What is left and where it begins, the next one last.
    left: SmallVec<[Begun<D>; 2]>,
}

/// What is left, and where in the whole it begins.
type Begun<D> = (Axes<usize>, D);

impl<'b, D> Blocks<'b, D> {
    fn new(block: &'b [usize], first: usize, all: Begun<D>) -> Self {
        Self { block, first, left: smallvec![all] }
    }
}

impl<D: Divide> Iterator for Blocks<'_, D> {
    type Item = Begun<D>;

    fn next(&mut self) -> Option<Self::Item> {
        let (origin, mut part) = self.left.pop()?;
        let others = (0..self.block.len()).filter(|axis| *axis != self.first);
        for axis in others.chain([self.first]) {
            let block = self.block[axis];
            if part.shape()[axis] > block {
                let (first, rest) = part.split_at(axis, block);
                let mut moved = origin.clone();
                moved[axis] += block;
                self.left.push((moved, rest));
                part = first;
            }
        }
        (!part.shape().contains(&0)).then_some((origin, part))
    }

    /// Exact only about whether there are any: threads look no further for parts where there are none.
    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, self.left.is_empty().then_some(0))
    }
}

/// Calls `visit` for every lane along the last axis of a part with that origin and shape, or, where
/// lanes are longer than `width`, for their first `width` elements, then for the next. `visit` takes the
/// index in the part and in the whole where the lane begins, and its length.
pub(super) fn for_each_lane(
    origin: &[usize],
    shape: &[usize],
    width: usize,
    mut visit: impl FnMut(&[usize], &[usize], usize),
) {
    let axis = shape.len() - 1;
    let (mut index, mut at) = (vec![0; shape.len()], origin.to_vec());
    for from in (0..shape[axis]).step_by(width) {
        index[axis] = from;
        loop {
            at.iter_mut().zip(origin).zip(&index).for_each(|((at, a), b)| *at = a + b);
            visit(&index, &at, width.min(shape[axis] - from));
            if !advance(&mut index[..axis], &shape[..axis]) {
                break;
            }
        }
    }
}

/// Moves `index` to the next one below `shape`, the last axis fastest. `false` after the last.
pub(super) fn advance(index: &mut [usize], shape: &[usize]) -> bool {
    for (at, &extent) in index.iter_mut().zip(shape).rev() {
        *at += 1;
        if *at < extent {
            return true;
        }
        *at = 0;
    }
    false
}

/// The same elementwise work with as few axes as possible, at least one: `out` runs forwards and has its
/// smallest stride last, inputs follow. All have one shape, with elements.
pub(super) fn arranged<'a>(
    inputs: &[View<'a>],
    out: ViewMut<'a>,
) -> Result<(Vec<View<'a>>, ViewMut<'a>)> {
    let strides = out.layout().strides().to_vec();
    let order = by_stride(&strides);
    let mut out = out.permuted(&order)?;
    let mut inputs: Vec<View<'a>> =
        inputs.iter().map(|view| view.clone().permuted(&order)).collect::<Result<_, _>>()?;
    for axis in 0..order.len() {
        if out.layout().strides()[axis] < 0 {
            out = out.reversed(axis)?;
            inputs =
                inputs.into_iter().map(|view| view.reversed(axis)).collect::<Result<_, _>>()?;
        }
    }
    let layouts: Vec<_> =
        std::iter::once(out.layout()).chain(inputs.iter().map(View::layout)).collect();
    let mut shape = collapse(&layouts).shape;
    if shape.is_empty() {
        shape.push(1);
    }
    let inputs = inputs.into_iter().map(|view| view.reshaped(&shape)).collect::<Result<_, _>>()?;
    Ok((inputs, out.reshaped(&shape)?))
}

/// The axes from the largest stride to the smallest.
pub(super) fn by_stride(strides: &[isize]) -> Axes<usize> {
    let mut order: Axes<usize> = (0..strides.len()).collect();
    order.sort_by_key(|&axis| std::cmp::Reverse(strides[axis].unsigned_abs()));
    order
}

/// The number that stands for the indices along axes of these extents, the last one fastest.
pub(super) fn flat(extents: &[usize], index: &[usize]) -> usize {
    extents.iter().zip(index).fold(0, |flat, (extent, at)| flat * extent + at)
}

/// The indices that it stands for.
pub(super) fn unflatten(extents: &[usize], flat: usize, index: &mut [usize]) {
    let mut rest = flat;
    for (extent, at) in extents.iter().zip(index).rev() {
        *at = rest % extent;
        rest /= extent;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// A part of an array, by where it begins in it and how far it goes.
    struct Whole([usize; 2], [usize; 2]);

    impl Divide for Whole {
        fn shape(&self) -> &[usize] {
            &self.1
        }

        fn split_at(self, axis: usize, index: usize) -> (Self, Self) {
            let (mut first, mut rest) = (self.1, (self.0, self.1));
            first[axis] = index;
            rest.0[axis] += index;
            rest.1[axis] -= index;
            (Self(self.0, first), Self(rest.0, rest.1))
        }
    }

    fn even(out: Whole, block: Option<Vec<usize>>, work: &Work<'_, Whole>) {
        for_each_block_along(out, block, 0, work);
    }

    #[test]
    fn parts_make_up_all_of_an_array_whatever_its_shape_and_the_number_of_threads() {
        for threads in [1, 2, 3, 16] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for (shape, block) in [1, 2, 5, 13, 67, 1001, 2058].into_iter().flat_map(|extent| {
                let blocks = [[1, 1], [1, 8], [8, 1], [4, 64], [7, 3], [100, 1024], [2, 6]];
                blocks.into_iter().flat_map(move |block| {
                    [[extent, 9], [9, extent], [1, extent]].map(|shape| (shape, block))
                })
            }) {
                let seen = Mutex::new(vec![0; shape[0] * shape[1]]);
                let work = |origin: &[usize], part: Whole| {
                    assert_eq!(origin, part.0);
                    assert!(part.1.iter().zip(block).all(|(extent, most)| *extent <= most));
                    let mut seen = seen.lock().unwrap();
                    for row in 0..part.1[0] {
                        let from = (origin[0] + row) * shape[1] + origin[1];
                        seen[from..from + part.1[1]].iter_mut().for_each(|times| *times += 1);
                    }
                };
                for (times, each) in [for_each_block, even].into_iter().enumerate() {
                    let whole = Whole([0, 0], shape);
                    pool.install(|| each(whole, Some(block.to_vec()), &work));
                    let all = seen.lock().unwrap().iter().all(|seen| *seen == times + 1);
                    assert!(all, "{shape:?} in {block:?} on {threads}");
                }
            }
        }
    }
}
