//! The memory pool of every device there is. In a process of its own, one test at a time, because pool, limits and
//! counters belong to the whole process.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod deleters;
mod environment;
mod libraries;
mod limits;
mod order;
mod reuse;
mod settled;
mod threads;

use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use arrayspan_devices::{Access, Device, DeviceKind, Memory, Stream, drain};

const MIB: usize = 1 << 20;

/// A test's turn: nothing is cached and no limit set when it begins, and everything must be given back when it ends.
struct Turn(#[allow(dead_code, reason = "held")] MutexGuard<'static, ()>);

fn turn() -> Turn {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = Turn(TURN.lock().unwrap_or_else(PoisonError::into_inner));
    drain();
    for device in Device::all() {
        device.trim(0).unwrap();
        assert_eq!(
            device.pool().reserved,
            0,
            "{device}: a test before this one has left something"
        );
    }
    turn
}

impl Drop for Turn {
    fn drop(&mut self) {
        for device in Device::all() {
            device.set_limit(None).unwrap();
            device.set_headroom(0).unwrap();
        }
        if std::thread::panicking() {
            return;
        }
        drain();
        for device in Device::all() {
            device.trim(0).unwrap();
            let figures = device.pool();
            assert_eq!((figures.reserved, figures.cached, figures.segments), (0, 0, 0), "{device}");
            assert_eq!(device.statistics().live_bytes, 0, "{device}");
            device.check().unwrap();
        }
    }
}

/// Every device; says which kinds are missing, once.
fn devices() -> Vec<Device> {
    static SAID: Once = Once::new();
    SAID.call_once(|| {
        for (kind, name) in [(DeviceKind::Cuda, "CUDA"), (DeviceKind::OpenCl, "OpenCL")] {
            if Device::new(kind, 0).is_err() {
                eprintln!("skipped: no {name} device");
            }
        }
    });
    Device::all()
}

fn gpus() -> Vec<Device> {
    devices().into_iter().filter(|device| !device.is_cpu()).collect()
}

/// Host memory that no limit concerns.
fn host(mut bytes: Vec<u8>) -> Memory {
    let (address, len) = (bytes.as_mut_ptr().expose_provenance(), bytes.len());
    // SAFETY: the vector lives in the release function, and nobody else uses it.
    unsafe { Memory::from_foreign(Device::cpu(), address, len, Box::new(|| drop(bytes))) }
}

/// Fills the beginning of a block.
fn fill(memory: &Memory, bytes: &[u8], stream: &Stream) {
    // SAFETY: nobody looks into the blocks of a test before waiting, nor keeps references.
    unsafe { host(bytes.to_vec()).copy_to(0, memory, 0, bytes.len(), stream).unwrap() };
}

/// The beginning of a block, waited for.
fn content(memory: &Memory, bytes: usize, stream: &Stream) -> Vec<u8> {
    let host = host(vec![0; bytes]);
    // SAFETY: as for `fill`.
    unsafe { memory.copy_to(0, &host, 0, bytes, stream).unwrap() };
    host.wait(Access::Read).unwrap();
    // SAFETY: the block has this size, and the host has waited.
    unsafe { std::slice::from_raw_parts(host.address() as *const u8, bytes) }.to_vec()
}

/// Bytes that differ from place to place and from seed to seed.
fn pattern(bytes: usize, seed: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i * 31 + i / 251 + seed * 97 + 1) as u8).collect()
}

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}
