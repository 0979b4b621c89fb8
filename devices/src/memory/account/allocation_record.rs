//! The record of one allocation: made when a block is allocated, closed when it is freed.

use std::panic::Location;
use std::sync::Arc;

use super::charge::Charge;
use super::level::Level;
use super::scope::{self, Counting};
use super::{events, history, sites};
use crate::memory::shortage::OutOfMemory as _;
use crate::memory::statistics::Counters;
use crate::memory::within;
use crate::{Device, Result, Stream};

/// What a block is counted for as long as it lives.
#[derive(Debug)]
pub(crate) enum AllocationRecord {
    /// A block of our own.
    Own(Own),
    /// A block that another library lends us.
    Lent,
}

/// A block of our own.
#[derive(Debug)]
pub(crate) struct Own {
    /// Its number among the allocations of its device, from 1.
    sequence: usize,
    /// Whether it is in the list of live blocks.
    listed: bool,
    stream: Arc<Counters>,
    scope: Option<Arc<Level>>,
    site: &'static Location<'static>,
    /// Whether it only waits for room elsewhere.
    waits: bool,
}

/// Takes a block by `take` and counts it: for the device, the stream, and the scope this thread is in, whose
/// limit may refuse it. The site is the caller's, as far as `#[track_caller]` reaches.
#[track_caller]
pub(crate) fn allocate<T>(
    bytes: usize,
    stream: &Stream,
    take: impl FnOnce() -> Result<T>,
    address: impl FnOnce(&T) -> usize,
) -> Result<(T, AllocationRecord)> {
    allocate_at(bytes, stream, Location::caller(), take, address)
}

/// As [`allocate`], on behalf of that line.
pub(crate) fn allocate_at<T>(
    bytes: usize,
    stream: &Stream,
    site: &'static Location<'static>,
    take: impl FnOnce() -> Result<T>,
    address: impl FnOnce(&T) -> usize,
) -> Result<(T, AllocationRecord)> {
    let device = stream.device();
    let counting = scope::current();
    let site = counting.site.unwrap_or(site);
    let taken = match counting.scope.as_ref().filter(|_| !counting.waits) {
        None => take(),
        Some(scope) => within::or_spill(device, || scope.admit(device, bytes)).and_then(|()| {
            let room = Room { scope, device, bytes };
            let taken = take();
            if taken.is_ok() {
                // The block owns the room from now on.
                std::mem::forget(room);
            }
            taken
        }),
    };
    let block = match taken {
        Ok(block) => block,
        Err(error) => {
            if error.shortage().is_some() {
                device.0.counters.refuse();
                stream.counters().refuse();
                let scope = counting.scope.as_ref();
                if let Some(scope) = scope {
                    scope.refuse(device);
                }
                events::refused(device, bytes, &error);
                device.0.history.refused(device, bytes, stream.raw(), path(scope), site);
            }
            return Err(error);
        }
    };
    let record = enter(stream, address(&block), bytes, site, counting);
    Ok((block, record))
}

/// Counts a block that is there, whatever the limits are.
pub(crate) fn enter_anyway(
    device: Device,
    address: usize,
    bytes: usize,
    site: &'static Location<'static>,
) -> AllocationRecord {
    // The stream of the CPU always exists.
    let Ok(stream) = device.process_stream() else { return lend(device, bytes) };
    let counting = scope::current();
    if let Some(scope) = counting.scope.as_ref().filter(|_| !counting.waits) {
        scope.hold(device, bytes);
    }
    enter(&stream, address, bytes, counting.site.unwrap_or(site), counting)
}

/// Counts a block for which there is room.
fn enter(
    stream: &Stream,
    address: usize,
    bytes: usize,
    site: &'static Location<'static>,
    counting: Counting,
) -> AllocationRecord {
    let device = stream.device();
    let Counting { scope, waits, .. } = counting;
    if let Some(scope) = &scope {
        scope.commit(device, bytes, waits);
    }
    let sequence = device.0.counters.add(bytes);
    let counters = stream.counters().clone();
    counters.add(bytes);
    let listed = sites::watched();
    if listed {
        let (stream, scope) = (stream.raw(), path(scope.as_ref()));
        let block = sites::Entry { address, bytes, stream, scope, site };
        history::allocated(device, sequence, block);
    }
    events::allocated(device, address, bytes);
    AllocationRecord::Own(Own { sequence, listed, stream: counters, scope, site, waits })
}

/// Room that a scope has reserved; released when it is dropped.
struct Room<'a> {
    scope: &'a Arc<Level>,
    device: Device,
    bytes: usize,
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        self.scope.cancel(self.device, self.bytes);
    }
}

fn path(scope: Option<&Arc<Level>>) -> Option<Arc<str>> {
    scope.map(|scope| scope.path().clone())
}

/// Counts a block that another library lends us.
pub(crate) fn lend(device: Device, bytes: usize) -> AllocationRecord {
    device.0.counters.borrow(bytes);
    AllocationRecord::Lent
}

impl AllocationRecord {
    /// What the block is counted for.
    pub(crate) fn charge(&self) -> Charge {
        match self {
            Self::Own(own) => Charge { scope: own.scope.clone(), site: Some(own.site) },
            Self::Lent => Charge::default(),
        }
    }

    /// Closes the record. Called before the block goes back, so that no other block has its address meanwhile.
    pub(crate) fn give_back(&mut self, device: Device, address: usize, bytes: usize) {
        let own = match self {
            Self::Own(own) => own,
            Self::Lent => return device.0.counters.hand_back(bytes),
        };
        device.0.counters.remove(bytes);
        own.stream.remove(bytes);
        if let Some(scope) = &own.scope {
            scope.remove(device, bytes, own.waits);
        }
        if own.listed || sites::watched() {
            history::freed(device, own.sequence, address, bytes, own.listed);
        }
        events::freed(device, address, bytes);
    }
}
