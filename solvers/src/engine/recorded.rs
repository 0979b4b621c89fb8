//! What a run keeps of iterations that are launched together.

use arrayspan_bridge::Layout;
use arrayspan_kernels::Graph;
use arrayspan_operators::OperatorKey;

/// A few iterations, recorded once.
#[derive(Debug, Default)]
pub(crate) enum Replay {
    /// Nobody has tried yet.
    #[default]
    New,
    /// So many of them, as one launch, and what they depend on, if another run may take them up.
    Recorded(usize, Graph, Option<Box<Alike>>),
    /// They are made one by one, in fewer passes over memory, as they would have been recorded.
    Refused,
    /// They are made as the method asks for them: the operator has arrays of its own.
    Plain,
}

/// What recorded iterations depend on. They hold no number of the data: those are in the history.
#[derive(Debug, PartialEq)]
pub(crate) struct Alike {
    pub(super) method: &'static str,
    /// The operator, then the preconditioner and the one beside it, where there are such.
    pub(super) operator: OperatorKey,
    pub(super) others: [Option<OperatorKey>; 2],
    pub(super) scale: [i32; 2],
    /// Bits of the damping, and of what the method has beside it.
    pub(super) numbers: Vec<u64>,
    /// Whether there was a start vector.
    pub(super) started: bool,
    /// Where the arrays of the workspace lie.
    pub(super) places: Vec<Place>,
    /// The bytes of the model's block, and how it lies in that.
    pub(super) model: (usize, Layout),
}

/// Where an array lies: address and bytes of its block, and how it lies there.
pub(super) type Place = (usize, usize, Layout);

/// So many iterations, which a run without them may take up.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(super) alike: Alike,
    pub(super) count: usize,
    pub(super) graph: Graph,
    /// Where the model's block was, which it does not have.
    pub(super) model: usize,
}
