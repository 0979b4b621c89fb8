//! What a pool holds.

/// What the memory pool of a device holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Bytes taken from the driver and not given back: in use, or kept for the next request.
    pub reserved: usize,
    /// The largest `reserved` so far.
    pub peak_reserved: usize,
    /// Bytes of `reserved` that nobody uses.
    pub cached: usize,
    /// Bytes of `cached` that, as far as is known, wait for work of the stream they were freed on.
    pub pending: usize,
    /// The largest free block in bytes.
    pub largest_free: usize,
    /// How many allocations of the driver `reserved` is made of.
    pub segments: usize,
}
