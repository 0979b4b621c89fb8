//! What arrays can be converted to.

use arrayspan_devices::{Device, DeviceKind};

use super::{ArrayKind, ConvertSteps, FailedConversion, Imported, Route};
use crate::{DType, Layout, Result};

/// A kind of array to convert to. The functions of [`to`](super::to) make them.
pub trait ArrayTarget {
    /// The type of the result.
    type Output;

    /// Its library.
    const KIND: ArrayKind;

    /// The kind of device that the output lives on; `None` where it stays on the device it is on.
    fn place(&self) -> Option<DeviceKind>;

    /// Whether such an array can become the output. Asked before anything is copied.
    ///
    /// # Errors
    /// What the target cannot take.
    fn accept(&self, layout: &Layout, dtype: DType, device: Device) -> Result<()> {
        let _ = (layout, dtype, device);
        Ok(())
    }

    /// Brings the array to the route's device and into the library, and records how.
    ///
    /// # Errors
    /// A refused copy, with the array as it was; out of memory; the driver's or library's refusal.
    fn export<'a>(
        &self,
        array: Imported<'a>,
        route: &Route<'_>,
        steps: &mut ConvertSteps,
    ) -> Result<Self::Output, FailedConversion<'a>>;
}
