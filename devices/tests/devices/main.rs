//! What every device must do, run on every device there is.
//!
//! Each test takes its devices from [`gpus`], which says aloud what is missing.

mod context;
mod copies;
mod cubin;
mod default_stream;
mod dialect;
mod foreign_stream;
mod identity;
mod kernels;
mod order;
mod release;

use std::io::Write as _;
use std::sync::Once;

use arrayspan_devices::{
    Cache, Device, DeviceKind, Grid, Kernel, KernelSource, Memory, Result, Stream,
};

/// Every CUDA and `OpenCL` device. A kind without one is named, once, so that a passing run shows what
/// it left out.
fn gpus() -> Vec<Device> {
    static SAID: Once = Once::new();
    SAID.call_once(|| {
        for (kind, name) in [(DeviceKind::Cuda, "CUDA"), (DeviceKind::OpenCl, "OpenCL")] {
            if Device::all().iter().all(|device| device.kind() != kind) {
                skipped(&format!("no {name} device"));
            }
        }
    });
    Device::all().into_iter().filter(|device| !device.is_cpu()).collect()
}

/// Says what was left out, past the test harness, which hides what passing tests print.
fn skipped(why: &str) {
    // A closed stderr is no reason to fail.
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

/// Compiles afresh, past every cache.
fn build(device: Device, source: &KernelSource) -> Result<Kernel> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    Kernel::build_cached(device, source, &Cache::at(folder.path()))
}

/// A one-dimensional grid with a thread or more for each of `n`.
fn grid(n: usize) -> Grid {
    Grid { groups: [n.div_ceil(64).max(1), 1, 1], threads: [64, 1, 1] }
}

/// A block on the CPU with these bytes.
fn host(bytes: &[u8]) -> Result<Memory> {
    let memory = Memory::allocate(bytes.len(), &Device::cpu().stream()?)?;
    // SAFETY: the block was just made with this size, and nobody else knows it.
    unsafe { std::ptr::copy(bytes.as_ptr(), memory.address() as *mut u8, bytes.len()) };
    Ok(memory)
}

/// A block on the device of `stream` with these numbers, uploaded on `stream`.
fn upload<T: bytemuck::Pod>(values: &[T], stream: &Stream) -> Result<Memory> {
    let bytes = bytemuck::cast_slice(values);
    let memory = Memory::allocate(bytes.len(), stream)?;
    copy(&host(bytes)?, 0, &memory, 0, bytes.len(), stream)?;
    Ok(memory)
}

/// Copies between blocks of the tests.
fn copy(
    from: &Memory,
    start: usize,
    to: &Memory,
    to_start: usize,
    bytes: usize,
    stream: &Stream,
) -> Result<()> {
    // SAFETY: tests look into their blocks only after waiting, and keep no references.
    unsafe { from.copy_to(start, to, to_start, bytes, stream) }
}

/// The content of a block, read on `stream` and waited for.
fn download<T: bytemuck::Pod>(memory: &Memory, stream: &Stream) -> Result<Vec<T>> {
    let host = Memory::allocate(memory.bytes(), &Device::cpu().stream()?)?;
    copy(memory, 0, &host, 0, memory.bytes(), stream)?;
    host.wait(arrayspan_devices::Access::Read)?;
    // SAFETY: the block has this size and the host has waited for the download.
    let bytes = unsafe { std::slice::from_raw_parts(host.address() as *const u8, host.bytes()) };
    Ok(bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect())
}

/// Bytes that differ from place to place and from seed to seed.
fn pattern(bytes: usize, seed: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i * 31 + i / 251 + seed * 97 + 1) as u8).collect()
}
