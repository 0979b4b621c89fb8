//! Splits segments into blocks and merges free blocks again. Only sizes and offsets, no device.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Where blocks cannot be cut, one serves that is larger than asked for by at most 1 / this.
pub(super) const WASTE: usize = 8;

/// A range of one segment.
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
    /// When two adjacent parts merged into one may be used; `None` if that would depend on two streams.
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
    /// By segment and offset, to find adjacent parts.
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

    /// Takes a part back and merges it with adjacent free parts.
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

    /// The work of a stream is done up to its mark `at`: all streams may use what waited for that.
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
            // It may have been merged with an adjacent part meanwhile.
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
