//! The handle of an array that may wait on the host.

use std::fmt;
use std::mem;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, LazyLock};

use arrayspan_bridge::{Array, AsView, DType, Layout, Result, View};
use arrayspan_devices::{Device, reclaim};
use parking_lot::{RwLockReadGuard, RwLockWriteGuard};

use super::place::Place;
use super::reclaim::{SPILL, remember};
use super::slot::Slot;

/// Owns an array that may be moved to the host while nobody uses it, when memory of its device runs out.
///
/// Those unused for longest go first, and come back, with the same layout, when they are asked for. Memory of
/// other libraries stays where it is: that would not make any free.
pub struct Spillable {
    slot: Arc<Slot>,
}

impl Spillable {
    /// Takes an array over. It may be spilled from now on.
    #[must_use]
    pub fn new(array: Array) -> Self {
        static REGISTERED: LazyLock<()> = LazyLock::new(|| reclaim::register(&SPILL));
        LazyLock::force(&REGISTERED);
        let slot = Arc::new(Slot::new(array));
        remember(&slot);
        Self { slot }
    }

    /// The array, on its device, where it stays as long as the result lives. Several threads may hold it.
    /// Comes back from the host if it was there: enqueued; does not wait.
    ///
    /// # Errors
    /// Out of memory, or the driver's refusal, bringing it back; it waits on the host then as before.
    pub fn get(&self) -> Result<SpillableGuard<'_>> {
        let mut place = self.place();
        // Between the two locks somebody may spill it again.
        while !matches!(*place, Place::Device(_)) {
            drop(place);
            self.slot.bring_back()?;
            place = self.slot.place.read_recursive();
        }
        self.slot.held.fetch_add(1, Relaxed);
        Ok(SpillableGuard { slot: &self.slot, place })
    }

    /// The array to write it, on its device, where it stays as long as the result lives.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn get_mut(&mut self) -> Result<SpillableGuardMut<'_>> {
        self.let_go();
        let place = self.slot.brought_back()?;
        self.slot.held_mut.store(true, Relaxed);
        Ok(SpillableGuardMut { slot: &self.slot, place })
    }

    /// The array itself, on its device. It cannot be spilled any more.
    ///
    /// # Errors
    /// As [`get`](Self::get); the array is dropped then.
    pub fn into_array(mut self) -> Result<Array> {
        self.let_go();
        let mut place = self.slot.brought_back()?;
        match mem::replace(&mut *place, Place::Nowhere) {
            Place::Device(array) => Ok(array),
            Place::Host(_) | Place::Nowhere => unreachable!("it was brought back under the lock"),
        }
    }

    /// Whether it waits on the host now.
    #[must_use]
    pub fn is_spilled(&self) -> bool {
        matches!(*self.place(), Place::Host(_))
    }

    /// The device it belongs to, where it is whenever it is used.
    #[must_use]
    pub fn device(&self) -> Device {
        self.slot.home
    }

    /// Where its elements lie.
    #[must_use]
    pub fn layout(&self) -> Layout {
        match &*self.place() {
            Place::Device(array) => array.layout().clone(),
            Place::Host(waiting) => waiting.layout().clone(),
            Place::Nowhere => unreachable!("it is nowhere only under the writer's lock"),
        }
    }

    /// The type of its elements.
    #[must_use]
    pub fn dtype(&self) -> DType {
        match &*self.place() {
            Place::Device(array) => array.dtype(),
            Place::Host(waiting) => waiting.dtype(),
            Place::Nowhere => unreachable!("it is nowhere only under the writer's lock"),
        }
    }
}

impl Spillable {
    /// Where the array is, to look at it.
    fn place(&self) -> RwLockReadGuard<'_, Place> {
        // A `SpillableGuardMut` borrows the handle alone: one that is there while somebody looks was forgotten.
        if self.slot.held_mut.swap(false, Relaxed) {
            // SAFETY: its lock is held, nobody is left who could give it up or reach the array by it, and of several
            // threads that look the swap lets one do this.
            unsafe { self.slot.place.force_unlock_write() };
        }
        self.slot.place.read_recursive()
    }

    /// Gives up the locks of those that were forgotten, which otherwise would be waited for without end.
    fn let_go(&mut self) {
        drop(self.place());
        for _ in 0..self.slot.held.swap(0, Relaxed) {
            // SAFETY: each has locked it for reading, and borrowed the handle, which is ours alone now: it was forgotten,
            // and what it lent is gone.
            unsafe { self.slot.place.force_unlock_read() };
        }
    }
}

/// An array that stays on its device as long as this lives.
pub struct SpillableGuard<'a> {
    slot: &'a Slot,
    place: RwLockReadGuard<'a, Place>,
}

/// An array that stays on its device as long as this lives, to be written.
pub struct SpillableGuardMut<'a> {
    slot: &'a Slot,
    place: RwLockWriteGuard<'a, Place>,
}

impl Deref for SpillableGuard<'_> {
    type Target = Array;

    fn deref(&self) -> &Array {
        self.place.array()
    }
}

impl Deref for SpillableGuardMut<'_> {
    type Target = Array;

    fn deref(&self) -> &Array {
        self.place.array()
    }
}

impl DerefMut for SpillableGuardMut<'_> {
    fn deref_mut(&mut self) -> &mut Array {
        match &mut *self.place {
            Place::Device(array) => array,
            Place::Host(_) | Place::Nowhere => unreachable!("it is held on its device"),
        }
    }
}

impl AsView for SpillableGuard<'_> {
    fn as_view(&self) -> View<'_> {
        self.view()
    }
}

impl AsView for SpillableGuardMut<'_> {
    fn as_view(&self) -> View<'_> {
        self.view()
    }
}

impl Drop for SpillableGuard<'_> {
    fn drop(&mut self) {
        self.slot.held.fetch_sub(1, Relaxed);
        self.slot.touch();
    }
}

impl Drop for SpillableGuardMut<'_> {
    fn drop(&mut self) {
        self.slot.held_mut.store(false, Relaxed);
        self.slot.touch();
    }
}

impl fmt::Debug for Spillable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Spillable({:?} {} on {})", self.layout().shape(), self.dtype(), self.device())
    }
}

impl fmt::Debug for SpillableGuard<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl fmt::Debug for SpillableGuardMut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
