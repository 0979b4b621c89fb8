//! Gives memory back after the last work that uses it, without making anyone wait.

use std::time::{Duration, Instant};

use super::hand_back::{Release, run};
use super::pinned::Registration;
use super::pool::Block;
use super::reaper::Whose;
use super::uses::Uses;
use super::{attempt, deleters, duty, reaper};
use crate::{Device, Result, Stream};

/// Frees a block of the pool in stream order: on a stream that used it, after all the others.
pub(crate) fn own(device: Device, block: Block, uses: &Uses) {
    let pool = &device.0.pool;
    match on_device(device, uses) {
        Ok(Some(stream)) => {
            pool.release(block, stream.lane());
            attempt::released(device, block.size());
        }
        Ok(None) => {
            // Used only by other devices (host memory under a transfer): free once they are done.
            let release = move || match device.process_stream() {
                Ok(stream) => {
                    pool.release(block, stream.lane());
                    attempt::released(device, block.size());
                }
                Err(error) => device.0.defer(error),
            };
            after(uses, device, Whose::Ours, Box::new(release));
        }
        Err(error) => device.0.defer(error),
    }
}

/// A stream of `device` on which a free comes after all uses, or `None` if the host would have to wait.
fn on_device(device: Device, uses: &Uses) -> Result<Option<&Stream>> {
    let Some(stream) = uses.streams().find(|stream| stream.device() == device) else {
        return if uses.is_idle() { device.own_stream().map(Some) } else { Ok(None) };
    };
    for other in uses.streams() {
        stream.wait_for(other)?;
    }
    Ok(Some(stream))
}

/// Runs `release` once the work in `uses` is done: at once if it is, else on a thread for that.
pub(crate) fn after(uses: &Uses, device: Device, whose: Whose, release: Release) {
    match uses.record() {
        Ok(events) if events.iter().all(|e| e.is_complete().unwrap_or(false)) => match whose {
            Whose::Ours => run(release),
            Whose::Theirs => deleters::run(release),
        },
        Ok(events) => reaper::enqueue(device, events, whose, release),
        // Without an event nothing tells when the work ends. A leak is harmless, an early release is not.
        Err(error) => {
            device.0.defer(error);
            std::mem::forget(release);
        }
    }
}

/// Gives back what is beside the pool, after the last work: unlocks it where it was locked in place, and has the function
/// of its owner run.
pub(super) fn beside(
    device: Device,
    uses: &Uses,
    whose: Whose,
    registration: Option<Registration>,
    function: Option<Release>,
) {
    match (registration, function) {
        (None, None) => {}
        (None, Some(function)) => after(uses, device, whose, function),
        // The unlocking is ours in any case, and does not wait for functions of others.
        (Some(registration), function) => {
            let release = move || {
                drop(registration);
                match (function, whose) {
                    (Some(function), Whose::Ours) => function(),
                    (Some(function), Whose::Theirs) => deleters::run(function),
                    (None, _) => {}
                }
            };
            after(uses, device, Whose::Ours, Box::new(release));
        }
    }
}

/// Blocks until every release that waits for device work has run: arrayspan's own, and the functions by which other
/// libraries take their memory back. In such a function it returns at once: those behind it cannot run before it ends.
///
/// Waits without bound for those functions. **Hold no lock that one of them may want** (an interpreter's, say), or say
/// how long to wait: [`drain_for`]. Nothing else of arrayspan waits for them without bound.
pub fn drain() {
    if !duty::is_reaper() {
        reaper::wait(None);
        deleters::wait(None);
    }
}

/// As [`drain`], for no longer than `limit`. Whether everything has run that waited when it was called; in a function that
/// gives memory back `false`, at once.
#[must_use]
pub fn drain_for(limit: Duration) -> bool {
    let until = Instant::now().checked_add(limit);
    !duty::is_reaper() && reaper::wait(until) && deleters::wait(until)
}
