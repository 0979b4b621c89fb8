//! Everything that is accounted for, as data.

use serde::Serialize;

use super::json::json;
use super::level;
use crate::{Device, Result, Statistics, reclaim};

/// The memory held on every device, by every scope, and by other libraries that report it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MemoryReport {
    /// Every device, the CPU first.
    pub devices: Vec<DeviceMemoryReport>,
    /// Every scope that lives, on each device it allocated on; the one with most live bytes first.
    pub scopes: Vec<ScopeReport>,
}

/// What a device holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DeviceMemoryReport {
    /// Its name here, as `cuda:0`.
    pub device: String,
    /// The vendor's name for it.
    pub name: String,
    /// Its memory in bytes.
    pub memory_bytes: usize,
    /// What arrayspan holds.
    pub statistics: Statistics,
    /// Host memory that is page-locked for the device.
    pub pinned: PinnedReport,
    /// What other libraries of this process hold, as far as they tell.
    pub libraries: Vec<LibraryReport>,
}

/// Page-locked host memory, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PinnedReport {
    /// In use.
    pub active_bytes: usize,
    /// Kept for reuse.
    pub cached_bytes: usize,
}

/// What another library holds on a device, in bytes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LibraryReport {
    /// The library.
    pub name: &'static str,
    /// In use.
    pub live_bytes: usize,
    /// The largest `live_bytes` so far.
    pub peak_bytes: usize,
    /// Taken from the driver, in use or not.
    pub reserved_bytes: usize,
}

/// What was allocated in a scope on a device.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScopeReport {
    /// The scope's name and those around it, as `outer/inner`.
    pub scope: String,
    /// The device's name here.
    pub device: String,
    /// The scope's own limit there, in bytes.
    pub limit: Option<usize>,
    /// What was allocated.
    pub statistics: Statistics,
}

/// Everything that is accounted for now.
#[must_use]
pub fn report() -> MemoryReport {
    MemoryReport { devices: Device::all().into_iter().map(device).collect(), scopes: scopes() }
}

/// [`report`] as JSON.
///
/// # Errors
/// [`Error::Unsupported`](crate::Error::Unsupported) if a number cannot be written.
pub fn report_json() -> Result<String> {
    json("report", &report())
}

pub(super) fn device(device: Device) -> DeviceMemoryReport {
    let holdings = |library: &'static dyn reclaim::Reclaim| {
        let held = library.holdings(device)?;
        Some(LibraryReport {
            name: library.name(),
            live_bytes: held.live_bytes,
            peak_bytes: held.peak_bytes,
            reserved_bytes: held.reserved_bytes,
        })
    };
    let pinned = device.pinned_statistics();
    DeviceMemoryReport {
        pinned: PinnedReport {
            active_bytes: pinned.active_bytes,
            cached_bytes: pinned.cached_bytes,
        },
        device: device.to_string(),
        name: device.info().name.clone(),
        memory_bytes: device.info().memory_bytes,
        statistics: device.statistics(),
        libraries: reclaim::libraries().into_iter().filter_map(holdings).collect(),
    }
}

pub(super) fn scopes() -> Vec<ScopeReport> {
    let mut scopes = Vec::new();
    for level in level::all() {
        for (device, statistics) in level.devices() {
            let (scope, limit) = (level.path().to_string(), level.limit(device));
            scopes.push(ScopeReport { scope, device: device.to_string(), limit, statistics });
        }
    }
    scopes.sort_by_key(|scope| std::cmp::Reverse(scope.statistics.live_bytes));
    scopes
}
