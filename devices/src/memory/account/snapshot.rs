//! A device's memory and its history, to be kept, sent and looked at.

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::action::Action;
use super::history::Past;
use super::html;
use super::json::json;
use super::sites::{self, LiveBlock};
use crate::memory::statistics::Statistics;
use crate::{Device, Result};

/// A device's memory at one moment and, if [`Device::record`] was on, how it came to that.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The device's name here, as `cuda:0`.
    pub device: String,
    /// The vendor's name for it.
    pub name: String,
    /// All its memory, in bytes.
    pub memory_bytes: usize,
    /// Nanoseconds from the start of the history to this snapshot.
    pub taken: u64,
    /// The numbers at this moment.
    pub statistics: Statistics,
    /// Events too old for the history's bound.
    pub dropped: usize,
    /// What happened, the oldest first.
    pub events: Vec<MemoryEvent>,
    /// The live blocks that were allocated under observation, the oldest first.
    pub live: Vec<HeldBlock>,
}

/// One event of a history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryEvent {
    /// Nanoseconds since the history began.
    pub time: u64,
    /// What happened.
    pub action: Action,
    /// The block's number on its device, from 1; 0 where there is no block.
    pub sequence: usize,
    /// The block's address in the driver's terms.
    pub address: usize,
    /// The size of the block, of the refused request, or of what the pool took or gave back.
    pub bytes: usize,
    /// The driver's handle of the stream the block was allocated on.
    pub stream: usize,
    /// The scopes it was allocated in, as `outer/inner`.
    pub scope: Option<String>,
    /// The line that allocated it, as `file:line:column`.
    pub site: Option<String>,
    /// Live bytes of the device after the event.
    pub live: usize,
    /// Bytes that the device's pool held after the event, in use or not.
    pub reserved: usize,
}

/// A live block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldBlock {
    /// Its number on its device, from 1.
    pub sequence: usize,
    /// Its address in the driver's terms.
    pub address: usize,
    /// Its size.
    pub bytes: usize,
    /// The driver's handle of the stream it was allocated on.
    pub stream: usize,
    /// The scopes it was allocated in, as `outer/inner`.
    pub scope: Option<String>,
    /// The line that allocated it, as `file:line:column`.
    pub site: String,
    /// Nanoseconds it has lived.
    pub age: u64,
}

impl Snapshot {
    pub(super) fn take(device: Device) -> Self {
        let ring = device.0.history.read();
        // After the ring: a block freed in between is missing here though the ring has no event of its end; it is never
        // listed with such an event.
        let live = sites::of(device).into_iter().map(HeldBlock::from).collect();
        let (taken, dropped, events) = match ring {
            Some(ring) => {
                let taken = ring.began.elapsed().as_nanos() as u64;
                (taken, ring.dropped, ring.past.iter().map(MemoryEvent::from).collect())
            }
            None => (0, 0, Vec::new()),
        };
        let info = device.info();
        Self {
            device: device.to_string(),
            name: info.name.clone(),
            memory_bytes: info.memory_bytes,
            taken,
            statistics: device.statistics(),
            dropped,
            events,
            live,
        }
    }

    /// The snapshot as JSON, from which serde reads it back.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) if a number cannot be written.
    pub fn to_json(&self) -> Result<String> {
        json("snapshot", self)
    }

    /// The snapshot as one page of HTML that needs nothing else: memory over time, the address space over
    /// time, and what held most at the peak.
    ///
    /// # Errors
    /// As [`to_json`](Self::to_json).
    pub fn to_html(&self) -> Result<String> {
        html::page(&self.device, self)
    }

    /// Writes [`to_html`](Self::to_html) into a file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write_html(&self, path: impl AsRef<Path>) -> io::Result<()> {
        fs::write(path, self.to_html().map_err(io::Error::other)?)
    }
}

impl From<&Past> for MemoryEvent {
    fn from(past: &Past) -> Self {
        Self {
            time: past.time,
            action: past.action,
            sequence: past.sequence,
            address: past.address,
            bytes: past.bytes,
            stream: past.stream,
            scope: past.scope.as_ref().map(ToString::to_string),
            site: past.site.map(ToString::to_string),
            live: past.live,
            reserved: past.reserved,
        }
    }
}

impl From<LiveBlock> for HeldBlock {
    fn from(block: LiveBlock) -> Self {
        Self {
            sequence: block.sequence,
            address: block.address,
            bytes: block.bytes,
            stream: block.stream,
            scope: block.scope,
            site: block.site.to_string(),
            age: block.age.as_nanos() as u64,
        }
    }
}
