//! The index space of a copy, and whether it is walked in tiles.

use crate::Layout;
use crate::iteration::IterationSpace;

/// Contiguous rows that are shorter than this do not fill tiles.
const LEAST: usize = 8;

/// The space of a target (operand 0) and a source (operand 1), and whether it is best walked in tiles of axes 0
/// and 1: the target is contiguous along the one, the source along the other.
pub(crate) fn plan(to: &Layout, from: &Layout) -> (IterationSpace, bool) {
    let mut space = IterationSpace::new(&[to, from]);
    let tiles = space.turn(LEAST);
    (space, tiles)
}
