//! What the transpose of an index map is carried out with, made once.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use arrayspan_kernels::verb::{MOST_MAPPED, MOST_SPANS};

use super::{AxisMap, IndexBox, IndexMap, Piece, Reads};

/// What follows from a map for its transpose.
pub(super) struct Turned {
    /// The first box that reads every element of the input.
    pub(super) covering: Option<IndexBox>,
    /// Where there is no such box, the transpose, if it is a map of few more boxes than this.
    pub(super) inverse: Option<IndexMap>,
    /// For each of a few boxes that read the input step by step the map that reads the output where the box reads it, and nothing
    /// elsewhere: their sum is the transpose.
    pub(super) parts: Option<Vec<IndexMap>>,
}

/// Room for it beside the map that it follows from. Where maps are compared it counts for nothing.
#[derive(Default)]
pub(super) struct Kept(OnceLock<Box<Turned>>);

impl PartialEq for Kept {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Kept {}

impl Hash for Kept {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.get().is_some() { "Kept" } else { "Kept(nothing)" })
    }
}

impl IndexMap {
    /// Made at the first call for this map or a clone.
    pub(super) fn turned(&self) -> &Turned {
        self.inner.turned.0.get_or_init(|| {
            let covering = self.boxes().find(|found| self.is_covered(found));
            let inverse = if covering.is_none() { self.short_inverse() } else { None };
            Box::new(Turned { covering, inverse, parts: self.parts() })
        })
    }

    /// Whether a box reads every element of the input.
    fn is_covered(&self, by: &IndexBox) -> bool {
        by.source.as_ref().is_some_and(|source| source.covers(self.domain(), &by.extent))
    }

    fn short_inverse(&self) -> Option<Self> {
        let most = self.most_boxes().saturating_mul(2 * self.domain().len() + 1);
        if self.is_injective() { self.inverse(most) } else { None }
    }

    fn parts(&self) -> Option<Vec<Self>> {
        let reads = self.inner.reads.as_ref()?;
        let boxes = self.most_boxes();
        if !(2..=MOST_MAPPED * MOST_MAPPED).contains(&boxes) || self.range().contains(&0) {
            return None;
        }
        let boxes = self.boxes().filter(|found| found.source.is_some());
        let parts = boxes.take(MOST_MAPPED + 1).map(|found| {
            let part = self.part(reads, &found)?;
            let inverse =
                if part.is_injective() { part.inverse(MOST_SPANS)? } else { return None };
            inverse.inner.reads.as_ref().filter(|reads| inverse.is_in_order(reads))?;
            Some(inverse)
        });
        let parts = parts.collect::<Option<Vec<_>>>()?;
        (parts.len() > 1 && parts.len() <= MOST_MAPPED).then_some(parts)
    }

    /// What one box reads, and nothing elsewhere.
    fn part(&self, reads: &Reads, found: &IndexBox) -> Option<Self> {
        let axes = reads.axes.iter().enumerate().map(|(number, axis)| {
            let (start, extent) = (found.start[number], self.range()[number]);
            let end = start + found.extent[number];
            let own = axis.pieces().iter().filter(|piece| piece.start == start);
            let around = [Piece::zeros(0, start), Piece::zeros(end, extent)];
            let [before, after] = around.map(|piece| (piece.len() > 0).then_some(piece));
            let pieces: Vec<Piece> = before.into_iter().chain(own.copied()).chain(after).collect();
            AxisMap::new(axis.from(), pieces)
        });
        Self::normal(self.domain(), self.range(), axes.collect(), reads.held.clone())
    }
}
