//! What was freed is given out again.

use arrayspan_devices::{Device, Memory};

use super::{MIB, devices, gpus, turn};

#[test]
fn a_freed_block_is_given_out_again_on_its_stream_and_the_driver_is_not_asked() {
    let _turn = turn();
    for device in devices() {
        let stream = device.new_stream().unwrap();
        for bytes in [100_000, MIB, 5 * MIB, 64 * MIB] {
            let first = Memory::allocate(bytes, &stream).unwrap();
            let (address, reserved) = (first.address(), device.pool().reserved);
            drop(first);
            assert!(device.pool().cached >= bytes, "{device}");
            assert!(device.pool().largest_free >= bytes, "{device}");
            for less in [0, 1, 100] {
                let again = Memory::allocate(bytes - less, &stream).unwrap();
                assert_eq!(again.address(), address, "{device}: {bytes} bytes");
                assert_eq!(device.statistics().live_bytes, bytes - less, "as asked for");
            }
            assert_eq!(device.pool().reserved, reserved, "{device}");
        }
    }
}

#[test]
fn blocks_are_aligned_as_the_fastest_access_needs() {
    let _turn = turn();
    for device in devices().into_iter().filter(|device| device.kind().name() != "opencl") {
        let stream = device.new_stream().unwrap();
        let alignment = if device.is_cpu() { 64 } else { 256 };
        let blocks: Vec<Memory> = (1..200)
            .map(|number| Memory::allocate(number * number * 37, &stream).unwrap())
            .collect();
        assert!(blocks.iter().all(|block| block.address() % alignment == 0), "{device}");
    }
}

#[test]
fn what_one_stream_has_freed_serves_another_once_its_work_is_done() {
    let _turn = turn();
    for device in devices() {
        let (one, other) = (device.new_stream().unwrap(), device.new_stream().unwrap());
        drop(Memory::allocate(3 * MIB, &one).unwrap());
        let reserved = device.pool().reserved;
        // The first look has the stream mark what it has freed; it may not find it done at once.
        one.synchronize().unwrap();
        let tries = (0..1000).map(|_| drop(Memory::allocate(3 * MIB, &other).unwrap()));
        tries.for_each(drop);
        assert!(device.pool().reserved <= 2 * reserved, "{device}: {:?}", device.pool());
        assert!(device.pool().segments <= 2, "{device}: {:?}", device.pool());
    }
}

#[test]
fn what_a_stream_has_freed_outlives_it() {
    let _turn = turn();
    for device in gpus() {
        for _ in 0..20 {
            let stream = device.new_stream().unwrap();
            drop(Memory::allocate(3 * MIB, &stream).unwrap());
            drop(stream);
            // Keeps all of it, and waits for what uses it: also for the mark of a stream that has ended.
            device.trim(usize::MAX).unwrap();
            assert_eq!(device.pool().pending, 0, "{device}");
        }
        // Each found what the one before it had left.
        assert_eq!(device.pool().segments, 1, "{device}: {:?}", device.pool());
        let found = device.trim(0).unwrap();
        assert!(found > 0 && device.pool().reserved == 0, "{device}: {:?}", device.pool());
    }
}

#[test]
fn small_neighbours_become_one_block_again() {
    let _turn = turn();
    for device in gpus() {
        let stream = device.new_stream().unwrap();
        let whole = |count: usize, bytes| -> Vec<Memory> {
            (0..count).map(|_| Memory::allocate(bytes, &stream).unwrap()).collect()
        };
        drop(whole(200, MIB / 100));
        let before = device.pool();
        drop(whole(2, MIB));
        assert_eq!(device.pool().reserved, before.reserved, "{device}: {before:?}");
        assert_eq!(device.pool().cached, device.pool().reserved, "{device}");
    }
}

#[test]
fn many_blocks_of_one_size_need_no_more_the_second_time() {
    let _turn = turn();
    for device in devices() {
        let stream = device.new_stream().unwrap();
        let round = || -> Vec<Memory> {
            (0..300).map(|number| Memory::allocate(70_000 + number, &stream).unwrap()).collect()
        };
        drop(round());
        let reserved = device.pool().reserved;
        for _ in 0..5 {
            drop(round());
        }
        assert_eq!(device.pool().reserved, reserved, "{device}");
    }
}

#[test]
fn the_pool_keeps_no_more_than_it_may() {
    let _turn = turn();
    for device in devices() {
        let (stream, before) = (device.new_stream().unwrap(), device.cache_limit());
        let blocks = |sizes: std::ops::Range<usize>| -> Vec<Memory> {
            sizes.map(|size| Memory::allocate(size * MIB, &stream).unwrap()).collect()
        };
        device.set_cache_limit(40 * MIB).unwrap();
        drop(blocks(2..16));
        let cached = device.pool().cached;
        assert!((1..=40 * MIB).contains(&cached), "{device}: {cached}");
        device.set_cache_limit(0).unwrap();
        stream.synchronize().unwrap();
        drop(blocks(2..5));
        assert!(device.pool().cached < 40 * MIB, "{device}: {:?}", device.pool());
        device.set_cache_limit(before).unwrap();
    }
}

#[test]
fn trimming_gives_back_what_is_unused_and_says_how_much() {
    let _turn = turn();
    for device in devices() {
        let stream = device.new_stream().unwrap();
        let kept = Memory::allocate(8 * MIB, &stream).unwrap();
        drop(Memory::allocate(16 * MIB, &stream).unwrap());
        drop(Memory::allocate(32 * MIB, &stream).unwrap());
        let before = device.pool();
        let freed = device.trim(16 * MIB).unwrap();
        let after = device.pool();
        assert!(freed >= before.reserved - after.reserved, "{device}: {freed}");
        assert!(after.cached <= 16 * MIB && after.reserved >= 8 * MIB, "{device}: {after:?}");
        device.trim(0).unwrap();
        assert_eq!(device.pool().cached, 0, "{device}");
        assert_eq!(device.pool().peak_reserved.max(before.reserved), device.pool().peak_reserved);
        drop(kept);
    }
}

#[test]
fn host_blocks_are_initialised_also_when_they_were_used_before() {
    if std::env::var_os("ARRAYSPAN_MEMORY_POISON").is_some() {
        eprintln!("skipped: freed blocks are poisoned");
        return;
    }
    let _turn = turn();
    let stream = Device::cpu().stream().unwrap();
    for bytes in [10, 100_000, 3 * MIB] {
        for _ in 0..3 {
            let block = Memory::allocate(bytes, &stream).unwrap();
            let at = block.address() as *mut u8;
            // SAFETY: the block has this size, every byte of it has a value, and nobody else knows it.
            let sum = unsafe { std::slice::from_raw_parts_mut(at, bytes) }.iter_mut();
            let sum: usize = sum.map(|byte| usize::from(std::mem::replace(byte, 1))).sum();
            assert!(sum == 0 || sum == bytes, "zero at first, then what was there");
        }
    }
}
