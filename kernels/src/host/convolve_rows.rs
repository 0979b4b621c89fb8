//! What a few rows of results of a convolution are made of: rows of the input beside each other, each at several shifts.

use std::ops::Range;

use arrayspan_bridge::Lanes;
use bytemuck::cast_slice;

use super::scalar::Scalar;
use super::tile::Terms;
use crate::Convolution;
use crate::convolution::vanishes;

/// Bytes of the elements at an end of a row that are made apart, at least: a vector's.
const VECTOR: usize = 64;

/// Bytes of rows that are rather copied than made in three parts, those at the ends apart.
const SHORT: usize = 2048;

/// What `R` rows of results along an axis take of an array.
pub(super) struct Rows<'a, T, L, const R: usize> {
    x: Lanes<'a, T>,
    /// Whether elements along the last axis are neighbours.
    contiguous: bool,
    /// For each row that is taken, how far it is from the first result along each axis but the last.
    from: Vec<Vec<isize>>,
    taken: Vec<Taken<L, R>>,
    /// Taps along the last axis, and that at time zero.
    taps: usize,
    offset: usize,
}

/// What a row contributes at a shift.
struct Taken<L, const R: usize> {
    row: usize,
    /// From the first element that results take.
    shift: usize,
    weights: [L; R],
    /// The results it is in, a bit each: where the tap is zero it is not taken.
    rows: u32,
}

/// One contribution: as many elements as there are results, what they are multiplied by for each row, and the rows, a bit each.
type Given<'t, L, const R: usize> = (&'t [L], &'t [L; R], u32);

/// All contributions to rows of results.
pub(super) struct All<'t, L, const R: usize>(&'t [Given<'t, L, R>]);

impl<L, const R: usize> Clone for All<'_, L, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<L, const R: usize> Copy for All<'_, L, R> {}

impl<'t, L: 't, const R: usize> Terms<'t, L, R> for All<'t, L, R> {
    #[inline(always)]
    fn each(self) -> impl Iterator<Item = (&'t [L], &'t [L; R], u32)> {
        self.0.iter().copied()
    }
}

/// Lists that are filled anew for each group of rows.
pub(super) struct Work<'a, T, L> {
    pub(super) held: Vec<T>,
    slices: Vec<&'a [L]>,
    copied: Vec<T>,
    /// Where rows begin, one place after the other.
    places: Vec<usize>,
}

impl<T, L> Default for Work<'_, T, L> {
    fn default() -> Self {
        Self { held: Vec::new(), slices: Vec::new(), copied: Vec::new(), places: Vec::new() }
    }
}

impl<'a, T: Scalar, L: Scalar, const R: usize> Rows<'a, T, L, R> {
    /// How many `L` make a `T`.
    const COMPONENTS: usize = size_of::<T>() / size_of::<L>();

    /// Of an array whose axes were `order`; results follow each other along `beside`.
    pub(super) fn new(
        convolution: &Convolution,
        order: &[usize],
        x: &Lanes<'a, T>,
        beside: Option<usize>,
    ) -> Self {
        let last = order.len() - 1;
        let along: Vec<_> = order.iter().map(|axis| convolution.along(*axis)).collect();
        let steps: Vec<usize> = order.iter().map(|axis| convolution.step(*axis)).collect();
        let mut others = vec![(0, vec![0_isize; last])];
        for axis in (0..last).filter(|axis| Some(*axis) != beside) {
            let ((taps, offset), step) = (along[axis], steps[axis]);
            let each = others.iter().flat_map(|(tap, from)| {
                (0..taps).rev().map(move |k| {
                    let mut from = from.clone();
                    from[axis] = offset as isize - k as isize;
                    (tap + k * step, from)
                })
            });
            others = each.collect();
        }
        let (taps, offset) = along[last];
        let (high, before) = beside.map_or((1, 0), |beside| along[beside]);
        let (mut from, mut taken) = (Vec::new(), Vec::new());
        for (tap, place) in &others {
            for j in 0..R + high - 1 {
                let mut place = place.clone();
                if let Some(beside) = beside {
                    place[beside] = (before + j) as isize + 1 - high as isize;
                }
                for shift in 0..taps {
                    let tap = tap + (taps - 1 - shift) * steps[last];
                    let weight = |r: usize| {
                        let k = (r + high).checked_sub(1 + j).filter(|k| *k < high)?;
                        let tap = tap + beside.map_or(0, |beside| k * steps[beside]);
                        let weight = convolution.taps()[tap];
                        (!vanishes(weight, T::DTYPE)).then(|| L::rounded(weight))
                    };
                    let weights: [Option<L>; R] = std::array::from_fn(weight);
                    let bit = |r: usize| u32::from(weights[r].is_some()) << r;
                    let rows = (0..R).map(bit).sum();
                    if rows != 0 {
                        let weights = weights.map(|weight| weight.unwrap_or(L::zero()));
                        taken.push(Taken { row: from.len(), shift, weights, rows });
                    }
                }
                from.push(place);
            }
        }
        let contiguous = x.strides()[last] == 1 || x.shape()[last] == 1;
        Self { x: x.clone(), contiguous, from, taken, taps, offset }
    }

    /// How many rows are taken.
    pub(super) fn count(&self) -> usize {
        self.from.len()
    }

    /// Calls `sum` with ranges of `len` results from an index of the output on, and what they take.
    pub(super) fn each(
        &self,
        at: &[usize],
        len: usize,
        work: &mut Work<'a, T, L>,
        mut sum: impl FnMut(Range<usize>, All<'_, L, R>),
    ) {
        let last = at.len() - 1;
        let (start, extent) = (at[last], self.x.shape()[last]);
        // Results between these take no sample beyond an end of the axis.
        let first = (self.taps - 1 - self.offset).saturating_sub(start).min(len);
        let end = extent.saturating_sub(self.offset + start).min(len);
        let vector = (VECTOR / size_of::<T>()).max(1);
        let short = len * size_of::<T>() <= SHORT;
        let (first, end) = if short || !self.contiguous || first >= end {
            (len, len)
        } else {
            let first = first.next_multiple_of(vector).min(end);
            (first, len - (len - end).next_multiple_of(vector).min(len - first))
        };
        let Work { slices, copied, places, .. } = work;
        places.clear();
        self.from.iter().for_each(|from| self.row(at, from, places));
        for range in [0..first, end..len] {
            if !range.is_empty() {
                self.copied(places, start, range, copied, &mut sum);
            }
        }
        if first < end {
            slices.clear();
            let from = start + first + self.offset + 1 - self.taps;
            for place in places.chunks_exact_mut(at.len()) {
                let slice = is_there(place).then(|| {
                    place[last] = from;
                    self.x.lane(place, last, end - first + self.taps - 1).as_slice()
                });
                slices.push(slice.flatten().map_or(&[], cast_slice));
            }
            self.given(slices, first..end, &mut sum);
        }
    }

    /// Adds the place of a row of the array, or one that [is not there](is_there).
    fn row(&self, at: &[usize], from: &[isize], places: &mut Vec<usize>) {
        let axes = at.iter().zip(from).zip(self.x.shape());
        let begin = places.len();
        places.extend(axes.map(|((at, from), extent)| {
            at.checked_add_signed(*from).filter(|place| place < extent).unwrap_or(usize::MAX)
        }));
        let there = !places[begin..].contains(&usize::MAX);
        places.push(if there { 0 } else { usize::MAX });
    }

    /// The same for results whose rows are copied together first, with zeros beyond the ends.
    fn copied(
        &self,
        places: &mut [usize],
        start: usize,
        range: Range<usize>,
        copied: &mut Vec<T>,
        sum: &mut impl FnMut(Range<usize>, All<'_, L, R>),
    ) {
        let rank = self.x.shape().len();
        let (extent, len) = (self.x.shape()[rank - 1], range.len() + self.taps - 1);
        // The first element that is needed, counted from before all that may be, and those that there are.
        let begin = start + range.start + self.offset + 1;
        let from = begin.saturating_sub(self.taps);
        let skipped = self.taps.saturating_sub(begin).min(len);
        let there = (len - skipped).min(extent.saturating_sub(from));
        copied.clear();
        copied.resize(len * self.from.len(), T::default());
        let rows = places.chunks_exact_mut(rank).zip(copied.chunks_exact_mut(len));
        for (place, row) in rows.filter(|(place, _)| there > 0 && is_there(place)) {
            place[rank - 1] = from;
            let lane = self.x.lane(place, rank - 1, there);
            lane.gather(0, &mut row[skipped..skipped + there]);
        }
        let rows = places.chunks_exact(rank).zip(copied.chunks_exact(len));
        let slice = |(place, row)| if is_there(place) { cast_slice::<T, L>(row) } else { &[] };
        let rows: Vec<&[L]> = rows.map(slice).collect();
        self.given(&rows, range, sum);
    }

    /// The same for rows of which those that are not there are empty.
    fn given(
        &self,
        rows: &[&[L]],
        range: Range<usize>,
        sum: &mut impl FnMut(Range<usize>, All<'_, L, R>),
    ) {
        let (len, parts) = (range.len() * Self::COMPONENTS, Self::COMPONENTS);
        let mut given: Vec<Given<'_, L, R>> = Vec::with_capacity(self.taken.len());
        given.extend(self.taken.iter().filter_map(|taken| {
            let from = taken.shift * parts;
            Some((rows[taken.row].get(from..from + len)?, &taken.weights, taken.rows))
        }));
        sum(range, All(&given));
    }
}

/// Whether an array has the row that begins at a place.
fn is_there(place: &[usize]) -> bool {
    place.last() != Some(&usize::MAX)
}
