//! Rows beside each other, computed at once: what is loaded of an input serves all of them.

use arrayspan_bridge::{Lane, Lanes, RowSlices};
use bytemuck::cast_slice;

use super::banded::Banded;
use super::pieces::Pieces;
use super::scalar::Scalar;
use super::tile::{Term, Terms};
use super::window::{Taken, Window, merge};

/// A term of a sum whose inputs are contiguous along the lanes and which has no coefficients.
pub(super) struct Grouped<'s, 'a, T, L, const R: usize> {
    pub(super) term: &'s Banded<'a, T, L>,
    /// Of the band along the axis of the group, if there is one.
    pub(super) window: Option<&'s Window<L, R>>,
}

/// Lists that are filled anew for each group.
pub(super) struct GroupWork<'a, L, const R: usize> {
    pub(super) terms: Vec<Term<'a, L, R>>,
    pub(super) taken: Vec<Taken<L, R>>,
    pub(super) at: Vec<usize>,
}

impl<L, const R: usize> Default for GroupWork<'_, L, R> {
    fn default() -> Self {
        Self { terms: Vec::new(), taken: Vec::new(), at: Vec::new() }
    }
}

impl<'a, T: Scalar, L: Scalar, const R: usize> Grouped<'_, 'a, T, L, R> {
    /// How many `L` make a `T`.
    const COMPONENTS: usize = size_of::<T>() / size_of::<L>();

    /// Adds what it contributes to `len` elements of each row from `at` along the last axis, where no tap of the band
    /// along it falls outside. The other rows follow along the axis `beside`.
    pub(super) fn gather(
        &self,
        at: &[usize],
        beside: usize,
        len: usize,
        work: &mut GroupWork<'a, L, R>,
    ) {
        let GroupWork { terms, taken, at: place } = work;
        let axis = at.len() - 1;
        place.clear();
        place.extend_from_slice(at);
        for (other, across) in &self.term.across {
            let pieces = &across.pieces;
            if *other == beside {
                self.along(pieces, beside, len, terms, taken, place);
                continue;
            }
            for (column, weight) in pieces.row(at[*other]) {
                place[*other] = column;
                let rows = self.rows(place, beside, R, len);
                terms.extend((0..R).map(|r| one(r, contiguous(rows.lane(r)), weight)));
            }
            place[*other] = at[*other];
        }
        let Some(own) = &self.term.own else { return };
        let (start, count) = (at[axis] * Self::COMPONENTS, len * Self::COMPONENTS);
        let (from, to) = own.taken(start, start + count);
        let (from, to) = (from / Self::COMPONENTS, to.div_ceil(Self::COMPONENTS));
        place[axis] = from;
        let rows = self.rows(place, beside, R, to - from);
        let rows: [&[L]; R] = std::array::from_fn(|r| contiguous(rows.lane(r)));
        let first = start - from * Self::COMPONENTS;
        // Tap by tap, so that the sums of several rows grow side by side.
        for (shift, weight) in own.shifts() {
            let from = first.wrapping_add_signed(shift);
            terms.extend((0..R).map(|r| one(r, &rows[r][from..from + count], weight)));
        }
    }

    /// Adds what it contributes to a few components of each row, wherever its taps fall: those at the places `ends` along the
    /// last axis, to `sums`. The other rows follow along the axis `beside`.
    pub(super) fn ends(
        &self,
        at: &[usize],
        beside: usize,
        ends: &[usize],
        (work, sums): (&mut GroupWork<'a, L, R>, &mut [[L; R]]),
    ) {
        let GroupWork { taken: merged, at: place, .. } = work;
        let (axis, first) = (at.len() - 1, at[beside]);
        place.clear();
        place.extend_from_slice(at);
        place[axis] = 0;
        let len = self.term.x.shape()[axis];
        let mut add = |r: usize, x: &[L], weight: L| {
            for (end, sum) in ends.iter().zip(&mut *sums) {
                sum[r] = sum[r] + weight * x[*end];
            }
        };
        for (other, across) in &self.term.across {
            if *other == beside {
                let taken = self.taken(&across.pieces, first, merged);
                let (Some(from), Some(to)) = (taken.first(), taken.last()) else { continue };
                place[beside] = first.wrapping_add_signed(from.0);
                let rows = self.rows(place, beside, (to.0 - from.0) as usize + 1, len);
                place[beside] = first;
                for (row, weights, bits) in taken {
                    let x = contiguous(rows.lane((row - from.0) as usize));
                    let takes = (0..R).filter(|r| bits & (1 << r) != 0);
                    takes.for_each(|r| add(r, x, weights[r]));
                }
                continue;
            }
            for (column, weight) in across.pieces.row(at[*other]) {
                place[*other] = column;
                let rows = self.rows(place, beside, R, len);
                (0..R).for_each(|r| add(r, contiguous(rows.lane(r)), weight));
            }
            place[*other] = at[*other];
        }
        let Some(own) = &self.term.own else { return };
        let rows = self.rows(place, beside, R, len);
        for r in 0..R {
            let x = contiguous(rows.lane(r));
            for (end, sum) in ends.iter().zip(&mut *sums) {
                sum[r] =
                    own.taps_at(*end).fold(sum[r], |sum, (from, weight)| sum + weight * x[from]);
            }
        }
    }

    /// The band along the axis of the group.
    fn along(
        &self,
        pieces: &Pieces<L>,
        beside: usize,
        len: usize,
        terms: &mut Vec<Term<'a, L, R>>,
        merged: &mut Vec<Taken<L, R>>,
        place: &mut [usize],
    ) {
        let first = place[beside];
        let taken = self.taken(pieces, first, merged);
        let (Some(from), Some(to)) = (taken.first(), taken.last()) else { return };
        place[beside] = first.wrapping_add_signed(from.0);
        let rows = self.rows(place, beside, (to.0 - from.0) as usize + 1, len);
        terms.extend(taken.iter().map(|(row, weights, bits)| {
            let x = contiguous(rows.lane((row - from.0) as usize));
            Term { x, weights: *weights, rows: *bits }
        }));
        place[beside] = first;
    }

    /// What the group takes whose first row is `first`: as others do, or put together in `merged`.
    fn taken<'t>(
        &'t self,
        pieces: &Pieces<L>,
        first: usize,
        merged: &'t mut Vec<Taken<L, R>>,
    ) -> &'t [Taken<L, R>] {
        self.window.and_then(|window| window.of(first)).unwrap_or_else(|| {
            merge(std::array::from_fn(|r| pieces.taps_of(first + r)), merged);
            merged
        })
    }

    /// What [`gather`](Self::gather) adds, without a list, if all of it is one band along the axis of the group.
    pub(super) fn column<'t>(
        &'t self,
        at: &[usize],
        beside: usize,
        len: usize,
        (merged, place): (&'t mut Vec<Taken<L, R>>, &mut Vec<usize>),
    ) -> Option<Column<'t, 'a, T, L, R>> {
        let [(_, across)] = &self.term.across[..] else { return None };
        if !self.term.is_column() {
            return None;
        }
        let taken = self.taken(&across.pieces, at[beside], merged);
        let ((from, ..), (to, ..)) = (taken.first()?, taken.last()?);
        place.clear();
        place.extend_from_slice(at);
        place[beside] = at[beside].checked_add_signed(*from)?;
        let rows = self.rows(place, beside, (to - from) as usize + 1, len).slices()?;
        Some(Column { taken, from: *from, rows })
    }

    fn rows(&self, at: &[usize], beside: usize, count: usize, len: usize) -> Rows<'a, T> {
        self.term.x.beside(at, (beside, count), at.len() - 1, len)
    }
}

/// Input rows that follow each other, and what each contributes.
pub(super) struct Column<'w, 'a, T, L, const R: usize> {
    pub(super) taken: &'w [Taken<L, R>],
    /// How far the first of the rows is from the first row of the group.
    pub(super) from: isize,
    pub(super) rows: RowSlices<'a, T>,
}

impl<T: Copy, L, const R: usize> Clone for Column<'_, '_, T, L, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Copy, L, const R: usize> Copy for Column<'_, '_, T, L, R> {}

impl<'t, 'a: 't, T: Scalar, L: Scalar, const R: usize> Terms<'t, L, R> for Column<'t, 'a, T, L, R> {
    #[inline(always)]
    fn each(self) -> impl Iterator<Item = (&'t [L], &'t [L; R], u32)> {
        self.taken.iter().map(move |(row, weights, rows)| {
            (cast_slice(self.rows.get((row - self.from) as usize)), weights, *rows)
        })
    }
}

type Rows<'a, T> = arrayspan_bridge::Beside<'a, T>;

/// What one row of a group takes.
fn one<L: Scalar, const R: usize>(row: usize, x: &[L], weight: L) -> Term<'_, L, R> {
    let mut weights = [L::zero(); R];
    weights[row] = weight;
    Term { x, weights, rows: 1 << row }
}

/// A lane of an array whose lanes are contiguous.
fn contiguous<T: Scalar, L: Scalar>(lane: Lane<'_, T>) -> &[L] {
    lane.as_slice().map_or(&[], cast_slice)
}

/// Whether all lanes along the last axis are contiguous.
pub(super) fn has_contiguous_lanes<T>(lanes: &Lanes<'_, T>) -> bool {
    lanes.strides().last() == Some(&1) || lanes.shape().last() == Some(&1)
}
