//! What a run keeps of iterations that are launched together.

use arrayspan_kernels::Graph;

/// A few iterations, recorded once.
#[derive(Debug, Default)]
pub(crate) enum Replay {
    /// Nobody has tried yet.
    #[default]
    New,
    /// So many of them, as one launch.
    Recorded(usize, Graph),
    /// They are made one by one.
    Refused,
}
