//! Which way a request goes, and to what size it is rounded.

use super::heap::WASTE;
use crate::driver::Sizes;

/// Larger requests are rounded to a multiple of this at most: what drivers map at a time.
const CHUNK: usize = 2 << 20;
/// Segments that small blocks share grow with their number, up to this.
const LARGEST_SHARED: usize = 16 << 20;
/// What segments of their own are a multiple of.
const ALIGNMENT: usize = 256;
/// Sizes between two powers of two.
const STEPS: usize = 16;

/// Where a block comes from and goes back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The device's own allocator.
    Direct,
    /// A segment with others in it.
    Shared,
    /// A segment of its own.
    Whole,
}

/// A request as the pool sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) kind: Kind,
    /// What was asked for.
    pub(super) asked: usize,
    /// The same, rounded.
    pub(super) bytes: usize,
    /// The largest free block that may serve as it is.
    pub(super) most: usize,
}

impl Sizes {
    pub(super) fn request(&self, asked: usize) -> Request {
        if asked < self.direct_below {
            return Request { kind: Kind::Direct, asked, bytes: asked, most: asked };
        }
        if asked <= self.shared_up_to {
            let bytes = asked.next_multiple_of(self.granule);
            return Request { kind: Kind::Shared, asked, bytes, most: bytes };
        }
        let step = asked.checked_next_power_of_two().unwrap_or(CHUNK) / STEPS;
        let step = step.clamp(self.granule, CHUNK);
        // What cannot be rounded is for the driver to refuse.
        let bytes = asked.checked_next_multiple_of(step).unwrap_or(asked);
        Request { kind: Kind::Whole, asked, bytes, most: bytes.saturating_add(bytes / WASTE) }
    }

    /// The request rounded no more than it must be.
    pub(super) fn least(&self, request: &Request) -> Request {
        if request.kind == Kind::Direct {
            return *request;
        }
        let unit = if request.kind == Kind::Shared { self.granule } else { ALIGNMENT };
        let bytes = request.asked.checked_next_multiple_of(unit);
        Request { bytes: bytes.unwrap_or(request.asked), ..*request }
    }

    /// A large request as a part of a segment that others share, where every part begins at a multiple of the granule
    /// and so has to end at one.
    pub(super) fn corner(&self, request: &Request) -> Request {
        let bytes = request.asked.checked_next_multiple_of(self.granule).unwrap_or(request.asked);
        Request { kind: Kind::Shared, bytes, most: bytes, ..*request }
    }

    /// The size of the next shared segment, when there are `shared` bytes of them.
    pub(super) fn segment(&self, shared: usize) -> usize {
        let least = CHUNK.max(2 * self.shared_up_to);
        (shared / 4).next_multiple_of(CHUNK).clamp(least, LARGEST_SHARED.max(least))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn rounding_wastes_little_and_is_done_once(asked in 1..1_usize << 40) {
            let sizes = Sizes::default();
            let request = sizes.request(asked);
            prop_assert!(request.bytes >= asked && request.bytes % sizes.granule == 0);
            let waste = request.bytes - asked;
            prop_assert!(waste < (asked / WASTE).max(sizes.granule) && waste < CHUNK);
            prop_assert_eq!(sizes.request(request.bytes).bytes, request.bytes);
            let least = sizes.least(&request).bytes;
            prop_assert!((asked..asked + sizes.granule).contains(&least) && least <= request.bytes);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn whatever_shares_a_segment_ends_at_a_multiple_of_the_granule(
            asked in 1..1_usize << 32,
            granule in (8..17_u32).prop_map(|bits| 1_usize << bits),
        ) {
            let sizes = Sizes { granule, ..Sizes::default() };
            let request = sizes.request(asked);
            let shared = [request, sizes.least(&request)];
            let shared = shared.into_iter().filter(|request| request.kind == Kind::Shared);
            for part in shared.chain([sizes.corner(&request)]) {
                prop_assert!(part.bytes >= asked && part.bytes - asked < granule);
                prop_assert_eq!((part.kind, part.bytes % granule), (Kind::Shared, 0));
            }
            prop_assert_eq!(sizes.segment(asked) % granule, 0);
        }
    }

    #[test]
    fn sizes_that_nobody_has_do_not_overflow() {
        for asked in [usize::MAX, usize::MAX / 2 + 2, isize::MAX as usize] {
            let request = Sizes::default().request(asked);
            assert!(request.bytes >= asked && request.most >= request.bytes);
        }
    }

    #[test]
    fn shared_segments_hold_two_of_the_largest_and_grow_slowly() {
        let sizes = Sizes::default();
        assert_eq!(sizes.segment(0), 2 << 20);
        assert_eq!(sizes.segment(40 << 20), 10 << 20);
        assert_eq!(sizes.segment(1 << 40), LARGEST_SHARED);
    }

    #[test]
    fn small_requests_of_the_host_are_not_pooled() {
        let sizes = Sizes { direct_below: 1 << 16, shared_up_to: 0, ..Sizes::default() };
        assert_eq!(sizes.request(1000).kind, Kind::Direct);
        assert_eq!(sizes.request(1 << 16).kind, Kind::Whole);
    }
}
