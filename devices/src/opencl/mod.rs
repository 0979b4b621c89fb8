//! OpenCL devices.

use crate::driver::{DeviceDriver, Driver};
use crate::{DeviceKind, Error, Result};

#[derive(Debug)]
pub(crate) struct OpenCl;

impl Driver for OpenCl {
    fn kind(&self) -> DeviceKind {
        DeviceKind::OpenCl
    }

    fn dlpack_type(&self) -> i32 {
        4
    }

    fn open(&self) -> Result<Vec<Box<dyn DeviceDriver>>> {
        Err(Error::Unavailable { what: "OpenCL".into(), why: "skeleton".into() })
    }
}
