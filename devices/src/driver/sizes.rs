//! How a kind of device wants its memory cut.

/// How a kind of device wants its memory cut.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// What blocks that share a segment begin at a multiple of.
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
