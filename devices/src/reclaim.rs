//! Memory that others keep on a device without using it, and how to get it back.

use std::fmt::{self, Debug};

use parking_lot::RwLock;

use crate::{Device, Result, ScopeHandle};

/// The steps of a recovery, in the order they are taken: what is cheapest to restore goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Queued work is waited for, so that what it holds is released.
    Drain,
    /// What pools of our own keep unused goes back to the driver.
    Pool,
    /// Kernels and other plans are forgotten; whoever needs one builds it again, or finds it on disk.
    Plans,
    /// Scratch memory that computations keep from one to the next.
    Workspaces,
    /// What other libraries keep unused.
    Libraries,
    /// Arrays in use that may wait on the host move there.
    Spill,
    /// Other threads may release something soon.
    Wait,
}

/// One that keeps memory of devices for itself and can give it back, as torch's caching allocator does.
///
/// Called with no lock of arrayspan held, by one recovery of a device at a time. The thread that calls may hold any lock
/// of the program under which it has asked for memory. So an implementation must not wait for a lock that a thread can
/// hold while it allocates: it only tries such a lock, and keeps what the lock guards if that fails.
pub trait Reclaim: Debug + Send + Sync {
    /// Its name in reports.
    fn name(&self) -> &'static str;

    /// When it is asked.
    fn stage(&self) -> Stage {
        Stage::Libraries
    }

    /// What it holds on `device`; `None` where it holds nothing or cannot tell.
    fn holdings(&self, device: Device) -> Option<Holdings>;

    /// Gives what it does not use on `device` back to the driver. May wait for the device.
    ///
    /// Returns the bytes that this call has given back, whatever others have taken or given meanwhile: 0 if it had
    /// nothing to give, `None` where it cannot tell. A recovery goes on by that number.
    ///
    /// # Errors
    /// When the library fails; it keeps what it has then.
    fn release(&self, device: Device) -> Result<Option<usize>>;

    /// As [`release`](Self::release), for one that can stop once `wanted` bytes are given back; all without a number.
    ///
    /// # Errors
    /// As [`release`](Self::release).
    fn release_some(&self, device: Device, _wanted: Option<usize>) -> Result<Option<usize>> {
        self.release(device)
    }

    /// As [`release_some`](Self::release_some), of blocks that count for `scope` only: its limit leaves no room, while
    /// the device may have some. Nothing, for one that holds no blocks of scopes.
    ///
    /// # Errors
    /// As [`release`](Self::release).
    fn release_within(
        &self,
        _scope: &ScopeHandle,
        _device: Device,
        _wanted: usize,
    ) -> Result<Option<usize>> {
        Ok(Some(0))
    }
}

/// What a library holds on a device, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holdings {
    /// In use. (Of arrays that may be spilled: those that somebody uses, and that may be spilled later.)
    pub live_bytes: usize,
    /// The largest `live_bytes` so far.
    pub peak_bytes: usize,
    /// Taken from the driver, in use or not.
    pub reserved_bytes: usize,
}

static LIBRARIES: RwLock<Vec<&'static dyn Reclaim>> = RwLock::new(Vec::new());

/// Adds a library to those that are asked to give memory back. Registering twice has no effect.
pub fn register(library: &'static dyn Reclaim) {
    let mut libraries = LIBRARIES.write();
    if !libraries.iter().any(|known| known.name() == library.name()) {
        libraries.push(library);
        // Stable: within a stage in the order they were registered.
        libraries.sort_by_key(|library| library.stage());
    }
}

/// Those that can give memory back, stage by stage, in the order they were registered.
#[must_use]
pub fn libraries() -> Vec<&'static dyn Reclaim> {
    LIBRARIES.read().clone()
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pool => "trimming",
            Self::Plans => "forgetting",
            Self::Workspaces => "giving back",
            Self::Libraries => "emptying the cache of",
            Self::Spill => "spilling",
            Self::Drain | Self::Wait => "waiting for",
        })
    }
}
