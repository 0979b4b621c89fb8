//! Which device an error of the driver is about.

use std::fmt;
use std::sync::Arc;

use cl3::error_codes::{CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY, error_text};

use super::lost;
use crate::driver::DeviceDriver;
use crate::health::Health;
use crate::{Device, Error};

/// The number of a device and the state it is in. What an `OpenCL` device is known by behind the trait.
#[derive(Debug, Default)]
pub(super) struct Place {
    pub(super) gpu_id: usize,
    pub(super) health: Arc<Health>,
}

impl Place {
    /// That behind the trait, if the device is one of `OpenCL`'s.
    pub(super) fn of(device: &dyn DeviceDriver) -> Option<&Self> {
        device.as_any().downcast_ref()
    }

    /// The error for a call that returned `code`.
    pub(super) fn failure(&self, call: &'static str, code: i32) -> Error {
        if code == CL_OUT_OF_HOST_MEMORY {
            return self.out_of_memory(0, code);
        }
        self.health.note(lost::failure(self.to_string(), call, error_text(code).into(), code))
    }

    /// The error for a size no block can have, or `code` as the driver means it.
    pub(super) fn out_of_memory(&self, bytes: usize, code: i32) -> Error {
        match Device::opencl(self.gpu_id) {
            Ok(device) => Error::out_of_memory(device, bytes, code),
            Err(error) => error,
        }
    }

    /// The error of a call on a block, where `code` may mean that the block found no memory.
    pub(super) fn of_use(&self, call: &'static str, bytes: usize, code: i32) -> Error {
        if means_no_memory(code) {
            return self.out_of_memory(bytes, code);
        }
        self.failure(call, code)
    }
}

/// Whether a code means that memory ran out.
pub(super) fn means_no_memory(code: i32) -> bool {
    matches!(code, CL_MEM_OBJECT_ALLOCATION_FAILURE | CL_OUT_OF_HOST_MEMORY)
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "opencl:{}", self.gpu_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_alone_tell_a_lack_of_memory() {
        let found: Vec<i32> = (-100..1000).filter(|code| means_no_memory(*code)).collect();
        assert_eq!(found, [-6, -4]);
    }
}
