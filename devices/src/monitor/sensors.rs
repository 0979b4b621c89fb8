//! What can be asked about the GPUs of a machine.

use super::readings::Readings;
use crate::{DeviceIdentity, Result};

/// What can be asked about the GPUs of this machine. NVML here; recorded values in tests.
pub(super) trait Sensors {
    /// Every GPU, in the library's own order; one that does not answer has no identity.
    fn gpus(&self) -> &[DeviceIdentity];
    /// The readings of the GPU at this place of [`gpus`](Self::gpus).
    fn read(&self, index: usize) -> Result<Readings>;
}
