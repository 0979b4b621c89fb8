//! Copies between blocks, whatever their devices.

use std::ptr;

use super::{Access, Memory, or_recover};
use crate::driver::Place;
use crate::{Device, DeviceKind, Error, Result, Stream, fault};

impl Memory {
    /// Copies `bytes` bytes at `start` to `to_start` of `to`, after earlier work on both blocks.
    ///
    /// Enqueued on `stream` (a stream of either block's device); does not wait, save where the host must:
    /// between two blocks of the CPU, between two devices without a common driver (the bytes pass
    /// through host memory), and on a CPU stream, whose work is done when a call returns.
    ///
    /// # Errors
    /// [`Error::OutOfRange`]; [`Error::WrongDevice`] if `stream` belongs to neither device;
    /// [`Error::Unsupported`] for overlapping ranges of one block of a device other than the CPU; the
    /// driver's refusal.
    ///
    /// # Safety
    /// While the copy is queued or under way nobody but streams, whose order the blocks keep, uses the two
    /// ranges: no Rust reference to an element of the one written lives, nor one through which the one read
    /// could be written.
    pub unsafe fn copy_to(
        &self,
        start: usize,
        to: &Memory,
        to_start: usize,
        bytes: usize,
        stream: &Stream,
    ) -> Result<()> {
        let from = self.place("copy from", start, bytes)?;
        let onto = to.place("copy to", to_start, bytes)?;
        if stream.device() != self.device() {
            stream.expect("copy", to.device())?;
        }
        if bytes == 0 {
            return Ok(());
        }
        self.refuse_overlap(from, to, onto, bytes)?;
        // The CPU has no queue: the other device's default stream moves the bytes, and the host waits.
        let worker = match stream.device().is_cpu() {
            true if !self.device().is_cpu() => self.device().stream()?,
            true if !to.device().is_cpu() => to.device().stream()?,
            _ => stream.clone(),
        };
        // Run again it writes the same bytes to the same places.
        or_recover(worker.device(), || {
            fault::check(fault::Kind::Copy, worker.device(), bytes)?;
            if !self.queue(from, to, onto, bytes, &worker)? {
                self.through_host(from, to, onto, bytes, &worker)?;
            }
            Ok(())
        })?;
        stream.wait_for(&worker)
    }

    /// Queues the copy if one driver can do it. The blocks stay locked from ordering to queueing, so
    /// that a copy another thread asks for at the same time comes wholly before or wholly after.
    fn queue(
        &self,
        from: Place,
        to: &Memory,
        onto: Place,
        bytes: usize,
        stream: &Stream,
    ) -> Result<bool> {
        let route = match (self.device().kind(), to.device().kind()) {
            (DeviceKind::Cpu, DeviceKind::Cpu) => Route::Within,
            (DeviceKind::Cpu, _) => Route::Up,
            (_, DeviceKind::Cpu) => Route::Down,
            (one, other) if one == other => Route::Within,
            _ => return Ok(false),
        };
        // Always in the order of their addresses: two threads that copy there and back cannot block
        // each other. One block that is both is locked once, for writing, which includes reading.
        let (low, high) = if ptr::from_ref(self) <= to { (self, to) } else { (to, self) };
        let mut first = low.uses.lock();
        let mut second = (!ptr::eq(low, high)).then(|| high.uses.lock());
        let access = |memory| if ptr::eq(memory, to) { Access::Write } else { Access::Read };
        first.acquire(stream, access(low))?;
        if let Some(uses) = &mut second {
            uses.acquire(stream, access(high))?;
        }
        let (source, target) = (&*self.device().0.driver, &*to.device().0.driver);
        let driver = stream.driver();
        // SAFETY: both ranges lie in their blocks (`place`); both blocks remember `stream` and so outlive
        // the copy; on the CPU the host has waited for other users, and the locks keep other copies away.
        unsafe {
            match route {
                Route::Up => driver.upload(pointer(from), onto, bytes)?,
                Route::Down => driver.download(from, pointer(onto).cast_mut(), bytes)?,
                Route::Within => return driver.copy(from, source, onto, target, bytes),
            }
        }
        Ok(true)
    }

    /// Copies by way of host memory: down on the one device's stream, up on the other's. The side that
    /// `stream` does not belong to uses its device's default stream, for which `stream` then waits.
    fn through_host(
        &self,
        from: Place,
        to: &Memory,
        onto: Place,
        bytes: usize,
        stream: &Stream,
    ) -> Result<()> {
        let staging = Memory::allocate(bytes, &Device::cpu().process_stream()?)?;
        let host = Place { address: staging.address, offset: 0 };
        let (down, up) = (stream_of(self, stream)?, stream_of(to, stream)?);
        self.queue(from, &staging, host, bytes, &down)?;
        staging.queue(host, to, onto, bytes, &up)?;
        stream.wait_for(&up)
    }

    /// Devices leave copies onto themselves undefined. Blocks are told apart by address alone, because
    /// in `OpenCL` that is a handle and two of them may be closer than their sizes.
    fn refuse_overlap(&self, from: Place, to: &Memory, onto: Place, bytes: usize) -> Result<()> {
        let same = self.device() == to.device() && from.address == onto.address;
        if same && !self.device().is_cpu() && from.offset.abs_diff(onto.offset) < bytes {
            let what = format!("a copy of {bytes} bytes between overlapping ranges of one block");
            return Err(Error::Unsupported { device: self.device().to_string(), what });
        }
        Ok(())
    }
}

/// `stream` if it belongs to the device of `memory`, else that device's default stream.
fn stream_of(memory: &Memory, stream: &Stream) -> Result<Stream> {
    let own = stream.device() == memory.device();
    if own { Ok(stream.clone()) } else { memory.device().stream() }
}

fn pointer(place: Place) -> *const u8 {
    (place.address + place.offset) as *const u8
}

/// Which way the bytes go, seen from the device that moves them.
enum Route {
    Up,
    Down,
    Within,
}
