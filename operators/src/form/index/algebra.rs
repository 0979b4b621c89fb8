//! What index maps make of each other.

use super::{AxisMap, IndexMap, Joined, MOST_BOXES, Piece, Reads, Source};

impl IndexMap {
    /// First `inner`, then this: `y[o] = x[inner(self(o))]`. `None` unless the range of `inner` is the domain of this, and
    /// when the result has more than [`MOST_BOXES`] boxes.
    ///
    /// Cost: along each axis, the number of pieces before they are joined.
    #[must_use]
    pub fn after(&self, inner: &Self) -> Option<Self> {
        if self.domain() != inner.range() {
            return None;
        }
        let zero = || Self::zero(inner.domain(), self.range());
        let (Some(outer), Some(reads)) = (&self.inner.reads, &inner.inner.reads) else {
            return Some(zero());
        };
        let mut held = reads.held.clone();
        let mut is_read = vec![false; reads.axes.len()];
        let mut axes = Vec::with_capacity(outer.axes.len());
        for axis in &outer.axes {
            axes.push(match axis.from() {
                Some(between) => {
                    is_read[between] = true;
                    axis.after(&reads.axes[between])?
                }
                None => axis.clone(),
            });
        }
        for (between, axis) in reads.axes.iter().enumerate() {
            if is_read[between] {
                continue;
            }
            let Some(index) = axis.at(outer.held[between]) else { return Some(zero()) };
            if let Some(from) = axis.from() {
                held[from] = index;
            }
        }
        Self::normal(inner.domain(), self.range(), axes, held)
    }

    /// The transpose, which is an index map as well when no input element is read twice: `x[i] = y[o]` where `m(o) = i`, and
    /// 0 where `x[i]` is not read. `None` when some is read twice, and when the transpose has more than [`MOST_BOXES`]
    /// boxes, as that of every second of many elements has: a box of it is all zeros or has none between.
    /// [`enqueue_adjoint`](Self::enqueue_adjoint) needs no such map.
    ///
    /// Cost: as [`is_injective`](Self::is_injective), and in proportion to the pieces made, at most [`MOST_BOXES`] along
    /// each axis, each of which comes from at most one index of each piece with another step than 1.
    #[must_use]
    pub fn adjoint(&self) -> Option<Self> {
        if self.is_injective() { self.inverse(MOST_BOXES) } else { None }
    }

    /// As [`adjoint`](Self::adjoint), for a map that is known to be injective, with at most `most` boxes.
    pub(super) fn inverse(&self, most: usize) -> Option<Self> {
        let Some(reads) = &self.inner.reads else {
            return Some(Self::zero(self.range(), self.domain()));
        };
        let mut held = vec![0; reads.axes.len()];
        let mut axes: Vec<Option<AxisMap>> = vec![None; self.domain().len()];
        for (number, axis) in reads.axes.iter().enumerate() {
            if let Some(from) = axis.from() {
                axes[from] = Some(axis.inverse(self.domain()[from], number, most)?);
            } else {
                // Of a new axis at most one output index reads something: the transpose holds its input axis there.
                let read = axis.pieces().iter().find(|piece| piece.source.is_some());
                held[number] = read.map_or(0, |piece| piece.start);
            }
        }
        let only = |from: usize| Self::only(self.domain()[from], reads.held[from]);
        let axes = axes.into_iter().enumerate();
        let axes: Option<Vec<AxisMap>> =
            axes.map(|(from, axis)| axis.or_else(|| only(from))).collect();
        let inverse = Self::normal(self.range(), self.domain(), axes?, held)?;
        (inverse.most_boxes() <= most).then_some(inverse)
    }

    /// A new axis on which `index` alone is not zero.
    fn only(extent: usize, index: usize) -> Option<AxisMap> {
        let mut joined = Joined::new(MOST_BOXES);
        joined.push(index, None)?;
        joined.push(1, Some(Source { first: 0, step: 0 }))?;
        joined.push(extent - index - 1, None)?;
        Some(joined.finish(None))
    }

    /// The product of the numbers of pieces, which [`boxes`](Self::boxes) are never more than.
    pub(super) fn most_boxes(&self) -> usize {
        self.axes().map_or(1, |axes| axes.iter().map(|axis| axis.pieces().len()).product())
    }

    /// Whether no input element is read twice.
    ///
    /// Cost: pieces along an axis are compared in pairs where the parts of the input axis overlap in which they read.
    #[must_use]
    pub fn is_injective(&self) -> bool {
        self.axes().into_iter().flatten().all(|axis| match axis.from() {
            Some(_) => axis.is_injective(),
            None => {
                axis.sources().try_fold(0_usize, |sum, (_, len)| sum.checked_add(len)) == Some(1)
            }
        })
    }

    /// Whether `y = x`. So it is without elements.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        let same = |(number, axis): (usize, &AxisMap)| match self.range()[number] {
            1 => true,
            extent => {
                axis.from() == Some(number) && *axis.pieces() == [Piece::reads(0, extent, 0, 1)]
            }
        };
        self.domain() == self.range()
            && match self.axes() {
                Some(axes) => axes.iter().enumerate().all(same),
                None => self.range().contains(&0),
            }
    }

    /// Whether `y = 0`. So it is without elements.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.inner.reads.is_none()
    }
}

impl Reads {
    /// Whether no input element is read by two boxes, though one box may read it several times.
    pub(super) fn is_apart(&self) -> bool {
        self.axes.iter().all(|axis| match axis.from() {
            Some(_) => axis.is_apart(),
            None => axis.sources().count() == 1,
        })
    }
}
