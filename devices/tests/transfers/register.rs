//! Host memory that is locked where it lies. CUDA can do it; the others say that they cannot.

use arrayspan_devices::{Device, DeviceKind, Error, Memory, Result, drain};

use super::{content, copy, download, fill, gpus, host, pattern, upload};

const BYTES: usize = 700_001;

/// The CUDA devices, or a word that there are none.
fn cuda() -> Vec<Device> {
    gpus().into_iter().filter(|device| device.kind() == DeviceKind::Cuda).collect()
}

#[test]
fn a_registered_block_copies_both_ways_and_is_ordinary_again_afterwards() -> Result<()> {
    for device in cuda() {
        let stream = device.new_stream()?;
        let memory = host(&pattern(BYTES, 1))?;
        let far = Memory::allocate(BYTES, &stream)?;
        {
            let _registered = memory.register(device)?;
            assert!(memory.is_pinned(device), "{device}");
            copy(&memory, 0, &far, 0, BYTES, &stream)?;
            copy(&far, 0, &memory, 0, BYTES, &stream)?;
        }
        assert!(!memory.is_pinned(device), "{device}");
        assert!(content(&memory) == pattern(BYTES, 1), "{device}");
        copy(&memory, 0, &far, 0, BYTES, &stream)?;
        assert!(download(&far, &stream)? == pattern(BYTES, 1), "{device}");
        // Once more, now that nothing is left of the first time.
        memory.register(device)?.keep();
        assert!(memory.is_pinned(device), "{device}");
        memory.unregister()?;
        memory.unregister()?;
        assert!(!memory.is_pinned(device), "{device}");
    }
    Ok(())
}

#[test]
fn a_registered_block_dropped_under_a_transfer_is_unlocked_and_freed_after_it() -> Result<()> {
    for device in cuda() {
        let stream = device.new_stream()?;
        for round in 0..10 {
            let memory = host(&pattern(BYTES, round))?;
            memory.register(device)?.keep();
            let far = Memory::allocate(BYTES, &stream)?;
            copy(&memory, 0, &far, 0, BYTES, &stream)?;
            drop(memory);
            assert!(download(&far, &stream)? == pattern(BYTES, round), "{device}");
        }
        drain();
        device.check()?;
    }
    Ok(())
}

#[test]
fn a_block_is_registered_once_at_a_time() -> Result<()> {
    for device in cuda() {
        let memory = host(&pattern(BYTES, 2))?;
        let registered = memory.register(device)?;
        let error = memory.register(device).unwrap_err();
        assert!(matches!(error, Error::PageLock { bytes: BYTES, .. }), "{device}: {error}");
        assert!(memory.is_pinned(device), "{device}: the refusal changed nothing");
        drop(registered);
        drop(memory.register(device)?);
        let pinned = Memory::pinned(BYTES, device)?;
        let error = pinned.register(device).unwrap_err();
        assert!(matches!(error, Error::PageLock { .. }), "{device}: {error}");
    }
    Ok(())
}

#[test]
fn what_cannot_be_registered_is_a_typed_error() -> Result<()> {
    for device in gpus() {
        let stream = device.stream()?;
        let far = upload(&pattern(100, 3), &stream)?;
        let error = far.register(device).unwrap_err();
        assert!(matches!(error, Error::WrongDevice { operation: "register", .. }), "{error}");
        let empty = host(&[])?;
        let error = empty.register(device).unwrap_err();
        assert!(matches!(error, Error::PageLock { bytes: 0, .. }), "{device}: {error}");
    }
    Ok(())
}

#[test]
fn where_memory_cannot_be_locked_in_place_it_stays_as_it_was() -> Result<()> {
    let all = gpus().into_iter().chain([Device::cpu()]);
    for device in all.filter(|device| device.kind() != DeviceKind::Cuda) {
        let memory = host(&pattern(BYTES, 4))?;
        let error = memory.register(device).unwrap_err();
        assert!(matches!(error, Error::Unsupported { .. }), "{device}: {error}");
        assert!(!memory.is_pinned(device), "{device}");
        // A second time it is not said to be locked already.
        let error = memory.register(device).unwrap_err();
        assert!(matches!(error, Error::Unsupported { .. }), "{device}: {error}");
        fill(&memory, &pattern(BYTES, 5));
        assert!(content(&memory) == pattern(BYTES, 5), "{device}");
    }
    Ok(())
}
