//! An index map as boxes of the output, each of which reads along straight lines.

use super::{AxisMap, IndexMap, Piece};

/// A box of the output: the indices `start[o]..start[o] + extent[o]` along each output axis `o`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexBox {
    /// The first index along each output axis.
    pub start: Vec<usize>,
    /// The number of indices along each output axis, never 0.
    pub extent: Vec<usize>,
    /// What it reads, or `None` for zeros.
    pub source: Option<BoxSource>,
}

/// What a box reads. Its element `k` reads index `first`, and further for each output axis `o` with
/// `along[o] = Some((axis, step))` by `step · k[o]` along `axis`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoxSource {
    /// The index that the first element of the box reads, along each input axis.
    pub first: Vec<usize>,
    /// For each output axis the input axis that is read along it and the step, not 0; `None` where the input is repeated,
    /// or the box has one index.
    pub along: Vec<Option<(usize, isize)>>,
}

impl IndexMap {
    /// The boxes of the output, at most [`MOST_BOXES`](super::MOST_BOXES): disjoint, all of it together, in row-major order
    /// of their first elements. What is zero along an axis is one box with all that lies behind it along later axes.
    #[must_use]
    pub fn boxes(&self) -> Boxes<'_> {
        let at = (!self.range().contains(&0)).then(|| vec![0; self.axes().map_or(0, <[_]>::len)]);
        Boxes { map: self, at }
    }
}

/// Iterates over the boxes of an [`IndexMap`].
#[derive(Clone, Debug)]
pub struct Boxes<'a> {
    map: &'a IndexMap,
    /// The number of the next piece along each axis; `None` at the end.
    at: Option<Vec<usize>>,
}

impl Iterator for Boxes<'_> {
    type Item = IndexBox;

    fn next(&mut self) -> Option<IndexBox> {
        let at = self.at.as_mut()?;
        let range = self.map.range();
        let all = IndexBox { start: vec![0; range.len()], extent: range.to_vec(), source: None };
        let Some(reads) = &self.map.inner.reads else {
            self.at = None;
            return Some(all);
        };
        let pieces = || reads.axes.iter().zip(at.iter()).map(|(axis, &n)| axis.pieces()[n]);
        let zero = pieces().position(|piece| piece.source.is_none());
        let fixed = zero.map_or(range.len(), |axis| axis + 1);
        let mut found = all;
        for (axis, piece) in pieces().enumerate().take(fixed) {
            (found.start[axis], found.extent[axis]) = (piece.start, piece.len());
        }
        if zero.is_none() {
            found.source = Some(BoxSource::new(&reads.held, reads.axes.iter().zip(pieces())));
        }
        // Axes behind one that is zero were not counted up: they begin with their first piece again.
        let ended = (0..fixed).rev().all(|axis| {
            at[axis] = (at[axis] + 1) % reads.axes[axis].pieces().len();
            at[axis] == 0
        });
        if ended {
            self.at = None;
        }
        Some(found)
    }
}

impl BoxSource {
    fn new<'a>(held: &[usize], axes: impl Iterator<Item = (&'a AxisMap, Piece)>) -> Self {
        let mut found = Self { first: held.to_vec(), along: Vec::new() };
        for (axis, piece) in axes {
            let read = axis.from().zip(piece.source);
            if let Some((from, source)) = read {
                found.first[from] = source.first;
            }
            let along = read.map(|(from, source)| (from, source.step));
            found.along.push(along.filter(|(_, step)| *step != 0));
        }
        found
    }
}
