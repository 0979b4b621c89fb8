//! What [`super::rounds`] is written against: here the standard library, in its test a checker of all interleavings.

use std::cell::UnsafeCell;

pub(super) use std::hint::spin_loop;
pub(super) use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, fence};
pub(super) use std::sync::{Mutex, PoisonError};
pub(super) use std::thread::{Thread, current as this_thread, park};
pub(super) use std::time::{Duration, Instant};

/// How long a caller looks for the last helpers to finish before it sleeps: about what a thread takes to wake up.
pub(super) const PATIENCE: Duration = Duration::from_micros(50);

/// Looks between two looks at the clock.
pub(super) const SPINS: usize = 64;

/// What is written while nobody reads it.
pub(super) struct Slot<T>(UnsafeCell<T>);

impl<T: Copy> Slot<T> {
    pub(super) const fn new(content: T) -> Self {
        Self(UnsafeCell::new(content))
    }

    /// # Safety
    /// Nobody writes it meanwhile.
    pub(super) unsafe fn get(&self) -> T {
        // SAFETY: the caller's.
        unsafe { *self.0.get() }
    }

    /// # Safety
    /// Nobody reads or writes it meanwhile.
    pub(super) unsafe fn set(&self, content: T) {
        // SAFETY: the caller's.
        unsafe { *self.0.get() = content };
    }
}
