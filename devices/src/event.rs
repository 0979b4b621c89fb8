//! A point in a stream.

use std::time::Duration;

use crate::driver::EventDriver;
use crate::{Device, Error, Result, fault};

/// A point in a stream: complete once the work queued before it is done.
#[derive(Debug)]
pub struct Event {
    device: Device,
    driver: Box<dyn EventDriver>,
}

impl Event {
    pub(crate) fn new(device: Device, driver: Box<dyn EventDriver>) -> Self {
        Self { device, driver }
    }

    /// The device of the stream it was recorded on.
    #[must_use]
    pub fn device(&self) -> Device {
        self.device
    }

    pub(crate) fn driver(&self) -> &dyn EventDriver {
        &*self.driver
    }

    /// Blocks the host until the work before the event is done.
    ///
    /// # Errors
    /// A failure of that work.
    pub fn synchronize(&self) -> Result<()> {
        self.driver.synchronize()?;
        // After the wait, because the caller may use the memory of failed work again: the work must have ended.
        fault::check(fault::FaultKind::Wait, self.device, 0)
    }

    /// Whether the work before the event is done. Does not wait.
    ///
    /// # Errors
    /// A failure of that work.
    pub fn is_complete(&self) -> Result<bool> {
        self.driver.is_complete()
    }

    /// Device time between two events of one device; waits for both.
    ///
    /// # Errors
    /// [`Error::WrongDevice`] for events of two devices; a failure of the work before them.
    pub fn elapsed_since(&self, earlier: &Event) -> Result<Duration> {
        if self.device != earlier.device {
            let (expected, found) = (self.device, earlier.device);
            return Err(Error::WrongDevice { operation: "elapsed_since", expected, found });
        }
        earlier.synchronize()?;
        self.synchronize()?;
        self.driver.elapsed_since(earlier.driver())
    }
}
