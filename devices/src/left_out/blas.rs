//! cuBLAS, where the feature `cuda` is off.

use std::convert::Infallible;

use super::product::{Factors, Product};
use crate::{Backend, DeviceKind, Error, Result, Stream};

/// cuBLAS, which was left out: there is none to be had.
#[derive(Debug)]
pub struct Blas(Infallible);

impl Blas {
    /// Refuses.
    ///
    /// # Errors
    /// [`Error::Unavailable`], always; [`Error::Unsupported`] for a stream of another kind of device.
    pub fn new(stream: &Stream) -> Result<Self> {
        if stream.device().kind() == DeviceKind::Cuda {
            Backend::Cuda.enabled()?;
        }
        Err(Error::Unsupported { device: stream.device().to_string(), what: "cuBLAS".into() })
    }

    /// Cannot be called.
    ///
    /// # Errors
    /// None.
    ///
    /// # Safety
    /// There is nothing to keep to.
    pub unsafe fn multiply(&self, _: &Product<'_>, _: Factors<'_>) -> Result<()> {
        match self.0 {}
    }
}
