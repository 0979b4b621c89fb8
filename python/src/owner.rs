//! Who goes on using memory of a device that an argument came with, and how that is ordered after what was done to it here.

use arrayspan::devices::{Access, Device, Memory, Stream};
use pyo3::prelude::*;

use crate::error::Result;
use crate::{direct, protocol};

/// Who uses the memory of an argument after a call, and asks nobody.
#[derive(Clone, Debug, Default)]
pub(crate) enum Owner {
    /// Nobody: it is ours, or nobody may write it.
    #[default]
    Nobody,
    /// A library that works on this stream.
    On(Stream),
    /// Somebody, nobody tells on which stream.
    Somewhere,
}

impl Owner {
    /// That of an array by the protocol, whose memory is on a device.
    pub(crate) fn of(given: &Bound<'_, PyAny>, device: Device) -> Result<Self> {
        if device.is_cpu() || protocol::is_immutable(given)? {
            return Ok(Self::Nobody);
        }
        let module = given.get_type().module()?;
        let root = module.to_str()?.split('.').next().unwrap_or_default();
        let stream = direct::current_stream(given.py(), root, device)?;
        Ok(stream.map_or(Self::Somewhere, Self::On))
    }

    /// That of an array of which nothing but its device is known.
    pub(crate) fn unknown(device: Device) -> Self {
        if device.is_cpu() { Self::Nobody } else { Self::Somewhere }
    }

    /// Orders whatever owners do to the memory from now on after the work that is queued on it: the host waits where they ask nobody, and
    /// streams wait where it is known on which they work.
    pub(crate) fn settle(&self, memory: &Memory) -> Result<()> {
        if memory.device().is_cpu() {
            memory.wait(Access::Write)?;
            return Ok(());
        }
        match self {
            Self::Nobody => {}
            Self::On(stream) => memory.acquire(stream, Access::Write)?,
            Self::Somewhere => memory.wait(Access::Write)?,
        }
        let lent = memory.lent_to();
        // Our own stream stands for those that nobody keeps alive, and a number means another queue on each thread.
        if lent.iter().any(|stream| stream.is_process_stream() || stream.raw() == 2) {
            memory.wait(Access::Write)?;
        } else {
            lent.iter().try_for_each(|stream| memory.acquire(stream, Access::Write))?;
        }
        Ok(())
    }
}
