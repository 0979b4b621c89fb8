//! What one output axis reads: pieces that are affine, or zero.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::MOST_BOXES;
use super::piece::{Piece, Source};
use super::progression::Progression;

/// What one output axis reads, piece by piece.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AxisMap {
    from: Option<usize>,
    pieces: Vec<Piece>,
}

impl AxisMap {
    /// An output axis that reads input axis `from`, or is new, whose indices are those of `pieces`, one after the other.
    /// Along a new axis, pieces that are not zero read index 0.
    ///
    /// Checked, and brought to normal form, by [`IndexMap::from_pieces`](super::IndexMap::from_pieces).
    #[must_use]
    pub fn new(from: Option<usize>, pieces: impl Into<Vec<Piece>>) -> Self {
        Self { from, pieces: pieces.into() }
    }

    /// The input axis it reads; `None` for a new axis.
    #[must_use]
    pub fn from(&self) -> Option<usize> {
        self.from
    }

    /// The pieces, in order.
    #[must_use]
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The sources of the pieces that are not zero, and their lengths.
    pub(super) fn sources(&self) -> impl Iterator<Item = (Source, usize)> {
        self.pieces.iter().filter_map(|piece| Some((piece.source?, piece.len())))
    }

    /// Whether no index is read.
    pub(super) fn is_zero(&self) -> bool {
        self.sources().next().is_none()
    }

    /// If a single input index is read, makes this a new axis and returns the index.
    pub(super) fn hold(&mut self) -> Option<usize> {
        let first = self.sources().next()?.0.first;
        if self.sources().any(|(source, _)| source != Source { first, step: 0 }) {
            return None;
        }
        self.from = None;
        for source in self.pieces.iter_mut().filter_map(|piece| piece.source.as_mut()) {
            source.first = 0;
        }
        Some(first)
    }

    /// What output index `i` reads.
    pub(super) fn at(&self, i: usize) -> Option<usize> {
        let piece = self.pieces.get(self.pieces.partition_point(|piece| piece.end <= i))?;
        Some(piece.source?.at(i - piece.start))
    }

    /// What is read when the indices this reads are output indices of `inner`. `None` with too many pieces.
    pub(super) fn after(&self, inner: &Self) -> Option<Self> {
        let mut joined = Joined::new(MOST_BOXES);
        for outer in &self.pieces {
            let Some(source) = outer.source else {
                joined.push(outer.len(), None)?;
                continue;
            };
            let mut done = 0;
            while done < outer.len() {
                let index = source.at(done);
                let number = inner.pieces.partition_point(|piece| piece.end <= index);
                let piece = inner.pieces[number];
                let room = match source.step {
                    0 => outer.len(),
                    1.. => (piece.end - 1 - index) / source.step.unsigned_abs() + 1,
                    _ => (index - piece.start) / source.step.unsigned_abs() + 1,
                };
                let len = room.min(outer.len() - done);
                let read = piece.source.map(|read| Source {
                    first: read.at(index - piece.start),
                    // From one input index to the next if there is one, so that it does not overflow then.
                    step: if len == 1 { 0 } else { read.step.wrapping_mul(source.step) },
                });
                joined.push(len, read)?;
                done += len;
            }
        }
        Some(joined.finish(inner.from))
    }

    /// Whether no input index is read twice.
    pub(super) fn is_injective(&self) -> bool {
        self.sources().all(|(source, len)| source.step != 0 || len == 1) && self.is_apart()
    }

    /// Whether no input index is read by two pieces. Compares those that read overlapping parts of the axis in pairs.
    pub(super) fn is_apart(&self) -> bool {
        let mut reads: Vec<Progression> = self.pieces.iter().filter_map(Progression::of).collect();
        reads.sort_unstable_by_key(|read| read.low);
        reads.iter().enumerate().all(|(n, read)| {
            let near = reads[n + 1..].iter().take_while(|other| other.low <= read.high);
            near.into_iter().all(|other| !read.meets(other))
        })
    }

    /// The transpose, for an axis of `extent` input indices of which none is read twice: an axis with an index for each
    /// of these, which reads output axis `axis`. `None` with more than `most` pieces; stops when there are so many.
    pub(super) fn inverse(&self, extent: usize, axis: usize, most: usize) -> Option<Self> {
        let mut left: BinaryHeap<Reverse<(usize, usize)>> = BinaryHeap::new();
        let mut reads: Vec<(Progression, usize, isize)> = Vec::with_capacity(self.pieces.len());
        for piece in &self.pieces {
            let Some(read) = Progression::of(piece) else { continue };
            let falls = piece.source.is_some_and(|source| source.step < 0);
            let (output, step) = if falls { (piece.end - 1, -1) } else { (piece.start, 1) };
            left.push(Reverse((read.low, reads.len())));
            reads.push((read, output, step));
        }
        let mut joined = Joined::new(most);
        let mut done = 0;
        while let Some(Reverse((index, number))) = left.pop() {
            joined.push(index - done, None)?;
            let (read, output, step) = &mut reads[number];
            if read.step == 1 {
                let len = read.high - index + 1;
                joined.push(len, Some(Source { first: *output, step: *step }))?;
                done = read.high + 1;
                continue;
            }
            joined.push(1, Some(Source { first: *output, step: 0 }))?;
            done = index + 1;
            if index < read.high {
                *output = output.wrapping_add_signed(*step);
                left.push(Reverse((index + read.step, number)));
            }
        }
        joined.push(extent - done, None)?;
        Some(joined.finish(Some(axis)))
    }
}

/// Pieces in normal form, made of runs of output indices one after the other: each goes on as long as it can, so that
/// there are as few as possible and they do not depend on how the runs were cut.
pub(super) struct Joined {
    pieces: Vec<Piece>,
    most: usize,
}

impl Joined {
    pub(super) fn new(most: usize) -> Self {
        Self { pieces: Vec::new(), most }
    }

    /// Adds a run of `len` output indices. `None` when there are too many pieces.
    pub(super) fn push(&mut self, len: usize, source: Option<Source>) -> Option<()> {
        let (mut len, mut source) = (len, source);
        while len > 0 {
            let taken = self.pieces.last_mut().map_or(0, |last| last.extend(len, source));
            len -= taken;
            if taken == 0 {
                if self.pieces.len() == self.most {
                    return None;
                }
                let start = self.pieces.last().map_or(0, |last| last.end);
                if let Some(source) = source.as_mut().filter(|_| len == 1) {
                    source.step = 0;
                }
                self.pieces.push(Piece { start, end: start + len, source });
                len = 0;
            } else if let Some(source) = source.as_mut().filter(|_| len > 0) {
                source.first = source.at(taken);
            }
        }
        Some(())
    }

    /// The axis. A piece of two indices gives its second one to the piece after it, if it belongs there as well: rolled
    /// by one, an axis is its last index and the others.
    pub(super) fn finish(mut self, from: Option<usize>) -> AxisMap {
        for n in 1..self.pieces.len() {
            let (before, [piece, ..]) = self.pieces.split_at_mut(n) else { continue };
            let Some(before) = before.last_mut() else { continue };
            let (Some(short), Some(long)) = (before.source, piece.source) else { continue };
            if before.len() == 2
                && piece.len() > 1
                && short.wide(1) + long.step as i128 == long.first as i128
            {
                before.end -= 1;
                before.source = Some(Source { step: 0, ..short });
                piece.start -= 1;
                piece.source = Some(Source { first: short.at(1), ..long });
            }
        }
        AxisMap { from, pieces: self.pieces }
    }
}
