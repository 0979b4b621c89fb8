//! Moves arrays to the host when memory of their device runs out, those unused for longest first.

use std::mem;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};

use arrayspan_bridge::Error;
use arrayspan_devices::reclaim::{Holdings, Reclaim, Stage};
use arrayspan_devices::{Device, Error as DeviceError, Result, ScopeHandle};
use parking_lot::{Mutex, RwLockWriteGuard};

use super::place::{Place, Waiting};
use super::slot::Slot;
use super::statistics::spilled as count_spilled;

/// Every array that may be spilled and still lives.
static SLOTS: Mutex<Vec<Weak<Slot>>> = Mutex::new(Vec::new());

pub(super) fn remember(slot: &Arc<Slot>) {
    let mut slots = SLOTS.lock();
    if slots.len() == slots.capacity() {
        slots.retain(|slot| slot.strong_count() > 0);
    }
    slots.push(Arc::downgrade(slot));
}

/// The arrays of a device, or those that count for a scope, unused for longest first.
fn slots(device: Device, scope: Option<&ScopeHandle>) -> Vec<Arc<Slot>> {
    let within = |slot: &Slot| {
        scope.is_none_or(|scope| slot.charge.scope().is_some_and(|own| scope.contains(&own)))
    };
    let all: Vec<Arc<Slot>> = SLOTS.lock().iter().filter_map(Weak::upgrade).collect();
    let wanted = |slot: &Arc<Slot>| slot.home == device && within(slot);
    let mut slots: Vec<_> = all.into_iter().filter(wanted).collect();
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

    /// What could be spilled now, as reserved; as live what is in use, or on its way.
    fn holdings(&self, device: Device) -> Option<Holdings> {
        let mut holdings = Holdings::default();
        for slot in slots(device, None) {
            match slot.place.try_write().map(|place| matches!(*place, Place::Device(_))) {
                Some(true) => holdings.reserved_bytes += slot.bytes,
                Some(false) => {}
                None => holdings.live_bytes += slot.bytes,
            }
        }
        Some(holdings)
    }

    fn release(&self, device: Device) -> Result<Option<usize>> {
        self.release_some(device, None)
    }

    fn release_some(&self, device: Device, wanted: Option<usize>) -> Result<Option<usize>> {
        spilled(device, None, wanted)
    }

    fn release_within(
        &self,
        scope: &ScopeHandle,
        device: Device,
        wanted: usize,
    ) -> Result<Option<usize>> {
        spilled(device, Some(scope), Some(wanted))
    }
}

/// Spills arrays of a device, or of a scope on it; how many bytes that made free.
fn spilled(
    device: Device,
    scope: Option<&ScopeHandle>,
    wanted: Option<usize>,
) -> Result<Option<usize>> {
    spill(device, scope, wanted).map(Some).map_err(|error| match error {
        Error::Device(error) => error,
        other => DeviceError::Driver {
            device: device.to_string(),
            call: "spilling an array",
            name: other.to_string(),
            code: 0,
        },
    })
}

/// Copies many, waits once, then lets go of all that have arrived; their bytes. The host running out ends the copying, and
/// what was copied until then still counts.
fn spill(
    device: Device,
    scope: Option<&ScopeHandle>,
    wanted: Option<usize>,
) -> Result<usize, Error> {
    if device.is_cpu() {
        return Ok(0);
    }
    let stream = device.process_stream()?;
    let slots = slots(device, scope);
    let mut leaving: Vec<(RwLockWriteGuard<'_, Place>, Waiting)> = Vec::new();
    let (mut bytes, mut failure) = (0, None);
    for slot in slots.iter().filter(|slot| slot.bytes > 0) {
        // Whoever holds it uses it: it stays, and nobody waits.
        let Some(place) = slot.place.try_write() else { continue };
        let Place::Device(array) = &*place else { continue };
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
    let mut freed = 0;
    for (mut place, waiting) in leaving {
        // The first one waits for all that come before it on the stream.
        match waiting.arrived() {
            Ok(()) => {
                freed += waiting.bytes();
                count_spilled(waiting.bytes());
                let before = mem::replace(&mut *place, Place::Host(waiting.into()));
                drop(place);
                drop(before);
            }
            Err(error) => failure = Some(error),
        }
    }
    match failure {
        Some(error) if freed == 0 => Err(error),
        _ => Ok(freed),
    }
}
