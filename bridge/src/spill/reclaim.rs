//! Moves arrays to the host when memory of their device runs out, those unused for longest first.

use std::mem;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};

use arrayspan_devices::reclaim::{Holdings, Reclaim, Stage};
use arrayspan_devices::{Device, Error as DeviceError, Result};
use parking_lot::{Mutex, RwLockWriteGuard};

use super::place::{Place, Waiting};
use super::spillable::Slot;
use super::statistics::spilled;
use crate::Error;

/// Every array that may be spilled and still lives.
static SLOTS: Mutex<Vec<Weak<Slot>>> = Mutex::new(Vec::new());

pub(super) fn remember(slot: &Arc<Slot>) {
    let mut slots = SLOTS.lock();
    if slots.len() == slots.capacity() {
        slots.retain(|slot| slot.strong_count() > 0);
    }
    slots.push(Arc::downgrade(slot));
}

/// The arrays of a device, unused for longest first.
fn slots(device: Device) -> Vec<Arc<Slot>> {
    let all: Vec<Arc<Slot>> = SLOTS.lock().iter().filter_map(Weak::upgrade).collect();
    let mut slots: Vec<_> = all.into_iter().filter(|slot| slot.home == device).collect();
    slots.sort_by_key(|slot| slot.used.load(Relaxed));
    slots
}

/// The last step but one of a recovery.
#[derive(Debug)]
pub(super) struct Spill;

pub(super) static SPILL: Spill = Spill;

impl Reclaim for Spill {
    fn name(&self) -> &'static str {
        "arrays that may wait on the host"
    }

    fn stage(&self) -> Stage {
        Stage::Spill
    }

    /// What could be spilled now; arrays in use are not asked.
    fn holdings(&self, device: Device) -> Option<Holdings> {
        let bytes = |slot: &Arc<Slot>| slot.place.try_read().map_or(0, |place| spillable(&place));
        let reserved_bytes = slots(device).iter().map(bytes).sum();
        Some(Holdings { reserved_bytes, ..Holdings::default() })
    }

    fn release(&self, device: Device) -> Result<()> {
        self.release_some(device, None)
    }

    fn release_some(&self, device: Device, wanted: Option<usize>) -> Result<()> {
        spill(device, wanted).map_err(|error| match error {
            Error::Device(error) => error,
            other => DeviceError::Driver {
                device: device.to_string(),
                call: "spilling an array",
                name: other.to_string(),
                code: 0,
            },
        })
    }
}

/// How many bytes spilling it would make free.
fn spillable(place: &Place) -> usize {
    match place {
        Place::Device(array) if !array.memory().is_foreign() => array.memory().bytes(),
        _ => 0,
    }
}

/// Copies many, waits once, then lets go of all that have arrived. The host running out ends the copying, and what
/// was copied until then still counts.
fn spill(device: Device, wanted: Option<usize>) -> Result<(), Error> {
    if device.is_cpu() {
        return Ok(());
    }
    let stream = device.process_stream()?;
    let slots = slots(device);
    let mut leaving: Vec<(RwLockWriteGuard<'_, Place>, Waiting)> = Vec::new();
    let (mut bytes, mut failure) = (0, None);
    for slot in &slots {
        // Whoever holds it uses it: it stays, and nobody waits.
        let Some(place) = slot.place.try_write() else { continue };
        let Place::Device(array) = &*place else { continue };
        if spillable(&place) == 0 {
            continue;
        }
        match Waiting::begin(array, &stream) {
            Ok(waiting) => {
                bytes += waiting.bytes();
                leaving.push((place, waiting));
            }
            Err(error) => {
                failure = Some(error);
                break;
            }
        }
        if wanted.is_some_and(|wanted| bytes >= wanted) {
            break;
        }
    }
    for (mut place, waiting) in leaving {
        // The first one waits for all that come before it on the stream.
        waiting.arrived()?;
        spilled(waiting.bytes());
        drop(mem::replace(&mut *place, Place::Host(waiting)));
    }
    match failure {
        Some(error) if bytes == 0 => Err(error),
        _ => Ok(()),
    }
}
