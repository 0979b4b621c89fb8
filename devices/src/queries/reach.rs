//! How bytes get from one device to another.

use crate::{Device, Reach};

pub(super) fn between(from: Device, to: Device) -> Reach {
    if from == to || from.is_cpu() || to.is_cpu() {
        return Reach::Direct;
    }
    from.0.driver.reach(&*to.0.driver).unwrap_or_else(|error| {
        tracing::warn!(%error, %from, %to, "a driver does not say how to reach a device");
        Reach::None
    })
}
