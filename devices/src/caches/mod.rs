//! Everything that is kept on devices to be used again, and one call that gives it all back.
//!
//! ```
//! use arrayspan_devices::{Device, caches};
//!
//! let scope = caches::scope(Device::cpu());
//! // Work that leaves blocks in pools, kernels in memory, scratch with libraries.
//! println!("{}", scope.end());
//! ```

use std::fmt;
use std::time::{Duration, Instant};

use crate::memory::recover;
use crate::memory::retry::Recovered;
use crate::{Device, Specialisation};

/// What was given back, and by whom.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Cleared {
    /// One entry for each cache: our pools, kernels, workspaces, other libraries, in this order.
    pub parts: Vec<(Device, Recovered)>,
    /// How long all of it took.
    pub took: Duration,
}

impl Cleared {
    /// The bytes that were released, as far as they are known.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.parts.iter().filter_map(|(_, part)| part.freed).sum()
    }

    /// What failed; the others were cleared all the same.
    pub fn failures(&self) -> impl Iterator<Item = &crate::Error> {
        self.parts.iter().filter_map(|(_, part)| part.failure.as_ref())
    }
}

/// Waits for the device's work, then gives back all that is kept on it for later: what our pools hold unused,
/// page-locked memory too, kernels, workspaces, and the caches of other libraries (torch's). Arrays stay as
/// they are. What is needed again is made again. Called by an implementation of
/// [`Reclaim`](crate::reclaim::Reclaim) during a release, it does nothing.
pub fn clear(device: Device) -> Cleared {
    cleared(&[device])
}

/// As [`clear`], on every device.
pub fn clear_all() -> Cleared {
    cleared(&Device::all())
}

fn cleared(devices: &[Device]) -> Cleared {
    let begin = Instant::now();
    let parts = |device: &Device| {
        let device = *device;
        recover::clear(device).into_iter().map(move |part| (device, part))
    };
    Cleared { parts: devices.iter().flat_map(parts).collect(), took: begin.elapsed() }
}

/// How many different kernels are kept in memory for a device: those of one source are one.
#[must_use]
pub fn kernels(device: Device) -> usize {
    device.0.kernels.distinct()
}

/// How many of these kernels are made for an `S`.
#[must_use]
pub fn kernels_of<S: Specialisation>(device: Device) -> usize {
    device.0.kernels.count_of::<S>()
}

/// Begins a scope at whose end the caches of `device` are cleared.
pub fn scope(device: Device) -> CacheScope {
    CacheScope { device: Some(device) }
}

/// Clears the caches of a device when it ends: at [`end`](Self::end), or when it is dropped, which tells
/// [`tracing`] what came back.
#[derive(Debug)]
#[must_use = "the scope ends when this is dropped"]
pub struct CacheScope {
    /// Until it has ended.
    device: Option<Device>,
}

impl CacheScope {
    /// Ends the scope.
    pub fn end(mut self) -> Cleared {
        self.device.take().map(clear).unwrap_or_default()
    }
}

impl Drop for CacheScope {
    fn drop(&mut self) {
        if let Some(device) = self.device.take() {
            let cleared = clear(device);
            tracing::info!(%device, %cleared, "the end of a scope cleared the caches");
        }
    }
}

impl fmt::Display for Cleared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes given back in {:.1?}", self.bytes(), self.took)?;
        for (device, part) in self.parts.iter().filter(|(_, part)| part.freed != Some(0)) {
            write!(f, "\n  {device}: {part}")?;
        }
        Ok(())
    }
}
