//! Memory that is there already, page-locked where it lies.

use std::fmt;

use super::block::Memory;
use super::pinned::Registration;
use super::pinned::ranges::{self, Call, Whose};
use crate::driver::BlockAddress;
use crate::{Access, Device, Error, Result, Stream};

impl Memory {
    /// Locks the pages of this block of host memory, so that copies between it and `device` run at full rate and
    /// without the host waiting, as if it had been [`pinned`](Self::pinned). Until the guard is dropped, or, after
    /// [`Registered::keep`], until [`unregister`](Self::unregister) or the block's release. Unlocking comes after all
    /// copies that use the block.
    ///
    /// Costs about as much as one copy of the block by way of staging buffers, so it pays for a block that is copied
    /// more than once. Locked for one CUDA device it is so for all.
    ///
    /// # Errors
    /// [`Error::WrongDevice`] off the CPU; [`Error::PageLock`] for an empty block, for one that is only
    /// [borrowed](Self::borrowed), for one that is locked already, wholly or in part, and when the driver refuses, as it does at the system's bound of locked memory or of
    /// mappings (`vm.max_map_count`); [`Error::Unsupported`] where `device` cannot, as in `OpenCL`. The block
    /// is as it was then.
    pub fn register(&self, device: Device) -> Result<Registered<'_>> {
        let (address, bytes) = (self.address(), self.bytes());
        if !self.device().is_cpu() {
            let (expected, found) = (Device::cpu(), self.device());
            return Err(Error::WrongDevice { operation: "register", expected, found });
        }
        let refused = |why| Err(Error::PageLock { device, address, bytes, why, code: 0 });
        if bytes == 0 {
            return refused("the block is empty");
        }
        if self.is_borrowed() {
            return refused("the block is only borrowed");
        }
        if !ranges::insert(address, bytes, device, Whose::Registered) {
            return refused("some of these bytes are locked already");
        }
        // From here on the drop forgets the range, also if the driver refuses.
        let mut registration = Registration { device, address, locked: false };
        // SAFETY: the block is valid until its release, which comes after `Registration` is dropped.
        unsafe { device.0.driver.register(address, bytes)? };
        registration.locked = true;
        *self.registration.lock() = Some(registration);
        Ok(Registered { memory: self })
    }

    /// Ends what [`register`](Self::register) began; waits for queued work that uses the block, and for copies of other
    /// blocks that share bytes with it. Nothing happens if it is not registered.
    ///
    /// # Errors
    /// A failure of that work; the block stays registered then.
    pub fn unregister(&self) -> Result<()> {
        if self.registration.lock().is_none() {
            return Ok(());
        }
        // Under the lock of the uses no copy can be queued between the end of the last and the unlocking.
        let mut uses = self.uses.lock();
        uses.acquire(&Device::cpu().process_stream()?, Access::Write)?;
        drop(self.registration.lock().take());
        Ok(())
    }

    /// Enters a copy of a part of this block, of which pages may be locked on account of another one. `None` where they
    /// are locked on account of this one, whose uses, locked by whoever calls, know of the copy.
    pub(super) fn enter_copy<'a>(
        &self,
        part: BlockAddress,
        bytes: usize,
        stream: &'a Stream,
    ) -> Option<Call<'a>> {
        let shared = self.registration.lock().is_none();
        shared.then(|| ranges::enter(part.address + part.offset, bytes, stream))
    }
}

/// While it lives, a block of host memory is page-locked. Made by [`Memory::register`].
#[must_use = "the memory is page-locked only while the guard lives"]
pub struct Registered<'a> {
    memory: &'a Memory,
}

impl Registered<'_> {
    /// Leaves the block locked until [`Memory::unregister`] or its release.
    pub fn keep(self) {
        std::mem::forget(self);
    }
}

impl Drop for Registered<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.memory.unregister() {
            // The block's release tries again.
            Device::cpu().0.defer(error);
        }
    }
}

impl fmt::Debug for Registered<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Registered({:?})", self.memory)
    }
}
