//! Cuts blocks out of segments and puts them together again. Knows sizes and places, but no device.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A block that is larger than asked for by at most one part in so many may serve where it cannot be cut.
pub(super) const WASTE: usize = 8;

/// A stretch of one segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// The segment's address, by which it is known.
    pub(super) segment: usize,
    pub(super) offset: usize,
    pub(super) bytes: usize,
}

/// When a free part may be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum After {
    /// At once, by every stream.
    #[default]
    Nothing,
    /// By one stream at once, by others after the point that this stream's marks count as `at`.
    Stream { id: u64, at: u64 },
}

impl After {
    /// When two neighbours may be used as one, unless two streams would have to agree on it.
    fn join(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Nothing, after) | (after, Self::Nothing) => Some(after),
            (Self::Stream { id, at }, Self::Stream { id: other, at: then }) => {
                (id == other).then_some(Self::Stream { id, at: at.max(then) })
            }
        }
    }

    /// Whether `stream` may use the part without waiting.
    pub(super) fn allows(self, stream: u64) -> bool {
        match self {
            Self::Nothing => true,
            Self::Stream { id, .. } => id == stream,
        }
    }
}

/// The free parts of a set of segments.
#[derive(Debug)]
pub(super) struct Heap {
    /// Whether a part may be cut out of a larger one.
    cuts: bool,
    /// The size of each segment.
    segments: HashMap<usize, usize>,
    /// By segment and offset, to find neighbours.
    free: BTreeMap<(usize, usize), Free>,
    /// The same by size, to find the best fit.
    sizes: BTreeSet<(usize, usize, usize)>,
    /// Counts what was given back, so that the oldest is known.
    clock: u64,
}

#[derive(Clone, Copy, Debug)]
struct Free {
    bytes: usize,
    after: After,
    since: u64,
}

impl Heap {
    /// With `cuts`, blocks share segments; without, each block is a whole segment.
    pub(super) fn new(cuts: bool) -> Self {
        let (segments, free, sizes) = (HashMap::new(), BTreeMap::new(), BTreeSet::new());
        Self { cuts, segments, free, sizes, clock: 0 }
    }

    /// Adds a segment of which nothing is free yet.
    pub(super) fn add(&mut self, segment: usize, bytes: usize) {
        self.segments.insert(segment, bytes);
    }

    /// The smallest free part with room for `bytes` that is `usable`, cut to size.
    pub(super) fn take(
        &mut self,
        bytes: usize,
        usable: impl Fn(After) -> bool,
    ) -> Option<(Part, After)> {
        let most = if self.cuts { usize::MAX } else { bytes.saturating_add(bytes / WASTE) };
        let mut fitting = self.sizes.range((bytes, 0, 0)..).take_while(|(size, ..)| *size <= most);
        let &(size, segment, offset) = fitting.find(|(_, segment, offset)| {
            self.free.get(&(*segment, *offset)).is_some_and(|free| usable(free.after))
        })?;
        let after = self.unlink(segment, offset)?.after;
        let bytes = if self.cuts { bytes } else { size };
        if size > bytes {
            self.link(Part { segment, offset: offset + bytes, bytes: size - bytes }, after);
        }
        Some((Part { segment, offset, bytes }, after))
    }

    /// Takes a part back and joins it with its free neighbours.
    pub(super) fn give(&mut self, part: Part, mut after: After) {
        let Part { segment, mut offset, mut bytes } = part;
        let before = self.free.range(..(segment, offset)).next_back();
        let before = before.map(|(&(segment, offset), free)| (segment, offset, *free));
        if let Some((same, start, free)) = before
            && (same, start + free.bytes) == (segment, offset)
            && let Some(joined) = after.join(free.after)
        {
            self.unlink(segment, start);
            (offset, bytes, after) = (start, bytes + free.bytes, joined);
        }
        if let Some(&free) = self.free.get(&(segment, offset + bytes))
            && let Some(joined) = after.join(free.after)
        {
            self.unlink(segment, offset + bytes);
            (bytes, after) = (bytes + free.bytes, joined);
        }
        self.link(Part { segment, offset, bytes }, after);
    }

    /// The work of a stream is done up to its mark `at`: what waited for that is everyone's.
    pub(super) fn settle(&mut self, stream: u64, at: u64) {
        let done =
            |after| matches!(after, After::Stream { id, at: then } if id == stream && then <= at);
        let settled: Vec<(usize, usize)> = self
            .free
            .iter()
            .filter(|(_, free)| done(free.after))
            .map(|(&place, _)| place)
            .collect();
        for (segment, offset) in settled {
            // It may have been joined to its neighbour meanwhile.
            if let Some(free) = self.free.get(&(segment, offset)).filter(|free| done(free.after)) {
                let part = Part { segment, offset, bytes: free.bytes };
                self.unlink(segment, offset);
                self.give(part, After::Nothing);
            }
        }
    }

    /// Takes out segments that are wholly free and `usable`, the longest unused first, until they have `bytes` bytes
    /// together or there are no more.
    pub(super) fn remove(
        &mut self,
        bytes: usize,
        usable: impl Fn(After) -> bool,
    ) -> Vec<(usize, usize)> {
        let mut whole: Vec<(u64, usize, usize)> = self
            .free
            .iter()
            .filter(|((segment, _), free)| self.segments.get(segment) == Some(&free.bytes))
            .filter(|(_, free)| usable(free.after))
            .map(|((segment, _), free)| (free.since, *segment, free.bytes))
            .collect();
        whole.sort_unstable();
        let mut removed = Vec::new();
        let mut found = 0;
        for (_, segment, size) in whole {
            if found >= bytes {
                break;
            }
            self.unlink(segment, 0);
            self.segments.remove(&segment);
            removed.push((segment, size));
            found += size;
        }
        removed
    }

    /// The largest free part.
    pub(super) fn largest(&self) -> usize {
        self.sizes.last().map_or(0, |(bytes, ..)| *bytes)
    }

    /// Bytes that are free and wait for a stream's work.
    pub(super) fn pending(&self) -> usize {
        let waiting = self.free.values().filter(|free| free.after != After::Nothing);
        waiting.map(|free| free.bytes).sum()
    }

    /// How many segments there are, and their bytes.
    pub(super) fn segments(&self) -> (usize, usize) {
        (self.segments.len(), self.segments.values().sum())
    }

    fn link(&mut self, part: Part, after: After) {
        let Part { segment, offset, bytes } = part;
        self.clock += 1;
        self.free.insert((segment, offset), Free { bytes, after, since: self.clock });
        self.sizes.insert((bytes, segment, offset));
    }

    fn unlink(&mut self, segment: usize, offset: usize) -> Option<Free> {
        let free = self.free.remove(&(segment, offset))?;
        self.sizes.remove(&(free.bytes, segment, offset));
        Some(free)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SEGMENT: usize = 1 << 14;
    const GRANULE: usize = 256;

    #[derive(Clone, Debug)]
    enum Step {
        Take { granules: usize, stream: u64 },
        Give { which: usize, stream: u64 },
        Settle { stream: u64 },
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            3 => (1..20_usize, 1..4_u64).prop_map(|(granules, stream)| Step::Take { granules, stream }),
            3 => (any::<usize>(), 1..4_u64).prop_map(|(which, stream)| Step::Give { which, stream }),
            1 => (1..4_u64).prop_map(|stream| Step::Settle { stream }),
        ];
        proptest::collection::vec(step, 0..200)
    }

    fn heap(cuts: bool) -> Heap {
        let mut heap = Heap::new(cuts);
        for segment in [SEGMENT, 10 * SEGMENT, 11 * SEGMENT] {
            heap.add(segment, SEGMENT);
            heap.give(Part { segment, offset: 0, bytes: SEGMENT }, After::Nothing);
        }
        heap
    }

    /// Free and taken parts cover every segment, each byte once, and neighbours that could be joined are.
    fn check(heap: &Heap, taken: &[Part]) {
        let free = heap
            .free
            .iter()
            .map(|(&(segment, offset), free)| (segment, offset, free.bytes, Some(free.after)));
        let taken = taken.iter().map(|part| (part.segment, part.offset, part.bytes, None));
        let mut all: Vec<_> = free.chain(taken).collect();
        all.sort_unstable_by_key(|&(segment, offset, ..)| (segment, offset));
        let mut at: HashMap<usize, (usize, Option<After>)> = HashMap::new();
        for (segment, offset, bytes, after) in all {
            assert_eq!(offset % GRANULE, 0);
            let (end, last) = at.insert(segment, (offset + bytes, after)).unwrap_or_default();
            assert_eq!(offset, end, "no gap and no overlap");
            if let (Some(last), Some(after)) = (last, after) {
                assert_eq!(last.join(after), None, "neighbours that can be joined are");
            }
        }
        assert!(at.values().all(|(end, _)| *end == SEGMENT) && at.len() == heap.segments.len());
        assert_eq!(heap.sizes.len(), heap.free.len());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn parts_never_overlap_nor_get_lost_and_all_comes_together_again(steps in steps()) {
            let mut heap = heap(true);
            let (mut taken, mut clock) = (Vec::new(), 0);
            for step in steps {
                match step {
                    Step::Take { granules, stream } => {
                        let bytes = granules * GRANULE;
                        if let Some((part, after)) = heap.take(bytes, |after| after.allows(stream)) {
                            prop_assert_eq!(part.bytes, bytes);
                            prop_assert!(after.allows(stream));
                            taken.push(part);
                        } else {
                            // Nothing that the stream may use had room.
                            let usable = heap.free.values().filter(|free| free.after.allows(stream));
                            prop_assert!(usable.map(|free| free.bytes).max().unwrap_or(0) < bytes);
                        }
                    }
                    Step::Give { which, stream } if !taken.is_empty() => {
                        clock += 1;
                        let part = taken.swap_remove(which % taken.len());
                        heap.give(part, After::Stream { id: stream, at: clock });
                    }
                    Step::Give { .. } => {}
                    Step::Settle { stream } => heap.settle(stream, clock),
                }
                check(&heap, &taken);
            }
            for part in taken.drain(..) {
                heap.give(part, After::Stream { id: 1, at: clock });
            }
            (1..4).for_each(|stream| heap.settle(stream, clock));
            check(&heap, &[]);
            prop_assert_eq!((heap.largest(), heap.pending()), (SEGMENT, 0));
            prop_assert_eq!(heap.remove(usize::MAX, |_| true).len(), 3);
            prop_assert_eq!(heap.segments(), (0, 0));
        }
    }

    #[test]
    fn the_smallest_part_with_room_is_taken() {
        let mut heap = heap(true);
        let all: Vec<Part> =
            std::iter::from_fn(|| heap.take(2048, |_| true)).map(|(p, _)| p).collect();
        assert_eq!(all.len(), 3 * SEGMENT / 2048);
        // A hole of four and, further on, one of two.
        all[8..12].iter().chain(&all[16..18]).for_each(|part| heap.give(*part, After::Nothing));
        let found = heap.take(4096, |_| true).map(|(part, _)| part);
        assert_eq!(found, Some(Part { bytes: 4096, ..all[16] }));
    }

    #[test]
    fn what_cannot_be_cut_serves_where_little_is_wasted() {
        let mut heap = heap(false);
        assert_eq!(heap.take(SEGMENT / 2, |_| true), None);
        let (part, _) =
            heap.take(SEGMENT - SEGMENT / 16, |_| true).unwrap_or_else(|| unreachable!());
        assert_eq!(part.bytes, SEGMENT, "the whole of it");
    }

    #[test]
    fn only_whole_segments_leave_the_longest_unused_first() {
        let mut heap = heap(true);
        let (part, _) = heap.take(GRANULE, |_| true).unwrap_or_else(|| unreachable!());
        heap.give(part, After::Stream { id: 7, at: 1 });
        let unused = heap.remove(1, |after| after.allows(0));
        assert_eq!(unused.len(), 1);
        assert_ne!(unused[0].0, part.segment);
        assert_eq!(heap.remove(usize::MAX, |after| after.allows(0)).len(), 1);
        assert_eq!(heap.remove(usize::MAX, |after| after.allows(7)), [(part.segment, SEGMENT)]);
    }
}
