//! Limits hold, and a refusal says what it was.

use arrayspan_devices::{Device, Error, Limit, Memory, Refusal, Refused, Statistics, Stream};

use super::{MIB, Random, devices, gpus, turn};

/// Whether allocations fail on purpose: what a real refusal says is not to be seen then.
pub(super) fn injected() -> bool {
    let injected = std::env::var_os("ARRAYSPAN_FAULTS").is_some();
    if injected {
        eprintln!("skipped: failures are injected, and this test asks what real ones say");
    }
    injected
}

fn limit(device: Device, bytes: usize) {
    device.set_limit(Some(Limit::Bytes(bytes))).unwrap();
}

fn refused(bytes: usize, stream: &Stream) -> Refused {
    let device = stream.device();
    match Memory::allocate(bytes, stream) {
        Err(Error::OutOfMemory { device: at, bytes: asked, refusal: Some(refused), .. }) => {
            assert_eq!((at, asked), (device, bytes));
            *refused
        }
        other => panic!("{device}: {bytes} bytes gave {other:?}"),
    }
}

#[test]
fn what_is_beyond_the_limit_is_refused_and_changes_nothing() {
    if injected() {
        return;
    }
    let _turn = turn();
    for device in devices() {
        let stream = device.new_stream().unwrap();
        limit(device, 20 * MIB);
        let held = Memory::allocate(12 * MIB, &stream).unwrap();
        let before = (device.statistics(), device.pool());
        let error = refused(12 * MIB, &stream);
        assert!(matches!(error.why, Refusal::Limit { limit, .. } if limit == 20 * MIB), "{error}");
        assert_eq!(error.live, 12 * MIB, "{device}");
        assert!(error.reserved >= 12 * MIB && error.largest_free < 12 * MIB, "{device}: {error}");
        // All but the count of refusals, and what others use of the device meanwhile.
        let live = |now: Statistics| (now.live_bytes, now.live_blocks, now.allocations);
        assert_eq!(live(device.statistics()), live(before.0), "{device}");
        assert_eq!(device.statistics().failures, before.0.failures + 1, "{device}");
        assert_eq!(device.pool(), before.1, "{device}");
        assert!(refused(21 * MIB, &stream).to_string().contains("the limit is 20971520"));
        drop(Memory::allocate(7 * MIB, &stream).unwrap());
        drop(held);
        drop(Memory::allocate(12 * MIB, &stream).unwrap());
        device.set_limit(None).unwrap();
        drop(Memory::allocate(21 * MIB, &stream).unwrap());
    }
}

#[test]
fn what_is_kept_unused_does_not_count_against_the_limit() {
    let _turn = turn();
    for device in devices() {
        let stream = device.new_stream().unwrap();
        limit(device, 20 * MIB);
        for bytes in [3, 19, 5, 11, 2, 18].map(|size| size * MIB) {
            drop(Memory::allocate(bytes, &stream).unwrap());
            assert!(device.pool().reserved <= 20 * MIB, "{device}");
        }
        let small: Vec<Memory> =
            (0..1500).map(|_| Memory::allocate(10_000, &stream).unwrap()).collect();
        assert!(device.pool().reserved <= 20 * MIB, "{device}");
        drop(small);
        drop(Memory::allocate(19 * MIB, &stream).unwrap());
    }
}

#[test]
fn a_request_as_large_as_the_limit_is_not_rounded_beyond_it() {
    let _turn = turn();
    for device in devices() {
        let stream = device.new_stream().unwrap();
        for bytes in [9 * MIB + 256, 10_000_000 / 256 * 256, 256_000, 70_144] {
            limit(device, bytes);
            drop(Memory::allocate(bytes, &stream).unwrap());
            drop(Memory::allocate(bytes, &stream).unwrap());
        }
    }
}

#[test]
fn a_limit_below_what_is_held_refuses_all_and_takes_nothing_away() {
    if injected() {
        return;
    }
    let _turn = turn();
    for device in devices() {
        let stream = device.new_stream().unwrap();
        let (held, freed) =
            (Memory::allocate(8 * MIB, &stream), Memory::allocate(4 * MIB, &stream));
        drop(freed);
        stream.synchronize().unwrap();
        limit(device, 4 * MIB);
        for bytes in [1, 100_000, 4 * MIB] {
            assert!(matches!(refused(bytes, &stream).why, Refusal::Limit { .. }), "{device}");
        }
        assert_eq!(device.statistics().live_bytes, 8 * MIB, "{device}");
        drop(held);
        drop(Memory::allocate(3 * MIB, &stream).unwrap());
    }
}

#[test]
fn a_limit_holds_for_small_blocks_of_a_segment_that_is_there_already() {
    if injected() {
        return;
    }
    let _turn = turn();
    for device in devices() {
        let stream = device.new_stream().unwrap();
        // Keeps a segment of which most is free.
        let held = Memory::allocate(100_000, &stream).unwrap();
        drop(Memory::allocate(900_000, &stream).unwrap());
        limit(device, 30_000);
        for bytes in [900_000, 900_000, 20_000] {
            assert!(matches!(refused(bytes, &stream).why, Refusal::Limit { .. }), "{device}");
        }
        drop(held);
        let small = Memory::allocate(20_000, &stream).unwrap();
        assert!(device.pool().reserved <= 30_000, "{device}: {:?}", device.pool());
        assert!(matches!(refused(20_000, &stream).why, Refusal::Limit { .. }), "{device}");
        drop(small);
    }
}

#[test]
fn page_locked_memory_counts_against_the_limit_of_the_host() {
    if injected() {
        return;
    }
    let _turn = turn();
    let cpu = Device::cpu();
    for device in gpus() {
        device.trim_pinned(0).unwrap();
        limit(cpu, 20 * MIB);
        let stream = cpu.stream().unwrap();
        let first = Memory::pinned(12 * MIB, device).unwrap();
        assert_eq!(cpu.statistics().live_bytes, 12 * MIB, "{device}");
        assert!(matches!(refused(12 * MIB, &stream).why, Refusal::Limit { .. }), "{device}");
        let error = Memory::pinned(12 * MIB, device).unwrap_err();
        assert!(
            matches!(&error, Error::OutOfMemory { device, refusal: Some(refused), .. }
                if *device == cpu && matches!(refused.why, Refusal::Limit { .. })),
            "{device}: {error}"
        );
        // Kept for reuse it still counts, and is given up for what needs the room.
        drop(first);
        drop(Memory::allocate(12 * MIB, &stream).unwrap());
        // Small blocks are parts of larger pieces, unless there is no room for those.
        limit(cpu, MIB);
        let small = Memory::pinned(5000, device).unwrap();
        assert!(device.pinned_statistics().bytes <= MIB, "{device}");
        drop(small);
        cpu.set_limit(None).unwrap();
        device.trim_pinned(0).unwrap();
        assert_eq!(cpu.statistics().live_bytes, 0, "{device}");
    }
}

#[test]
fn memory_that_the_program_hands_over_counts_against_the_limit_of_the_host() {
    if injected() {
        return;
    }
    let _turn = turn();
    let cpu = Device::cpu();
    limit(cpu, 20 * MIB);
    let hand_over = || {
        let mut bytes = vec![0_u8; 12 * MIB];
        let address = bytes.as_mut_ptr().expose_provenance();
        // SAFETY: the vector lives in the release function, and nobody else uses it.
        unsafe { Memory::adopt(address, 12 * MIB, Box::new(move || drop(bytes))) }
    };
    let first = hand_over().unwrap();
    let stream = cpu.stream().unwrap();
    assert!(matches!(refused(12 * MIB, &stream).why, Refusal::Limit { .. }));
    assert!(matches!(hand_over(), Err(Error::OutOfMemory { .. })));
    assert_eq!((cpu.statistics().live_bytes, cpu.statistics().live_blocks), (12 * MIB, 1));
    drop(first);
    // What the pool keeps unused gives way.
    drop(Memory::allocate(12 * MIB, &stream).unwrap());
    drop(hand_over().unwrap());
}

#[test]
fn the_headroom_is_left_to_others() {
    if injected() {
        return;
    }
    let _turn = turn();
    for device in devices() {
        let (stream, there) = (device.new_stream().unwrap(), device.info().memory_bytes);
        // Nobody ever has all but this free.
        device.set_headroom(there - MIB).unwrap();
        let error = refused(8 * MIB, &stream);
        let headroom = there - MIB;
        assert!(
            matches!(error.why, Refusal::Headroom { headroom: found, .. } if found == headroom),
            "{device}: {error}"
        );
        device.set_headroom(0).unwrap();
        drop(Memory::allocate(8 * MIB, &stream).unwrap());
    }
}

#[test]
fn bounds_that_contradict_each_other_are_refused_and_change_nothing() {
    let _turn = turn();
    for device in devices() {
        let there = device.info().memory_bytes;
        device.set_limit(Some(Limit::Fraction(0.5))).unwrap();
        device.set_headroom(there / 4).unwrap();
        let before = (device.limit(), device.headroom());
        let wrong = [
            device.set_limit(Some(Limit::Bytes(0))),
            device.set_limit(Some(Limit::Bytes(there))),
            device.set_limit(Some(Limit::Fraction(f64::NAN))),
            device.set_limit(Some(Limit::Fraction(1.5))),
            device.set_limit(Some(Limit::Fraction(-1.0))),
            device.set_headroom(there / 2 + MIB),
            device.set_headroom(usize::MAX),
        ];
        for refused in wrong {
            let error = refused.unwrap_err();
            assert!(matches!(error, Error::Limit { device: at, .. } if at == device), "{error}");
        }
        assert_eq!((device.limit(), device.headroom()), before, "{device}");
    }
}

#[test]
fn what_no_device_has_is_named_so_and_leaves_the_cache_alone() {
    if injected() {
        return;
    }
    let _turn = turn();
    for device in devices() {
        let stream = device.new_stream().unwrap();
        drop(Memory::allocate(4 * MIB, &stream).unwrap());
        let before = device.pool().reserved;
        for bytes in [1 << 50, usize::MAX / 4, usize::MAX] {
            let error = refused(bytes, &stream);
            let device_bytes = device.info().memory_bytes;
            assert_eq!(error.why, Refusal::NeverFits { device_bytes }, "{device}: {error}");
        }
        assert_eq!(device.pool().reserved, before, "{device}");
    }
}

#[test]
fn nothing_is_refused_while_a_free_block_would_do() {
    if injected() {
        return;
    }
    let _turn = turn();
    for device in devices() {
        limit(device, 24 * MIB);
        let streams = [device.new_stream().unwrap(), device.new_stream().unwrap()];
        let (mut random, mut live, mut refusals) = (Random(7), Vec::<Memory>::new(), 0);
        for _ in 0..3000 {
            if !live.is_empty() && random.below(5) < 2 {
                live.swap_remove(random.below(live.len()));
                continue;
            }
            let most = 256 << random.below(15);
            let bytes = 1 + random.below(most);
            match Memory::allocate(bytes, &streams[random.below(2)]) {
                Ok(block) => live.push(block),
                Err(Error::OutOfMemory { refusal: Some(refused), .. }) => {
                    refusals += 1;
                    assert!(refused.largest_free < bytes, "{device}: {bytes} bytes, {refused}");
                    live.truncate(live.len() / 2);
                }
                Err(error) => panic!("{device}: {error}"),
            }
            let asked: usize = live.iter().map(Memory::bytes).sum();
            assert_eq!(device.statistics().live_bytes, asked, "{device}");
            assert!(device.pool().reserved <= 24 * MIB, "{device}");
        }
        assert!(refusals > 10, "{device}: {refusals}");
    }
}
