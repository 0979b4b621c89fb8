//! Rows beside each other, computed at once: what is loaded of an input serves all of them.

use std::ops::Range;

use arrayspan_bridge::{Lane, Lanes, RowSlices};
use bytemuck::cast_slice;

use super::banded::Banded;
use super::pieces::Pieces;
use super::scalar::Scalar;
use super::tile::{Term, Terms};

/// Rows in a group, if there are so many.
pub(super) const ROWS: usize = 4;

/// An input row that rows of a group take, by its place: their weights, and a bit for each that takes it.
pub(super) type Taken<L, const R: usize> = (isize, [L; R], u32);

/// What `R` neighbouring rows of a band take, where all have the same taps.
#[derive(Debug)]
pub(super) struct Window<L, const R: usize> {
    /// The first rows of groups whose rows all have these taps, of which those that fall outside the axis are dropped.
    firsts: Range<usize>,
    /// The length of the axis.
    len: usize,
    /// Input rows by how far they are from the first row of the group, ascending.
    taken: Vec<Taken<L, R>>,
}

impl<L: Scalar, const R: usize> Window<L, R> {
    /// For the rows of the longest piece.
    pub(super) fn new(pieces: &Pieces<L>) -> Self {
        let (rows, taps) = pieces.longest();
        let mut taken = Vec::with_capacity(taps.len() + R - 1);
        merge([taps; R], &mut taken);
        let firsts = rows.start..(rows.end + 1).saturating_sub(R);
        Self { firsts, len: pieces.len(), taken }
    }

    /// The input rows that the group takes whose first row is `first`, if its rows have these taps.
    pub(super) fn of(&self, first: usize) -> Option<&[Taken<L, R>]> {
        let column = |(row, ..): &Taken<L, R>| row.wrapping_add_unsigned(first);
        self.firsts.contains(&first).then(|| {
            let from = self.taken.partition_point(|taken| column(taken) < 0);
            let to = self.taken.partition_point(|taken| column(taken) < self.len as isize);
            &self.taken[from..to]
        })
    }

    /// The input rows that groups take whose first rows are among these.
    pub(super) fn reached(&self, firsts: Range<usize>) -> Range<usize> {
        let (Some((from, ..)), Some((to, ..))) = (self.taken.first(), self.taken.last()) else {
            return 0..0;
        };
        let within = |row: Option<usize>| row.unwrap_or(0).min(self.len);
        let end = firsts.end.checked_add_signed(*to);
        within(firsts.start.checked_add_signed(*from))..within(end)
    }

    /// How many input rows a group takes.
    pub(super) fn len(&self) -> usize {
        self.taken.len()
    }
}

/// Makes `taken` what rows with these taps take, input rows ascending.
fn merge<L: Scalar, const R: usize>(rows: [&[(isize, L)]; R], taken: &mut Vec<Taken<L, R>>) {
    taken.clear();
    let all = || rows.iter().enumerate();
    let first = all().filter_map(|(r, taps)| Some(taps.first()?.0 + r as isize)).min();
    let last = all().filter_map(|(r, taps)| Some(taps.last()?.0 + r as isize)).max();
    let (Some(first), Some(last)) = (first, last) else { return };
    let reached = last.abs_diff(first).saturating_add(1);
    if reached > 4 * rows.iter().map(|taps| taps.len()).sum::<usize>() {
        // Far from each other: in the order of the input rows.
        let of = |(r, taps): (usize, &&[(isize, L)])| {
            taps.iter().map(move |(at, weight)| (at + r as isize, r, *weight)).collect::<Vec<_>>()
        };
        let mut sorted: Vec<_> = all().flat_map(of).collect();
        sorted.sort_unstable_by_key(|(at, r, _)| (*at, *r));
        for (at, r, weight) in sorted {
            if taken.last().is_none_or(|(last, ..)| *last != at) {
                taken.push((at, [L::zero(); R], 0));
            }
            taken.last_mut().into_iter().for_each(|entry| put(entry, r, weight));
        }
        return;
    }
    taken.extend((0..reached as isize).map(|at| (first + at, [L::zero(); R], 0)));
    for (r, taps) in all() {
        for (at, weight) in *taps {
            put(&mut taken[(at + r as isize - first) as usize], r, *weight);
        }
    }
    taken.retain(|(.., rows)| *rows != 0);
}

/// Row `r` takes this input, too.
fn put<L, const R: usize>((_, weights, rows): &mut Taken<L, R>, r: usize, weight: L) {
    weights[r] = weight;
    *rows |= 1 << r;
}

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
        for (other, pieces) in &self.term.across {
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
        let [(_, pieces)] = &self.term.across[..] else { return None };
        if !self.term.is_column() {
            return None;
        }
        let taken = self.taken(pieces, at[beside], merged);
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
