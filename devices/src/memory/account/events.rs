//! Events of the accounting for `tracing`, under the target `arrayspan::memory`.

use tracing::{Level, enabled};

use super::action::Action;
use crate::{Device, Error};

/// The target that subscribers filter by.
const TARGET: &str = "arrayspan::memory";

/// At level trace.
pub(super) fn allocated(device: Device, address: usize, bytes: usize) {
    if enabled!(target: TARGET, Level::TRACE) {
        tell("allocated", device, address, bytes);
    }
}

/// At level trace.
pub(super) fn freed(device: Device, address: usize, bytes: usize) {
    if enabled!(target: TARGET, Level::TRACE) {
        tell("freed", device, address, bytes);
    }
}

/// Not inlined: the common case, without a subscriber, stays short.
#[cold]
fn tell(what: &'static str, device: Device, address: usize, bytes: usize) {
    tracing::trace!(target: TARGET, %device, bytes, address = format_args!("{address:#x}"), "{what}");
}

/// At level debug: the pool has taken memory from the driver or given some back.
pub(super) fn reserved(device: Device, action: Action, bytes: usize) {
    let reserved = device.0.pool.reserved();
    let what = if action == Action::Grow { "pool grown" } else { "pool trimmed" };
    tracing::debug!(target: TARGET, %device, bytes, reserved, "{what}");
}

/// At level warn.
#[cold]
pub(super) fn refused(device: Device, bytes: usize, error: &Error) {
    let live = device.0.counters.live_bytes();
    tracing::warn!(target: TARGET, %device, bytes, live, %error, "allocation refused");
}
