//! In which order the blocks of one device are loaded, computed and given back.

/// What is done next with a block, which has this number among those of its device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Its model is sent to the device.
    Load(usize),
    /// It is computed there, and its data are sent back.
    Compute(usize),
    /// The host waits until its data have arrived; what it took is free.
    Retire(usize),
}

/// Blocks that are loaded before the one that is computed. Each block has a queue of its own for what is sent.
pub(super) const AHEAD: usize = 2;

/// The order for `len` blocks.
///
/// The host waits for a block only once the next one is queued, so that the device has work meanwhile; and it loads a
/// further one only after that, so that there are at most `AHEAD + 1` at a time. What is loaded then is sent while
/// blocks loaded earlier are computed.
pub(super) fn schedule(len: usize) -> impl Iterator<Item = Act> {
    let first = (0..len.min(AHEAD)).map(Act::Load);
    let rounds = (0..len).flat_map(move |at| {
        let retired = at.checked_sub(1).map(Act::Retire);
        let loaded = (at + AHEAD < len).then_some(Act::Load(at + AHEAD));
        [Some(Act::Compute(at)), retired, loaded].into_iter().flatten()
    });
    first.chain(rounds).chain(len.checked_sub(1).map(Act::Retire))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(acts: &[Act], act: Act) -> usize {
        acts.iter().position(|found| *found == act).expect("each is there")
    }

    #[test]
    fn each_block_is_loaded_computed_and_retired_once_and_in_this_order() {
        for len in 0..12 {
            let acts: Vec<Act> = schedule(len).collect();
            assert_eq!(acts.len(), 3 * len);
            for at in 0..len {
                let [load, compute, retire] =
                    [Act::Load(at), Act::Compute(at), Act::Retire(at)].map(|act| place(&acts, act));
                assert!(load < compute && compute < retire, "{acts:?}");
                if at > 0 {
                    // As sums and the device's queue need it.
                    assert!(place(&acts, Act::Compute(at - 1)) < compute, "{acts:?}");
                }
            }
        }
    }

    #[test]
    fn the_next_block_is_on_its_way_before_one_is_computed_and_queued_before_the_host_waits() {
        let len = 9;
        let acts: Vec<Act> = schedule(len).collect();
        for at in 0..len - 1 {
            assert!(place(&acts, Act::Load(at + 1)) < place(&acts, Act::Compute(at)));
            assert!(place(&acts, Act::Compute(at + 1)) < place(&acts, Act::Retire(at)));
        }
    }

    #[test]
    fn no_more_blocks_are_there_at_a_time_than_queues() {
        let (mut there, mut most) = (0, 0);
        for act in schedule(20) {
            match act {
                Act::Load(_) => there += 1,
                Act::Retire(_) => there -= 1,
                Act::Compute(_) => {}
            }
            most = most.max(there);
        }
        assert_eq!((there, most), (0, AHEAD + 1));
    }
}
