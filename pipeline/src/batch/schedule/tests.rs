//! Slots in any order, and what they do.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// What slots may do with a batch they have run.
#[derive(Clone, Copy, Debug)]
enum End {
    Done,
    Failed,
    DeviceLost,
    /// It has failed on account of the first device, wherever it ran.
    FirstLost,
}

/// A run whose slots act in any order.
struct Play {
    schedule: Schedule<usize>,
    devices: usize,
    inputs: usize,
    /// Batch `i` waits for the device at `i mod cycle` if there is a cycle.
    cycle: Option<usize>,
    running: VecDeque<(usize, usize)>,
    done: BTreeSet<usize>,
    failed: BTreeSet<usize>,
    /// Slots that were told that there is no more.
    ended: BTreeSet<usize>,
}

impl Play {
    /// One slot asks once. Whether anything happened.
    fn ask(&mut self, position: usize) -> bool {
        match self.schedule.step(position) {
            Step::Run(index, item) => {
                assert_eq!(index, item);
                assert!(self.failed.iter().all(|failed| index < *failed), "after a failure");
                assert!(!self.done.contains(&index), "twice");
                self.running.push_back((position, index));
            }
            Step::Wait => return false,
            Step::End => {
                self.ended.insert(position);
                return false;
            }
        }
        true
    }

    /// The one who takes batches from the input asks once. Whether anything happened.
    fn pull(&mut self, idle: &[usize]) -> bool {
        if self.schedule.pull(idle) != Pull::Next {
            return false;
        }
        let index = self.schedule.next_index();
        if index < self.inputs {
            let position = self.cycle.map(|cycle| index % cycle);
            assert_eq!(self.schedule.pulled(index, position), None);
        } else {
            self.schedule.exhausted();
        }
        true
    }

    /// The batch that has run longest ends.
    fn end(&mut self, end: End) {
        let Some((position, index)) = self.running.pop_front() else { return };
        match end {
            End::DeviceLost if self.schedule.lost(&[position], index, index).is_ok() => {}
            End::FirstLost if self.schedule.lost(&[0], index, index).is_ok() => {}
            End::Done => {
                if self.schedule.finished(index) {
                    self.done.insert(index);
                }
            }
            End::Failed | End::DeviceLost | End::FirstLost => {
                self.failed.extend(self.schedule.failed(index).1);
            }
        }
    }

    /// Returns what is due. Whether anything was.
    fn take(&mut self) -> bool {
        let due = self.done.contains(&self.schedule.due());
        if due {
            self.schedule.returned();
        }
        due
    }
}

proptest! {
    // An interpreter of unsafe code is slow, and there is none here.
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 256 }))]

    #[test]
    fn whatever_slots_do_all_before_the_first_failure_runs_once_and_every_slot_comes_to_its_end(
        devices in 1..4_usize,
        ahead in 1..6_usize,
        inputs in 0..20_usize,
        cyclic in any::<bool>(),
        acts in proptest::collection::vec((0..4_usize, 0..12_usize), 0..80),
    ) {
        let mut play = Play {
            schedule: Schedule::new(devices, ahead),
            devices,
            inputs,
            cycle: cyclic.then_some(devices),
            running: VecDeque::new(),
            done: BTreeSet::new(),
            failed: BTreeSet::new(),
            ended: BTreeSet::new(),
        };
        for (position, act) in acts {
            match act {
                0 => play.end(End::Failed),
                1 => play.end(End::DeviceLost),
                2 => play.end(End::FirstLost),
                3..5 => play.end(End::Done),
                5 => _ = play.take(),
                6..9 => _ = play.pull(&[act - 6; 4]),
                _ => _ = play.ask(position % devices),
            }
        }
        // From here on nothing fails, and all who can act do.
        loop {
            let asked = (0..play.devices).filter(|position| play.ask(*position)).count();
            let acted = asked > 0 || play.pull(&[1; 4]);
            let taken = play.take();
            if !acted && !taken && play.running.is_empty() {
                break;
            }
            play.end(End::Done);
        }
        let end = play.failed.first().copied().unwrap_or(inputs);
        prop_assert_eq!(play.schedule.due(), end);
        prop_assert_eq!(play.done.range(..end).count(), end);
        (0..devices).for_each(|position| _ = play.ask(position));
        prop_assert_eq!(play.ended.len(), devices, "a slot that waits for ever");
        prop_assert_eq!(play.failed.is_empty(), play.schedule.is_over());
    }
}

#[test]
fn cancelling_gives_back_what_waits_and_starts_nothing() {
    let mut schedule = Schedule::new(2, 9);
    for index in 0..5 {
        assert_eq!(schedule.pull(&[1, 1]), Pull::Next);
        assert_eq!(schedule.pulled(index, Some(1)), None);
    }
    assert_eq!(schedule.step(1), Step::Run(0, 0));
    assert_eq!(schedule.cancel(), [1, 2, 3, 4]);
    assert_eq!(schedule.step(1), Step::Wait, "one is under way");
    assert!(!schedule.finished(0));
    assert_eq!([schedule.step(0), schedule.step(1)], [Step::End, Step::End]);
    assert_eq!(schedule.pull(&[1, 1]), Pull::End);
}

#[test]
fn one_batch_waits_ready_and_more_only_for_slots_without_work() {
    let mut schedule = Schedule::new(2, 4);
    assert_eq!(schedule.pull(&[0, 0]), Pull::Next);
    assert_eq!(schedule.pulled('a', Some(0)), None);
    assert_eq!(schedule.pull(&[0, 0]), Pull::Wait);
    assert_eq!(schedule.pull(&[1, 1]), Pull::Next, "the slots of the other device have nothing");
    assert_eq!(schedule.pulled('b', Some(0)), None);
    assert_eq!(schedule.pull(&[1, 0]), Pull::Wait, "those of the first have something");
    assert_eq!([schedule.step(0), schedule.step(0)], [Step::Run(0, 'a'), Step::Run(1, 'b')]);
    assert_eq!(schedule.pulled('c', None), None);
    assert_eq!(schedule.pull(&[1, 1]), Pull::Wait, "anyone may take it");
    assert_eq!(schedule.step(0), Step::Run(2, 'c'));
    assert_eq!(schedule.pulled('d', None), None);
    assert_eq!(schedule.step(0), Step::Run(3, 'd'));
    assert_eq!(schedule.pull(&[1, 1]), Pull::Wait, "as far ahead as may be");
    schedule.returned();
    assert_eq!(schedule.pull(&[1, 1]), Pull::Next);
}
