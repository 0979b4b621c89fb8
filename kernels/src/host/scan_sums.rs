//! What loops of running sums share: the blocks of an axis, and how results are stored.

use std::ops::Range;

use arrayspan_bridge::{LaneMut, Lanes, parallel};
use bytemuck::{cast_slice, cast_slice_mut};

use super::blend::{blend, term};
use super::scalar::Scalar;
use super::stored::Stored;
use super::tile::Blend;
use crate::Scan;

/// What is summed, how, and what becomes of it.
pub(super) struct Sums<'a, S, L> {
    pub(super) x: Lanes<'a, S>,
    pub(super) scan: Scan,
    pub(super) store: Store<L>,
}

impl<S: Stored, L: Scalar> Sums<'_, S, L> {
    /// The indices of the square matrix that block `number` has, of so many results each. The first has those that are left
    /// out before them, too.
    pub(super) fn block(&self, number: usize, len: usize) -> Range<usize> {
        let [first, _] = self.scan.left_out();
        let end = (first + (number + 1) * len).min(self.scan.extent());
        let start = if number == 0 { 0 } else { first + number * len };
        start..end
    }

    /// Numbers from 0 to `count`, in the order in which sums go.
    pub(super) fn order(&self, count: usize) -> impl Iterator<Item = usize> + use<S, L> {
        let backward = self.scan.is_backward();
        (0..count).map(move |number| if backward { count - 1 - number } else { number })
    }

    /// Whether threads share an axis of so many blocks, if there are so many other parts.
    pub(super) fn shares(blocks: usize, parts: usize, elements: usize) -> bool {
        let grain = parallel::grain(elements, 2 * size_of::<S>(), 4);
        blocks > 1 && grain < usize::MAX && parts < parallel::threads(usize::MAX)
    }
}

/// How results are stored.
pub(super) struct Store<L> {
    pub(super) alpha: L,
    pub(super) beta: Blend<L>,
    /// Whether they are just written.
    pub(super) plain: bool,
}

impl<L: Scalar> Store<L> {
    /// `y ← alpha · results + beta · y` for the elements of a lane from `from` on.
    pub(super) fn put<S: Stored>(
        &self,
        y: &mut LaneMut<'_, S>,
        from: usize,
        results: &[S::Number],
    ) {
        if self.plain {
            return S::store(y, from, results);
        }
        let len = results.len();
        let results = [term(cast_slice(results), self.alpha)];
        if let Some(slice) = S::slice_mut(y) {
            return blend(self.beta, cast_slice_mut(&mut slice[from..from + len]), &results);
        }
        let mut old = vec![S::Number::default(); len];
        if self.beta != Blend::Set {
            S::load(&y.read(), from, &mut old);
        }
        blend(self.beta, cast_slice_mut(&mut old), &results);
        S::store(y, from, &old);
    }
}
