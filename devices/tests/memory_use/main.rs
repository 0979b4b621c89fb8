//! How much is held, and what happens when there is no more. In a process of its own, one test after the
//! other, because the counters and the memory belong to the whole process.

use arrayspan_devices::{Device, Error, Memory, Result, Statistics, drain};

#[test]
fn live_bytes_rise_and_fall_and_a_full_device_says_so_and_recovers() -> Result<()> {
    if Device::all().iter().all(|device| device.is_cpu()) {
        eprintln!("skipped: no CUDA device, no OpenCL device");
    }
    for device in Device::all() {
        blocks_are_counted(device)?;
        absurd_sizes_are_out_of_memory(device)?;
        if device.info().accelerator {
            a_full_device_recovers(device)?;
        } else {
            eprintln!("skipped: filling {device}, whose memory is the machine's");
        }
    }
    Ok(())
}

fn blocks_are_counted(device: Device) -> Result<()> {
    let stream = device.new_stream()?;
    let before = device.statistics();
    let blocks: Vec<_> = [1, 1000, 0, 12_345]
        .map(|bytes| Memory::allocate(bytes, &stream))
        .into_iter()
        .collect::<Result<_>>()?;
    let held = device.statistics();
    assert_eq!(held.live_bytes, before.live_bytes + 13_346, "{device}");
    assert_eq!(held.live_blocks, before.live_blocks + 4, "{device}");
    assert_eq!(held.allocations, before.allocations + 4, "{device}");
    assert!(held.peak_bytes >= held.live_bytes, "{device}");
    drop(blocks);
    drain();
    let after = device.statistics();
    assert_eq!((after.live_bytes, after.live_blocks), (before.live_bytes, before.live_blocks));
    assert_eq!(after.peak_bytes, held.peak_bytes, "{device}");
    device.check()
}

fn absurd_sizes_are_out_of_memory(device: Device) -> Result<()> {
    let stream = device.new_stream()?;
    let before = device.statistics();
    for asked in [1_usize << 50, (1 << 50) + 1, usize::MAX / 4] {
        match Memory::allocate(asked, &stream) {
            Err(Error::OutOfMemory { device: at, bytes, .. }) => {
                assert_eq!((at, bytes), (device, asked));
            }
            other => panic!("{device}: {asked} bytes gave {other:?}"),
        }
    }
    let after = device.statistics();
    assert_eq!(after.failures, before.failures + 3, "{device}");
    let counted = |s: Statistics| (s.live_bytes, s.live_blocks, s.peak_bytes, s.allocations);
    assert_eq!(counted(after), counted(before), "{device}: a refusal holds nothing");
    works(device)
}

fn a_full_device_recovers(device: Device) -> Result<()> {
    let stream = device.new_stream()?;
    let free = device.free_bytes();
    let chunk = device.info().memory_bytes / 16;
    let mut blocks = Vec::new();
    let refused = loop {
        match Memory::allocate(chunk, &stream) {
            Ok(block) => blocks.push(block),
            Err(error) => break error,
        }
        assert!(blocks.len() <= 16, "{device}: more memory than it has");
    };
    assert!(matches!(refused, Error::OutOfMemory { .. }), "{device}: {refused}");
    eprintln!("{device}: {} blocks of {chunk} bytes, then: {refused}", blocks.len());
    // Half is freed with nobody waiting; the next allocation finds it.
    let kept = blocks.split_off(blocks.len() / 2);
    drop(blocks);
    let again = Memory::allocate(chunk, &stream)?;
    drop((kept, again));
    works(device)?;
    stream.synchronize()?;
    if let (Some(before), Some(after)) = (free, device.free_bytes()) {
        // The pool may keep an eighth; the rest is free for other libraries.
        let kept = device.info().memory_bytes / 8 + chunk;
        assert!(after + kept >= before, "{device}: {before} bytes free before, {after} after");
    }
    Ok(())
}

fn works(device: Device) -> Result<()> {
    let stream = device.new_stream()?;
    let (a, b) = (Memory::allocate(4096, &stream)?, Memory::allocate(4096, &stream)?);
    // SAFETY: both blocks are this test's own and nobody holds references into them.
    unsafe { a.copy_to(0, &b, 0, 4096, &stream)? };
    stream.synchronize()
}
