//! Handing over again and again leaves nothing behind. A program of its own: no other test takes memory meanwhile.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

use std::sync::Mutex;

use arrayspan_bridge::devices::{Device, caches, drain};
use arrayspan_bridge::torch::{self, TorchOptions, export, import};
use arrayspan_bridge::{Array, Crossing, DType};
use tch::{Kind, Tensor};

const CYCLES: usize = 100_000;

/// One test at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Bytes of this process in memory.
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    4096 * pages.split(' ').nth(1).unwrap().parse::<usize>().unwrap()
}

/// There and back, from either side.
fn cycle(device: Device, on: tch::Device, len: usize) {
    let options = TorchOptions::default();
    let array = Array::empty([len], DType::Float32, &device.stream().unwrap()).unwrap();
    let (tensor, there) = export(array, options).unwrap();
    let (array, back) = import(tensor, options).unwrap();
    assert_eq!((there, back), (Crossing::ZeroCopy, Crossing::ZeroCopy));
    drop(export(array, options).unwrap());
    let theirs = Tensor::zeros([len as i64], (Kind::Float, on));
    let (array, crossing) = import(theirs, options).unwrap();
    assert_eq!(crossing, Crossing::ZeroCopy);
    drop(array);
}

#[test]
fn a_hundred_thousand_hand_overs_leave_memory_as_it_was() {
    let _alone = ALONE.lock();
    // Torch looks for CUDA once, which must not be before the other test brings it.
    let _without_cuda = torch::load_cuda();
    // 4 KiB each, so that what is not released shows.
    let cycle = |_| cycle(Device::cpu(), tch::Device::Cpu, 1024);
    (0..1000).for_each(cycle);
    let before = resident();
    (0..CYCLES).for_each(cycle);
    let grown = resident().saturating_sub(before);
    assert!(grown < 1 << 20, "{grown} bytes more");
    assert_eq!(Device::cpu().statistics().live_bytes, 0);
}

#[test]
fn a_hundred_thousand_hand_overs_leave_a_gpus_memory_as_it_was() {
    let Ok(device) = Device::cuda(0) else {
        eprintln!("skipped: no CUDA device");
        return;
    };
    let _alone = ALONE.lock();
    let on = torch::device(device).unwrap();
    // 1 MiB each.
    let cycle = |_| cycle(device, on, 1 << 18);
    (0..1000).for_each(cycle);
    drain();
    // Of this process only, as others use the device, too, and without what both keep for later.
    let reserved = || {
        let cleared = caches::clear(device);
        assert!(cleared.failures().next().is_none(), "{cleared}");
        let torchs = torch::memory_statistics(device).unwrap().reserved_bytes;
        device.pool().reserved + torchs
    };
    let (before, held) = (resident(), reserved());
    (0..CYCLES).for_each(cycle);
    drain();
    let grown = resident().saturating_sub(before);
    assert!(grown < 16 << 20, "{grown} bytes of host memory more");
    let more = reserved().saturating_sub(held);
    assert!(more < 1 << 26, "{more} bytes of device memory more");
    assert_eq!(device.statistics().live_bytes, 0);
}
