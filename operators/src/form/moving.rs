//! From one device to another.

use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::Update;

use crate::{Context, Error, Result, Space};

/// `y ← alpha · x + beta · y`, with `x` on another device than `y`, where `on` is. Enqueued; the host waits only where a copy
/// between the two must.
///
/// Copied to where it goes if it is only that, and else by way of an array beside it.
pub(super) fn run(on: Context<'_>, x: &View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
    let mut y = y;
    if update == Update::set() {
        return carry(&on, x, &mut y);
    }
    let (mut landed, on) = on.scratch(&Space::new(y.shape(), y.dtype())?)?;
    carry(&on, x, &mut landed)?;
    Ok(on.copy(landed.view(), y, update)?)
}

/// On the stream of the device that has one, and of the one that it goes to if both do.
fn carry(on: &Context<'_>, x: &View<'_>, y: &mut ViewMut<'_>) -> Result<()> {
    if on.records() {
        // It is no verb, so that the plan would go without it.
        let why = "a plan keeps the calls of one device".to_owned();
        return Error::parameter("ToDevice", why);
    }
    let worker = if y.device().is_cpu() { x.device() } else { y.device() };
    let stream = on.stream_of(worker).unwrap_or_else(|| on.stream());
    Ok(y.copy_from(x, stream)?)
}
