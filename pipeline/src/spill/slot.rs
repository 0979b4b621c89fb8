//! What the handle of an array and the spilling share: where the array is, and who uses it.

use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};

use arrayspan_bridge::{Array, Result};
use arrayspan_devices::Device;
use arrayspan_devices::account::Charge;
use parking_lot::{RwLock, RwLockWriteGuard};

use super::place::Place;
use super::statistics::returned;

/// An array that may be spilled.
#[derive(Debug)]
pub(super) struct Slot {
    /// Where the array belongs.
    pub(super) home: Device,
    /// What it counts for, wherever it is.
    pub(super) charge: Charge,
    /// What spilling it makes free: nothing for memory of other libraries.
    pub(super) bytes: usize,
    /// Read by those that use the array; written to move it. Spilling never waits for it.
    pub(super) place: RwLock<Place>,
    /// How many [`SpillableGuard`] there are, those that somebody forgot included, and so hold the lock for ever.
    pub(super) held: AtomicUsize,
    /// Whether there is a [`SpillableGuardMut`], or somebody forgot one.
    pub(super) held_mut: AtomicBool,
    /// When it was last used, by a clock that counts uses.
    pub(super) used: AtomicU64,
}

static CLOCK: AtomicU64 = AtomicU64::new(0);

impl Slot {
    pub(super) fn new(array: Array) -> Self {
        let memory = array.memory();
        let (home, charge) = (array.device(), memory.charge());
        let bytes = if memory.is_foreign() { 0 } else { memory.bytes() };
        let (held, held_mut) = (AtomicUsize::new(0), AtomicBool::new(false));
        let place = RwLock::new(Place::Device(array));
        let slot = Self { home, charge, bytes, place, held, held_mut, used: AtomicU64::new(0) };
        slot.touch();
        slot
    }

    /// It is used now.
    pub(super) fn touch(&self) {
        self.used.store(CLOCK.fetch_add(1, Relaxed), Relaxed);
    }

    /// The array on its device, with nobody else using it.
    pub(super) fn brought_back(&self) -> Result<RwLockWriteGuard<'_, Place>> {
        loop {
            let place = self.place.write();
            if matches!(*place, Place::Device(_)) {
                return Ok(place);
            }
            drop(place);
            self.bring_back()?;
        }
    }

    /// Brings the array back from the host, if it waits there. No lock is held while memory is asked for: that may take
    /// time, and run into others that want this array.
    pub(super) fn bring_back(&self) -> Result<()> {
        let waiting = match &*self.place.read_recursive() {
            Place::Host(waiting) => waiting.clone(),
            Place::Device(_) | Place::Nowhere => return Ok(()),
        };
        let back = waiting.back(self.home);
        let mut place = self.place.write();
        let same = matches!(&*place, Place::Host(here) if Arc::ptr_eq(here, &waiting));
        // Another thread may have brought it back, and found the room that this one did not.
        if same {
            let before = mem::replace(&mut *place, Place::Device(back?));
            drop(place);
            returned(waiting.bytes());
            drop(before);
        }
        Ok(())
    }
}
