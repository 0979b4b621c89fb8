//! Arrays for other libraries.

use std::ffi::c_void;
use std::mem::replace;

use arrayspan_bridge::dlpack::{Capsule, Legacy, Managed, Versioned};
use arrayspan_bridge::{Crossing, Transfer};
use arrayspan_devices::Stream;

use crate::error::{Failure, guarded, misuse};
use crate::held::{Content, Held, gone};
use crate::places::Order;

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
/// The handle is live, `manner` is one whose stream is live, and `to` is a place for the answer.
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
        // SAFETY: passed on to the caller.
        let order = unsafe { Order::new(content.view()?.device(), manner.stream)? };
        let handed = if manner.versioned {
            export::<Versioned>(&mut content, manner.copy, order.as_ref())?
        } else {
            export::<Legacy>(&mut content, manner.copy, order.as_ref())?
        };
        // SAFETY: the caller's place.
        unsafe { to.write(handed) };
        Ok(())
    })
}

fn export<M: Managed>(
    content: &mut Content,
    copy: i32,
    order: Option<&Order>,
) -> Result<Handed, Failure> {
    let stream = Order::stream(order);
    let (capsule, crossing) = match copy {
        0 => lent::<M>(content, Transfer::ZeroCopyOnly, stream)?,
        1 => content.view()?.to_dlpack(stream)?,
        _ => lent::<M>(content, Transfer::CopyIfNeeded, stream)?,
    };
    order.map_or(Ok(()), Order::hand_on)?;
    let copied = crossing != Crossing::ZeroCopy;
    Ok(Handed { managed: capsule.into_raw().cast(), copied })
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
