//! Who holds a device's memory.

/// Who holds a device's memory, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryUse {
    /// All there is.
    pub total_bytes: usize,
    /// What nobody holds, where a driver tells.
    pub free_bytes: Option<usize>,
    /// What arrays of this process hold through arrayspan.
    pub held_bytes: usize,
    /// The rest: other processes, other libraries of this one, and what the drivers themselves need.
    pub other_bytes: Option<usize>,
}

impl MemoryUse {
    /// Free and held are read one after the other, so the rest may come out below zero: then it is zero.
    pub(super) fn new(total_bytes: usize, free_bytes: Option<usize>, held_bytes: usize) -> Self {
        let rest = |free: usize| total_bytes.saturating_sub(free).saturating_sub(held_bytes);
        Self { total_bytes, free_bytes, held_bytes, other_bytes: free_bytes.map(rest) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_neither_free_nor_ours_belongs_to_others() {
        assert_eq!(MemoryUse::new(100, Some(60), 30).other_bytes, Some(10));
        assert_eq!(MemoryUse::new(100, Some(80), 30).other_bytes, Some(0));
        assert_eq!(MemoryUse::new(100, None, 30).other_bytes, None);
    }
}
