//! Copies to, from and between devices of a kind that this crate does not know, and their order.

use std::sync::mpsc;

use arrayspan_devices::{Access, Device, Memory, Stream};

use super::{shelves, stream};

const SIZES: [usize; 6] = [1, 3, 257, 4099, 1 << 20, 3_000_017];

fn bytes(count: usize, seed: usize) -> Vec<u8> {
    (0..count).map(|at| (at * 7 + at / 256 + seed) as u8).collect()
}

fn host() -> Stream {
    Device::cpu().stream().unwrap()
}

fn on_host(values: &[u8]) -> Memory {
    let block = Memory::allocate(values.len(), &host()).unwrap();
    // SAFETY: the block has as many bytes, and nobody else knows it.
    let own = unsafe { std::slice::from_raw_parts_mut(block.address() as *mut u8, values.len()) };
    own.copy_from_slice(values);
    block
}

fn read(block: &Memory) -> Vec<u8> {
    block.wait(Access::Read).unwrap();
    // SAFETY: the block is memory of the host, whose writers are done; the tests write no more.
    unsafe { std::slice::from_raw_parts(block.address() as *const u8, block.bytes()) }.to_vec()
}

fn copy(from: &Memory, to: &Memory, on: &Stream) {
    // SAFETY: only streams use the blocks meanwhile.
    unsafe { from.copy_to(0, to, 0, from.bytes(), on) }.unwrap();
}

/// Brings values to a device.
fn placed(values: &[u8], on: &Stream) -> Memory {
    let block = Memory::allocate(values.len(), on).unwrap();
    copy(&on_host(values), &block, on);
    block
}

/// Brings them back.
fn back(block: &Memory, on: &Stream) -> Vec<u8> {
    let host = Memory::allocate(block.bytes(), &host()).unwrap();
    copy(block, &host, on);
    read(&host)
}

#[test]
fn bytes_go_there_and_back() {
    let (_turn, devices) = shelves();
    for device in devices {
        let stream = stream(device);
        for (seed, size) in SIZES.into_iter().enumerate() {
            let values = bytes(size, seed);
            assert_eq!(back(&placed(&values, &stream), &stream), values, "{device} {size}");
        }
    }
}

#[test]
fn parts_of_blocks_go_where_they_are_sent() {
    let (_turn, [device, _]) = shelves();
    let stream = stream(device);
    let values = bytes(1000, 3);
    let block = placed(&values, &stream);
    let other = placed(&bytes(1000, 50), &stream);
    // SAFETY: only the stream uses the blocks.
    unsafe { block.copy_to(13, &other, 700, 101, &stream) }.unwrap();
    let mut expected = bytes(1000, 50);
    expected[700..801].copy_from_slice(&values[13..114]);
    assert_eq!(back(&other, &stream), expected);
    // SAFETY: as above; it is refused.
    assert!(unsafe { block.copy_to(900, &other, 0, 101, &stream) }.is_err());
}

#[test]
fn bytes_go_between_its_devices_and_those_of_other_kinds() {
    let (_turn, [first, second]) = shelves();
    let mut pairs = vec![(first, second), (second, first)];
    for device in Device::all().into_iter().filter(|d| !d.is_cpu() && d.kind() != first.kind()) {
        pairs.extend([(first, device), (device, first)]);
    }
    for (from, to) in pairs {
        let (out, into) = (stream(from), stream(to));
        for (seed, size) in SIZES.into_iter().enumerate() {
            let values = bytes(size, seed);
            let source = placed(&values, &out);
            let target = Memory::allocate(size, &into).unwrap();
            copy(&source, &target, &into);
            assert_eq!(back(&target, &into), values, "{from} -> {to}: {size}");
        }
    }
}

#[test]
fn streams_wait_for_each_other_where_they_share_a_block() {
    let (_turn, [device, _]) = shelves();
    let (one, other) = (stream(device), stream(device));
    for round in 0..20 {
        let values = bytes(4099, round);
        let block = placed(&values, &one);
        // Read by the other stream as soon as it may, and overwritten by the first not before that.
        let copied = Memory::allocate(4099, &other).unwrap();
        copy(&block, &copied, &other);
        copy(&on_host(&bytes(4099, round + 100)), &block, &one);
        assert_eq!(back(&copied, &other), values);
        assert_eq!(back(&block, &one), bytes(4099, round + 100));
    }
}

#[test]
fn blocks_that_are_dropped_at_once_are_used_to_the_end() {
    let (_turn, [device, _]) = shelves();
    let stream = stream(device);
    let expected = bytes(100_003, 9);
    let results: Vec<Memory> = (0..30)
        .map(|_| {
            let passing = placed(&expected, &stream);
            let kept = Memory::allocate(expected.len(), &stream).unwrap();
            copy(&passing, &kept, &stream);
            kept
        })
        .collect();
    for kept in &results {
        assert_eq!(back(kept, &stream), expected);
    }
}

#[test]
fn events_and_callbacks_come_when_the_work_is_done() {
    let (_turn, [device, _]) = shelves();
    let stream = stream(device);
    let before = stream.record().unwrap();
    let block = placed(&bytes(1 << 20, 1), &stream);
    let after = stream.record().unwrap();
    let (told, done) = mpsc::channel();
    stream.on_complete(move |ended| told.send(ended.is_ok()).unwrap()).unwrap();
    assert!(done.recv().unwrap());
    assert!(before.is_complete().unwrap() && after.is_complete().unwrap());
    assert!(after.elapsed_since(&before).unwrap() > std::time::Duration::ZERO);
    stream.synchronize().unwrap();
    assert!(stream.is_idle().is_ok());
    drop(block);
}
