//! The rows of a band one by one where they are special, which is what loops and kernels are quickest with.

use std::ops::Range;

use super::Tap;
use super::pieces::{Piece, hits};

/// A band as special first rows, rows that all have the same taps, and special last rows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Edges {
    /// The first rows. Their taps all fall on the axis.
    pub(crate) head: Vec<Vec<Tap>>,
    /// The taps of all rows between; those that fall outside the axis are dropped.
    pub(crate) interior: Vec<Tap>,
    /// The last rows, as the first.
    pub(crate) tail: Vec<Vec<Tap>>,
}

/// Rows and taps that may be written out beyond twice those of the pieces themselves.
const MOST_WRITTEN_OUT: usize = 4096;

impl Edges {
    /// All pieces but the longest row by row; `None` if that would be much more than the pieces are.
    pub(super) fn of(len: usize, pieces: &[Piece]) -> Option<Self> {
        let end = |at: usize| pieces.get(at + 1).map_or(len, |next: &Piece| next.start);
        let rows = |at: usize| end(at) - pieces[at].start;
        let longest = (0..pieces.len()).max_by_key(|&at| rows(at));
        let Some(longest) = longest else {
            return Some(Self { head: Vec::new(), interior: Vec::new(), tail: Vec::new() });
        };
        let special = || (0..pieces.len()).filter(|&at| at != longest);
        let size = |at: usize| 1 + pieces[at].taps.len();
        let written = special().map(|at| rows(at).saturating_mul(size(at)));
        let written = written.fold(0, usize::saturating_add);
        if written > MOST_WRITTEN_OUT.saturating_add(2 * special().map(size).sum::<usize>()) {
            return None;
        }
        let of = |at: Range<usize>| -> Vec<Vec<Tap>> {
            let rows = at.flat_map(|at| (pieces[at].start..end(at)).map(move |i| (i, &pieces[at])));
            let on_axis = |(i, piece): (usize, &Piece)| {
                piece.taps.iter().copied().filter(|tap| hits(len, i, tap)).collect()
            };
            rows.map(on_axis).collect()
        };
        Some(Self {
            head: of(0..longest),
            interior: pieces[longest].taps.clone(),
            tail: of(longest + 1..pieces.len()),
        })
    }

    /// The special rows, first and last ones.
    pub(crate) fn special(&self) -> impl Iterator<Item = &[Tap]> + Clone {
        self.head.iter().chain(&self.tail).map(Vec::as_slice)
    }

    /// Places for the taps of all special rows, each as long as the longest: what they are as straight code.
    pub(crate) fn special_places(&self) -> usize {
        let longest = self.special().map(<[_]>::len).max().unwrap_or(0);
        self.special().count() * longest
    }

    /// How far the taps of any row reach to the left and to the right.
    pub(crate) fn reach(&self) -> (usize, usize) {
        super::reach(self.special().flatten().chain(&self.interior))
    }
}
