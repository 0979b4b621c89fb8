//! Arrays behind handles.

use std::sync::{Mutex, MutexGuard, PoisonError};

use arrayspan_bridge::{Array, SharedArray, View};

use crate::error::{Code, Failure, guarded, misuse};

/// An array behind a handle.
#[derive(Debug)]
pub struct Held(Mutex<Content>);

/// What a handle stands for.
#[derive(Debug)]
pub(crate) enum Content {
    /// Ours alone, and writable.
    Exclusive(Array),
    /// Read-only.
    Shared(SharedArray),
    /// Handed over.
    Gone,
}

impl Content {
    /// Borrows the array.
    pub(crate) fn view(&self) -> Result<View<'_>, Failure> {
        match self {
            Self::Exclusive(array) => Ok(array.view()),
            Self::Shared(array) => Ok(array.view()),
            Self::Gone => Err(gone()),
        }
    }
}

/// The failure of whoever comes after the array was handed over.
pub(crate) fn gone() -> Failure {
    Failure(Code::Gone, "the array was handed over before".into())
}

impl Held {
    /// Puts a handle to `content` where the caller wants it.
    ///
    /// # Safety
    /// `to` is null or a place for a handle.
    pub(crate) unsafe fn put(content: Content, to: *mut *mut Held) -> Result<(), Failure> {
        if to.is_null() {
            return misuse("no place for the handle");
        }
        let handle = Box::into_raw(Box::new(Self(Mutex::new(content))));
        // SAFETY: the caller's place.
        unsafe { to.write(handle) };
        Ok(())
    }

    /// The content behind a handle; other threads wait.
    ///
    /// # Safety
    /// `handle` is null or live for `'a`.
    pub(crate) unsafe fn open<'a>(handle: *const Held) -> Result<MutexGuard<'a, Content>, Failure> {
        // SAFETY: the caller's.
        match unsafe { handle.as_ref() } {
            Some(held) => Ok(held.0.lock().unwrap_or_else(PoisonError::into_inner)),
            None => misuse("the handle is null"),
        }
    }
}

/// Gives up a handle; null is fine.
///
/// # Safety
/// The handle is null or live, and no other thread uses it now or later.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn interop_release(handle: *mut Held) -> i32 {
    guarded(|| {
        if !handle.is_null() {
            // SAFETY: made by `Held::put`, and the caller gives it up.
            drop(unsafe { Box::from_raw(handle) });
        }
        Ok(())
    })
}
