//! From one device to another.

use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::Update;

use crate::{Context, Result, Space};

/// `y ← alpha · x + beta · y`, with `x` on another device than `y`, where `on` is. Enqueued; the host waits only where a copy
/// between the two must.
///
/// Copied to where it goes if it is only that, and else by way of an array beside it.
pub(super) fn run(on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
    if update == Update::set() {
        return carry(&on, x, y);
    }
    let (mut landed, on) = on.scratch(&Space::new(y.shape(), y.dtype())?)?;
    carry(&on, x, landed.reborrow())?;
    Ok(on.copy(landed.view(), y, update)?)
}

/// On the stream of the device that has one, and of the one that it goes to if both do.
fn carry(on: &Context<'_>, x: View<'_>, y: ViewMut<'_>) -> Result<()> {
    let worker = if y.device().is_cpu() { x.device() } else { y.device() };
    Ok(on.executor_of(worker).unwrap_or(&**on).transfer(x, y)?)
}
