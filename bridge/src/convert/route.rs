//! Where an array goes.

use arrayspan_devices::{Device, Stream};

use super::{ConvertStep, ConvertSteps};
use crate::copy::streams::stream_between;
use crate::{Array, Crossing, Result, Transfer, View, Why};

/// Where an array goes, on which stream, and whether it may be copied on the way.
#[derive(Clone, Copy, Debug)]
pub struct Route<'s> {
    device: Device,
    stream: Option<&'s Stream>,
    transfer: Transfer,
}

impl<'s> Route<'s> {
    pub(super) fn new(device: Device, stream: Option<&'s Stream>, transfer: Transfer) -> Self {
        Self { device, stream, transfer }
    }

    /// The device the array goes to.
    #[must_use]
    pub fn device(&self) -> Device {
        self.device
    }

    /// Whether a needed copy is made or is an error.
    #[must_use]
    pub fn transfer(&self) -> Transfer {
        self.transfer
    }

    /// The stream that was named, if it is one of the device the array goes to: the output must be ready
    /// on it. Without it the output must be ready for everybody.
    #[must_use]
    pub fn stream(&self) -> Option<&'s Stream> {
        self.stream.filter(|stream| stream.device() == self.device)
    }

    /// The stream for copies from `from`: the named one, else a default one.
    ///
    /// # Errors
    /// When the driver cannot make it.
    pub fn copy_stream(&self, from: Device) -> Result<Stream> {
        self.stream.map_or_else(|| stream_between(from, self.device), |stream| Ok(stream.clone()))
    }

    /// The crossing by a copy of `view`, if it is allowed: recorded as `step` for the reason `why`, or as a
    /// transfer if the elements are on another device. Nothing is copied here.
    ///
    /// # Errors
    /// [`Error::CopyRefused`](crate::Error::CopyRefused).
    pub fn allow(
        &self,
        view: &View<'_>,
        why: Why,
        step: ConvertStep,
    ) -> Result<(ConvertStep, Crossing)> {
        let bytes = view.layout().bytes("convert", view.dtype())?;
        let (step, why) = if view.device() == self.device {
            (step, why)
        } else {
            (ConvertStep::Transfer, Why::OtherDevice)
        };
        Ok((step, self.transfer.copy("convert", why, bytes)?))
    }

    /// A row-major copy of `view` where the array goes, if that is allowed, recorded as in
    /// [`allow`](Self::allow).
    ///
    /// # Errors
    /// [`Error::CopyRefused`](crate::Error::CopyRefused); out of memory; the driver's refusal.
    pub fn copy(
        &self,
        view: &View<'_>,
        why: Why,
        step: ConvertStep,
        steps: &mut ConvertSteps,
    ) -> Result<Array> {
        let (step, crossing) = self.allow(view, why, step)?;
        let stream = self.copy_stream(view.device())?;
        let (array, _) = view.to_with(self.device, Transfer::CopyIfNeeded, &stream)?;
        steps.record(step, crossing);
        Ok(array)
    }
}
