//! How the iterations of a run were launched.

use std::fmt;

/// How the iterations of a run were launched.
///
/// An iteration is a few calls, each of which takes the host some microseconds: more than a GPU needs for small arrays. So where
/// an iteration enqueues the same calls each time, a few of them are recorded and then launched at once: as a graph on CUDA, and on the
/// host as calls that are neither made nor checked again. Results are the same, to the bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launched {
    /// So many of them as recorded, several at once; those that are left over one by one.
    Together(usize),
    /// All of them one by one.
    Singly(Singly),
}

/// Why iterations were launched one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Singly {
    /// The device launches nothing at once (`OpenCL`).
    Device,
    /// The method makes each iteration another one, or the host takes part in it: [`Gmres`](crate::Gmres), whose basis grows; minimisers; loops around
    /// solvers, whose own runs may be recorded; [`Fista`](crate::Fista) with a share for a threshold or with thresholds that decay.
    Method,
    /// The operator, the preconditioner or the basis does more than to enqueue calls for the executor: it waits, computes on another device, or has
    /// arrays of its own that it writes.
    Operator,
    /// They were too few to be worth it, in all or from one check to the next, and no run before had left them in the workspace.
    Few,
    /// A call is not one of kernels (products of large matrices by the vendor's library), the driver refused or memory was short.
    Refused,
}

impl fmt::Display for Launched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Together(count) => write!(f, "{count} iterations several at once"),
            Self::Singly(why) => write!(f, "one by one: {why}"),
        }
    }
}

impl fmt::Display for Singly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Device => "the device has no graphs",
            Self::Method => "the method makes each iteration another one",
            Self::Operator => "the operator does more than to enqueue calls",
            Self::Few => "they were too few, in all or between two checks",
            Self::Refused => "the device could not record them",
        })
    }
}
