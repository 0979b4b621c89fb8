//! The owner of a managed tensor.

use std::fmt;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;

use dlpack_ffi::DLTensor;

use super::abi::{IS_COPIED, READ_ONLY};
use super::refuse::foreign;
use super::{Managed, Versioned};
use crate::Result;

/// Owns a managed tensor, of our making or another's: gives it back to its deleter when dropped, unless
/// it was handed out by [`into_raw`](Self::into_raw).
pub struct Capsule<M: Managed = Versioned> {
    raw: NonNull<M>,
    around: Option<Around>,
}

/// What calls a deleter, once, or never.
type Around = fn(&mut dyn FnMut());

// SAFETY: the standard lets a deleter be called on any thread, and nothing else in the struct is tied to
// one; a shared capsule cannot be changed.
unsafe impl<M: Managed> Send for Capsule<M> {}
// SAFETY: as above.
unsafe impl<M: Managed> Sync for Capsule<M> {}

impl<M: Managed> Capsule<M> {
    /// Takes over a managed tensor.
    ///
    /// # Errors
    /// [`Error::Foreign`](crate::Error::Foreign) for a null pointer.
    ///
    /// # Safety
    /// `raw` is null or a live managed tensor that the caller owns and gives away. Its fields may hold
    /// any values, as long as pointers that are not null can be read: `shape` and `strides` for `ndim`
    /// numbers where that is between 1 and 64, `data` for the elements the tensor says it has, on the
    /// device it names (in `OpenCL`: `data` is a `cl_mem`). Its deleter may be called once, on any thread,
    /// and does not unwind. While the capsule or an array made from it
    /// lives, nobody writes these elements but through that array, and nobody reads them while it does.
    pub unsafe fn from_raw(raw: *mut M) -> Result<Self> {
        match NonNull::new(raw) {
            Some(raw) => Ok(Self { raw, around: None }),
            None => foreign("managed tensor", "is null"),
        }
    }

    /// The same, whose deleter is called by `around`, for producers whose deleters want more than the standard gives them: a lock, say. Where
    /// `around` does not call it, nobody gets the tensor back.
    #[must_use]
    pub fn released_by(self, around: fn(&mut dyn FnMut())) -> Self {
        let own = ManuallyDrop::new(self);
        Self { raw: own.raw, around: Some(around) }
    }

    /// Hands the managed tensor out. Whoever takes it must call its deleter once.
    #[must_use]
    pub fn into_raw(self) -> *mut M {
        ManuallyDrop::new(self).raw.as_ptr()
    }

    /// The managed tensor, still owned by this.
    #[must_use]
    pub fn as_raw(&self) -> *const M {
        self.raw.as_ptr()
    }

    /// Whether the producer forbids to write the elements. A legacy struct cannot.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.has(READ_ONLY)
    }

    /// Whether the producer made a copy for this tensor, so that nobody else knows the elements until the
    /// deleter has run. A legacy struct cannot say so.
    #[must_use]
    pub fn is_copied(&self) -> bool {
        self.has(IS_COPIED)
    }

    fn has(&self, flag: u64) -> bool {
        self.open().is_ok_and(|(_, flags)| flags & flag != 0)
    }

    /// The tensor and the flags, if their version is known.
    pub(super) fn open(&self) -> Result<(DLTensor, u64)> {
        // SAFETY: the struct lives as long as `self`.
        unsafe { M::open(self.raw) }
    }
}

impl<M: Managed> Drop for Capsule<M> {
    fn drop(&mut self) {
        // SAFETY: the struct is ours and live. Without a deleter the producer keeps ownership.
        let mut deleter = unsafe { M::deleter(self.raw) };
        let mut delete = || {
            // Not twice.
            if let Some(deleter) = deleter.take() {
                // SAFETY: the struct is ours and live; after its deleter has run nothing refers to it.
                unsafe { deleter(self.raw.as_ptr()) };
            }
        };
        match self.around {
            Some(around) => around(&mut delete),
            None => delete(),
        }
    }
}

impl<M: Managed> fmt::Debug for Capsule<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Capsule({:p})", self.raw)
    }
}
