//! Blocks of device memory, and the order in which streams may use them.

mod copy;
mod gate;
#[cfg(test)]
mod lost;
mod pool;
mod recover;
mod recovered;
mod refusal;
mod release;
pub mod retry;
mod shortage;
mod statistics;
mod unrecovered;
mod uses;

use std::fmt;
use std::panic::Location;

use parking_lot::Mutex;

pub(crate) use gate::Gate;
use pool::Block;
pub(crate) use pool::{Arena, Pool};
pub use pool::{Figures, Limit, Sizes};
pub(crate) use recover::{clear, or_recover};
pub(crate) use recovered::Steps;
pub use refusal::{Refusal, Refused};
pub use release::drain;
pub(crate) use statistics::Counters;
pub use statistics::Statistics;
use uses::Uses;

use crate::driver::Place;
use crate::{Device, Error, Result, Stream, fault};

/// Whether work reads a block or writes it (writing includes reading).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The block keeps its content.
    Read,
    /// The block's content changes.
    Write,
}

/// A block of memory on one device.
///
/// It remembers which streams use it. Work on a second stream waits for the first without the host
/// waiting; on drop the block is given back only after all of that work, in stream order. Foreign memory
/// (taken over from another library) is released by its owner's function under the same rule.
pub struct Memory {
    device: Device,
    address: usize,
    bytes: usize,
    uses: Mutex<Uses>,
    owner: Owner,
}

enum Owner {
    /// `None` of nothing.
    Pool(Option<Block>),
    /// `None` once released. In a lock, not because two threads could want it, but because that makes
    /// `Memory` shareable between threads although the function is not.
    Foreign(Mutex<Option<Release>>),
}

/// What gives foreign memory back to its owner. Runs once, on any thread.
pub type Release = Box<dyn FnOnce() + Send>;

impl Memory {
    /// Takes a block of `bytes` bytes that work on `stream` may use at once. Its content is unspecified; on the
    /// CPU every byte has some value. Aligned to at least 256 bytes (on the CPU 64).
    ///
    /// The block comes from the device's memory pool: one that was freed on the stream before, if there is one of
    /// the size, without asking the driver.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] with the driver's code, or what limit refused it, and what was tried to find memory
    /// ([`retry`] says what); nothing is held then. [`Error::Limit`] where the environment asks for a limit that makes
    /// no sense.
    #[track_caller]
    pub fn allocate(bytes: usize, stream: &Stream) -> Result<Self> {
        let device = stream.device();
        fault::note(Location::caller(), bytes);
        let block = match bytes {
            0 => None,
            _ => Some(or_recover(device, || {
                fault::check(fault::Kind::Allocation, device, bytes)?;
                device.0.pool.allocate(bytes, stream)
            })?),
        };
        let address = block.map_or(0, |block| block.address);
        device.0.counters.add(bytes);
        let uses = Mutex::new(Uses::written_by(stream));
        Ok(Self { device, address, bytes, uses, owner: Owner::Pool(block) })
    }

    /// Takes over memory that belongs to another library, without copying.
    ///
    /// `release` runs once, after all work that uses the block, on whatever thread that happens.
    ///
    /// # Safety
    /// `address` is `bytes` bytes of memory of `device` (a pointer for CPU and CUDA, a `cl_mem` for
    /// `OpenCL`), valid until `release` runs; nobody else writes it meanwhile, nor reads it if it is
    /// written through this block. Work already queued on it is complete or ordered before `stream`
    /// work by the caller.
    #[must_use]
    pub unsafe fn from_foreign(
        device: Device,
        address: usize,
        bytes: usize,
        release: Release,
    ) -> Self {
        let uses = Mutex::new(Uses::default());
        Self { device, address, bytes, uses, owner: Owner::Foreign(Mutex::new(Some(release))) }
    }

    /// For foreign memory, before its first use: all that its owner has queued on it is done once `stream`
    /// gets to its present end. Work on other streams waits for that; the release does not, because it
    /// gives the memory back to the owner, who knows of that work.
    #[must_use]
    pub fn ready_on(mut self, stream: &Stream) -> Self {
        *self.uses.get_mut() = Uses::ready_on(stream);
        self
    }

    /// Forgets the function that would give foreign memory back: the owner has it again, and knows of the work that
    /// is queued on it. The block must not be used any more.
    pub fn hand_back(&self) {
        if let Owner::Foreign(release) = &self.owner {
            drop(release.lock().take());
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

    /// Whether it was taken over from another library.
    #[must_use]
    pub fn is_foreign(&self) -> bool {
        matches!(self.owner, Owner::Foreign(_))
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
    /// # Errors
    /// When a driver refuses.
    pub fn acquire(&self, stream: &Stream, access: Access) -> Result<()> {
        self.uses.lock().acquire(stream, access)
    }

    /// Remembers that work already on `stream`, which another library has queued, reads the block or has
    /// written it for its own last time: later writers, and the release, come after that work.
    pub fn remember(&self, stream: &Stream) {
        self.uses.lock().remember(stream);
    }

    /// Blocks the host until no queued work conflicts with the host's own `access`.
    ///
    /// # Errors
    /// A failure of that work.
    pub fn wait(&self, access: Access) -> Result<()> {
        self.acquire(&Device::cpu().process_stream()?, access)
    }

    fn place(&self, operation: &'static str, start: usize, bytes: usize) -> Result<Place> {
        let end = start.saturating_add(bytes);
        if end > self.bytes {
            let (device, bytes) = (self.device, self.bytes);
            return Err(Error::OutOfRange { operation, device, start, end, bytes });
        }
        Ok(Place { address: self.address, offset: start })
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let uses = std::mem::take(self.uses.get_mut());
        match &mut self.owner {
            Owner::Pool(block) => {
                self.device.0.counters.remove(self.bytes);
                if let Some(block) = block.take() {
                    release::own(self.device, block, &uses);
                    retry::released(self.device);
                }
            }
            Owner::Foreign(function) => {
                if let Some(function) = function.get_mut().take() {
                    release::after(&uses, self.device, function);
                }
            }
        }
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Memory({} {:#x}, {} bytes)", self.device, self.address, self.bytes)
    }
}
