//! What is counted for one scope, and its limit.

use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::{Device, Error, Result, Statistics};

/// One scope in the tree of scopes. Lives as long as it is entered, held by a handle, or has live blocks.
#[derive(Debug)]
pub(super) struct Level {
    name: String,
    /// The names from the outermost scope to this, as `outer/inner`. Histories keep it longer than the scope.
    path: Arc<str>,
    /// Bytes on each device without an entry in `on`.
    each: Option<usize>,
    on: Vec<(Device, usize)>,
    parent: Option<Arc<Level>>,
    /// Whether this scope or one around it has a limit.
    limited: bool,
    tallies: Mutex<Vec<Tally>>,
}

#[derive(Debug)]
struct Tally {
    device: Device,
    counted: Statistics,
    /// Bytes that are allowed and being asked of the driver: held against the limit, but not yet live.
    pending: usize,
    /// Live bytes that no limit counts: of arrays that wait on the host.
    waiting: usize,
}

/// A limit allows no more.
#[derive(Debug)]
pub(crate) struct Full {
    /// The scope whose limit it is.
    pub(super) level: Arc<Level>,
    /// Bytes that must be freed first.
    pub(crate) missing: usize,
    never: bool,
    pub(crate) error: Error,
}

impl Full {
    /// Whether more is asked for than the limit.
    pub(crate) fn never_fits(&self) -> bool {
        self.never
    }
}

static LEVELS: Mutex<Vec<Weak<Level>>> = Mutex::new(Vec::new());

/// All scopes that live, the oldest first.
pub(super) fn all() -> Vec<Arc<Level>> {
    LEVELS.lock().iter().filter_map(Weak::upgrade).collect()
}

impl Level {
    pub(super) fn new(
        name: String,
        each: Option<usize>,
        on: Vec<(Device, usize)>,
        parent: Option<Arc<Self>>,
    ) -> Arc<Self> {
        let own = each.is_some() || !on.is_empty();
        let limited = own || parent.as_ref().is_some_and(|parent| parent.limited);
        let path = match &parent {
            Some(parent) => format!("{}/{name}", parent.path).into(),
            None => name.as_str().into(),
        };
        let level = Self { name, path, each, on, parent, limited, tallies: Mutex::default() };
        let level = Arc::new(level);
        let mut levels = LEVELS.lock();
        levels.retain(|known| known.strong_count() > 0);
        levels.push(Arc::downgrade(&level));
        level
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn path(&self) -> &Arc<str> {
        &self.path
    }

    pub(super) fn limit(&self, device: Device) -> Option<usize> {
        let own = self.on.iter().find(|(known, _)| *known == device).map(|(_, bytes)| *bytes);
        own.or(self.each)
    }

    /// The devices anything was asked of, and what.
    pub(super) fn devices(&self) -> Vec<(Device, Statistics)> {
        self.tallies.lock().iter().map(|tally| (tally.device, tally.counted)).collect()
    }

    pub(super) fn statistics(&self, device: Device) -> Statistics {
        let tallies = self.tallies.lock();
        let found = tallies.iter().find(|tally| tally.device == device);
        found.map_or_else(Statistics::default, |tally| tally.counted)
    }

    /// Asks this scope and all around it whether so many bytes more are allowed; if all agree, they hold the
    /// room until [`commit`](Self::commit) or [`cancel`](Self::cancel).
    ///
    /// Each level stays locked until those around it have answered, always from the inside out: what one
    /// refuses was never counted by another.
    pub(super) fn admit(self: &Arc<Self>, device: Device, bytes: usize) -> Result<(), Full> {
        if !self.limited {
            return Ok(());
        }
        self.with(device, |tally| {
            let live = tally.counted.live_bytes - tally.waiting;
            if let Some(limit) = self.limit(device)
                && bytes > limit.saturating_sub(live + tally.pending)
            {
                let scope = self.path.to_string();
                let error = Error::ScopeLimit { scope, device, bytes, limit, live };
                let missing = (live + tally.pending).saturating_add(bytes) - limit;
                return Err(Full { level: self.clone(), missing, never: bytes > limit, error });
            }
            if let Some(parent) = &self.parent {
                parent.admit(device, bytes)?;
            }
            tally.pending += bytes;
            Ok(())
        })
    }

    /// Counts a block that [`admit`](Self::admit) has allowed, or one that waits on the host and needs no room.
    pub(super) fn commit(&self, device: Device, bytes: usize, waits: bool) {
        self.with(device, |tally| {
            if waits {
                tally.waiting += bytes;
            } else {
                tally.pending = tally.pending.saturating_sub(bytes);
            }
            let counted = &mut tally.counted;
            counted.live_bytes += bytes;
            counted.live_blocks += 1;
            counted.peak_bytes = counted.peak_bytes.max(counted.live_bytes);
            counted.requested_total_bytes += bytes;
            counted.allocations += 1;
            counted.largest_live = counted.largest_live.max(bytes);
        });
        if let Some(parent) = &self.parent {
            parent.commit(device, bytes, waits);
        }
    }

    /// Holds room whatever the limits say.
    pub(super) fn hold(&self, device: Device, bytes: usize) {
        if self.limited {
            self.with(device, |tally| tally.pending += bytes);
            if let Some(parent) = &self.parent {
                parent.hold(device, bytes);
            }
        }
    }

    /// Gives up room that [`admit`](Self::admit) has allowed.
    pub(super) fn cancel(&self, device: Device, bytes: usize) {
        if self.limited {
            self.with(device, |tally| tally.pending = tally.pending.saturating_sub(bytes));
            if let Some(parent) = &self.parent {
                parent.cancel(device, bytes);
            }
        }
    }

    /// Counts a refused allocation, whoever refused it.
    pub(super) fn refuse(&self, device: Device) {
        self.with(device, |tally| tally.counted.failures += 1);
        if let Some(parent) = &self.parent {
            parent.refuse(device);
        }
    }

    /// Counts the end of a block.
    pub(super) fn remove(&self, device: Device, bytes: usize, waits: bool) {
        self.with(device, |tally| {
            if waits {
                tally.waiting -= bytes;
            }
            tally.counted.live_bytes -= bytes;
            tally.counted.live_blocks -= 1;
            tally.counted.frees += 1;
        });
        if let Some(parent) = &self.parent {
            parent.remove(device, bytes, waits);
        }
    }

    /// Whether it is `outer` or lies inside.
    pub(super) fn lies_in(&self, outer: &Arc<Self>) -> bool {
        std::ptr::eq(self, &raw const **outer)
            || self.parent.as_ref().is_some_and(|parent| parent.lies_in(outer))
    }

    fn with<T>(&self, device: Device, change: impl FnOnce(&mut Tally) -> T) -> T {
        let mut tallies = self.tallies.lock();
        let at = tallies.iter().position(|tally| tally.device == device).unwrap_or_else(|| {
            let counted = Statistics::default();
            tallies.push(Tally { device, counted, pending: 0, waiting: 0 });
            tallies.len() - 1
        });
        change(&mut tallies[at])
    }
}
