//! The scalars of an iteration with thresholds: their rows in the history, behind those that all methods have.

/// The row of the gradient one iteration earlier.
pub(super) const LAST: usize = 3;
/// The row of the way so far: the start and all steps.
pub(super) const WAY: usize = 4;
/// The row of `β`, and the first one that is there for momentum alone.
pub(super) const BETA: usize = 5;
/// The row of `t`, and 0 before the first iteration with it.
pub(super) const T: usize = 6;
/// The row of the objective one iteration earlier.
pub(super) const OBJECTIVE: usize = 7;
/// How many rows there are, without those of backtracking.
pub(super) const ROWS: usize = 8;
