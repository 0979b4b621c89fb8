//! cuFFT, where the feature `cuda` is off.

use std::convert::Infallible;
use std::sync::Arc;

use super::transform::Transform;
use crate::{Backend, Device, DeviceKind, Error, Memory, Result, Stream};

/// A plan of cuFFT, which was left out: there is none to be had.
#[derive(Debug)]
pub struct FftPlan(Infallible);

/// Refuses.
///
/// # Errors
/// [`Error::Unavailable`], always; [`Error::Unsupported`] for a stream of another kind of device.
pub fn fft_plan(stream: &Stream, _: &Transform) -> Result<Arc<FftPlan>> {
    if stream.device().kind() == DeviceKind::Cuda {
        Backend::Cuda.enabled()?;
    }
    Err(Error::Unsupported { device: stream.device().to_string(), what: "cuFFT".into() })
}

/// None.
#[must_use]
pub fn fft_plans(_: Device) -> usize {
    0
}

impl FftPlan {
    /// Cannot be called.
    #[must_use]
    pub fn transform(&self) -> &Transform {
        match self.0 {}
    }

    /// Cannot be called.
    #[must_use]
    pub fn work_bytes(&self) -> usize {
        match self.0 {}
    }

    /// Cannot be called.
    ///
    /// # Errors
    /// None.
    ///
    /// # Safety
    /// There is nothing to keep to.
    pub unsafe fn run(
        &self,
        _: &Stream,
        _: (&Memory, usize),
        _: (&Memory, usize),
        _: &Memory,
        _: bool,
    ) -> Result<()> {
        match self.0 {}
    }
}
