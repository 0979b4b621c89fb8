//! Arrays from device to device.

use std::sync::Arc;

use arrayspan_devices::{Device, Memory, Stream};

use crate::copy::between;
use crate::copy::device::CopyLaunch;
use crate::copy::streams::{expect_stream, stream_between, stream_of};
use crate::{Array, Crossing, Error, Layout, Result, SharedArray, Transfer, View, ViewMut, Why};

impl Array {
    /// The array on `device`: itself if it is there, else a row-major copy. Enqueued on the default
    /// stream of the device that is not the CPU; waits as [`View::to_with`] does.
    ///
    /// ```
    /// use arrayspan_bridge::{Array, Crossing, devices::Device};
    ///
    /// let x = Array::from_vec(vec![1.0, 2.0], [2])?;
    /// let copy = x.to(Device::best())?.0; // `x` stays where it is
    /// let (x, crossing) = x.into_device(Device::cpu())?;
    /// assert_eq!((x.shape(), crossing), (copy.shape(), Crossing::ZeroCopy));
    /// # Ok::<(), arrayspan_bridge::Error>(())
    /// ```
    ///
    /// # Errors
    /// Out of memory; the driver's refusal. The array is dropped then.
    #[track_caller]
    pub fn into_device(self, device: Device) -> Result<(Self, Crossing)> {
        let stream = stream_between(self.device(), device)?;
        self.into_device_with(device, Transfer::CopyIfNeeded, &stream)
    }

    /// As [`into_device`](Self::into_device), on `stream`, a stream of either device.
    ///
    /// # Errors
    /// As [`View::to_with`]; the array is dropped then.
    #[track_caller]
    pub fn into_device_with(
        self,
        device: Device,
        transfer: Transfer,
        stream: &Stream,
    ) -> Result<(Self, Crossing)> {
        if self.device() == device {
            return Ok((self, Crossing::ZeroCopy));
        }
        self.view().to_with(device, transfer, stream)
    }

    /// A row-major copy on `device`, even if the array is there; [`into_device`](Self::into_device) copies only what has to
    /// move. Enqueued and waits as [`View::to`].
    ///
    /// # Errors
    /// Out of memory; the driver's refusal.
    #[track_caller]
    pub fn to(&self, device: Device) -> Result<(Self, Crossing)> {
        self.view().to(device)
    }

    /// As [`to`](Self::to), on `stream`, a stream of either device.
    ///
    /// # Errors
    /// As [`View::to_with`].
    #[track_caller]
    pub fn to_with(
        &self,
        device: Device,
        transfer: Transfer,
        stream: &Stream,
    ) -> Result<(Self, Crossing)> {
        self.view().to_with(device, transfer, stream)
    }
}

impl SharedArray {
    /// The array on `device`: itself if it is there, else a row-major copy. Enqueued on the default
    /// stream of the device that is not the CPU; waits as [`View::to_with`] does.
    ///
    /// # Errors
    /// Out of memory; the driver's refusal.
    #[track_caller]
    pub fn to(&self, device: Device) -> Result<(Self, Crossing)> {
        let stream = stream_between(self.device(), device)?;
        self.to_with(device, Transfer::CopyIfNeeded, &stream)
    }

    /// As [`to`](Self::to), on `stream`, a stream of either device.
    ///
    /// # Errors
    /// As [`View::to_with`].
    #[track_caller]
    pub fn to_with(
        &self,
        device: Device,
        transfer: Transfer,
        stream: &Stream,
    ) -> Result<(Self, Crossing)> {
        if self.device() == device {
            return Ok((self.clone(), Crossing::ZeroCopy));
        }
        let (array, crossing) = self.view().to_with(device, transfer, stream)?;
        Ok((array.into_shared(), crossing))
    }
}

impl View<'_> {
    /// A row-major copy on `device`. Enqueued on the default stream of the device that is not the CPU;
    /// waits as [`to_with`](Self::to_with) does.
    ///
    /// # Errors
    /// Out of memory; the driver's refusal.
    #[track_caller]
    pub fn to(&self, device: Device) -> Result<(Array, Crossing)> {
        self.to_with(device, Transfer::CopyIfNeeded, &stream_between(self.device(), device)?)
    }

    /// A row-major copy on `device`, made on `stream`, a stream of either device.
    ///
    /// Enqueued; later work on the copy, the host's own included, waits for it. The host waits here only
    /// where it must put elements in order itself, for strided arrays on the CPU, and where
    /// [`Memory::copy_to`] does: for host memory that is only borrowed or not page-locked, and between devices of two
    /// kinds. Strided arrays elsewhere are put in order by a kernel of their device.
    ///
    /// # Errors
    /// [`Error::CopyRefused`](crate::Error::CopyRefused) under [`Transfer::ZeroCopyOnly`], since a view
    /// never owns what it shows; [`Error::WrongDevice`](crate::Error::WrongDevice) for a stream of a third device; out
    /// of memory; the driver's refusal.
    #[track_caller]
    pub fn to_with(
        &self,
        device: Device,
        transfer: Transfer,
        stream: &Stream,
    ) -> Result<(Array, Crossing)> {
        expect_stream("to", stream, [device, self.device()])?;
        let bytes = self.layout().bytes("to", self.dtype())?;
        let why = if self.device() == device { Why::Borrowed } else { Why::OtherDevice };
        let crossing = transfer.copy("to", why, bytes)?;
        let mut array = {
            let own = stream_of(device, stream)?;
            Array::empty_for("to", self.shape(), self.dtype(), &own)?
        };
        between::copy(self, &mut array.view_mut(), stream)?;
        Ok((array, crossing))
    }

    /// A row-major copy on the same device. Enqueued on its default stream; does not wait.
    ///
    /// # Errors
    /// Out of memory; the driver's refusal.
    #[track_caller]
    pub fn to_array(&self) -> Result<Array> {
        self.to(self.device()).map(|(array, _)| array)
    }

    /// Copies the elements row-major to the start of `target`, a block of `bytes` bytes nobody else uses.
    pub(crate) fn copy_packed(
        &self,
        target: &Arc<Memory>,
        bytes: usize,
        stream: &Stream,
    ) -> Result<()> {
        debug_assert!(bytes <= target.bytes());
        let layout = Layout::contiguous(self.shape())?;
        between::copy(self, &mut ViewMut::new(target, layout, self.dtype()), stream)
    }
}

impl ViewMut<'_> {
    /// Copies the elements of an array of the same shape and dtype over these, whatever the layouts and devices.
    ///
    /// Enqueued on `stream`, a stream of either device; waits as [`View::to_with`] does. Strided elements travel
    /// between devices packed, by way of a block on each device that needs one.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::DType`]; [`Error::WrongDevice`] for a stream of a third device; out of memory; the
    /// driver's refusal.
    pub fn copy_from(&mut self, from: &View<'_>, stream: &Stream) -> Result<()> {
        let operation = "copy_from";
        if from.shape() != self.shape() {
            let (expected, found) = (self.shape().to_vec(), from.shape().to_vec());
            return Err(Error::Shape { operation, expected, found });
        }
        if from.dtype() != self.dtype() {
            let (expected, found) = (self.dtype(), from.dtype());
            return Err(Error::DType { operation, expected, found });
        }
        expect_stream(operation, stream, [self.device(), from.device()])?;
        between::copy(from, self, stream)
    }

    /// What [`copy_from`](Self::copy_from) would launch for an array of the same shape and dtype on the same device, for those who
    /// launch it themselves; `None` where it launches nothing, and for an array of another shape, dtype or device.
    #[must_use]
    pub fn copy_launch<'m>(&'m mut self, from: &'m View<'_>) -> Option<CopyLaunch<'m>> {
        let alike = from.shape() == self.shape() && from.dtype() == self.dtype();
        if alike { between::launch(from, self) } else { None }
    }
}
