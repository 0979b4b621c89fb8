//! Splits one slab into blocks whose sizes are powers of two, and joins them again.

use std::collections::{BTreeSet, HashMap};

/// The smallest block: a page, so that no two blocks share one.
pub(super) const SMALLEST: usize = 4096;

/// The blocks of a slab, by their offsets. Two blocks that were split from one are buddies: free, they are one again,
/// so that a slab without blocks is whole.
#[derive(Debug)]
pub(super) struct Buddy {
    /// Offsets of free blocks of `SMALLEST << order` bytes, by order.
    free: Vec<BTreeSet<usize>>,
    /// The order of each block taken.
    taken: HashMap<usize, usize>,
}

impl Buddy {
    /// A slab of `bytes` bytes, a power of two times [`SMALLEST`].
    pub(super) fn new(bytes: usize) -> Self {
        debug_assert!(bytes.is_power_of_two() && bytes >= SMALLEST);
        let mut free = vec![BTreeSet::new(); order(bytes) + 1];
        if let Some(largest) = free.last_mut() {
            largest.insert(0);
        }
        Self { free, taken: HashMap::new() }
    }

    /// Takes a block of `bytes` bytes, a power of two times [`SMALLEST`]: the lowest of the smallest that will do.
    pub(super) fn take(&mut self, bytes: usize) -> Option<usize> {
        let wanted = order(bytes);
        let found = (wanted..self.free.len()).find(|&order| !self.free[order].is_empty())?;
        let offset = self.free[found].pop_first()?;
        // Each split leaves the upper half free.
        for order in wanted..found {
            self.free[order].insert(offset + (SMALLEST << order));
        }
        self.taken.insert(offset, wanted);
        Some(offset)
    }

    /// Gives a block back; its bytes, or `None` if there is no such block.
    pub(super) fn give(&mut self, offset: usize) -> Option<usize> {
        let mut order = self.taken.remove(&offset)?;
        let bytes = SMALLEST << order;
        let mut offset = offset;
        while order + 1 < self.free.len() {
            let size = SMALLEST << order;
            if !self.free[order].remove(&(offset ^ size)) {
                break;
            }
            offset &= !size;
            order += 1;
        }
        self.free[order].insert(offset);
        Some(bytes)
    }

    /// Whether no block is taken.
    pub(super) fn is_idle(&self) -> bool {
        self.taken.is_empty()
    }
}

fn order(bytes: usize) -> usize {
    (bytes / SMALLEST).trailing_zeros() as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SLAB: usize = SMALLEST << 6;

    #[test]
    fn a_whole_slab_is_one_block_and_then_there_is_none() {
        let mut buddy = Buddy::new(SLAB);
        assert_eq!(buddy.take(SLAB), Some(0));
        assert_eq!(buddy.take(SMALLEST), None);
        assert_eq!(buddy.give(0), Some(SLAB));
        assert!(buddy.is_idle());
    }

    #[test]
    fn what_was_not_taken_cannot_be_given() {
        let mut buddy = Buddy::new(SLAB);
        assert_eq!(buddy.take(SMALLEST), Some(0));
        assert_eq!(buddy.give(SMALLEST), None);
        assert_eq!(buddy.give(0), Some(SMALLEST));
        assert_eq!(buddy.give(0), None);
    }

    proptest! {
        #[test]
        fn blocks_never_overlap_and_a_slab_given_back_is_whole(
            steps in prop::collection::vec((any::<bool>(), 0..7_usize, any::<prop::sample::Index>()), 1..200)
        ) {
            let mut buddy = Buddy::new(SLAB);
            let mut held: Vec<(usize, usize)> = Vec::new();
            for (take, order, which) in steps {
                if take {
                    let bytes = SMALLEST << order;
                    if let Some(offset) = buddy.take(bytes) {
                        prop_assert!(offset % bytes == 0 && offset + bytes <= SLAB);
                        let apart = |&(o, b): &(usize, usize)| offset + bytes <= o || o + b <= offset;
                        prop_assert!(held.iter().all(apart));
                        held.push((offset, bytes));
                    } else {
                        // Refused only where no aligned gap of that size is left.
                        let gap = |at: usize| held.iter().all(|&(o, b)| at + bytes <= o || o + b <= at);
                        prop_assert!(!(0..SLAB).step_by(bytes).any(gap));
                    }
                } else if !held.is_empty() {
                    let (offset, bytes) = held.swap_remove(which.index(held.len()));
                    prop_assert_eq!(buddy.give(offset), Some(bytes));
                }
            }
            for (offset, bytes) in held {
                prop_assert_eq!(buddy.give(offset), Some(bytes));
            }
            prop_assert!(buddy.is_idle());
            prop_assert_eq!(buddy.take(SLAB), Some(0));
        }
    }
}
