//! Arrays from device to device.

use arrayspan_devices::{Access, Device, Memory, Stream};

use crate::layout::wrong;
use crate::{
    Array, Crossing, Error, Layout, Result, SharedArray, Transfer, View, ViewMut, Why, host,
};

impl Array {
    /// The array on `device`: itself if it is there, else a row-major copy. Enqueued on the default
    /// stream of the device that is not the CPU; waits as [`View::to_with`] does.
    ///
    /// # Errors
    /// Out of memory; the driver's refusal.
    pub fn to(self, device: Device) -> Result<(Self, Crossing)> {
        let stream = between(self.device(), device)?;
        self.to_with(device, Transfer::CopyIfNeeded, &stream)
    }

    /// As [`to`](Self::to), on `stream`, a stream of either device.
    ///
    /// # Errors
    /// As [`View::to_with`]; the array is dropped then.
    pub fn to_with(
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
}

impl SharedArray {
    /// The array on `device`: itself if it is there, else a row-major copy. Enqueued on the default
    /// stream of the device that is not the CPU; waits as [`View::to_with`] does.
    ///
    /// # Errors
    /// Out of memory; the driver's refusal.
    pub fn to(&self, device: Device) -> Result<(Self, Crossing)> {
        let stream = between(self.device(), device)?;
        self.to_with(device, Transfer::CopyIfNeeded, &stream)
    }

    /// As [`to`](Self::to), on `stream`, a stream of either device.
    ///
    /// # Errors
    /// As [`View::to_with`].
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
    pub fn to(&self, device: Device) -> Result<(Array, Crossing)> {
        self.to_with(device, Transfer::CopyIfNeeded, &between(self.device(), device)?)
    }

    /// A row-major copy on `device`, made on `stream`, a stream of either device.
    ///
    /// Enqueued; later work on the copy, the host's own included, waits for it. The host waits here only
    /// where it must put elements in order itself: for strided arrays that go between the CPU and a
    /// device, or between devices of two kinds.
    ///
    /// # Errors
    /// [`Error::CopyRefused`](crate::Error::CopyRefused) under [`Transfer::ZeroCopyOnly`], since a view
    /// never owns what it shows; out of memory; a stream of a third device; the driver's refusal.
    pub fn to_with(
        &self,
        device: Device,
        transfer: Transfer,
        stream: &Stream,
    ) -> Result<(Array, Crossing)> {
        let bytes = self.layout().bytes("to", self.dtype())?;
        let why = if self.device() == device { Why::Borrowed } else { Why::OtherDevice };
        let crossing = transfer.copy("to", why, bytes)?;
        let array = Array::empty(self.shape(), self.dtype(), &stream_of(device, stream)?)?;
        self.copy_packed(array.memory(), bytes, stream)?;
        Ok((array, crossing))
    }

    /// A row-major copy on the same device. Enqueued on its default stream; does not wait.
    ///
    /// # Errors
    /// Out of memory; the driver's refusal.
    pub fn to_array(&self) -> Result<Array> {
        self.to(self.device()).map(|(array, _)| array)
    }

    /// Copies the elements row-major to the start of `target`, a block of `bytes` bytes nobody else uses.
    pub(crate) fn copy_packed(&self, target: &Memory, bytes: usize, stream: &Stream) -> Result<()> {
        let (from, to) = (self.device(), target.device());
        if bytes == 0 {
            return Ok(());
        }
        if self.layout().is_contiguous() {
            let start = self.layout().offset() * self.dtype().bytes();
            // SAFETY: nobody else uses the target, and this borrow keeps writers from the elements.
            unsafe { self.memory().copy_to(start, target, 0, bytes, stream)? };
            return Ok(());
        }
        if !from.is_cpu() && from.kind() == to.kind() {
            return self.copy_runs(target, stream);
        }
        if to.is_cpu() {
            return self.gather_to(target, stream);
        }
        let staging = Memory::allocate(bytes, &Device::cpu().stream()?)?;
        self.gather_to(&staging, stream)?;
        // SAFETY: nobody else uses the target or knows the staging block.
        unsafe { staging.copy_to(0, target, 0, bytes, &stream_of(to, stream)?)? };
        Ok(())
    }

    /// One copy for each run without gaps.
    fn copy_runs(&self, target: &Memory, stream: &Stream) -> Result<()> {
        let size = self.dtype().bytes();
        let runs = self.layout().runs();
        let bytes = runs.len * size;
        for (i, place) in runs.enumerate() {
            // SAFETY: as in `copy_packed`.
            unsafe { self.memory().copy_to(place * size, target, i * bytes, bytes, stream)? };
        }
        Ok(())
    }

    /// Puts the elements row-major into host memory. Waits for them.
    fn gather_to(&self, target: &Memory, stream: &Stream) -> Result<()> {
        let size = self.dtype().bytes();
        if self.device().is_cpu() {
            self.memory().wait(Access::Read)?;
            // SAFETY: arrays lie within their blocks; the target is ours alone and has the room.
            unsafe { gather(self.memory(), self.layout(), size, target) };
            return Ok(());
        }
        let down = stream_of(self.device(), stream)?;
        let runs = self.layout().runs();
        let Some((low, high)) = self.layout().extent() else { return Ok(()) };
        let span = (high + 1 - low) * size;
        if span > self.layout().len() * size + runs.len() * RUN_BYTES {
            self.copy_runs(target, &down)?;
            return Ok(target.wait(Access::Read)?);
        }
        // Denser than it is cheap to leave out the gaps: all comes, and the host picks.
        let staging = Memory::allocate(span, &Device::cpu().stream()?)?;
        // SAFETY: as in `copy_packed`. What lies between the elements may be written meanwhile by streams, which
        // the block keeps in order; off the CPU nobody else can.
        unsafe { self.memory().copy_to(low * size, &staging, 0, span, &down)? };
        staging.wait(Access::Read)?;
        let (shape, strides) = (self.shape(), self.layout().strides());
        let layout = Layout::strided(shape, strides, self.layout().offset() - low)?;
        // SAFETY: the layout moved down by its lowest place, which the staging block begins with.
        unsafe { gather(&staging, &layout, size, target) };
        Ok(())
    }
}

impl ViewMut<'_> {
    /// Copies the elements of an array of the same shape and dtype, on whatever device, over these. Enqueued on
    /// `stream`, a stream of either device; waits only where [`Memory::copy_to`] must.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::DType`]; [`Error::Layout`] unless both are contiguous (the `copy` verb takes
    /// any strides on one device); the driver's refusal.
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
        for layout in [from.layout(), self.layout()] {
            if !layout.is_contiguous() {
                let (shape, strides) = (layout.shape(), layout.strides());
                return Err(wrong(operation, shape, strides, "not contiguous"));
            }
        }
        let size = self.dtype().bytes();
        let start = |layout: &Layout| layout.offset() * size;
        let (from_start, to_start) = (start(from.layout()), start(self.layout()));
        let bytes = self.layout().len() * size;
        // SAFETY: this borrow keeps everybody else from the elements written, the other one keeps writers
        // from those read; host work on either is over when a call returns.
        unsafe { from.memory().copy_to(from_start, self.memory(), to_start, bytes, stream)? };
        Ok(())
    }
}

/// As [`host::gather`], from block to block.
///
/// # Safety
/// Both are host blocks the host may access; `layout` lies in the one and fits, packed, in the other.
unsafe fn gather(from: &Memory, layout: &Layout, size: usize, to: &Memory) {
    let from = std::ptr::with_exposed_provenance(from.address());
    let to = std::ptr::with_exposed_provenance_mut(to.address());
    // SAFETY: passed on to the caller.
    unsafe { host::gather(from, layout, size, to) };
}

/// Transferring this many bytes takes about as long as starting one more transfer.
const RUN_BYTES: usize = 64 << 10;

/// The stream that copies between two devices go to when none is named.
pub(crate) fn between(from: Device, to: Device) -> Result<Stream> {
    Ok(if to.is_cpu() { from.stream()? } else { to.stream()? })
}

/// `stream` if it is one of `device`, else that device's default stream.
fn stream_of(device: Device, stream: &Stream) -> Result<Stream> {
    Ok(if stream.device() == device { stream.clone() } else { device.stream()? })
}
