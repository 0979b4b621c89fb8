//! Random sequences of operations against invariants.

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

/// Free and taken parts cover every segment, each byte once, and adjacent parts that could be joined are.
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
    let all: Vec<Part> = std::iter::from_fn(|| heap.take(2048, |_| true)).map(|(p, _)| p).collect();
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
    let (part, _) = heap.take(SEGMENT - SEGMENT / 16, |_| true).unwrap_or_else(|| unreachable!());
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
