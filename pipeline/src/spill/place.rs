//! An array's memory, on its device or waiting on the host. The layout stays the same, to the bit.

use std::sync::Arc;

use arrayspan_bridge::{Array, DType, Layout, Result};
use arrayspan_devices::{Access, Device, Memory, Stream};

/// The part of the host's free memory that one array may lock: one in so many.
const LOCKED: usize = 4;

/// Where a spillable array is.
#[derive(Debug)]
pub(super) enum Place {
    Device(Array),
    Host(Arc<Waiting>),
    /// Only while it moves.
    Nowhere,
}

impl Place {
    /// The array, of somebody who holds it on its device.
    pub(super) fn array(&self) -> &Array {
        match self {
            Self::Device(array) => array,
            Self::Host(_) | Self::Nowhere => unreachable!("it is held on its device"),
        }
    }
}

/// An array's whole block on the host.
#[derive(Debug)]
pub(super) struct Waiting {
    memory: Memory,
    layout: Layout,
    dtype: DType,
}

impl Waiting {
    pub(super) fn bytes(&self) -> usize {
        self.memory.bytes()
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(super) fn dtype(&self) -> DType {
        self.dtype
    }

    /// Queues the copy of an array's block to the host; the array must stay until `stream` is done. The host's block counts
    /// for whom the array's does.
    pub(super) fn begin(array: &Array, stream: &Stream) -> Result<Self> {
        let from = array.memory();
        let _owners = from.charge().enter_waiting();
        let memory = on_host(from.bytes(), array.device())?;
        // SAFETY: the array owns its block alone and lends it to nobody meanwhile; the new block is ours.
        unsafe { from.copy_to(0, &memory, 0, from.bytes(), stream)? };
        Ok(Self { memory, layout: array.layout().clone(), dtype: array.dtype() })
    }

    /// Queues the copy back to `device`, on behalf of whom the array counts for. What waits here stays until that is done.
    pub(super) fn back(&self, device: Device) -> Result<Array> {
        let stream = device.stream()?;
        let _owners = self.memory.charge().enter();
        let memory = Memory::allocate(self.memory.bytes(), &stream)?;
        // SAFETY: both blocks are ours, and nobody else knows of them.
        unsafe { self.memory.copy_to(0, &memory, 0, self.memory.bytes(), &stream)? };
        // SAFETY: the new block holds what the array's own block held, valid elements in the same places, and
        // nobody else has it.
        unsafe { Array::from_memory(memory, self.layout.clone(), self.dtype) }
    }

    /// Blocks until the copy here is done.
    pub(super) fn arrived(&self) -> Result<()> {
        Ok(self.memory.wait(Access::Read)?)
    }
}

/// A block of the host: page-locked for `device` where that leaves the host most of what it has free, else plain memory.
/// Inside a recovery nothing is spilled for it.
fn on_host(bytes: usize, device: Device) -> Result<Memory> {
    let free = Device::cpu().free_bytes().unwrap_or(0);
    if bytes <= free / LOCKED
        && let Ok(memory) = Memory::pinned(bytes, device)
    {
        return Ok(memory);
    }
    Ok(Memory::allocate(bytes, &Device::cpu().process_stream()?)?)
}
