//! Which batch a slot takes next. No threads here: whoever holds the lock asks.

#[cfg(test)]
mod tests;

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
    /// Wait until something changes.
    Wait,
    /// Nothing comes any more.
    End,
}

/// What the one who takes batches from the input does next.
#[derive(Debug, PartialEq)]
pub(super) enum Pull {
    /// Take a batch, then tell [`Schedule::pulled`], [`Schedule::unpulled`] or [`Schedule::exhausted`].
    Next,
    /// Wait until something changes.
    Wait,
    /// Nothing is wanted any more.
    End,
}

impl<T> Schedule<T> {
    pub(super) fn new(devices: usize, ahead: usize) -> Self {
        Self {
            queues: (0..devices).map(|_| VecDeque::new()).collect(),
            anyone: VecDeque::new(),
            alive: vec![true; devices],
            pulled: 0,
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
        // A batch under way may come back for another device.
        let idle = self.running == 0 && self.is_empty();
        if self.exhausted && idle { Step::End } else { Step::Wait }
    }

    /// For the one who takes batches from the input, when so many slots of each device have nothing to do. One batch waits
    /// ready, so that a slot does not have to; more, which would only take up memory, just where it is for other devices
    /// than those of such slots.
    pub(super) fn pull(&self, idle: &[usize]) -> Pull {
        if self.exhausted {
            return Pull::End;
        }
        let room = self.pulled < self.returned.saturating_add(self.ahead);
        let mut devices = self.queues.iter().zip(idle);
        let wanted = self.anyone.is_empty()
            && (self.is_empty() || devices.any(|(queue, idle)| *idle > 0 && queue.is_empty()));
        if room && wanted { Pull::Next } else { Pull::Wait }
    }

    /// Whether no batch waits.
    fn is_empty(&self) -> bool {
        self.anyone.is_empty() && self.queues.iter().all(VecDeque::is_empty)
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
        self.exhausted = true;
    }

    /// The batch being pulled could not be had or placed: it fails. Gives back those that are not to run any more, and says
    /// whether anyone will be told: not after a failure before it, nor after the end of the run.
    pub(super) fn unpulled(&mut self) -> (Vec<T>, bool) {
        self.exhausted();
        let index = self.pulled;
        if index >= self.end {
            return (Vec::new(), false);
        }
        self.pulled += 1;
        (self.end_at(index), true)
    }

    /// A batch is done. Says whether its result will be returned.
    pub(super) fn finished(&mut self, index: usize) -> bool {
        self.running -= 1;
        index < self.end
    }

    /// A batch has failed. Gives back those that are not to run any more, and, if it is the first failure, the number
    /// it counts for: where no device is left, that of the first batch which cannot run for the same reason.
    pub(super) fn failed(&mut self, index: usize) -> (Vec<T>, Option<usize>) {
        self.running -= 1;
        let mut at = index;
        if !self.alive.contains(&true) {
            let waiting = self.queues.iter().chain([&self.anyone]).filter_map(VecDeque::front);
            at = waiting.map(|(index, _)| *index).fold(at, usize::min);
        }
        let first = (at < self.end).then_some(at);
        (self.end_at(at), first)
    }

    /// The devices at `positions` are lost, and with them the batch's run, wherever that was. Their batches go to the
    /// others; gives the batch back, still running, if there are none.
    pub(super) fn lost(&mut self, positions: &[usize], index: usize, item: T) -> Result<(), T> {
        for position in positions {
            self.alive[*position] = false;
        }
        if !self.alive.contains(&true) {
            return Err(item);
        }
        self.running -= 1;
        for position in positions {
            let orphans = std::mem::take(&mut self.queues[*position]);
            self.anyone.extend(orphans);
        }
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
