//! A band piece by piece: along an axis other than that of the lanes, or with taps that reach far.

use std::ops::Range;

use num_complex::Complex64;

use super::scalar::Scalar;
use crate::Band;

/// A band with its weights in the type that the loops compute with, taken row by row or in stretches of rows that
/// use the same taps. Needs no more memory than the band itself, however far its taps reach.
#[derive(Debug)]
pub(super) struct Pieces<L> {
    len: usize,
    /// The first row of each piece, and where its taps end.
    starts: Vec<(usize, usize)>,
    /// Those of all pieces, by offsets within each.
    taps: Vec<(isize, L)>,
}

impl<L: Scalar> Pieces<L> {
    pub(super) fn new(band: &Band, alpha: Complex64) -> Self {
        let (mut starts, mut all) = (Vec::new(), Vec::new());
        for (rows, taps) in band.pieces() {
            if alpha == Complex64::ONE {
                all.extend(taps.iter().map(|tap| (tap.offset, L::rounded(tap.weight))));
            } else {
                all.extend(taps.iter().map(|tap| (tap.offset, L::rounded(alpha * tap.weight))));
            }
            starts.push((rows.start, all.len()));
        }
        Self { len: band.len(), starts, taps: all }
    }

    /// The number of rows and columns.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The taps of a piece.
    fn taps(&self, at: usize) -> &[(isize, L)] {
        let from = at.checked_sub(1).map_or(0, |before| self.starts[before].1);
        &self.taps[from..self.starts[at].1]
    }

    /// The rows of the longest piece and their taps, which may fall outside the axis.
    pub(super) fn longest(&self) -> (Range<usize>, &[(isize, L)]) {
        let end = |at: usize| self.starts.get(at + 1).map_or(self.len, |(next, _)| *next);
        let pieces = self.starts.iter().enumerate();
        let rows = pieces.map(|(at, (start, _))| (*start..end(at), self.taps(at)));
        rows.max_by_key(|(rows, _)| rows.len()).unwrap_or((0..0, &[]))
    }

    /// The columns and weights of row `i`.
    pub(super) fn row(&self, i: usize) -> impl Iterator<Item = (usize, L)> {
        self.taps_of(i)
            .iter()
            .map(move |(offset, weight)| (i.wrapping_add_signed(*offset), *weight))
    }

    /// The taps of row `i` that fall on the axis.
    pub(super) fn taps_of(&self, i: usize) -> &[(isize, L)] {
        let at = self.starts.partition_point(|(start, _)| *start <= i);
        let taps = at.checked_sub(1).map_or(&[][..], |at| self.taps(at));
        let before = |reach: isize| taps.partition_point(|(offset, _)| *offset < reach);
        let (from, to) = (before(-(i as isize)), before(self.len as isize - i as isize));
        &taps[from..to.max(from)]
    }

    /// Where in `rows` other taps fall on the axis than in the row before, ascending, and both ends: from one to the
    /// next all rows have the same taps.
    pub(super) fn cuts(&self, rows: Range<usize>, cuts: &mut Vec<usize>) {
        cuts.clear();
        cuts.extend([rows.start, rows.end]);
        let from = self.starts.partition_point(|(start, _)| *start <= rows.start);
        for (at, (start, _)) in self.starts.iter().enumerate().skip(from.saturating_sub(1)) {
            if *start >= rows.end {
                break;
            }
            let taps = self.taps(at);
            let end = self.starts.get(at + 1).map_or(self.len, |(next, _)| *next);
            let piece = rows.start.max(*start)..rows.end.min(end);
            // A tap falls on the axis from the row on that leads it to column 0, and until it leads to the last.
            let enters = taps.iter().map(|(offset, _)| offset.min(&0).unsigned_abs());
            let leaves = taps
                .iter()
                .map(|(offset, _)| self.len.saturating_sub(offset.max(&0).unsigned_abs()));
            let changes = enters.chain(leaves).chain([*start]);
            cuts.extend(changes.filter(|at| piece.contains(at)));
        }
        cuts.sort_unstable();
        cuts.dedup();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_between_two_cuts_have_the_same_taps() {
        for len in 1..20_usize {
            let far = [(-7, 1.0), (-1, 2.0), (0, 3.0), (4, 4.0), (11, 5.0)];
            let band = Band::uniform(len, far);
            let edged = Band::uniform(len, [(2, 1.0)]).after(&band);
            for band in [Some(band), edged].into_iter().flatten() {
                let pieces = Pieces::<f64>::new(&band, 1.0.into());
                let mut cuts = Vec::new();
                for rows in (0..len).flat_map(|a| (a + 1..=len).map(move |b| a..b)) {
                    pieces.cuts(rows.clone(), &mut cuts);
                    assert_eq!((cuts.first(), cuts.last()), (Some(&rows.start), Some(&rows.end)));
                    for part in cuts.windows(2) {
                        let first: Vec<_> = pieces.row(part[0]).collect();
                        for i in part[0]..part[1] {
                            let shifted = first.iter().map(|(j, w)| (j + i - part[0], *w));
                            assert!(pieces.row(i).eq(shifted), "row {i} of {len} in {rows:?}");
                        }
                    }
                }
            }
        }
    }
}
