//! What groups that share lines leave for each other.

use std::sync::Arc;

use arrayspan_bridge::devices::Memory;
use arrayspan_bridge::{Array, Transfer};

use super::super::{Gpu, noted};
use crate::Result;

/// Room for the words of one kernel and for as many that the kernel before has left, which it empties.
///
/// All kernels of an executor share it: its stream runs one after the other. Recovery may have the executor forget it: whoever
/// holds it then still may queue a kernel that uses it.
pub(in crate::gpu) struct States {
    room: Arc<Array>,
    /// Words of each half.
    pub(super) half: usize,
}

/// Before the words: how many groups have begun and ended, which half is in use, and what is left to be emptied in the other.
const HEADER: usize = 16;
/// Sums are kept in the widest numbers, of 64 bits where the device has them.
const WORD: usize = 8;
/// No less room is made.
const LEAST: usize = 1 << 12;

impl States {
    pub(super) fn of(gpu: &Gpu, words: usize) -> Result<Self> {
        let states = Self::with_room(gpu, words)?;
        noted::array(&states.room);
        Ok(states)
    }

    fn with_room(gpu: &Gpu, words: usize) -> Result<Self> {
        let narrow = !gpu.stream.device().info().float64;
        let word = if narrow { WORD / 2 } else { WORD };
        let half = |room: &Array| (room.layout().len() - HEADER) / word / 2;
        if let Some(room) = &*gpu.states.lock()
            && half(room) >= words
        {
            return Ok(Self { room: room.clone(), half: half(room) });
        }
        // Under no lock: looking for memory may wait for others.
        let mut bytes = vec![u8::MAX; HEADER + 2 * word * words.max(LEAST).next_power_of_two()];
        bytes[..HEADER].fill(0);
        let (len, stream) = (bytes.len(), &gpu.stream);
        let empty = Array::from_vec(bytes, [len])?;
        let (room, _) = empty.into_device_with(stream.device(), Transfer::CopyIfNeeded, stream)?;
        let room = Arc::new(room);
        // Not dropped under the lock: releasing memory may wait.
        let old = gpu.states.lock().replace(room.clone());
        // Launches that are kept for a graph may use it.
        if let (Some(captured), Some(old)) = (&gpu.captured, &old) {
            captured.keep(old);
        }
        drop(old);
        Ok(Self { half: half(&room), room })
    }

    pub(super) fn memory(&self) -> &Memory {
        self.room.memory()
    }
}
