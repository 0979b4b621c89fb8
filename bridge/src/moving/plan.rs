//! How source and target lie towards each other.

use crate::Layout;
use crate::index::Space;

/// Fewer neighbours than this do not fill tiles.
const LEAST: usize = 8;

/// The space of a target (operand 0) and a source (operand 1), and whether it is best walked in tiles of axes 0
/// and 1: the target has its neighbours along the one, the source along the other.
pub(crate) fn plan(to: &Layout, from: &Layout) -> (Space, bool) {
    let mut space = Space::new(&[to, from]);
    let tiles = turn(&mut space);
    (space, tiles)
}

/// Makes the axis along which the source has its neighbours axis 1, if it is another than axis 0 and tiles fill.
fn turn(space: &mut Space) -> bool {
    let from = &space.strides[1];
    let near = |axis: &usize| from[*axis].unsigned_abs();
    let axis = (0..from.len()).filter(|axis| from[*axis] != 0).min_by_key(near).unwrap_or(0);
    let worth = axis != 0
        && space.strides[0][0] == 1
        && near(&axis) < near(&0)
        && space.extents[axis] >= LEAST
        && space.extents[0] >= LEAST;
    if worth {
        space.swap(1, axis);
    }
    worth
}
