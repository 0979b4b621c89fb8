//! Arrays for other libraries.

use std::ffi::c_void;
use std::mem::replace;

use arrayspan_bridge::dlpack::{Capsule, Legacy, Managed, Versioned};
use arrayspan_bridge::{Crossing, Transfer, View};
use arrayspan_devices::Stream;

use crate::error::{Failure, guarded, misuse};
use crate::held::{Content, Held, gone};
use crate::places::consumer;

/// How an array shall be handed over.
#[repr(C)]
#[derive(Debug)]
pub struct Manner {
    /// As a versioned struct, else a legacy one.
    versioned: bool,
    /// Never (0), always (1), or if needed (anything else).
    copy: i32,
    /// The number Python gives to `__dlpack__`; 0 for none.
    stream: i64,
}

/// What was handed over.
#[repr(C)]
#[derive(Debug)]
pub struct Handed {
    /// The managed tensor, whose deleter the caller must see called.
    managed: *mut c_void,
    copied: bool,
}

/// Hands an array over. An exclusive one is gone afterwards, unless it was copied.
///
/// # Safety
/// The handle is live, `manner` is one, and `to` is a place for the answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn interop_export(
    handle: *const Held,
    manner: *const Manner,
    to: *mut Handed,
) -> i32 {
    guarded(|| {
        // SAFETY: the caller's.
        let mut content = unsafe { Held::open(handle)? };
        // SAFETY: the caller's.
        let Some(manner) = (unsafe { manner.as_ref() }) else { return misuse("no manner") };
        let handed = if manner.versioned {
            export::<Versioned>(&mut content, manner)?
        } else {
            export::<Legacy>(&mut content, manner)?
        };
        // SAFETY: the caller's place.
        unsafe { to.write(handed) };
        Ok(())
    })
}

fn export<M: Managed>(content: &mut Content, manner: &Manner) -> Result<Handed, Failure> {
    let stream = consumer(content.view()?.device(), manner.stream)?;
    let (capsule, crossing) = match manner.copy {
        1 => copied::<M>(&content.view()?, stream.as_ref())?,
        copy => {
            let transfer = if copy == 0 { Transfer::ZeroCopyOnly } else { Transfer::CopyIfNeeded };
            lent::<M>(content, transfer, stream.as_ref())?
        }
    };
    let copied = crossing != Crossing::ZeroCopy;
    Ok(Handed { managed: capsule.into_raw().cast(), copied })
}

fn copied<M: Managed>(
    view: &View<'_>,
    stream: Option<&Stream>,
) -> Result<(Capsule<M>, Crossing), Failure> {
    Ok(view.to_dlpack(stream)?)
}

fn lent<M: Managed>(
    content: &mut Content,
    transfer: Transfer,
    stream: Option<&Stream>,
) -> Result<(Capsule<M>, Crossing), Failure> {
    match replace(content, Content::Gone) {
        Content::Exclusive(array) => Ok((array.into_dlpack(stream)?, Crossing::ZeroCopy)),
        Content::Shared(array) => {
            let handed = array.to_dlpack(transfer, stream);
            *content = Content::Shared(array);
            Ok(handed?)
        }
        Content::Gone => Err(gone()),
    }
}
