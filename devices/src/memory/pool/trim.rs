//! Gives what a pool keeps unused back to the driver.

use std::sync::atomic::Ordering::Relaxed;

use super::Pool;
use super::arena::Arena;
use super::lane::Lane;
use super::limit::Limit;
use crate::driver::StreamDriver;
use crate::memory::account::{self, Action};
use crate::{Device, Result};

/// What a pool that keeps too much gives back beyond the excess: 1 / this of what it may keep, so that the
/// next block does not make it look again.
const SLACK: usize = 16;

impl Pool {
    /// Gives back what is unused, all but `keep` bytes; how many bytes that was. Waits for what uses it.
    pub(crate) fn trim(&self, device: Device, keep: usize) -> Result<usize> {
        // The driver's own pool first, so that nothing is counted twice.
        let driver = &device.0.driver;
        let spare = driver.trim()?;
        let queues = self.gather(device);
        // A queue of its own: users of the others do not wait for this.
        let (own, arena) = (driver.new_stream()?, Arena::new());
        self.wait_for_all(device, &queues, &*own)?;
        let freed = self.evict(device, &*own, arena.id(), self.cached().saturating_sub(keep));
        own.synchronize()?;
        driver.trim()?;
        Ok(spare + freed)
    }

    /// Holds at most so many bytes from now on, if that can be by giving back what is unused.
    pub(crate) fn set_limit(&self, lane: Lane<'_>, limit: Option<Limit>) -> Result<()> {
        self.bounds.set_limit(lane.device, limit)?;
        let held = self.held.load(Relaxed);
        let excess = held.saturating_sub(self.bounds.limit().unwrap_or(usize::MAX));
        self.give_back(lane, excess);
        Ok(())
    }

    /// Keeps at most so many bytes unused from now on.
    pub(crate) fn set_cache(&self, lane: Lane<'_>, bytes: usize) {
        self.bounds.set_cache(bytes);
        self.give_back(lane, self.cached().saturating_sub(bytes));
    }

    /// Gives back up to `excess` bytes of what is not in use. Does not wait.
    fn give_back(&self, lane: Lane<'_>, excess: usize) {
        if excess == 0 {
            return;
        }
        let queues = self.gather(lane.device);
        {
            let mut central = self.central.lock();
            central.mark(lane.device, &queues);
            central.settle();
        }
        self.evict(lane.device, lane.driver(), lane.arena().id(), excess);
    }

    /// The pool keeps `excess` bytes more than it may: gives that back on the stream that was just freed on. What
    /// other streams still use stays till it is done.
    pub(super) fn shrink(&self, lane: Lane<'_>, excess: usize) {
        let (device, arena) = (lane.device, self.arena(lane));
        self.take_in(device, arena.id(), &arena.drain());
        let wanted = excess.saturating_add(self.bounds.cache() / SLACK);
        self.evict(device, lane.driver(), arena.id(), wanted);
    }

    /// Gives whole segments of the central part back, on the stream with that arena, the longest unused first, until
    /// they have `wanted` bytes together; how many bytes they have.
    pub(super) fn evict(
        &self,
        device: Device,
        stream: &dyn StreamDriver,
        arena: u64,
        wanted: usize,
    ) -> usize {
        let mut unused = {
            let mut central = self.central.lock();
            central.whole.remove(wanted, |after| after.allows(arena))
        };
        let found: usize = unused.iter().map(|(_, bytes)| bytes).sum();
        if found < wanted {
            let mut central = self.central.lock();
            unused.extend(central.shared.remove(wanted - found, |after| after.allows(arena)));
        }
        let bytes = unused.iter().map(|(_, bytes)| bytes).sum();
        self.cached.fetch_sub(bytes, Relaxed);
        self.give_up(device, &unused, stream);
        if bytes > 0 {
            account::reserved(device, Action::Trim, bytes);
        }
        bytes
    }

    /// Returns segments to the driver in the order of `stream`.
    pub(super) fn give_up(
        &self,
        device: Device,
        segments: &[(usize, usize)],
        stream: &dyn StreamDriver,
    ) {
        for &(segment, bytes) in segments {
            // SAFETY: a segment the driver gave for this size, of which nothing is in use any more but by work that
            // comes before the present end of `stream`; nobody else knows it.
            let freed = unsafe { device.0.driver.free(segment, bytes, stream) };
            freed.unwrap_or_else(|error| device.0.defer(error));
            self.segments.fetch_sub(1, Relaxed);
            self.reserved.fetch_sub(bytes, Relaxed);
            self.uncharge(bytes);
        }
    }

    /// Takes note of work that is done: how many free bytes nobody has to wait for any more. Does not wait, and leaves what
    /// streams have freed last with them.
    pub(crate) fn settle(&self, device: Device) -> usize {
        let queues = self.queues();
        let mut central = self.central.lock();
        central.mark(device, &queues);
        let before = central.shared.pending() + central.whole.pending();
        central.settle();
        before.saturating_sub(central.shared.pending() + central.whole.pending())
    }
}
