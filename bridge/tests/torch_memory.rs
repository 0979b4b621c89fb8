//! Handing over again and again leaves nothing behind. A program of its own: no other test takes memory meanwhile.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::torch::{Options, export, import};
use arrayspan_bridge::{Array, Crossing, DType};
use tch::{Kind, Tensor};

const CYCLES: usize = 100_000;

/// Bytes of this process in memory.
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    4096 * pages.split(' ').nth(1).unwrap().parse::<usize>().unwrap()
}

/// There and back, from either side; 4 KiB each, so that what is not released shows.
fn cycle() {
    let stream = Device::cpu().stream().unwrap();
    let array = Array::empty([1024], DType::Float32, &stream).unwrap();
    let (tensor, there) = export(array, Options::default()).unwrap();
    let (array, back) = import(tensor, Options::default()).unwrap();
    assert_eq!((there, back), (Crossing::ZeroCopy, Crossing::ZeroCopy));
    drop(export(array, Options::default()).unwrap());
    let theirs = Tensor::zeros([1024], (Kind::Float, tch::Device::Cpu));
    let (array, crossing) = import(theirs, Options::default()).unwrap();
    assert_eq!(crossing, Crossing::ZeroCopy);
    drop(array);
}

#[test]
fn a_hundred_thousand_hand_overs_leave_memory_as_it_was() {
    (0..1000).for_each(|_| cycle());
    let before = resident();
    (0..CYCLES).for_each(|_| cycle());
    let grown = resident().saturating_sub(before);
    assert!(grown < 1 << 20, "{grown} bytes more");
    assert_eq!(Device::cpu().statistics().live_bytes, 0);
}
