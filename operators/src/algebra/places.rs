//! On which devices the models and data of compositions live.

use arrayspan_bridge::devices::Device;

use crate::{Devices, Error, LinearMap, Operator, Result};

/// Those of parts that share domain and range, or have parts of one domain and one range: sums and stacks.
pub(super) fn together(operation: &str, parts: &[Operator]) -> Result<Option<Devices>> {
    let mut bound = parts.iter().filter_map(|part| Some((part, part.devices()?)));
    let Some((first, devices)) = bound.next() else { return Ok(None) };
    for (other, found) in bound {
        let sides =
            [("domain", devices.domain, found.domain), ("range", devices.range, found.range)];
        for (side, left, right) in sides {
            if left != right {
                let which = format!("{side} of {} and {side} of {}", first.name(), other.name());
                return Err(Error::devices(operation, which, left, right));
            }
        }
    }
    // An operator that is not bound has both on one device.
    match parts.iter().find(|part| part.devices().is_none()) {
        Some(free) if devices.one().is_none() => {
            let Devices { domain, range } = devices;
            let (free, first) = (free.name(), first.name());
            let which =
                format!("domain and range of {first}, beside {free}, which has both on one,");
            Err(Error::devices(operation, which, domain, range))
        }
        _ => Ok(Some(devices)),
    }
}

/// Those of a product.
pub(super) fn chained(
    operation: &str,
    outer: &Operator,
    inner: &Operator,
) -> Result<Option<Devices>> {
    let met = |left: Device, right: Device| {
        let which = || format!("domain of {} and range of {}", outer.name(), inner.name());
        if left == right { Ok(()) } else { Err(Error::devices(operation, which(), left, right)) }
    };
    match (outer.devices(), inner.devices()) {
        (Some(outer), Some(inner)) => {
            met(outer.domain, inner.range)?;
            Ok(Some(Devices { domain: inner.domain, range: outer.range }))
        }
        // The one that is not bound has models and data on one device, which the other tells.
        (outer, inner) => Ok(outer.or(inner)),
    }
}
