//! Which host memory is page-locked, for whom, and which copies count on it.
//!
//! A block knows the copies that were queued by it, and is unlocked after those. The same bytes may belong to other blocks,
//! too: an array that was handed out and taken in again, a borrowed view. Their copies are known here. A copy is entered
//! before the driver is called, which finds the pages locked or not, and leaves a mark of its end in the ranges it
//! touches. Who unlocks a range keeps new copies away, and waits for those under way and for the marks.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

use crate::{Device, Event, Stream};

static TABLE: Mutex<Table> = Mutex::new(Table { ranges: BTreeMap::new(), calls: Vec::new() });
/// A call has ended, or a range is unlocked.
static CHANGED: Condvar = Condvar::new();

struct Table {
    /// By their first address. They never overlap.
    ranges: BTreeMap<usize, Range>,
    /// The bytes that drivers are being asked to copy from or to: first, and one past the last.
    calls: Vec<(usize, usize)>,
}

#[derive(Debug)]
struct Range {
    end: usize,
    device: Device,
    whose: Whose,
    /// Whether it is about to be unlocked: no copy may be queued meanwhile.
    closing: bool,
    /// The ends of copies by blocks other than the one that is registered.
    ends: Vec<Arc<Event>>,
}

/// What ensures that no copy uses a range when it is unlocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::memory) enum Whose {
    /// The pool: its blocks are returned only after all work.
    Pool,
    /// Nothing: it is memory of others, in which several blocks may share bytes.
    Registered,
}

impl Range {
    /// CUDA's are locked for all its devices ("portable"); an `OpenCL` context knows its own only.
    fn serves(&self, device: Device) -> bool {
        self.device == device
            || self.device.kind() == device.kind() && device.0.driver.shares_locked_pages()
    }
}

impl Table {
    /// The registered ranges that share bytes with these.
    fn registered(&mut self, start: usize, end: usize) -> impl Iterator<Item = &mut Range> {
        let before = self.ranges.range_mut(..end).rev().map(|(_, range)| range);
        let touching = before.take_while(move |range| range.end > start);
        touching.filter(|range| range.whose == Whose::Registered)
    }
}

/// Takes note of a range locked for `device`; `false`, having done nothing, if it overlaps one that is known.
pub(in crate::memory) fn insert(
    address: usize,
    bytes: usize,
    device: Device,
    whose: Whose,
) -> bool {
    let mut table = TABLE.lock();
    let end = address + bytes;
    let before = table.ranges.range(..end).next_back();
    if before.is_some_and(|(_, range)| range.end > address) {
        return false;
    }
    table.ranges.insert(address, Range { end, device, whose, closing: false, ends: Vec::new() });
    true
}

pub(in crate::memory) fn remove(address: usize) {
    TABLE.lock().ranges.remove(&address);
    CHANGED.notify_all();
}

/// Waits until no copy uses the pages that begin there, and keeps new ones away until the range is removed.
pub(in crate::memory) fn close(address: usize) {
    let mut table = TABLE.lock();
    let Some(range) = table.ranges.get_mut(&address) else { return };
    range.closing = true;
    let end = range.end;
    while table.calls.iter().any(|call| call.0 < end && call.1 > address) {
        CHANGED.wait(&mut table);
    }
    let ends = table.ranges.get_mut(&address).map(|range| std::mem::take(&mut range.ends));
    drop(table);
    for event in ends.into_iter().flatten() {
        // Failed work has ended, too. The waiter for its result is given the error.
        if let Err(error) = event.synchronize() {
            tracing::warn!(%error, "a copy from or to memory that is being unlocked failed");
        }
    }
}

/// Whether all of the bytes are locked for `device`, as far as arrayspan has done it.
pub(in crate::memory) fn covers(address: usize, bytes: usize, device: Device) -> bool {
    let table = TABLE.lock();
    let around = table.ranges.range(..=address).next_back();
    around.is_some_and(|(_, range)| {
        address + bytes <= range.end && range.serves(device) && !range.closing
    })
}

/// A copy from or to host memory, while the driver is asked for it.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    bytes: (usize, usize),
    stream: &'a Stream,
}

/// Enters a copy that is about to be queued on `stream`, of a block that is not registered itself. Waits while pages
/// it uses are being unlocked. Whoever calls this takes no lock until the call is dropped.
pub(crate) fn enter(address: usize, bytes: usize, stream: &Stream) -> Call<'_> {
    let end = address + bytes;
    let mut table = TABLE.lock();
    while table.registered(address, end).any(|range| range.closing) {
        CHANGED.wait(&mut table);
    }
    table.calls.push((address, end));
    Call { bytes: (address, end), stream }
}

impl Drop for Call<'_> {
    /// Marks the end of the copy where pages are locked now, also if they were not when it began: the driver may have
    /// found them locked.
    fn drop(&mut self) {
        let (start, end) = self.bytes;
        // No range goes away before this call has. Of one that comes from now on the driver has known nothing.
        let locked = TABLE.lock().registered(start, end).next().is_some();
        let mark = locked.then(|| self.stream.record().map(Arc::new));
        if let Some(Err(error)) = &mark {
            tracing::warn!(%error, "the end of a copy cannot be marked, and is waited for");
            // Fails only where the device does no more work.
            _ = self.stream.driver().synchronize();
        }
        let mut table = TABLE.lock();
        if let Some(Ok(mark)) = mark {
            for range in table.registered(start, end) {
                range.ends.retain(|event| !event.is_complete().unwrap_or(false));
                range.ends.push(mark.clone());
            }
        }
        if let Some(at) = table.calls.iter().position(|call| *call == self.bytes) {
            table.calls.swap_remove(at);
        }
        drop(table);
        CHANGED.notify_all();
    }
}

/// Whether the range that begins there is about to be unlocked.
#[cfg(test)]
pub(crate) fn is_closing(address: usize) -> bool {
    TABLE.lock().ranges.get(&address).is_some_and(|range| range.closing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locked(address: usize, bytes: usize) -> bool {
        insert(address, bytes, Device::cpu(), Whose::Registered)
    }

    #[test]
    fn a_range_covers_what_lies_within_and_refuses_what_overlaps() {
        // Addresses that no allocator returns.
        let (cpu, base) = (Device::cpu(), 0x100);
        assert!(locked(base, 100));
        for (at, bytes) in [(base, 100), (base + 99, 1), (base - 5, 6), (base - 5, 200)] {
            assert!(!locked(at, bytes), "{at} {bytes}");
        }
        assert!(locked(base + 100, 10) && locked(base - 5, 5));
        assert!(covers(base, 100, cpu) && covers(base + 99, 1, cpu) && covers(base + 7, 0, cpu));
        assert!(!covers(base + 50, 51, cpu), "across two ranges");
        assert!(!covers(base + 110, 1, cpu) && !covers(base - 6, 1, cpu));
        for at in [base, base + 100, base - 5] {
            remove(at);
        }
        assert!(!covers(base, 1, cpu));
    }

    #[test]
    fn the_ranges_a_copy_touches_are_those_that_share_bytes_with_it() {
        let base = 0x1000;
        assert!(locked(base, 10) && locked(base + 10, 10) && locked(base + 30, 10));
        let touched =
            |start: usize, end: usize| TABLE.lock().registered(base + start, base + end).count();
        for (start, end, count) in
            [(0, 1, 1), (5, 15, 2), (20, 30, 0), (0, 40, 3), (19, 31, 2), (40, 50, 0)]
        {
            assert_eq!(touched(start, end), count, "{start}..{end}");
        }
        for at in [0, 10, 30] {
            remove(base + at);
        }
    }
}
