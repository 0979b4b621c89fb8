//! How source and target lie towards each other.

use crate::Layout;
use crate::iteration::IterationSpace;

/// Fewer neighbours than this do not fill tiles.
const LEAST: usize = 8;

/// The space of a target (operand 0) and a source (operand 1), and whether it is best walked in tiles of axes 0
/// and 1: the target has its neighbours along the one, the source along the other.
pub(crate) fn plan(to: &Layout, from: &Layout) -> (IterationSpace, bool) {
    let mut space = IterationSpace::new(&[to, from]);
    let tiles = space.turn(LEAST);
    (space, tiles)
}
