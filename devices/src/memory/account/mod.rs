//! Who holds what: statistics of devices, streams and named scopes, limits on scopes, live blocks with the line
//! that allocated them, and a history that can be looked at.
//!
//! Counting is always on and costs a few relaxed atomics. Lists of blocks ([`record_sites`]) and histories
//! ([`Device::record`]) are off until asked for, and cost one atomic load then.
//!
//! ```
//! use arrayspan_devices::{Device, Memory, account};
//!
//! let device = Device::cpu();
//! let block = Memory::allocate(1 << 20, &device.stream()?)?;
//! assert!(device.statistics().live_bytes >= 1 << 20);
//! println!("{}", account::summary());
//! # drop(block);
//! # Ok::<(), arrayspan_devices::Error>(())
//! ```

mod allocation_record;
mod charge;
mod events;
mod figures;
mod history;
mod html;
mod leaks;
mod level;
pub mod nvtx;
mod report;
mod scope;
mod sites;
mod snapshot;
mod summary;

pub(crate) use allocation_record::{AllocationRecord, allocate, allocate_at, enter_anyway, lend};
pub use charge::{Charge, Charged};
pub use figures::Figures;
pub(crate) use history::{History, reserved};
pub(crate) use leaks::from_environment;
pub use leaks::{LeakCheck, Mark, leaks_since, mark};
pub(crate) use level::Full;
pub use report::{
    DeviceMemoryReport, LibraryReport, MemoryReport, PinnedReport, ScopeReport, report, report_json,
};
pub use scope::{Entered, Scope, ScopeHandle};
pub use sites::{LiveBlock, live_blocks, record_sites};
pub use snapshot::{Action, HeldBlock, MemoryEvent, Snapshot};
pub use summary::summary;

use crate::{Device, Result, Statistics, Stream, memory};

impl Device {
    /// What arrayspan holds on it.
    #[must_use]
    pub fn statistics(self) -> Statistics {
        memory::settle();
        Statistics { reserve: figures::of(self), ..self.0.counters.read() }
    }

    /// Has [`Statistics::peak_bytes`] start again from what is live now.
    pub fn reset_peak(self) {
        self.0.counters.reset_peak();
    }

    /// The part of [`summary`] about this device.
    #[must_use]
    pub fn summary(self) -> String {
        summary::of(&[self])
    }

    /// Starts a history of this device's memory, or ends it and forgets it. It keeps the latest 65 536 events.
    ///
    /// While it is on an allocation and its end cost about half a microsecond more.
    ///
    /// ```
    /// use arrayspan_devices::{Device, Memory};
    ///
    /// let device = Device::cpu();
    /// device.record(true);
    /// drop(Memory::allocate(1 << 20, &device.stream()?)?);
    /// let snapshot = device.snapshot();
    /// device.record(false);
    /// assert!(snapshot.events.len() >= 2);
    /// assert!(snapshot.to_html()?.starts_with("<!doctype html>"));
    /// # Ok::<(), arrayspan_devices::Error>(())
    /// ```
    pub fn record(self, on: bool) {
        self.record_up_to(if on { history::CAPACITY } else { 0 });
    }

    /// Starts a history that keeps the latest `events` events; with 0 ends it and forgets it.
    pub fn record_up_to(self, events: usize) {
        self.0.history.start(events);
    }

    /// The history so far and what is live now. Without a history, only what is live.
    #[must_use]
    pub fn snapshot(self) -> Snapshot {
        Snapshot::take(self)
    }
}

impl Stream {
    /// What was allocated on this stream, wherever it is used and freed.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.counters().read()
    }
}

/// Writes what `value` is as JSON.
pub(crate) fn json(what: &'static str, value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| crate::Error::Unsupported {
        device: what.into(),
        what: format!("writing it as JSON: {error}"),
    })
}
