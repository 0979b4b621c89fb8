//! Banded matrices along one axis: derivatives, smoothing, short convolutions.

mod algebra;
mod edges;
mod pieces;
#[cfg(test)]
mod tests;

use std::ops::Range;

use num_complex::Complex64;

pub(crate) use edges::Edges;
use pieces::{Piece, hits, joined};

/// One entry of a banded matrix's row: how far from the diagonal, and its value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tap {
    /// Column minus row.
    pub offset: isize,
    /// The entry.
    pub weight: Complex64,
}

/// A square matrix given by the taps of its rows, where neighbouring rows with the same taps are one *piece*.
/// Taps that fall outside the axis are dropped, row by row.
///
/// A derivative is one long piece and a few special rows at both ends. Closed under transposition, product,
/// sum and scaling, so an operator made of bands along one axis is again one band, and its adjoint another.
/// Work and memory of all these grow with the number of pieces and taps, not with the length of the axis nor
/// with how far the taps reach.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    len: usize,
    /// Ascending; the first begins with row 0, each ends where the next begins.
    pieces: Vec<Piece>,
    /// The same with special rows one by one, where they are few.
    edges: Option<Edges>,
}

impl Band {
    /// The same taps in every row; those that fall outside the axis are dropped (zero outside).
    #[must_use]
    pub fn uniform(len: usize, taps: impl IntoIterator<Item = (isize, f64)>) -> Self {
        Self::uniform_complex(len, taps.into_iter().map(|(offset, weight)| (offset, weight.into())))
    }

    /// As [`uniform`](Self::uniform), with complex weights.
    #[must_use]
    pub fn uniform_complex(len: usize, taps: impl IntoIterator<Item = (isize, Complex64)>) -> Self {
        let taps = taps.into_iter().map(|(offset, weight)| Tap { offset, weight });
        Self::of_pieces(len, [(0, taps)])
    }

    /// The matrix whose row `i` is `row(i)`.
    ///
    /// Rows `edge..len - edge` must all be the same taps; the first and last `edge` may differ. Taps that
    /// fall outside the axis are dropped. `row` is called for each of the rows that may differ, and once for
    /// those between.
    #[must_use]
    pub fn from_rows<R>(len: usize, edge: usize, row: impl Fn(usize) -> R) -> Self
    where
        R: IntoIterator<Item = Tap>,
    {
        if edge >= len.div_ceil(2) {
            return Self::of_pieces(len, (0..len).map(|i| (i, row(i))));
        }
        let special = (0..=edge).chain(len - edge..len);
        Self::of_pieces(len, special.map(|i| (i, row(i))))
    }

    /// The matrix of these pieces: the first row of each, ascending from 0, and the taps of its rows.
    fn of_pieces<R>(len: usize, pieces: impl IntoIterator<Item = (usize, R)>) -> Self
    where
        R: IntoIterator<Item = Tap>,
    {
        let pieces = joined(len, pieces);
        let edges = Edges::of(len, &pieces);
        Self { len, pieces, edges }
    }

    /// The number of rows and columns.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a matrix, not a collection")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The taps of the longest piece; in its rows those that fall outside the axis are dropped.
    #[must_use]
    pub fn interior(&self) -> &[Tap] {
        self.pieces().max_by_key(|(rows, _)| rows.len()).map_or(&[], |(_, taps)| taps)
    }

    /// Rows that have the same taps, in order, and their taps, from left to right, each of which falls on the
    /// axis in at least one of them. Together they are all rows.
    #[must_use]
    pub fn pieces(&self) -> impl DoubleEndedIterator<Item = (Range<usize>, &[Tap])> + Clone {
        let end = |at: usize| self.pieces.get(at + 1).map_or(self.len, |next| next.start);
        let pieces = self.pieces.iter().enumerate();
        pieces.map(move |(at, piece)| (piece.start..end(at), &piece.taps[..]))
    }

    /// Its special rows one by one, if they are few.
    pub(crate) fn edges(&self) -> Option<&Edges> {
        self.edges.as_ref()
    }

    /// Row `i`: the taps that fall on the axis, from left to right.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn row(&self, i: usize) -> Vec<Tap> {
        assert!(i < self.len, "row {i} of {}", self.len);
        self.taps(i).iter().copied().filter(|tap| hits(self.len, i, tap)).collect()
    }

    /// The taps of the piece with row `i`.
    fn taps(&self, i: usize) -> &[Tap] {
        let at = self.pieces.partition_point(|piece| piece.start <= i);
        at.checked_sub(1).map_or(&[], |at| &self.pieces[at].taps)
    }

    /// How far the taps of any row reach to the left and to the right, along the axis.
    #[must_use]
    pub fn reach(&self) -> (usize, usize) {
        reach(self.all())
    }

    /// Whether all weights are real.
    #[must_use]
    pub fn is_real(&self) -> bool {
        self.all().all(|tap| tap.weight.im == 0.0)
    }

    /// Whether all weights are finite numbers.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.all().all(|tap| tap.weight.is_finite())
    }

    /// Entries that are not zero, counting those of a piece's taps that fall outside the axis in some of its
    /// rows. `usize::MAX` if they are more than that.
    #[must_use]
    pub fn entries(&self) -> usize {
        let pieces = self.pieces().map(|(rows, taps)| rows.len().saturating_mul(taps.len()));
        pieces.fold(0, usize::saturating_add)
    }

    fn all(&self) -> impl Iterator<Item = &Tap> {
        self.pieces.iter().flat_map(|piece| &piece.taps)
    }
}

/// How far taps reach to the left and to the right.
pub(crate) fn reach<'t>(taps: impl IntoIterator<Item = &'t Tap>) -> (usize, usize) {
    taps.into_iter().fold((0, 0), |(left, right), tap| {
        (left.max(tap.offset.min(0).unsigned_abs()), right.max(tap.offset.max(0).unsigned_abs()))
    })
}
