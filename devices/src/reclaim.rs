//! Memory that others keep on a device without using it, and how to get it back.

use std::fmt::Debug;

use parking_lot::RwLock;

use crate::{Device, Result};

/// A library that keeps freed memory of devices for itself, as torch's caching allocator does.
pub trait Reclaim: Debug + Send + Sync {
    /// Its name in reports.
    fn name(&self) -> &'static str;

    /// What it holds on `device`; `None` where it holds nothing or cannot tell.
    fn holdings(&self, device: Device) -> Option<Holdings>;

    /// Gives what it does not use on `device` back to the driver. May wait for the device.
    ///
    /// # Errors
    /// When the library fails; it keeps what it has then.
    fn release(&self, device: Device) -> Result<()>;
}

/// What a library holds on a device, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holdings {
    /// In use.
    pub live_bytes: usize,
    /// The largest `live_bytes` so far.
    pub peak_bytes: usize,
    /// Taken from the driver, in use or not.
    pub reserved_bytes: usize,
}

static LIBRARIES: RwLock<Vec<&'static dyn Reclaim>> = RwLock::new(Vec::new());

/// Adds a library to those that are asked to give memory back. Twice is as good as once.
pub fn register(library: &'static dyn Reclaim) {
    let mut libraries = LIBRARIES.write();
    if !libraries.iter().any(|known| known.name() == library.name()) {
        libraries.push(library);
    }
}

/// The libraries that can give memory back, in the order they were registered.
#[must_use]
pub fn libraries() -> Vec<&'static dyn Reclaim> {
    LIBRARIES.read().clone()
}
