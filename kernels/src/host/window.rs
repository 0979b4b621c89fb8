//! What rows of a band that lie beside each other take together.

use std::ops::Range;

use super::pieces::Pieces;
use super::scalar::Scalar;

/// Rows in a group, if there are so many.
pub(super) const ROWS: usize = 4;

/// An input row that rows of a group take, by its place: their weights, and a bit for each that takes it.
pub(super) type Taken<L, const R: usize> = (isize, [L; R], u32);

/// What `R` neighbouring rows of a band take.
#[derive(Debug)]
pub(super) struct Window<L, const R: usize> {
    /// The first rows of groups whose rows all have the same taps, of which those that fall outside the axis are dropped.
    firsts: Range<usize>,
    /// The length of the axis.
    len: usize,
    /// Input rows by how far they are from the first row of the group, ascending.
    taken: Vec<Taken<L, R>>,
    /// What other groups take one after the other, and of each its first row and where it ends there: of those whose first
    /// rows are multiples of `R`, if that has been found out.
    others: Vec<Taken<L, R>>,
    ends: Vec<(usize, usize)>,
}

/// Entries of [`Window`] for groups with taps of their own that are kept, at most.
const MOST_KEPT: usize = 8192;

impl<L: Scalar, const R: usize> Window<L, R> {
    /// For the rows of the longest piece.
    pub(super) fn new(pieces: &Pieces<L>) -> Self {
        let (rows, taps) = pieces.longest();
        let mut taken = Vec::with_capacity(taps.len() + R - 1);
        merge([taps; R], &mut taken);
        let firsts = rows.start..(rows.end + 1).saturating_sub(R);
        Self { firsts, len: pieces.len(), taken, others: Vec::new(), ends: Vec::new() }
    }

    /// The same with the groups whose rows have other taps, if they are not many.
    pub(super) fn whole(pieces: &Pieces<L>) -> Self {
        let mut window = Self::new(pieces);
        let most = MOST_KEPT / (window.taken.len() + R);
        let end = window.len.saturating_sub(R - 1);
        let before = (0..window.firsts.start.min(end)).step_by(R);
        let behind = (window.firsts.end.next_multiple_of(R)..end).step_by(R);
        let special: Vec<usize> = before.chain(behind).take(most + 1).collect();
        if special.len() > most {
            return window;
        }
        let mut taken = Vec::new();
        for first in special {
            merge(std::array::from_fn(|r| pieces.taps_of(first + r)), &mut taken);
            window.others.append(&mut taken);
            window.ends.push((first, window.others.len()));
        }
        window
    }

    /// The input rows that the group takes whose first row is `first`, if that is known.
    pub(super) fn of(&self, first: usize) -> Option<&[Taken<L, R>]> {
        if !self.firsts.contains(&first) {
            let at = self.ends.binary_search_by_key(&first, |(first, _)| *first).ok()?;
            let from = at.checked_sub(1).map_or(0, |before| self.ends[before].1);
            return Some(&self.others[from..self.ends[at].1]);
        }
        let column = |(row, ..): &Taken<L, R>| row.wrapping_add_unsigned(first);
        let (low, high) = (self.taken.first()?, self.taken.last()?);
        if column(low) >= 0 && column(high) < self.len as isize {
            return Some(&self.taken);
        }
        let from = self.taken.partition_point(|taken| column(taken) < 0);
        let to = self.taken.partition_point(|taken| column(taken) < self.len as isize);
        Some(&self.taken[from..to])
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
pub(super) fn merge<L: Scalar, const R: usize>(
    rows: [&[(isize, L)]; R],
    taken: &mut Vec<Taken<L, R>>,
) {
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
