//! The memory that torch keeps on CUDA devices.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use arrayspan_devices::reclaim::Holdings;
use arrayspan_devices::retry::Shortage;
use arrayspan_devices::{Device, DeviceKind, Error as DeviceError};
use tch::TchError;

use super::cache::{empty, holdings, statistics};
use super::load::expect_cuda;
use crate::{Error, Result};

/// Ways back through functions of arrays that have run out of memory, and how many bytes the last one asked for: torch hands
/// on no more of an error than its text.
pub(super) static SHORTAGES: Shortages =
    Shortages { times: AtomicUsize::new(0), bytes: AtomicUsize::new(0) };

pub(super) struct Shortages {
    times: AtomicUsize,
    bytes: AtomicUsize,
}

impl Shortages {
    pub(super) fn add(&self, shortage: &Shortage) {
        self.bytes.store(shortage.bytes.unwrap_or(0), Relaxed);
        self.times.fetch_add(1, Release);
    }

    fn times(&self) -> usize {
        self.times.load(Acquire)
    }
}

/// What torch's allocator holds on a CUDA device; nothing before torch has used one.
///
/// # Errors
/// [`Error::Inexpressible`] off CUDA; [`Error::Device`] without `libtorch_cuda`.
pub fn memory_statistics(device: Device) -> Result<Holdings> {
    expect_cuda("torch::memory_statistics", device)?;
    statistics(device).map(|found| holdings(found.unwrap_or_default()))
}

/// Gives the memory that torch keeps without using it back to the driver, on all CUDA devices: torch does not tell
/// them apart. May wait for them.
///
/// # Errors
/// [`Error::Inexpressible`] off CUDA; [`Error::Device`] without `libtorch_cuda`; torch's refusal.
pub fn empty_cache(device: Device) -> Result<()> {
    expect_cuda("torch::empty_cache", device)?;
    empty(device)
}

/// Runs tch's functions on a device, and tells running out of its memory from other failures: by torch's own count,
/// since tch drops the type of what torch throws.
///
/// # Errors
/// [`Error::OutOfMemory`](DeviceError::OutOfMemory) if torch's allocator gave up meanwhile, on whatever thread (how
/// many bytes it was asked for is not known: 0), or if the way back through a [`Differentiable`](super::Differentiable) ran out
/// of memory; [`Error::Library`] with torch's message. On the CPU torch does not tell them apart.
pub fn attempt<T>(device: Device, work: impl FnOnce() -> Result<T, TchError>) -> Result<T> {
    let refusals = || match device.kind() {
        DeviceKind::Cuda => {
            expect_cuda("torch::attempt", device)?;
            Ok(statistics(device)?.map_or(0, |found| found.refusals))
        }
        _ => Ok::<_, Error>(0),
    };
    let (before, ours) = (refusals()?, SHORTAGES.times());
    work().or_else(|error| {
        if SHORTAGES.times() > ours {
            let (bytes, code) =
                (SHORTAGES.bytes.load(Relaxed), if device.is_cpu() { 0 } else { 2 });
            return Err(DeviceError::out_of_memory(device, bytes, code).into());
        }
        if refusals()? > before {
            return Err(DeviceError::out_of_memory(device, 0, 2).into());
        }
        let (library, call, code) = ("libtorch", "a function of tch", 0);
        Err(Error::Library { library, call, code, message: error.to_string() })
    })
}
