//! What happened to a device's memory, as far back as a bounded ring reaches.

use std::collections::VecDeque;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use parking_lot::Mutex;

use super::action::Action;
use super::{events, sites};
use crate::Device;

/// Events kept unless another number is asked for.
pub(super) const CAPACITY: usize = 1 << 16;

/// The history of one device; off until asked for.
#[derive(Debug, Default)]
pub(crate) struct History {
    on: AtomicBool,
    ring: Mutex<Option<Ring>>,
}

#[derive(Clone, Debug)]
pub(super) struct Ring {
    pub(super) capacity: usize,
    pub(super) began: Instant,
    /// Events that were pushed out.
    pub(super) dropped: usize,
    pub(super) past: VecDeque<Past>,
}

/// One event.
#[derive(Clone, Debug)]
pub(super) struct Past {
    /// Nanoseconds since the history began.
    pub(super) time: u64,
    pub(super) action: Action,
    /// The block's number; 0 where there is no block.
    pub(super) sequence: usize,
    pub(super) address: usize,
    pub(super) bytes: usize,
    pub(super) stream: usize,
    pub(super) scope: Option<Arc<str>>,
    pub(super) site: Option<&'static Location<'static>>,
    pub(super) live: usize,
    pub(super) reserved: usize,
}

/// Lists a block and, where the device has a history, enters it there.
pub(super) fn allocated(device: Device, sequence: usize, entry: sites::Entry) {
    sites::add(device, sequence, entry.clone());
    device.0.history.push(
        device,
        Action::Allocate,
        sequence,
        entry.address,
        entry.bytes,
        Some(entry),
    );
}

/// The same for its end.
pub(super) fn freed(device: Device, sequence: usize, address: usize, bytes: usize, listed: bool) {
    let entry = if listed { sites::remove(device, sequence) } else { None };
    device.0.history.push(device, Action::Free, sequence, address, bytes, entry);
}

/// Called by the pool when it has taken `bytes` bytes from the driver to keep, or given them back. Not of blocks that go
/// straight from the driver to the user and back.
pub(crate) fn reserved(device: Device, action: Action, bytes: usize) {
    events::reserved(device, action, bytes);
    device.0.history.push(device, action, 0, 0, bytes, None);
}

impl History {
    /// Starts again with room for `events` events; with 0 the history ends.
    pub(super) fn start(&self, events: usize) {
        let mut ring = self.ring.lock();
        if ring.is_some() != (events > 0) {
            sites::watch(events > 0);
        }
        *ring = (events > 0).then(|| Ring {
            capacity: events,
            began: Instant::now(),
            dropped: 0,
            past: VecDeque::new(),
        });
        self.on.store(events > 0, Relaxed);
    }

    /// A copy of what is kept.
    pub(super) fn read(&self) -> Option<Ring> {
        self.ring.lock().clone()
    }

    pub(super) fn refused(
        &self,
        device: Device,
        bytes: usize,
        stream: usize,
        scope: Option<Arc<str>>,
        site: &'static Location<'static>,
    ) {
        let entry = sites::Entry { address: 0, bytes, stream, scope, site };
        self.push(device, Action::Refuse, 0, 0, bytes, Some(entry));
    }

    fn push(
        &self,
        device: Device,
        action: Action,
        sequence: usize,
        address: usize,
        bytes: usize,
        entry: Option<sites::Entry>,
    ) {
        if !self.on.load(Relaxed) {
            return;
        }
        let (live, reserved) = (device.0.counters.live_bytes(), device.0.pool.reserved());
        let (stream, scope, site) = match entry {
            Some(entry) => (entry.stream, entry.scope, Some(entry.site)),
            None => (0, None, None),
        };
        if let Some(ring) = self.ring.lock().as_mut() {
            let time = ring.began.elapsed().as_nanos() as u64;
            ring.push(Past {
                time,
                action,
                sequence,
                address,
                bytes,
                stream,
                scope,
                site,
                live,
                reserved,
            });
        }
    }
}

impl Ring {
    fn push(&mut self, past: Past) {
        while self.past.len() >= self.capacity {
            self.past.pop_front();
            self.dropped += 1;
        }
        self.past.push_back(past);
    }
}
