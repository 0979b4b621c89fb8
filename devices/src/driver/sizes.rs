//! How the memory of a kind of device is divided into blocks.

/// How the memory of a kind of device is divided into blocks.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// The alignment of blocks that share a segment.
    pub granule: usize,
    /// Smaller requests are not pooled: the device's own allocator is as quick.
    pub direct_below: usize,
    /// Requests up to this share segments; larger ones have a segment each.
    pub shared_up_to: usize,
}

impl Default for Sizes {
    /// Blocks up to 1 MiB share segments.
    fn default() -> Self {
        Self { granule: 256, direct_below: 0, shared_up_to: 1 << 20 }
    }
}
