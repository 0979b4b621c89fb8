//! Copies between blocks, whatever their devices.

use super::{Access, Memory};
use crate::driver::Place;
use crate::{Device, Result, Stream};

impl Memory {
    /// Copies `bytes` bytes at `start` to `to_start` of `to`, after earlier work on both blocks.
    ///
    /// Enqueued on `stream` (a stream of either block's device); does not wait, save between two devices
    /// without a common driver, where the bytes pass through host memory.
    ///
    /// # Errors
    /// [`Error::OutOfRange`](crate::Error::OutOfRange); [`Error::WrongDevice`](crate::Error::WrongDevice)
    /// if `stream` belongs to neither device; the driver's refusal.
    pub fn copy_to(
        &self,
        start: usize,
        to: &Memory,
        to_start: usize,
        bytes: usize,
        stream: &Stream,
    ) -> Result<()> {
        let from = self.place("copy from", start, bytes)?;
        let onto = to.place("copy to", to_start, bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        if stream.device() != self.device() {
            stream.expect("copy", to.device())?;
        }
        self.acquire(stream, Access::Read)?;
        to.acquire(stream, Access::Write)?;
        match (self.device().is_cpu(), to.device().is_cpu()) {
            (true, true) => host_to_host(from, onto, bytes),
            (true, false) => {
                // SAFETY: both places lie in their blocks (`place`), both blocks remember `stream` (`acquire`)
                // and so outlive the copy.
                unsafe { on(stream, to)?.driver().upload(pointer(from), onto, bytes) }
            }
            (false, true) => {
                // SAFETY: as above.
                unsafe {
                    on(stream, self)?.driver().download(from, pointer(onto).cast_mut(), bytes)
                }
            }
            (false, false) => self.device_to_device(from, to, onto, bytes, stream),
        }
    }

    fn device_to_device(
        &self,
        from: Place,
        to: &Memory,
        onto: Place,
        bytes: usize,
        stream: &Stream,
    ) -> Result<()> {
        if self.device().kind() == to.device().kind() {
            let device = &*self.device().0.driver;
            // SAFETY: as in `copy_to`; two blocks do not overlap, and one block is never copied to itself
            // because `to` is borrowed beside `self` as a destination of `ViewMut`s only.
            if unsafe { stream.driver().copy(from, device, onto, bytes)? } {
                return Ok(());
            }
        }
        let host = Device::cpu().stream()?;
        let staging = Memory::allocate(bytes, &host)?;
        self.copy_to(from.offset, &staging, 0, bytes, &self.device().stream()?)?;
        staging.copy_to(0, to, onto.offset, bytes, &to.device().stream()?)
    }
}

/// `stream` if it belongs to the device of `memory`, else that device's default stream, ordered after it.
fn on(stream: &Stream, memory: &Memory) -> Result<Stream> {
    if stream.device() == memory.device() {
        return Ok(stream.clone());
    }
    let own = memory.device().stream()?;
    memory.acquire(&own, Access::Write)?;
    Ok(own)
}

fn pointer(place: Place) -> *const u8 {
    (place.address + place.offset) as *const u8
}

fn host_to_host(from: Place, to: Place, bytes: usize) -> Result<()> {
    // SAFETY: both ranges were checked against their blocks, and the host has waited for other users.
    unsafe { std::ptr::copy(pointer(from), pointer(to).cast_mut(), bytes) };
    Ok(())
}
