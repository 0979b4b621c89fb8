//! Copies between blocks, whatever their devices.

use std::ptr;

use parking_lot::MutexGuard;

use super::access::Access;
use super::block::Memory;
use super::pinned::is_locked;
use super::recover::or_recover;
use super::staging::{self, StagingBuffer};
use super::uses::Uses;
use crate::driver::BlockAddress;
use crate::{Device, Error, Result, Stream, fault};

impl Memory {
    /// Copies `bytes` bytes at `start` to `to_start` of `to`, after earlier work on both blocks.
    ///
    /// Enqueued on `stream` (a stream of either block's device); both blocks stay valid until it is done, and later work
    /// on them comes after it. Between a device and page-locked host memory ([`pinned`](Self::pinned),
    /// [`register`](Self::register)), and between devices with a common driver, it does not wait. The host waits
    /// * for host memory that is [`borrowed`](Self::borrowed), until it has been read, or until the bytes are there;
    /// * for other host memory that is not page-locked, the same, if the copy is [staged](crate::staging); one that is
    ///   not is left to the driver, which may wait (as CUDA does) or only queue it (as `OpenCL` does);
    /// * between two devices without a common driver, until the bytes have left the first;
    /// * between two blocks of the CPU, and on a CPU stream, whose work is done when a call returns.
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
        // Running it again is safe: it writes the same bytes to the same addresses.
        or_recover(worker.device(), || {
            fault::check(fault::FaultKind::Copy, worker.device(), bytes)?;
            match self.route(to) {
                Route::Up => match staged(from, to.device(), bytes) {
                    Some(mut buffer) => {
                        self.stage_up(&mut buffer, from, to, onto, bytes, &worker)?;
                    }
                    None => self.queue_alone(from, to, onto, bytes, &worker)?,
                },
                Route::Down => match staged(onto, self.device(), bytes) {
                    Some(mut buffer) => {
                        self.stage_down(&mut buffer, from, to, onto, bytes, &worker)?;
                    }
                    None => self.queue_alone(from, to, onto, bytes, &worker)?,
                },
                Route::Within if self.queue(from, to, onto, bytes, &worker)? => {}
                Route::Within | Route::Across => self.relay(from, to, onto, bytes, &worker)?,
            }
            Ok(())
        })?;
        stream.wait_for(&worker)
    }

    fn route(&self, to: &Memory) -> Route {
        match (self.device().is_cpu(), to.device().is_cpu()) {
            (true, false) => Route::Up,
            (false, true) => Route::Down,
            _ if self.device().kind() == to.device().kind() => Route::Within,
            _ => Route::Across,
        }
    }

    /// Queues the copy; `false` if no single driver can do it. The blocks stay locked from ordering to queueing, so
    /// that a copy another thread asks for at the same time comes wholly before or wholly after.
    fn queue(
        &self,
        from: BlockAddress,
        to: &Memory,
        onto: BlockAddress,
        bytes: usize,
        stream: &Stream,
    ) -> Result<bool> {
        let _no_host_reads = to.host_reads.write();
        let _ordered = self.order(stream, to, stream)?;
        let (source, target) = (&*self.device().0.driver, &*to.device().0.driver);
        let driver = stream.driver();
        let route = self.route(to);
        // From here on the pages of the host's side stay locked, or stay not locked, until the copy is done.
        let _pages = match route {
            Route::Up => self.enter_copy(from, bytes, stream),
            Route::Down => to.enter_copy(onto, bytes, stream),
            Route::Within | Route::Across => None,
        };
        // SAFETY: both ranges lie in their blocks (`place`); both blocks remember `stream` and so outlive
        // the copy; on the CPU the host has waited for other users, and the locks keep other copies away.
        unsafe {
            match route {
                Route::Up => driver.upload(pointer(from), onto, bytes)?,
                Route::Down => driver.download(from, pointer(onto).cast_mut(), bytes)?,
                Route::Within => return driver.copy(from, source, onto, target, bytes),
                Route::Across => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Queues a copy from or to the host, and waits for it where the host's memory is only borrowed: whoever borrows may
    /// forget it, and its owner knows of no work on it.
    fn queue_alone(
        &self,
        from: BlockAddress,
        to: &Memory,
        onto: BlockAddress,
        bytes: usize,
        stream: &Stream,
    ) -> Result<()> {
        self.queue(from, to, onto, bytes, stream)?;
        if !self.is_borrowed() && !to.is_borrowed() {
            return Ok(());
        }
        let done = stream.record().and_then(|end| end.synchronize());
        // Without an event the whole stream is waited for. If that fails, too, the device does no more work.
        done.or_else(|_| stream.driver().synchronize())
    }

    /// Locks both blocks, and orders reads of this one on `reader` and writes of the other on `writer` after
    /// earlier work.
    fn order<'a>(
        &'a self,
        reader: &Stream,
        to: &'a Memory,
        writer: &Stream,
    ) -> Result<(MutexGuard<'a, Uses>, Option<MutexGuard<'a, Uses>>)> {
        // Always in the order of their addresses: two threads that copy there and back cannot block
        // each other. One block that is both is locked once, for writing, which includes reading.
        let (low, high) = if ptr::from_ref(self) <= to { (self, to) } else { (to, self) };
        let mut first = low.uses.lock();
        let mut second = (!ptr::eq(low, high)).then(|| high.uses.lock());
        let acquire = |memory, uses: &mut Uses| {
            if ptr::eq(memory, to) {
                uses.acquire(writer, Access::Write)
            } else {
                uses.acquire(reader, Access::Read)
            }
        };
        acquire(low, &mut first)?;
        if let Some(uses) = &mut second {
            acquire(high, uses)?;
        }
        Ok((first, second))
    }

    /// From host memory by way of a page-locked buffer. The host reads the block itself, so no stream needs to be
    /// remembered for it; writers are kept away meanwhile, other readers are not.
    fn stage_up(
        &self,
        buffer: &mut StagingBuffer,
        from: BlockAddress,
        to: &Memory,
        onto: BlockAddress,
        bytes: usize,
        stream: &Stream,
    ) -> Result<()> {
        let _reads = self.host_reads.read();
        self.uses.lock().acquire(&Device::cpu().process_stream()?, Access::Read)?;
        let mut uses = to.uses.lock();
        uses.acquire(stream, Access::Write)?;
        // SAFETY: both ranges lie in their blocks. The host has waited for writers of the source, and later ones wait
        // for `_reads`; the target remembers `stream`, and its lock keeps other copies away until all is queued.
        unsafe { staging::upload(buffer, stream.driver(), pointer(from), onto, bytes) }
    }

    /// To host memory by way of a page-locked buffer. When it returns the bytes are there.
    fn stage_down(
        &self,
        buffer: &mut StagingBuffer,
        from: BlockAddress,
        to: &Memory,
        onto: BlockAddress,
        bytes: usize,
        stream: &Stream,
    ) -> Result<()> {
        let _no_host_reads = to.host_reads.write();
        let _ordered = self.order(stream, to, &Device::cpu().process_stream()?)?;
        // SAFETY: both ranges lie in their blocks. The source remembers `stream`; the host has waited for all users of
        // the target, and the locks keep others away until it is written.
        unsafe {
            let onto = pointer(onto).cast_mut();
            staging::download(buffer, stream.driver(), from, onto, bytes)
        }
    }

    /// Copies by way of host memory: down on the one device's stream, up on the other's. The side that
    /// `stream` does not belong to uses its device's default stream, for which `stream` then waits.
    fn relay(
        &self,
        from: BlockAddress,
        to: &Memory,
        onto: BlockAddress,
        bytes: usize,
        stream: &Stream,
    ) -> Result<()> {
        let (down, up) = (stream_of(self, stream)?, stream_of(to, stream)?);
        // Before the blocks are locked: a thread that waits for a buffer holds no lock that others need.
        let (mut buffer, mut other) = staging::both(self.device(), to.device(), bytes)?;
        let _no_host_reads = to.host_reads.write();
        let ordered = self.order(&down, to, &up)?;
        // SAFETY: both ranges lie in their blocks, which remember the streams; the locks keep other copies away until
        // all is queued.
        unsafe {
            let buffers = (&mut buffer, other.as_mut());
            staging::relay(buffers, (down.driver(), from), (up.driver(), onto), bytes)?;
        }
        drop(ordered);
        stream.wait_for(&up)
    }

    /// Devices leave copies onto themselves undefined. Blocks are told apart by address alone, because
    /// in `OpenCL` that is a handle and two of them may be closer than their sizes.
    fn refuse_overlap(
        &self,
        from: BlockAddress,
        to: &Memory,
        onto: BlockAddress,
        bytes: usize,
    ) -> Result<()> {
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

fn pointer(place: BlockAddress) -> *const u8 {
    (place.address + place.offset) as *const u8
}

/// A page-locked buffer for a copy between `host` and `device`, if the copy gains by one.
fn staged(host: BlockAddress, device: Device, bytes: usize) -> Option<StagingBuffer> {
    let settings = staging::settings();
    let gains = bytes >= settings.threshold && (device.info().accelerator || settings.processors);
    let pageable = gains && !is_locked(host.address + host.offset, bytes, device);
    pageable.then(|| staging::one(device, bytes)).flatten()
}

/// The direction of a copy, seen from the device that moves the bytes.
enum Route {
    Up,
    Down,
    Within,
    /// Between two kinds of device, none of them the CPU.
    Across,
}
