//! Page-locked blocks come from a pool, go back to it after their last use, and are counted.
//!
//! What a pool holds belongs to the process: tests that look at it take turns.

use std::sync::{Mutex, MutexGuard, PoisonError};

use arrayspan_devices::{Device, Error, Memory, Priority, Result, drain};

use super::{content, copy, fill, gpus, pattern, upload};

/// Held by tests that a trim elsewhere would upset, and by those that trim.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn a_block_given_back_is_taken_again_and_its_memory_never_shared() -> Result<()> {
    let _turn = turn();
    for device in gpus() {
        // A size no other test takes.
        let bytes = 23_000_001;
        let first = Memory::pinned(bytes, device)?;
        let second = Memory::pinned(bytes, device)?;
        let address = first.address();
        let apart = |a: &Memory, b: &Memory| a.address().abs_diff(b.address()) >= bytes;
        assert!(apart(&first, &second), "{device}");
        assert_eq!(address % 64, 0, "{device}");
        let before = device.pinned_statistics();
        assert!(before.blocks >= 2 && before.active_bytes >= 2 * bytes, "{device}: {before:?}");
        assert!(before.bytes >= before.active_bytes && !before.locking.is_zero(), "{before:?}");
        drop(first);
        let again = Memory::pinned(bytes - 1000, device)?;
        assert_eq!(again.address(), address, "{device}: the block that was given back");
        assert!(apart(&again, &second), "{device}");
    }
    Ok(())
}

#[test]
fn small_blocks_share_a_piece_of_locked_memory_and_do_not_overlap() -> Result<()> {
    for device in gpus() {
        let blocks: Result<Vec<Memory>> =
            (0..200).map(|i| Memory::pinned(1 + i * 37 % 9000, device)).collect();
        let blocks = blocks?;
        for (i, block) in blocks.iter().enumerate() {
            fill(block, &pattern(block.bytes(), i));
        }
        for (i, block) in blocks.iter().enumerate() {
            assert!(content(block) == pattern(block.bytes(), i), "block {i} on {device}");
        }
        let statistics = device.pinned_statistics();
        assert!(statistics.slabs < 200, "{device}: {statistics:?}");
    }
    Ok(())
}

#[test]
fn a_block_dropped_while_a_device_uses_it_is_not_taken_by_others_before() -> Result<()> {
    for device in gpus() {
        let stream = device.new_stream()?;
        let bytes = 3_000_017;
        let far = upload(&pattern(bytes, 7), &stream)?;
        for round in 0..20 {
            let down = Memory::pinned(bytes, device)?;
            copy(&far, 0, &down, 0, bytes, &stream)?;
            drop(down);
            // Whatever block this is, the transfer that may still run must not write it.
            let next = Memory::pinned(bytes, device)?;
            fill(&next, &pattern(bytes, round));
            stream.synchronize()?;
            assert!(content(&next) == pattern(bytes, round), "round {round} on {device}");
        }
    }
    Ok(())
}

#[test]
fn trimming_gives_back_what_nobody_uses_and_nothing_else() -> Result<()> {
    let _turn = turn();
    for device in gpus() {
        let kept = Memory::pinned(17_000_003, device)?;
        fill(&kept, &pattern(1000, 8));
        drop(Memory::pinned(19_000_001, device)?);
        drain();
        let freed = device.trim_pinned(0)?;
        assert!(freed >= 19_000_001, "{device}: {freed}");
        let after = device.pinned_statistics();
        assert!(after.host_frees > 0 && after.blocks > 0, "{device}: {after:?}");
        assert!(content(&kept)[..1000] == pattern(1000, 8), "{device}");
        assert!(kept.is_pinned(device), "{device}");
    }
    Ok(())
}

#[test]
fn more_than_the_host_has_is_a_typed_error_and_holds_nothing() -> Result<()> {
    for device in gpus() {
        for bytes in [usize::MAX, usize::MAX / 2, 1 << 50] {
            let error = Memory::pinned(bytes, device).unwrap_err();
            let told = matches!(error, Error::OutOfMemory { bytes: told, .. } if told == bytes);
            assert!(told, "{device}: {error}");
        }
        let memory = Memory::pinned(4097, device)?;
        fill(&memory, &pattern(4097, 9));
    }
    Ok(())
}

#[test]
fn nothing_and_the_cpu_need_no_locking() -> Result<()> {
    for device in gpus().into_iter().chain([Device::cpu()]) {
        let none = Memory::pinned(0, device)?;
        assert_eq!((none.bytes(), none.device()), (0, Device::cpu()));
    }
    let ordinary = Memory::pinned(1000, Device::cpu())?;
    fill(&ordinary, &pattern(1000, 1));
    assert_eq!(ordinary.device(), Device::cpu());
    Ok(())
}

#[test]
fn streams_of_every_priority_do_their_work() -> Result<()> {
    gpus();
    for device in Device::all() {
        for priority in [Priority::High, Priority::Normal, Priority::Low] {
            let stream = device.new_stream_with_priority(priority)?;
            let memory = upload(&pattern(300_000, 3), &stream)?;
            let got = super::download(&memory, &stream)?;
            assert!(got == pattern(300_000, 3), "{priority:?} on {device}");
            let (before, after) = (stream.record()?, stream.record()?);
            // Timed like every other stream.
            after.elapsed_since(&before)?;
        }
    }
    Ok(())
}
