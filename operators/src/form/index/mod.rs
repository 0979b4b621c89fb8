//! Index maps: linear operators whose every output is one input, or zero.

mod algebra;
mod axis;
mod boxes;
mod checked;
mod construct;
mod cost;
mod mapped;
mod piece;
mod progression;
mod run;
#[cfg(test)]
mod tests;
mod turned;

use std::sync::Arc;

pub use axis::AxisMap;
use axis::Joined;
pub use boxes::{BoxSource, Boxes, IndexBox};
pub use piece::{Piece, Source};

/// An index map has at most this many boxes: the product over its output axes of their numbers of pieces.
pub const MOST_BOXES: usize = 4096;

/// `y[o] = x[m(o)]`, or 0 where `m` has no value: a permutation, a flip, a slice, zeros around, a repetition, and
/// whatever these make one after the other.
///
/// Every output axis reads one input axis, and no other output axis reads that, or it reads none: along a new axis the
/// input is repeated. What it reads is told by [`Piece`]s: in each, one step along the output is a fixed number of steps
/// along the input, or the output is zero; an output element is zero if it is so along any axis. An input axis that no
/// output axis reads is held at one index.
///
/// Two maps that are the same function are equal. For this, pieces are as few as possible, runs are joined from the left,
/// and an axis along which a single index is read is a new axis, with the input axis held at that index.
///
/// Shapes, pieces and their numbers are all that there is: constructing, composing and comparing maps costs in
/// proportion to the number of pieces, whatever the extents, which go up to `isize::MAX`. A clone shares them.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::form::index::IndexMap;
/// let padded = IndexMap::pad("Pad", &[5, 1 << 40], 0, 2, 3)?;
/// let cut = IndexMap::slice("Cut", &[10, 1 << 40], 0, 2, 5, 1)?;
/// assert!(cut.after(&padded).is_some_and(|both| both.is_identity()));
/// assert_eq!(padded.adjoint(), Some(cut));
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IndexMap {
    inner: Arc<Inner>,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Inner {
    domain: Vec<usize>,
    range: Vec<usize>,
    /// `None` where nothing is read at all: the map is zero, or has no output.
    reads: Option<Reads>,
    turned: turned::Kept,
}

/// What a map that is not zero reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Reads {
    /// For each output axis.
    axes: Vec<AxisMap>,
    /// The index of each input axis that is not read; 0 for the others.
    held: Vec<usize>,
}

impl IndexMap {
    /// The shape of the input.
    #[must_use]
    pub fn domain(&self) -> &[usize] {
        &self.inner.domain
    }

    /// The shape of the output.
    #[must_use]
    pub fn range(&self) -> &[usize] {
        &self.inner.range
    }

    /// What each output axis reads; `None` for a map that reads nothing.
    #[must_use]
    pub fn axes(&self) -> Option<&[AxisMap]> {
        self.inner.reads.as_ref().map(|reads| reads.axes.as_slice())
    }

    /// The index at which each input axis is held that no output axis reads, and 0 for the others; `None` for a map that
    /// reads nothing.
    #[must_use]
    pub fn held(&self) -> Option<&[usize]> {
        self.inner.reads.as_ref().map(|reads| reads.held.as_slice())
    }

    /// The map that reads nothing.
    fn zero(domain: &[usize], range: &[usize]) -> Self {
        Self::from_reads(domain, range, None)
    }

    fn from_reads(domain: &[usize], range: &[usize], reads: Option<Reads>) -> Self {
        let (domain, range) = (domain.to_vec(), range.to_vec());
        Self { inner: Arc::new(Inner { domain, range, reads, turned: turned::Kept::default() }) }
    }

    /// Brings `axes`, each in its own normal form, and `held` to the normal form of the whole. `None` with more than
    /// [`MOST_BOXES`] boxes. Only the indices in `held` of axes that are not read count.
    fn normal(
        domain: &[usize],
        range: &[usize],
        axes: Vec<AxisMap>,
        held: Vec<usize>,
    ) -> Option<Self> {
        if axes.iter().any(AxisMap::is_zero) {
            return Some(Self::zero(domain, range));
        }
        let mut reads = Reads { axes, held };
        for axis in &mut reads.axes {
            if let Some(from) = axis.from() {
                reads.held[from] = axis.hold().unwrap_or(0);
            }
        }
        let counts = reads.axes.iter().map(|axis| axis.pieces().len());
        let boxes = counts.fold(1_usize, usize::saturating_mul);
        (boxes <= MOST_BOXES).then(|| Self::from_reads(domain, range, Some(reads)))
    }
}
