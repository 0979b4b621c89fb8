//! A block of memory on one device, and the order in which streams use it.

use std::fmt;
use std::panic::Location;

use parking_lot::{Mutex, RwLock};

use super::access::Access;
use super::hand_back::Release;
use super::pinned::Registration;
use super::pool::Block;
use super::reaper::Whose;
use super::recover::or_recover;
use super::uses::Uses;
use super::{account, attempt, release};
use crate::driver::BlockAddress;
use crate::{Device, Error, Result, Stream, fault};

/// A block of memory on one device.
///
/// It remembers which streams use it. Work on a second stream waits for the first without the host
/// waiting; on drop the block is given back only after all of that work, in stream order. Foreign memory
/// (taken over from another library) is released by its owner's function under the same rule.
pub struct Memory {
    pub(super) device: Device,
    address: usize,
    bytes: usize,
    pub(super) uses: Mutex<Uses>,
    /// Held for reading while the host itself reads the block for a staged copy, of which streams know nothing; taken
    /// for writing, before `uses`, by whoever is about to queue a write.
    pub(super) host_reads: RwLock<()>,
    pub(super) registration: Mutex<Option<Registration>>,
    pub(super) owner: Owner,
    /// What it is counted for.
    pub(super) record: account::AllocationRecord,
}

pub(super) enum Owner {
    /// `None` for blocks without bytes.
    Pool(Option<Block>),
    /// `None` once released. In a lock not because threads compete for it, but because that makes
    /// `Memory` shareable between threads although the function is not.
    Foreign(Mutex<Option<Release>>),
    /// Nothing is to be released, and nothing queued uses it once a call has returned.
    Borrowed,
    /// Host memory of ours beside the pool: page-locked, or handed over by the program. `None` once released.
    Ours(Mutex<Option<Release>>),
}

impl Memory {
    /// Takes a block of `bytes` bytes that work on `stream` may use at once. Its content is unspecified; on the
    /// CPU every byte has some value. Aligned to at least 256 bytes (on the CPU 64).
    ///
    /// The block comes from the device's memory pool: one that was freed on the stream before, if there is one of
    /// the size, without asking the driver. Counts for the device, the stream, and the [scope](crate::Scope) this
    /// thread is in.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] with the driver's code, or what limit refused it, and what was tried to find memory
    /// ([`retry`](crate::retry) says what); nothing is held then. [`Error::Limit`] where the environment asks for a limit that
    /// makes no sense, [`Error::ScopeLimit`] where a scope allows no more, [`Error::DeviceLost`]
    /// once the device is lost.
    #[track_caller]
    pub fn allocate(bytes: usize, stream: &Stream) -> Result<Self> {
        let device = stream.device();
        fault::note(Location::caller(), bytes);
        if let Some(lost) = device.0.health.lost() {
            return Err(lost.clone());
        }
        let address = |block: &Option<Block>| block.map_or(0, |block| block.address);
        let take = || match bytes {
            0 => Ok(None),
            _ => or_recover(device, || {
                fault::check(fault::FaultKind::Allocation, device, bytes)?;
                device.0.pool.allocate(bytes, stream.lane()).map(Some)
            }),
        };
        let (block, record) = account::allocate(bytes, stream, take, address)?;
        let address = address(&block);
        attempt::taken(device, block.map_or(0, |block| block.size()));
        let uses = Uses::written_by(stream);
        Ok(Self::new(device, address, bytes, uses, Owner::Pool(block), record))
    }

    pub(super) fn new(
        device: Device,
        address: usize,
        bytes: usize,
        uses: Uses,
        owner: Owner,
        record: account::AllocationRecord,
    ) -> Self {
        Self {
            device,
            address,
            bytes,
            uses: Mutex::new(uses),
            host_reads: RwLock::default(),
            registration: Mutex::default(),
            owner,
            record,
        }
    }

    /// Where it lives.
    #[must_use]
    pub fn device(&self) -> Device {
        self.device
    }

    /// Its size in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether it is memory beside the device's pool: taken over from another library or from the program, page-locked,
    /// or only borrowed.
    #[must_use]
    pub fn is_foreign(&self) -> bool {
        !matches!(self.owner, Owner::Pool(_))
    }

    pub(super) fn is_borrowed(&self) -> bool {
        matches!(self.owner, Owner::Borrowed)
    }

    /// What it is counted for.
    #[must_use]
    pub fn charge(&self) -> account::Charge {
        self.record.charge()
    }

    /// Its address in the driver's terms: a pointer on the CPU and in CUDA, a `cl_mem` in `OpenCL`.
    #[must_use]
    pub fn address(&self) -> usize {
        self.address
    }

    /// Orders work about to be queued on `stream` after earlier work that conflicts with it, and remembers
    /// that `stream` uses the block. Enqueued; the host waits only where the drivers cannot (a CPU stream,
    /// or a stream of another kind of device).
    ///
    /// Needed by those who queue work past [`Stream::launch`] and [`copy_to`](Self::copy_to), which is unsafe in itself. A
    /// write takes the place of all uses before it, for which `stream` waits here: what is queued on their streams later
    /// is not known. A stream on which others may queue work at any time is [lent](Self::lend_to).
    ///
    /// # Errors
    /// When a driver refuses.
    pub fn acquire(&self, stream: &Stream, access: Access) -> Result<()> {
        let _no_host_reads = (access == Access::Write).then(|| self.host_reads.write());
        self.uses.lock().acquire(stream, access)
    }

    /// As [`acquire`](Self::acquire), for another library that queues its own work on `stream` from now on, whenever it
    /// likes until it lets go of the block. Later writers, and the release, come after all that is on the stream by then,
    /// whoever else uses the block meanwhile.
    ///
    /// # Errors
    /// When a driver refuses.
    pub fn lend_to(&self, stream: &Stream, access: Access) -> Result<()> {
        let _no_host_reads = (access == Access::Write).then(|| self.host_reads.write());
        let mut uses = self.uses.lock();
        uses.acquire(stream, access)?;
        uses.lend(stream);
        Ok(())
    }

    /// Remembers that work already on `stream`, which another library has queued, reads the block or has
    /// written it for its own last time: later writers, and the release, come after that work.
    ///
    /// Safe for whoever has the block: it adds order and takes none away. Whether that work came after the last write
    /// is not assumed, so that a later read of ours on `stream` waits for it as on every other stream.
    pub fn remember(&self, stream: &Stream) {
        self.uses.lock().remember(stream);
    }

    /// Tells that work queued on `stream` from now on comes after all work so far that writes the block, by an event of
    /// the caller's own, so that [`acquire`](Self::acquire) need not see to it.
    ///
    /// # Safety
    /// `stream` has been made to wait for that work, and for no less.
    pub unsafe fn ordered_on(&self, stream: &Stream) {
        self.uses.lock().order(stream);
    }

    /// The streams it is [lent to](Self::lend_to): their libraries do not ask before they queue work on the block, so whoever
    /// has written it orders that work himself.
    #[must_use]
    pub fn lent_to(&self) -> Vec<Stream> {
        self.uses.lock().lent().to_vec()
    }

    /// Whether work that is queued somewhere may use the block, so that [`wait`](Self::wait) may block.
    #[must_use]
    pub fn is_in_use(&self) -> bool {
        !self.uses.lock().is_idle()
    }

    /// Forgets that `stream` has used the block, so that nobody waits for what is queued there after that use.
    ///
    /// # Safety
    /// All work on `stream` that uses the block is done: the host has seen that.
    pub unsafe fn done_on(&self, stream: &Stream) {
        self.uses.lock().forget(stream);
    }

    /// Blocks the host until no queued work conflicts with the host's own `access`.
    ///
    /// # Errors
    /// A failure of that work.
    pub fn wait(&self, access: Access) -> Result<()> {
        let _no_host_reads = (access == Access::Write).then(|| self.host_reads.write());
        let mut uses = self.uses.lock();
        // As memory of the host is most of the time, which no stream uses.
        if uses.is_idle() {
            return Ok(());
        }
        uses.acquire(Device::cpu().own_stream()?, access)
    }

    pub(super) fn place(
        &self,
        operation: &'static str,
        start: usize,
        bytes: usize,
    ) -> Result<BlockAddress> {
        let end = start.saturating_add(bytes);
        if end > self.bytes {
            let (device, bytes) = (self.device, self.bytes);
            return Err(Error::OutOfRange { operation, device, start, end, bytes });
        }
        Ok(BlockAddress { address: self.address, offset: start })
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let uses = std::mem::take(self.uses.get_mut());
        self.record.give_back(self.device, self.address, self.bytes);
        let registration = self.registration.get_mut().take();
        let device = self.device;
        match &mut self.owner {
            Owner::Pool(block) => {
                let Some(block) = block.take() else { return };
                match registration {
                    None => release::own(device, block, &uses),
                    // Unlocked after the last copy, and given back after that.
                    Some(registration) => {
                        let release = move || {
                            drop(registration);
                            release::own(device, block, &Uses::default());
                        };
                        release::after(&uses, device, Whose::Ours, Box::new(release));
                    }
                }
            }
            Owner::Foreign(function) => {
                let function = function.get_mut().take();
                release::beside(device, &uses, Whose::Theirs, registration, function);
            }
            Owner::Ours(function) => {
                let function = function.get_mut().take();
                release::beside(device, &uses, Whose::Ours, registration, function);
            }
            Owner::Borrowed => {}
        }
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Memory({} {:#x}, {} bytes)", self.device, self.address, self.bytes)
    }
}
