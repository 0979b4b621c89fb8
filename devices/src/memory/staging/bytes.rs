//! The host memory of a staging buffer: page-locked, or ordinary where there is none.

use crate::memory::pinned::PinnedBlock;
use crate::{Device, Error, Result};

/// Host memory by way of which bytes go. Not [`Memory`](crate::Memory), whose allocation looks for memory that others could
/// give up: that may copy, and wait for the very buffer that is held here.
#[derive(Debug)]
pub(super) enum Bytes {
    Locked(PinnedBlock),
    /// Where there is none that is page-locked.
    Ordinary {
        values: Vec<u8>,
        address: usize,
    },
}

impl Bytes {
    /// Host memory whose pages are not locked.
    pub(super) fn ordinary(bytes: usize) -> Result<Self> {
        let mut values = Vec::<u8>::new();
        let refused = |_| Error::out_of_memory(Device::cpu(), bytes, 0);
        values.try_reserve_exact(bytes).map_err(refused)?;
        values.resize(bytes, 0);
        let address = values.as_mut_ptr().expose_provenance();
        Ok(Self::Ordinary { values, address })
    }

    pub(super) fn address(&self) -> usize {
        match self {
            Self::Locked(block) => block.address,
            Self::Ordinary { address, .. } => *address,
        }
    }

    pub(super) fn size(&self) -> usize {
        match self {
            Self::Locked(block) => block.bytes,
            Self::Ordinary { values, .. } => values.len(),
        }
    }
}
