//! Index maps as the spans of mapped copies.

use arrayspan_bridge::{DType, Relayout, View};
use arrayspan_kernels::verb::{MOST_SPANS, Mapped, Span, Spans, read_of_mapped};
use arrayspan_kernels::{Factor, Update, computed};

use super::{AxisMap, IndexMap, Piece, Reads};
use crate::Result;

impl IndexMap {
    /// What each output axis reads, if this has several boxes, a mapped copy does them in one pass, and neighbours in the output
    /// are neighbours in what is read: boxes of an input that lies across are better copied by themselves, and so are
    /// 16-bit floats that are nothing but moved, which the verb would widen. Where nothing is to be done for zeros there must be none.
    pub(super) fn mapped(&self, update: Update, dtype: DType) -> Option<&Reads> {
        let widened = computed(dtype).is_computable() && update != Update::set();
        let fits = dtype.is_computable() || widened;
        let reads = self.inner.reads.as_ref().filter(|_| fits)?;
        let zeros =
            || reads.axes.iter().flat_map(AxisMap::pieces).any(|piece| piece.source.is_none());
        if update.beta == Factor::ONE && zeros() {
            return None;
        }
        let few = reads.axes.iter().all(|axis| axis.pieces().len() <= MOST_SPANS);
        (few && self.most_boxes() > 1 && !self.range().contains(&0) && self.is_in_order(reads))
            .then_some(reads)
    }

    /// Whether the last output axis reads the last input axis, or none.
    pub(super) fn is_in_order(&self, reads: &Reads) -> bool {
        let last = |shape: &[usize]| shape.iter().rposition(|extent| *extent > 1);
        let read = last(self.range()).and_then(|axis| reads.axes[axis].from());
        read.is_none_or(|from| Some(from) == last(self.domain()))
    }

    /// The maps whose sum is the transpose, if a mapped copy does them in one pass. Where nothing is to be done for elements that no
    /// box reads there must be none.
    pub(super) fn mapped_adjoint(&self, update: Update, dtype: DType) -> Option<&[Self]> {
        let turned = self.turned();
        let writes = update.beta != Factor::ONE || turned.covering.is_some();
        turned.parts.as_deref().filter(|_| writes && computed(dtype).is_computable())
    }

    /// The elements that a mapped copy counts as read.
    pub(super) fn read_of(&self, reads: &Reads) -> usize {
        let extents =
            reads.axes.iter().map(|axis| axis.from().map_or(1, |from| self.domain()[from]));
        let spans: Vec<Spans> = reads.axes.iter().map(spans).collect();
        read_of_mapped(extents, spans.iter().map(|spans| &spans[..]))
    }
}

impl Reads {
    /// An array as the input of a mapped copy: with an axis for each output axis.
    pub(super) fn of_input<'a>(&self, x: View<'a>) -> Result<Mapped<'a>> {
        let read: Vec<usize> = self.axes.iter().filter_map(AxisMap::from).collect();
        let mut x = x;
        let held = (0..self.held.len()).filter(|axis| !read.contains(axis));
        let held: Vec<usize> = held.collect();
        for &axis in &held {
            x = x.sliced(axis, self.held[axis], 1)?;
        }
        let extents = self.axes.iter().map(|axis| axis.from().map_or(1, |from| x.shape()[from]));
        let shape: Vec<usize> = extents.collect();
        let order: Vec<usize> = read.into_iter().chain(held).collect();
        let x = if order.is_sorted() { x } else { x.permuted(&order)? };
        let x = if x.shape() == shape { x } else { x.reshaped(&shape)? };
        Ok(Mapped { x, axes: self.axes.iter().map(spans).collect() })
    }
}

/// The pieces of an axis. A new axis reads index 0 of one of one index.
fn spans(axis: &AxisMap) -> Spans {
    let span = |piece: &Piece| {
        let reads = piece.source.map(|source| match axis.from() {
            Some(_) => (source.first, source.step),
            None => (0, 0),
        });
        Span { end: piece.end, reads }
    };
    axis.pieces().iter().map(span).collect()
}
