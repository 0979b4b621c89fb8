//! How a part of a sum of stencils is walked: which rows are computed together, and where they go.

use std::ops::Range;

use arrayspan_bridge::iteration::Axes;
use arrayspan_bridge::{LanesMut, PastCaches, goes_past_caches};
use bytemuck::cast_slice_mut;
use smallvec::{SmallVec, smallvec};

use super::banded::Work;
use super::group::{GroupWork, Grouped};
use super::norms::Norms;
use super::packed::Packed;
use super::parts::{advance, for_each_block_along};
use super::scalar::Scalar;
use super::sum::{FEW_ENDS, Sum};
use super::tile::{Blend, tile};
use super::window::{ROWS, Window};

/// Bytes of a group of rows that are computed before they are written past the caches.
const BUFFER: usize = 32 << 10;

/// Computes all elements of a sum; the sum of their squares, too, if they are asked for.
pub(super) fn run<T: Scalar, L: Scalar>(
    sum: &Sum<'_, T, L>,
    y: LanesMut<'_, T>,
    normed: bool,
) -> Option<f64> {
    // Rows that are copied together end where they may.
    let normed = normed && sum.packed.is_none();
    let (block, mut width) = sum.block(y.shape(), normed);
    // What one thread writes it still has in its cache.
    let norms = (normed && block.is_some()).then(|| Norms::new::<T>(y.shape()));
    let len: usize = y.shape().iter().product();
    let past_caches = sum.beta == Blend::Set && goes_past_caches(len * size_of::<T>());
    if past_caches {
        let rows = sum.beside.map_or(1, |_| ROWS);
        width = width.min(BUFFER / (rows * size_of::<T>()));
    }
    // The rows that a part takes around its own are those of the part before, and still in the cache.
    let along = sum.beside.unwrap_or(y.shape().len() - 1);
    for_each_block_along(y, block, along, &|origin, mut y| {
        let mut walk = Walk::new(sum, norms.as_ref());
        if past_caches {
            y.past_caches(|y| walk.part(origin, &mut Target::Past(y), width));
        } else {
            walk.part(origin, &mut Target::Lanes(&mut y), width);
        }
    });
    norms.map(Norms::total)
}

/// Where results go.
enum Target<'t, 'y, T> {
    Lanes(&'t mut LanesMut<'y, T>),
    /// Past the caches. What was there is not read.
    Past(&'t mut PastCaches<'y, T>),
}

/// One thread's way through its part.
struct Walk<'s, 'a, T, L> {
    sum: &'s Sum<'a, T, L>,
    norms: Option<&'s Norms>,
    /// Where the next rows begin.
    at: Vec<usize>,
    work: Work<'a, T, L>,
    /// Rows whose elements are not contiguous, or are to be written past the caches.
    copied: Vec<T>,
    packed: Packed<T>,
}

/// Rows of the output: where the first begins in the part, the axis along which the others follow, and their length.
#[derive(Clone, Copy)]
struct Place<'i> {
    index: &'i [usize],
    beside: usize,
    len: usize,
}

impl<'s, 'a, T: Scalar, L: Scalar> Walk<'s, 'a, T, L> {
    fn new(sum: &'s Sum<'a, T, L>, norms: Option<&'s Norms>) -> Self {
        let (work, packed) = (Work::default(), Packed::new());
        Self { sum, norms, at: Vec::new(), work, copied: Vec::new(), packed }
    }

    /// Computes the part of the output that begins at `origin`, `width` elements of all rows, then the next.
    fn part(&mut self, origin: &[usize], y: &mut Target<'_, '_, T>, width: usize) {
        let sum = self.sum;
        let shape = Axes::from_slice(y.shape());
        let axis = shape.len() - 1;
        let beside = sum.beside.filter(|_| sum.grouped);
        let mut outer = Axes::from_slice(&shape[..axis]);
        // A row by itself is beside nothing.
        let rows = beside.map_or(1, |beside| std::mem::replace(&mut outer[beside], 1));
        let beside = beside.unwrap_or(axis);
        let windows: SmallVec<[_; 2]> = sum.windows().collect();
        let mut together = GroupWork::<L, ROWS>::default();
        let mut alone = GroupWork::<L, 1>::default();
        let mut index = Axes::from_elem(0, shape.len());
        for from in (0..shape[axis]).step_by(width) {
            let len = width.min(shape[axis] - from);
            index[axis] = from;
            loop {
                if beside < axis && sum.packed.is_some() {
                    self.turn(origin, &index);
                    self.pack((beside, rows), len);
                }
                let mut row = 0;
                while row < rows {
                    if beside < axis {
                        index[beside] = row;
                    }
                    self.turn(origin, &index);
                    let place = Place { index: &index, beside, len };
                    row += if row + ROWS <= rows {
                        self.rows(y, place, &windows, &mut together);
                        ROWS
                    } else {
                        self.rows(y, place, &[], &mut alone);
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

    /// Turns to what begins at an index of the part.
    fn turn(&mut self, origin: &[usize], index: &[usize]) {
        self.at.clear();
        self.at.extend(origin.iter().zip(index).map(|(a, b)| a + b));
    }

    /// Copies together what rows from `self.at` take, so many along the axis `beside`.
    fn pack(&mut self, (beside, rows): (usize, usize), len: usize) {
        if let ([term], Some(window)) = (&self.sum.terms[..], self.sum.windows().next().flatten()) {
            self.packed.fill(term, window, &mut self.at, (beside, rows), len);
        }
    }

    /// Computes the rows from `self.at`.
    fn rows<const R: usize>(
        &mut self,
        y: &mut Target<'_, '_, T>,
        Place { index, beside, len }: Place<'_>,
        windows: &[Option<&Window<L, R>>],
        group: &mut GroupWork<'a, L, R>,
    ) {
        let axis = index.len() - 1;
        let norms = self.norms.map(|norms| (norms, norms.cell::<T>(&self.at)));
        let mut lanes = match y {
            Target::Lanes(y) => Some(y.beside::<R>(index, beside, axis, len)),
            Target::Past(_) => None,
        };
        if let Some(lanes) = &mut lanes
            && lanes.iter_mut().all(|lane| lane.as_mut_slice().is_some())
        {
            let mut slices = lanes.each_mut().map(|lane| lane.as_mut_slice().unwrap_or_default());
            self.slices(slices.each_mut().map(|row| &mut **row), beside, windows, group);
            if let Some((norms, cell)) = norms {
                norms.add(cell, beside, slices.iter().map(|row| &**row));
            }
            return;
        }
        let mut copied = std::mem::take(&mut self.copied);
        copied.resize(R * len, T::default());
        let mut rows = copied.chunks_exact_mut(len);
        let mut rows: [&mut [T]; R] = std::array::from_fn(|_| rows.next().unwrap_or_default());
        if let Some(lanes) = &lanes
            && self.sum.beta != Blend::Set
        {
            lanes.iter().zip(&mut rows).for_each(|(lane, row)| lane.read().gather(0, row));
        }
        self.slices(rows, beside, windows, group);
        let rows = copied.chunks_exact(len);
        if let Some((norms, cell)) = norms {
            norms.add(cell, beside, rows.clone());
        }
        if let Some(lanes) = &mut lanes {
            lanes.iter_mut().zip(rows).for_each(|(lane, row)| lane.scatter(0, row));
        } else if let Target::Past(y) = y {
            self.at.clear();
            self.at.extend_from_slice(index);
            for row in rows {
                y.write(&self.at, axis, row);
                // A row by itself is the last.
                self.at[beside] += usize::from(beside < axis);
            }
        }
        self.copied = copied;
    }

    fn slices<const R: usize>(
        &mut self,
        mut y: [&mut [T]; R],
        beside: usize,
        windows: &[Option<&Window<L, R>>],
        group: &mut GroupWork<'a, L, R>,
    ) {
        let (sum, at) = (self.sum, &mut self.at);
        let axis = at.len() - 1;
        let (start, first) = (at[axis], at[beside]);
        let end = start + y[0].len();
        let (from, to) = if sum.grouped { sum.inside(start, end) } else { (end, end) };
        if sum.few_ends && to - from < end - start {
            ends(sum, at, beside, (start..from, to..end), (windows, group), &mut y);
        }
        for (r, y) in y.iter_mut().enumerate().filter(|_| !sum.few_ends) {
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
        let y = y.map(|y| cast_slice_mut(&mut y[from - start..to - start]));
        if let [term] = &sum.terms[..] {
            let window = windows.first().copied().flatten();
            let packed = sum.packed.and(window);
            if let Some(column) = packed.and_then(|window| self.packed.column(window, first)) {
                return tile(sum.beta, y, column);
            }
            let (grouped, lists) = (Grouped { term, window }, (&mut group.taken, &mut group.at));
            if let Some(column) = grouped.column(at, beside, to - from, lists) {
                return tile(sum.beta, y, column);
            }
        }
        group.terms.clear();
        for (number, term) in sum.terms.iter().enumerate() {
            let window = windows.get(number).copied().flatten();
            Grouped { term, window }.gather(at, beside, to - from, group);
        }
        tile(sum.beta, y, &group.terms[..]);
    }
}

/// Computes the few elements at both ends of rows from `at`, all rows and terms together: for each by itself it would take
/// longer to find the lanes than to add up what they have.
fn ends<'a, T: Scalar, L: Scalar, const R: usize>(
    sum: &Sum<'a, T, L>,
    at: &[usize],
    beside: usize,
    (first, last): (Range<usize>, Range<usize>),
    (windows, group): (&[Option<&Window<L, R>>], &mut GroupWork<'a, L, R>),
    y: &mut [&mut [T]; R],
) {
    let (start, parts) =
        (first.start * size_of::<T>() / size_of::<L>(), size_of::<T>() / size_of::<L>());
    let components = |of: Range<usize>| of.start * parts..of.end * parts;
    let places: SmallVec<[usize; FEW_ENDS]> = components(first).chain(components(last)).collect();
    let mut sums: SmallVec<[[L; R]; FEW_ENDS]> = smallvec![[L::zero(); R]; places.len()];
    for (number, term) in sum.terms.iter().enumerate() {
        let window = windows.get(number).copied().flatten();
        Grouped { term, window }.ends(at, beside, &places, (group, &mut sums));
    }
    for (place, sums) in places.iter().zip(&sums) {
        for (y, sum_of_row) in y.iter_mut().zip(sums) {
            let y = &mut cast_slice_mut::<T, L>(y)[place - start];
            *y = match sum.beta {
                Blend::Set => *sum_of_row,
                Blend::Add => *y + *sum_of_row,
                Blend::Scale(beta) => beta * *y + *sum_of_row,
            };
        }
    }
}

impl<T: Scalar> Target<'_, '_, T> {
    fn shape(&self) -> &[usize] {
        match self {
            Self::Lanes(y) => y.shape(),
            Self::Past(y) => y.shape(),
        }
    }
}
