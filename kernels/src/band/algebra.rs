//! Transpose, product and sum of bands, piece by piece.

use std::collections::BTreeMap;

use num_complex::Complex64;

use super::pieces::{Piece, hits};
use super::{Band, Tap};

impl Band {
    /// The transpose.
    #[must_use]
    pub fn transpose(&self) -> Self {
        // A tap of rows a..b is one of columns a + offset..b + offset, that is, of rows of the transpose. What a tap
        // of the first or last row would do beyond the axis does not matter, so that begins with row 0 or never ends.
        let mut changes: BTreeMap<usize, Vec<(isize, Option<Complex64>)>> = BTreeMap::new();
        for (rows, taps) in self.pieces() {
            for tap in taps {
                let moved = |row: usize| row.saturating_add_signed(tap.offset).min(self.len);
                let from = if rows.start == 0 { 0 } else { moved(rows.start) };
                let to = if rows.end == self.len { self.len } else { moved(rows.end) };
                if from < to {
                    // Every offset in the list has a negative: `isize::MIN` falls outside every axis.
                    changes.entry(from).or_default().push((-tap.offset, Some(tap.weight)));
                    changes.entry(to).or_default().push((-tap.offset, None));
                }
            }
        }
        changes.entry(0).or_default();
        let mut taps: BTreeMap<isize, Complex64> = BTreeMap::new();
        let pieces = changes.into_iter().map(|(start, mut changes)| {
            // What ends comes before what begins with the same row and offset.
            changes.sort_by_key(|(_, weight)| weight.is_some());
            for (offset, weight) in changes {
                match weight {
                    Some(weight) => taps.insert(offset, weight),
                    None => taps.remove(&offset),
                };
            }
            let taps = taps.iter().map(|(&offset, &weight)| Tap { offset, weight });
            (start, taps.collect::<Vec<_>>())
        });
        Self::of_pieces(self.len, pieces.collect::<Vec<_>>())
    }

    /// The complex conjugate.
    #[must_use]
    pub fn conj(&self) -> Self {
        self.each(|weight| weight.conj())
    }

    /// The conjugate transpose.
    #[must_use]
    pub fn adjoint(&self) -> Self {
        self.transpose().conj()
    }

    /// Every entry times `factor`.
    #[must_use]
    pub fn scaled(&self, factor: impl Into<Complex64>) -> Self {
        let factor = factor.into();
        self.each(|weight| weight * factor)
    }

    /// The product `self · inner` of two bands of equal length, or `None`.
    #[must_use]
    pub fn after(&self, inner: &Self) -> Option<Self> {
        if self.len != inner.len {
            return None;
        }
        // Consecutive rows have the same taps until a tap of the outer band enters or leaves a piece of the inner one, or
        // the axis.
        let mut starts: Vec<usize> = self.starts().collect();
        for (rows, taps) in self.pieces() {
            for tap in taps {
                let entered = inner.starts().chain([self.len]);
                // An offset that cannot be negated falls outside the axis and is in no list.
                let at = entered.filter_map(|start| start.checked_add_signed(-tap.offset));
                starts.extend(at.filter(|at| rows.contains(at)));
            }
        }
        let row = |i: usize| {
            let outer = self.taps(i).iter().filter(move |tap| hits(self.len, i, tap));
            outer.flat_map(move |outer| {
                let entries = inner.taps(i.wrapping_add_signed(outer.offset)).iter();
                // A sum that cannot be counted falls outside the axis.
                entries.filter_map(move |tap| {
                    let offset = outer.offset.checked_add(tap.offset)?;
                    Some(Tap { offset, weight: outer.weight * tap.weight })
                })
            })
        };
        Some(Self::of_starts(self.len, starts, row))
    }

    /// The sum of two bands of equal length, or `None`.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Option<Self> {
        if self.len != other.len {
            return None;
        }
        let starts = self.starts().chain(other.starts()).collect();
        let row = |i: usize| self.taps(i).iter().chain(other.taps(i)).copied();
        Some(Self::of_starts(self.len, starts, row))
    }

    fn starts(&self) -> impl Iterator<Item = usize> {
        self.pieces.iter().map(|piece| piece.start)
    }

    /// The matrix whose rows from each of `starts` to the next have the taps of the first of them.
    fn of_starts<R>(len: usize, mut starts: Vec<usize>, row: impl Fn(usize) -> R) -> Self
    where
        R: IntoIterator<Item = Tap>,
    {
        starts.sort_unstable();
        starts.dedup();
        starts.retain(|start| *start < len);
        Self::of_pieces(len, starts.into_iter().map(|start| (start, row(start))))
    }

    fn each(&self, change: impl Fn(Complex64) -> Complex64) -> Self {
        let taps = |piece: &Piece| -> Vec<Tap> {
            let taps = piece.taps.iter();
            taps.map(|tap| Tap { weight: change(tap.weight), ..*tap }).collect()
        };
        let pieces: Vec<_> = self.pieces.iter().map(|piece| (piece.start, taps(piece))).collect();
        Self::of_pieces(self.len, pieces)
    }
}
