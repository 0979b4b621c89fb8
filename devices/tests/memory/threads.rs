//! Many threads at once.

use std::thread;

use arrayspan_devices::{Device, Error, Limit, Memory, Stream};

use super::{MIB, Random, content, devices, fill, pattern, turn};

/// Allocates and frees at random; blocks that live hold a pattern that nobody else may change.
fn work(device: Device, seed: usize) -> usize {
    let mut random = Random(seed as u64);
    let own: [Stream; 2] = [device.new_stream().unwrap(), device.new_stream().unwrap()];
    let mut live: Vec<(Memory, usize)> = Vec::new();
    let mut refused = 0;
    for round in 0..150 {
        let stream = &own[random.below(2)];
        if live.len() > 6 || !live.is_empty() && random.below(3) == 0 {
            let (memory, mark) = live.swap_remove(random.below(live.len()));
            let bytes = memory.bytes().min(5000);
            assert_eq!(content(&memory, bytes, stream), pattern(bytes, mark), "{device}");
            continue;
        }
        let most = 1000 << random.below(12);
        let bytes = 1 + random.below(most);
        let memory = match Memory::allocate(bytes, stream) {
            Ok(memory) => memory,
            Err(Error::OutOfMemory { .. }) => {
                refused += 1;
                live.clear();
                continue;
            }
            Err(error) => panic!("{device}: {error}"),
        };
        let mark = seed * 1000 + round;
        fill(&memory, &pattern(bytes.min(5000), mark), stream);
        live.push((memory, mark));
    }
    refused
}

fn many(device: Device) -> usize {
    thread::scope(|scope| {
        let threads: Vec<_> =
            (0..8).map(|seed| scope.spawn(move || work(device, seed + 1))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    })
}

#[test]
fn threads_with_their_own_streams_keep_their_blocks_apart() {
    let _turn = turn();
    for device in devices() {
        assert_eq!(many(device), 0, "{device}");
    }
}

#[test]
fn threads_that_share_too_little_memory_keep_their_blocks_apart() {
    let _turn = turn();
    for device in devices() {
        device.set_limit(Some(Limit::Bytes(12 * MIB))).unwrap();
        many(device);
        assert!(device.pool().reserved <= 12 * MIB, "{device}");
        device.set_limit(None).unwrap();
    }
}

#[test]
fn a_block_freed_by_another_thread_comes_back() {
    let _turn = turn();
    for device in devices() {
        let stream = device.new_stream().unwrap();
        let reserved = || device.pool().reserved;
        let block = Memory::allocate(MIB, &stream).unwrap();
        let before = reserved();
        thread::spawn(move || drop(block)).join().unwrap();
        drop(Memory::allocate(MIB, &stream).unwrap());
        assert_eq!(reserved(), before, "{device}");
    }
}
