//! A sum of stencils over one output: how it is cut, and which loops compute it.

use arrayspan_bridge::{LaneMut, LanesMut, copy_past_caches, goes_past_caches, parallel};
use bytemuck::cast_slice_mut;

use super::banded::{Banded, Work};
use super::blend::blend;
use super::group::{GroupWork, Grouped, ROWS, Window, has_contiguous_lanes};
use super::parts::{Parts, advance, for_each_block};
use super::scalar::Scalar;
use super::tile::{Blend, tile};

/// Elements computed at a time: enough to stream, and a bound for what is copied together where strides
/// demand it.
pub(super) const CHUNK: usize = 8192;

/// Bytes of the inputs of a group that stay in a core's cache from one group to the next.
const CACHE: usize = 256 << 10;

/// Bytes of a row in a part, at least: several cache lines.
const NARROW: usize = 512;

/// The most parts: they need not be smaller where there is much to do.
const MOST_PARTS: usize = 512;

/// Bytes of a group of rows that are computed before they are written past the caches.
const BUFFER: usize = 32 << 10;

/// Terms that are summed into one output.
pub(super) struct Sum<'a, T, L> {
    terms: Vec<Banded<'a, T, L>>,
    beta: Blend<L>,
    /// Whether all inputs are contiguous along the lanes and no term has coefficients or taps that reach far along
    /// them, so that rows are computed in groups.
    grouped: bool,
    /// The axis along which rows are grouped: the one with the most taps of those that lanes do not run along.
    beside: Option<usize>,
    windows: Vec<Option<Window<L, ROWS>>>,
}

impl<'a, T: Scalar, L: Scalar> Sum<'a, T, L> {
    pub(super) fn new(terms: Vec<Banded<'a, T, L>>, beta: Blend<L>) -> Self {
        let plain = |term: &Banded<'a, T, L>| {
            let coefficients = term.before.is_some() || term.after.is_some();
            !coefficients && term.far.is_none() && has_contiguous_lanes(&term.x)
        };
        let across = || terms.iter().flat_map(|term| &term.across);
        let beside = across().max_by_key(|(axis, pieces)| (pieces.longest().1.len(), *axis));
        let beside = beside.map(|(axis, _)| *axis);
        let window = |term: &Banded<'a, T, L>| {
            let pieces = term.across.iter().find(|(axis, _)| Some(*axis) == beside);
            pieces.map(|(_, pieces)| Window::new(pieces))
        };
        let (grouped, windows) = (terms.iter().all(plain), terms.iter().map(window).collect());
        Self { terms, beta, grouped, beside, windows }
    }

    /// Computes all elements.
    pub(super) fn run(&self, y: LanesMut<'_, T>) {
        let (block, mut width) = self.block(y.shape());
        let len: usize = y.shape().iter().product();
        let past_caches = self.beta == Blend::Set && goes_past_caches(len * size_of::<T>());
        if past_caches {
            let rows = self.beside.map_or(1, |_| ROWS);
            width = width.min(BUFFER / (rows * size_of::<T>()));
        }
        for_each_block(y, block, &|origin, part| self.part(origin, part, width, past_caches));
    }

    /// The shape of parts, if there are several, and how many elements of rows are computed before the next rows.
    fn block(&self, shape: &[usize]) -> (Option<Vec<usize>>, usize) {
        let taps = |term: &Banded<'a, T, L>| {
            let across = term.across.iter().map(|(_, pieces)| pieces.longest().1.len());
            let along = term.own.as_ref().map_or(0, |own| own.shifts().count());
            let far = term.far.as_ref().map_or(0, |far| far.longest().1.len());
            across.sum::<usize>() + along + far
        };
        let taps: usize = self.terms.iter().map(taps).sum();
        let arrays = self.terms.len() + 1 + usize::from(self.beta != Blend::Set);
        let len = shape.iter().product();
        let parts = size_of::<T>() / size_of::<L>();
        let grain = parallel::grain(len, arrays * size_of::<T>(), 2 * taps * parts);
        // Input rows of a group.
        let rows = self.windows.iter().flatten().map(Window::len).sum::<usize>().max(1);
        let width = (CACHE / (rows * size_of::<T>())).clamp(NARROW / size_of::<T>(), CHUNK);
        if grain == usize::MAX {
            return (None, width);
        }
        let grain = grain.max(len / MOST_PARTS);
        let Some(beside) = self.beside else {
            return (Some(Parts::Lanes.block(shape, grain)), width);
        };
        // High and narrow, since each part reads the rows around it again that its own rows take.
        let last = shape.len() - 1;
        let narrow = (grain / (8 * rows)).clamp(NARROW / size_of::<T>(), width);
        let even = |extent: usize, most: usize| extent.div_ceil(extent.div_ceil(most.max(1)));
        let mut block = vec![1; shape.len()];
        block[last] = even(shape[last], narrow);
        let high = (grain / block[last]).max(ROWS);
        block[beside] = even(shape[beside], high).next_multiple_of(ROWS).min(shape[beside]);
        let mut left = grain / (block[last] * block[beside]);
        for axis in (0..last).rev().filter(|axis| *axis != beside) {
            block[axis] = even(shape[axis], left);
            left /= block[axis];
        }
        (Some(block), width)
    }

    /// Computes the part of the output that begins at `origin`, `width` elements of all rows, then the next.
    fn part(&self, origin: &[usize], mut y: LanesMut<'_, T>, width: usize, past_caches: bool) {
        let shape = y.shape().to_vec();
        let axis = shape.len() - 1;
        let beside = self.beside.filter(|_| self.grouped);
        let mut outer = shape[..axis].to_vec();
        // A row by itself is beside nothing.
        let rows = beside.map_or(1, |beside| std::mem::replace(&mut outer[beside], 1));
        let beside = beside.unwrap_or(axis);
        let (work, copied) = (Work::default(), Vec::new());
        let mut walk = Walk { sum: self, past_caches, at: Vec::new(), work, copied };
        let mut together = GroupWork::<L, ROWS>::default();
        let mut alone = GroupWork::<L, 1>::default();
        let mut index = vec![0; shape.len()];
        for from in (0..shape[axis]).step_by(width) {
            let len = width.min(shape[axis] - from);
            index[axis] = from;
            loop {
                let mut row = 0;
                while row < rows {
                    if beside < axis {
                        index[beside] = row;
                    }
                    walk.at.clear();
                    walk.at.extend(origin.iter().zip(&index).map(|(a, b)| a + b));
                    row += if row + ROWS <= rows {
                        let lanes = y.beside::<ROWS>(&index, beside, axis, len);
                        walk.rows(lanes, beside, &self.windows, &mut together);
                        ROWS
                    } else {
                        let lanes = y.beside::<1>(&index, beside, axis, len);
                        walk.rows(lanes, beside, &[], &mut alone);
                        1
                    };
                }
                if beside < axis {
                    index[beside] = 0;
                }
                if !advance(&mut index[..axis], &outer) {
                    break;
                }
            }
        }
    }

    /// Computes the elements from `at` along the last axis, as many as `y` has, one term after the other.
    fn lane(&self, at: &[usize], y: &mut [T], work: &mut Work<'a, T, L>) {
        let Some((first, others)) = self.terms.split_first() else {
            return blend(self.beta, cast_slice_mut(y), &[]);
        };
        first.lane(self.beta, at, y, work);
        for term in others {
            term.lane(Blend::Add, at, y, work);
        }
    }

    /// Which of the elements from `start` to `end` along the last axis no tap of a band along it leaves the axis from.
    fn inside(&self, start: usize, end: usize) -> (usize, usize) {
        let parts = size_of::<T>() / size_of::<L>();
        let inside = self.terms.iter().filter_map(|term| Some(term.own.as_ref()?.inside()));
        let (from, to) = inside.fold((start, end), |(from, to), inside| {
            (from.max(inside.start.div_ceil(parts)), to.min(inside.end / parts))
        });
        let from = from.min(end);
        (from, to.max(from))
    }
}

/// One thread's way through its part.
struct Walk<'s, 'a, T, L> {
    sum: &'s Sum<'a, T, L>,
    /// Whether results are written past the caches.
    past_caches: bool,
    /// Where the next rows begin.
    at: Vec<usize>,
    work: Work<'a, T, L>,
    /// Rows whose elements are not contiguous, or are to be written past the caches.
    copied: Vec<T>,
}

impl<'a, T: Scalar, L: Scalar> Walk<'_, 'a, T, L> {
    /// Computes the rows from `self.at`, which follow each other along the axis `beside`.
    fn rows<const R: usize>(
        &mut self,
        mut lanes: [LaneMut<'_, T>; R],
        beside: usize,
        windows: &[Option<Window<L, R>>],
        group: &mut GroupWork<'a, L, R>,
    ) {
        if !self.past_caches && lanes.iter_mut().all(|lane| lane.as_mut_slice().is_some()) {
            let slices = lanes.each_mut().map(|lane| lane.as_mut_slice().unwrap_or_default());
            return self.slices(slices, beside, windows, group);
        }
        let len = lanes[0].read().len();
        let mut copied = std::mem::take(&mut self.copied);
        copied.resize(R * len, T::default());
        let mut rows = copied.chunks_exact_mut(len);
        let mut rows: [&mut [T]; R] = std::array::from_fn(|_| rows.next().unwrap_or_default());
        if self.sum.beta != Blend::Set {
            lanes.iter().zip(&mut rows).for_each(|(lane, row)| lane.read().gather(0, row));
        }
        self.slices(rows, beside, windows, group);
        let rows = copied.chunks_exact(len);
        for (lane, row) in lanes.iter_mut().zip(rows) {
            match lane.as_mut_slice() {
                Some(slice) => copy_past_caches(row, slice),
                None => lane.scatter(0, row),
            }
        }
        self.copied = copied;
    }

    fn slices<const R: usize>(
        &mut self,
        mut y: [&mut [T]; R],
        beside: usize,
        windows: &[Option<Window<L, R>>],
        group: &mut GroupWork<'a, L, R>,
    ) {
        let (sum, at) = (self.sum, &mut self.at);
        let axis = at.len() - 1;
        let (start, first) = (at[axis], at[beside]);
        let end = start + y[0].len();
        let (from, to) = if sum.grouped { sum.inside(start, end) } else { (end, end) };
        for (r, y) in y.iter_mut().enumerate() {
            if beside < axis {
                at[beside] = first + r;
            }
            for edge in [start..from, to..end].into_iter().filter(|edge| !edge.is_empty()) {
                at[axis] = edge.start;
                let y = &mut y[edge.start - start..edge.end - start];
                sum.lane(at, y, &mut self.work);
            }
        }
        if from == to {
            return;
        }
        if beside < axis {
            at[beside] = first;
        }
        at[axis] = from;
        group.terms.clear();
        for (number, term) in sum.terms.iter().enumerate() {
            let window = windows.get(number).and_then(Option::as_ref);
            Grouped { term, window }.gather(at, beside, to - from, group);
        }
        let y = y.map(|y| cast_slice_mut(&mut y[from - start..to - start]));
        tile(sum.beta, y, &group.terms);
    }
}
