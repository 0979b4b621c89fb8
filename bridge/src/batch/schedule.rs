//! Which batch a slot takes next. No threads here: whoever holds the lock asks.

use std::collections::VecDeque;

/// Batches that wait, run and are done, by their numbers in the input.
///
/// The first failure ends the run as it would end a loop: what comes before it in the input still runs and is
/// returned, what comes after it does not start.
pub(super) struct Schedule<T> {
    /// Batches that wait for one device each, in order.
    queues: Vec<VecDeque<(usize, T)>>,
    /// Batches that wait for any device, in order.
    anyone: VecDeque<(usize, T)>,
    alive: Vec<bool>,
    /// Batches taken from the input.
    pulled: usize,
    /// Whether somebody is taking one.
    pulling: bool,
    exhausted: bool,
    running: usize,
    /// Batches whose results were handed out, or the number of the next one.
    returned: usize,
    /// How far a batch may be ahead of the next one to be returned: bounds what is held.
    ahead: usize,
    /// Nothing with this number or a higher one starts.
    end: usize,
}

/// What a slot does next.
#[derive(Debug, PartialEq)]
pub(super) enum Step<T> {
    Run(usize, T),
    /// Take a batch from the input, then tell [`Schedule::pulled`] or [`Schedule::exhausted`].
    Pull,
    /// Wait until something changes.
    Wait,
    /// Nothing comes any more.
    End,
}

impl<T> Schedule<T> {
    pub(super) fn new(devices: usize, ahead: usize) -> Self {
        Self {
            queues: (0..devices).map(|_| VecDeque::new()).collect(),
            anyone: VecDeque::new(),
            alive: vec![true; devices],
            pulled: 0,
            pulling: false,
            exhausted: false,
            running: 0,
            returned: 0,
            ahead,
            end: usize::MAX,
        }
    }

    /// For a slot of the device at `position`. A batch it is given counts as running until the slot tells
    /// what became of it.
    pub(super) fn step(&mut self, position: usize) -> Step<T> {
        if !self.alive[position] {
            return Step::End;
        }
        if let Some((index, item)) = self.take(position) {
            self.running += 1;
            return Step::Run(index, item);
        }
        if !self.exhausted
            && !self.pulling
            && self.pulled < self.returned.saturating_add(self.ahead)
        {
            self.pulling = true;
            return Step::Pull;
        }
        // A batch under way may come back for another device.
        let idle = self.running == 0
            && self.anyone.is_empty()
            && self.queues.iter().all(VecDeque::is_empty);
        if self.exhausted && idle { Step::End } else { Step::Wait }
    }

    /// The batch that has waited longest.
    fn take(&mut self, position: usize) -> Option<(usize, T)> {
        let own = &mut self.queues[position];
        match (own.front(), self.anyone.front()) {
            (Some((own_index, _)), Some((index, _))) if own_index > index => {
                self.anyone.pop_front()
            }
            (None, _) => self.anyone.pop_front(),
            _ => own.pop_front(),
        }
    }

    /// The number of the batch being pulled.
    pub(super) fn next_index(&self) -> usize {
        self.pulled
    }

    /// A batch has been taken from the input for the device at `position`, or for any. Gives it back if it is not
    /// to run any more.
    pub(super) fn pulled(&mut self, item: T, position: Option<usize>) -> Option<T> {
        self.pulling = false;
        let index = self.pulled;
        if index >= self.end {
            return Some(item);
        }
        self.pulled += 1;
        self.queue_of(position).push_back((index, item));
        None
    }

    /// The input has no more batches.
    pub(super) fn exhausted(&mut self) {
        self.pulling = false;
        self.exhausted = true;
    }

    /// The batch being pulled could not be had or placed: it fails.
    pub(super) fn unpulled(&mut self) -> Vec<T> {
        self.exhausted();
        let index = self.pulled;
        self.pulled += 1;
        self.end_at(index)
    }

    /// A batch is done. Says whether its result will be returned.
    pub(super) fn finished(&mut self, index: usize) -> bool {
        self.running -= 1;
        index < self.end
    }

    /// A batch has failed. Gives back those that are not to run any more, and says whether it is the first failure.
    pub(super) fn failed(&mut self, index: usize) -> (Vec<T>, bool) {
        self.running -= 1;
        let first = index < self.end;
        (self.end_at(index), first)
    }

    /// The device at `position` is lost, and with it the batch's run. Its batches go to the others; gives the batch
    /// back, still running, if there are none.
    pub(super) fn lost(&mut self, position: usize, index: usize, item: T) -> Result<(), T> {
        self.alive[position] = false;
        if !self.alive.contains(&true) {
            return Err(item);
        }
        self.running -= 1;
        let orphans = std::mem::take(&mut self.queues[position]);
        self.anyone.extend(orphans);
        if index < self.end {
            self.anyone.push_back((index, item));
        }
        self.anyone.make_contiguous().sort_by_key(|(index, _)| *index);
        Ok(())
    }

    /// The number of the next result to be returned.
    pub(super) fn due(&self) -> usize {
        self.returned
    }

    /// The next result has been returned.
    pub(super) fn returned(&mut self) {
        self.returned += 1;
    }

    /// Whether all there is has been returned.
    pub(super) fn is_over(&self) -> bool {
        self.exhausted && self.returned >= self.pulled
    }

    /// Nothing starts any more. Gives back what waits.
    pub(super) fn cancel(&mut self) -> Vec<T> {
        self.exhausted = true;
        self.end_at(0)
    }

    fn end_at(&mut self, index: usize) -> Vec<T> {
        self.end = self.end.min(index);
        self.exhausted |= self.pulled >= self.end;
        let mut dropped = Vec::new();
        for queue in self.queues.iter_mut().chain([&mut self.anyone]) {
            let kept = queue.iter().take_while(|(index, _)| *index < self.end).count();
            dropped.extend(queue.drain(kept..).map(|(_, item)| item));
        }
        dropped
    }

    fn queue_of(&mut self, position: Option<usize>) -> &mut VecDeque<(usize, T)> {
        match position {
            Some(position) if self.alive[position] => &mut self.queues[position],
            _ => &mut self.anyone,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// What slots may do with a batch they have run.
    #[derive(Clone, Copy, Debug)]
    enum End {
        Done,
        Failed,
        DeviceLost,
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
                Step::Pull => {
                    let index = self.schedule.next_index();
                    if index < self.inputs {
                        let position = self.cycle.map(|cycle| index % cycle);
                        assert_eq!(self.schedule.pulled(index, position), None);
                    } else {
                        self.schedule.exhausted();
                    }
                }
                Step::Wait => return false,
                Step::End => {
                    self.ended.insert(position);
                    return false;
                }
            }
            true
        }

        /// The batch that has run longest ends.
        fn end(&mut self, end: End) {
            let Some((position, index)) = self.running.pop_front() else { return };
            match end {
                End::DeviceLost if self.schedule.lost(position, index, index).is_ok() => {}
                End::Done => {
                    if self.schedule.finished(index) {
                        self.done.insert(index);
                    }
                }
                End::Failed | End::DeviceLost => {
                    if self.schedule.failed(index).1 {
                        self.failed.insert(index);
                    }
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
                    2..5 => play.end(End::Done),
                    5 => _ = play.take(),
                    _ => _ = play.ask(position % devices),
                }
            }
            // From here on nothing fails, and all who can act do.
            loop {
                let acted = (0..play.devices).fold(false, |acted, position| play.ask(position) || acted);
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
            assert_eq!(schedule.step(0), Step::Pull);
            assert_eq!(schedule.pulled(index, Some(1)), None);
        }
        assert_eq!(schedule.step(1), Step::Run(0, 0));
        assert_eq!(schedule.cancel(), [1, 2, 3, 4]);
        assert_eq!(schedule.step(1), Step::Wait, "one is under way");
        assert!(!schedule.finished(0));
        assert_eq!([schedule.step(0), schedule.step(1)], [Step::End, Step::End]);
    }
}
