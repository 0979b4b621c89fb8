//! What groups of threads have on a device.

/// Bytes of local memory that a group fills: what every device has.
pub(crate) const LOCAL: usize = 32 << 10;

/// What it may have through OpenCL on a GPU that has so much.
pub(crate) const MORE: usize = 48 << 10;

/// What it may ask for on CUDA, where a processor has room for one group of that size.
const LARGE: usize = 144 << 10;

/// What a line takes at most, where lines do not lie side by side: of longer ones a processor holds one at a time, which takes longer than
/// two passes.
const ALONG: usize = 112 << 10;

/// What a group has on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Limits {
    /// Bytes of local memory.
    pub(crate) local: usize,
    /// Threads.
    pub(crate) threads: usize,
}

impl Limits {
    /// What every device has.
    pub(crate) const LEAST: Self = Self { local: LOCAL, threads: 256 };
    /// What it has on CUDA.
    pub(crate) const CUDA: Self = Self { local: LARGE, threads: 1024 };

    /// Bytes of local memory for numbers of whole lines, which lie side by side or not.
    pub(crate) fn of_lines(&self, across: bool) -> usize {
        if across { self.local } else { self.local.min(ALONG) }
    }
}
