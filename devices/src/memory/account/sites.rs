//! The blocks that are live, each with the line that allocated it.

use std::collections::HashMap;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::level::Level;
use crate::Device;

/// How many want the list kept: the histories that are on, and [`record_sites`].
static WATCHERS: AtomicUsize = AtomicUsize::new(0);
static LIVE: Mutex<Option<HashMap<(Device, usize), Listed>>> = Mutex::new(None);
/// Whether `record_sites` is one of the watchers.
static ASKED: Mutex<bool> = Mutex::new(false);

/// What is known of a block.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) address: usize,
    pub(super) bytes: usize,
    /// The handle of the stream it was allocated on.
    pub(super) stream: usize,
    pub(super) scope: Option<Arc<Level>>,
    pub(super) site: &'static Location<'static>,
}

struct Listed {
    entry: Entry,
    since: Instant,
}

/// A block that is live.
#[derive(Clone, Debug)]
pub struct LiveBlock {
    /// Where it lives.
    pub device: Device,
    /// Its size.
    pub bytes: usize,
    /// Its address in the driver's terms.
    pub address: usize,
    /// The line that allocated it: the first caller that is not marked `#[track_caller]`.
    pub site: &'static Location<'static>,
    /// The names of the scopes it was allocated in, as `outer/inner`.
    pub scope: Option<String>,
    /// The driver's handle of the stream it was allocated on; 0 on the CPU.
    pub stream: usize,
    /// How long it has lived.
    pub age: Duration,
    /// Its number among the allocations of its device, from 1.
    pub sequence: usize,
}

/// Starts or ends the list behind [`live_blocks`]. It holds blocks that are allocated from now on.
pub fn record_sites(on: bool) {
    let mut asked = ASKED.lock();
    if *asked != on {
        *asked = on;
        watch(on);
    }
}

/// Counts one who wants the list kept, or one less.
pub(super) fn watch(on: bool) {
    if on {
        WATCHERS.fetch_add(1, Relaxed);
    } else if WATCHERS.fetch_sub(1, Relaxed) == 1 {
        *LIVE.lock() = None;
    }
}

pub(super) fn watched() -> bool {
    WATCHERS.load(Relaxed) > 0
}

/// The blocks allocated since the list is kept and not freed, in the order of device and allocation.
#[must_use]
pub fn live_blocks() -> Vec<LiveBlock> {
    let mut blocks = list(|_| true);
    blocks.sort_by_key(|block| (block.device.to_string(), block.sequence));
    blocks
}

/// The same for one device.
pub(super) fn of(device: Device) -> Vec<LiveBlock> {
    let mut blocks = list(|of| of == device);
    blocks.sort_by_key(|block| block.sequence);
    blocks
}

fn list(wanted: impl Fn(Device) -> bool) -> Vec<LiveBlock> {
    let live = LIVE.lock();
    let chosen = live.iter().flatten().filter(|((device, _), _)| wanted(*device));
    let block = |(&(device, sequence), listed): (&(Device, usize), &Listed)| LiveBlock {
        device,
        bytes: listed.entry.bytes,
        address: listed.entry.address,
        site: listed.entry.site,
        scope: listed.entry.scope.as_ref().map(|scope| scope.path()),
        stream: listed.entry.stream,
        age: listed.since.elapsed(),
        sequence,
    };
    chosen.map(block).collect()
}

pub(super) fn add(device: Device, sequence: usize, entry: Entry) {
    let listed = Listed { entry, since: Instant::now() };
    LIVE.lock().get_or_insert_default().insert((device, sequence), listed);
}

pub(super) fn remove(device: Device, sequence: usize) -> Option<Entry> {
    Some(LIVE.lock().as_mut()?.remove(&(device, sequence))?.entry)
}
