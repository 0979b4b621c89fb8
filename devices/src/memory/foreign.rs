//! Memory of other libraries: taken over, handed back, or only borrowed.

use parking_lot::Mutex;

use super::account;
use super::block::{Memory, Owner};
use super::hand_back::Release;
use super::uses::Uses;
use crate::{Device, Stream};

impl Memory {
    /// Takes over memory that belongs to another library, without copying.
    ///
    /// `release` runs once, after all work that uses the block, on whatever thread that happens. What it does may
    /// panic, which ends there, and should not take long: other releases wait behind it.
    ///
    /// # Safety
    /// `address` is `bytes` bytes of memory of `device` (a pointer for CPU and CUDA, a `cl_mem` for
    /// `OpenCL`), valid until `release` runs; nobody else writes it meanwhile, nor reads it if it is
    /// written through this block. Work already queued on it is done, or ordered before all that this block
    /// is used for; of work on one stream [`from_foreign_on`](Self::from_foreign_on) sees to that.
    #[must_use]
    pub unsafe fn from_foreign(
        device: Device,
        address: usize,
        bytes: usize,
        release: Release,
    ) -> Self {
        Self::foreign(device, address, bytes, Uses::default(), release)
    }

    /// As [`from_foreign`](Self::from_foreign), on the device of `stream`, where all that the owner has queued on
    /// the memory is done once `stream` gets to its present end. Work on other streams waits for that; the release
    /// does not, because it gives the memory back to the owner, who knows of that work.
    ///
    /// # Safety
    /// That of [`from_foreign`](Self::from_foreign), but for work before the present end of `stream`. Who gets the
    /// memory back by `release` uses it only after that work.
    #[must_use]
    pub unsafe fn from_foreign_on(
        stream: &Stream,
        address: usize,
        bytes: usize,
        release: Release,
    ) -> Self {
        Self::foreign(stream.device(), address, bytes, Uses::ready_on(stream), release)
    }

    fn foreign(device: Device, address: usize, bytes: usize, uses: Uses, release: Release) -> Self {
        let owner = Owner::Foreign(Mutex::new(Some(release)));
        let record = account::lend(device, bytes);
        Self::new(device, address, bytes, uses, owner, record)
    }

    /// Host memory that is only borrowed. No work queued on it outlives the call that queued it: the host waits there
    /// until the bytes have been read, or have arrived. So it does not matter whether this is ever dropped. Its pages
    /// cannot be [registered](Self::register).
    ///
    /// # Safety
    /// As long as anybody can reach this block, `address` is `bytes` bytes of host memory that nobody else writes, nor
    /// reads if it is written through this block.
    #[must_use]
    pub unsafe fn borrowed(address: usize, bytes: usize) -> Self {
        let device = Device::cpu();
        let record = account::lend(device, bytes);
        Self::new(device, address, bytes, Uses::default(), Owner::Borrowed, record)
    }

    /// Gives foreign memory up: the function that would release it is dropped and does not run, because the owner has
    /// the memory again. To be dropped, the function must own nothing that keeps the memory valid. Page-locked memory is
    /// unlocked first, for which the host waits.
    ///
    /// Takes the block itself, which nobody else can use then:
    ///
    /// ```compile_fail,E0507
    /// fn give_up(shared: &std::sync::Arc<arrayspan_devices::Memory>) {
    ///     // SAFETY: none.
    ///     unsafe { shared.hand_back() }
    /// }
    /// ```
    ///
    /// and cannot be called by safe code, which knows nothing of the work under way:
    ///
    /// ```compile_fail,E0133
    /// fn give_up(memory: arrayspan_devices::Memory) {
    ///     memory.hand_back();
    /// }
    /// ```
    ///
    /// ```
    /// fn give_up(memory: arrayspan_devices::Memory) {
    ///     // SAFETY: nothing is queued on it, and whoever calls this has the memory.
    ///     unsafe { memory.hand_back() }
    /// }
    /// ```
    ///
    /// # Safety
    /// The owner keeps the memory valid until all work queued on it is done, and uses it only after that work.
    pub unsafe fn hand_back(mut self) {
        // What is not ours any more must not stay locked on our account.
        self.unregister().unwrap_or_else(|error| self.device.0.defer(error));
        if let Owner::Foreign(release) = &mut self.owner {
            drop(release.get_mut().take());
        }
    }
}
