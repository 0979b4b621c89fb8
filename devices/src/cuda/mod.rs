//! CUDA devices.

use crate::driver::{DeviceDriver, Driver};
use crate::{DeviceKind, Error, Result};

#[derive(Debug)]
pub(crate) struct Cuda;

impl Driver for Cuda {
    fn kind(&self) -> DeviceKind {
        DeviceKind::Cuda
    }

    fn dlpack_type(&self) -> i32 {
        2
    }

    fn dialect(&self) -> Option<&'static str> {
        None
    }

    fn open(&self) -> Result<Vec<Box<dyn DeviceDriver>>> {
        Err(Error::Unavailable { what: "CUDA".into(), why: "skeleton".into() })
    }
}
