//! Bytes between host memory of every kind and every device there is, in steps small enough that few bytes take many.

mod callbacks;
mod concurrent;
mod contents;
mod peers;
mod pinned;
mod register;
mod relay;

use std::io::Write as _;
use std::sync::Once;

use arrayspan_devices::staging::{self, Settings};
use arrayspan_devices::{Access, Device, DeviceKind, Memory, Result, Stream};

/// What the tests stage copies with: sizes around these are where mistakes would be.
const CHUNK: usize = 64 << 10;
const THRESHOLD: usize = 100_000;

/// Every CUDA and `OpenCL` device, after the settings are made. A kind without one is named, once.
fn gpus() -> Vec<Device> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        staging::configure(Settings {
            threshold: THRESHOLD,
            chunk: CHUNK,
            threads: 3,
            most_threads: 9,
            processors: true,
            ..staging::settings()
        });
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

/// Bytes that differ from place to place and from seed to seed.
fn pattern(bytes: usize, seed: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i * 31 + i / 251 + seed * 97 + 1) as u8).collect()
}

/// Ordinary host memory with these bytes.
fn host(bytes: &[u8]) -> Result<Memory> {
    let memory = Memory::allocate(bytes.len(), &Device::cpu().stream()?)?;
    fill(&memory, bytes);
    Ok(memory)
}

/// Writes a block of host memory that nothing uses.
fn fill(memory: &Memory, bytes: &[u8]) {
    assert!(memory.device().is_cpu() && bytes.len() <= memory.bytes());
    memory.wait(Access::Write).expect("the end of work on the block");
    // SAFETY: the block has the room, and the host has waited for all who use it.
    unsafe { std::ptr::copy(bytes.as_ptr(), memory.address() as *mut u8, bytes.len()) };
}

/// The content of host memory, waited for.
fn content(memory: &Memory) -> Vec<u8> {
    assert!(memory.device().is_cpu());
    memory.wait(Access::Read).expect("the end of work on the block");
    // SAFETY: the block has this size, and the host has waited for its writers.
    unsafe { std::slice::from_raw_parts(memory.address() as *const u8, memory.bytes()) }.to_vec()
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

/// A block on the device of `stream` with these bytes, sent from ordinary memory.
fn upload(bytes: &[u8], stream: &Stream) -> Result<Memory> {
    let memory = Memory::allocate(bytes.len(), stream)?;
    copy(&host(bytes)?, 0, &memory, 0, bytes.len(), stream)?;
    Ok(memory)
}

/// The content of a block, fetched to ordinary memory.
fn download(memory: &Memory, stream: &Stream) -> Result<Vec<u8>> {
    let to = Memory::allocate(memory.bytes(), &Device::cpu().stream()?)?;
    copy(memory, 0, &to, 0, memory.bytes(), stream)?;
    Ok(content(&to))
}
