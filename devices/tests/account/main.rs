//! Who holds what, exactly: on the CPU and on every CUDA and `OpenCL` device there is.
//!
//! Counters belong to the whole process, so these tests run one after the other.

mod counts;
mod environment;
mod events;
mod leaks;
mod scopes;
mod snapshots;

use std::io::Write as _;

use arrayspan_devices::{Device, DeviceKind, Memory, Stream, drain};
use parking_lot::{Mutex, MutexGuard};

/// Keeps other tests away. What a failed test has left behind spoils nothing: all compare with before.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let alone = ALONE.lock();
    drain();
    alone
}

/// The CPU, and a device of each other kind; kinds without one are named.
fn devices() -> Vec<Device> {
    let mut devices = vec![Device::cpu()];
    for (kind, name) in [(DeviceKind::Cuda, "CUDA"), (DeviceKind::OpenCl, "OpenCL")] {
        match Device::new(kind, 0) {
            Ok(device) => devices.push(device),
            Err(_) => skipped(&format!("no {name} device")),
        }
    }
    devices
}

/// Says what was left out, past the test harness, which hides what passing tests print.
fn skipped(why: &str) {
    // A closed stderr is no reason to fail.
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

#[track_caller]
fn block(bytes: usize, stream: &Stream) -> Memory {
    Memory::allocate(bytes, stream).expect("a small block")
}
