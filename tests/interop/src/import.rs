//! Arrays from other libraries.

use std::ffi::c_void;

use arrayspan_bridge::SharedArray;
use arrayspan_bridge::dlpack::{Capsule, Legacy, Managed, Versioned};

use crate::error::{Failure, guarded};
use crate::held::{Content, Held};
use crate::places::device;

/// How an array comes.
#[repr(C)]
#[derive(Debug)]
pub struct Origin {
    /// As a versioned struct, else a legacy one.
    versioned: bool,
    /// Whether it may be written if the producer does not say otherwise.
    exclusive: bool,
    /// Whether the producer has made it safe on our default stream of its device; else it is ready.
    ordered: bool,
    /// What the producer says where it is.
    device: [i32; 2],
}

/// Takes over a managed tensor, also where that fails: its deleter is called then.
///
/// # Safety
/// `managed` is a live managed tensor that the caller gives away, of the kind that `origin` says, under the
/// conditions of [`Capsule::from_raw`]; `to` is a place for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn interop_import(
    managed: *mut c_void,
    origin: *const Origin,
    to: *mut *mut Held,
) -> i32 {
    guarded(|| {
        // SAFETY: passed on to the caller.
        unsafe {
            let origin = &*origin;
            let content = if origin.versioned {
                import::<Versioned>(managed, origin)?
            } else {
                import::<Legacy>(managed, origin)?
            };
            Held::put(content, to)
        }
    })
}

/// # Safety
/// As [`interop_import`].
unsafe fn import<M: Managed>(managed: *mut c_void, origin: &Origin) -> Result<Content, Failure> {
    // SAFETY: the caller's.
    let capsule = unsafe { Capsule::<M>::from_raw(managed.cast())? };
    let [kind, id] = origin.device;
    let stream = if origin.ordered { Some(device(kind, id)?.stream()?) } else { None };
    let shared = SharedArray::from_dlpack(capsule, stream.as_ref())?;
    if !origin.exclusive {
        return Ok(Content::Shared(shared));
    }
    Ok(shared.try_into_array().map_or_else(Content::Shared, Content::Exclusive))
}
