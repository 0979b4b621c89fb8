//! The threads of kernels that are launched as they stand.

use arrayspan_bridge::devices::Grid;

/// How many threads run a [`RawKernel`](super::RawKernel), and the memory that those of a group share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Groups, and threads of a group, along three axes. With a zero nothing runs.
    pub grid: Grid,
    /// The bytes that source has as `SHARED_BYTES`, as in `LOCAL_ARRAY(f32, tile, SHARED_BYTES / sizeof(f32));`. Compiled
    /// into the kernel: another number is another kernel.
    pub shared_bytes: usize,
}

impl Geometry {
    /// So many groups of so many threads, without shared memory.
    #[must_use]
    pub fn new(groups: [usize; 3], threads: [usize; 3]) -> Self {
        Self { grid: Grid { groups, threads }, shared_bytes: 0 }
    }

    /// The same with shared memory.
    #[must_use]
    pub fn sharing(self, bytes: usize) -> Self {
        Self { shared_bytes: bytes, ..self }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.grid.groups.contains(&0) || self.grid.threads.contains(&0)
    }
}
