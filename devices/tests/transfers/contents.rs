//! What arrives is what was sent, and nothing beside it changes.

use arrayspan_devices::{Device, Memory, Result};

use super::{CHUNK, THRESHOLD, content, copy, download, fill, gpus, host, pattern, upload};

/// Around a page, the threshold, a chunk, as many chunks as there are slots, and many with a rest.
const SIZES: [usize; 15] = [
    1,
    4095,
    4096,
    CHUNK - 1,
    CHUNK,
    CHUNK + 1,
    THRESHOLD - 1,
    THRESHOLD,
    THRESHOLD + 1,
    2 * CHUNK + 1,
    4 * CHUNK - 1,
    4 * CHUNK,
    4 * CHUNK + 1,
    9 * CHUNK + 3,
    20 * CHUNK + 4097,
];

#[test]
fn every_size_survives_up_and_down_from_pageable_and_pinned_memory() -> Result<()> {
    for device in gpus() {
        let stream = device.new_stream()?;
        for bytes in SIZES {
            let sent = pattern(bytes, 1);
            let memory = upload(&sent, &stream)?;
            assert!(download(&memory, &stream)? == sent, "pageable, {bytes} bytes on {device}");

            let (pinned, back) = (Memory::pinned(bytes, device)?, Memory::pinned(bytes, device)?);
            assert!(pinned.is_pinned(device) && !host(&sent)?.is_pinned(device), "{device}");
            let sent = pattern(bytes, 2);
            fill(&pinned, &sent);
            copy(&pinned, 0, &memory, 0, bytes, &stream)?;
            copy(&memory, 0, &back, 0, bytes, &stream)?;
            assert!(content(&back) == sent, "pinned, {bytes} bytes on {device}");
        }
    }
    Ok(())
}

#[test]
fn a_part_is_written_without_touching_the_rest() -> Result<()> {
    for device in gpus() {
        let stream = device.stream()?;
        for bytes in [THRESHOLD, 4 * CHUNK + 1, 9 * CHUNK + 3] {
            for (start, to_start) in [(0, 1), (5, 3), (4095, 63)] {
                let (sent, before) = (pattern(start + bytes + 2, 3), pattern(bytes + 200, 4));
                let memory = upload(&before, &stream)?;
                copy(&host(&sent)?, start, &memory, to_start, bytes, &stream)?;
                let mut wanted = before.clone();
                wanted[to_start..to_start + bytes].copy_from_slice(&sent[start..start + bytes]);
                assert!(
                    download(&memory, &stream)? == wanted,
                    "up, {bytes} at {start} on {device}"
                );

                let part = host(&pattern(bytes + start + 7, 5))?;
                copy(&memory, to_start, &part, start, bytes, &stream)?;
                let mut read = pattern(bytes + start + 7, 5);
                read[start..start + bytes].copy_from_slice(&sent[start..start + bytes]);
                assert!(content(&part) == read, "down, {bytes} at {start} on {device}");
            }
        }
    }
    Ok(())
}

#[test]
fn any_two_devices_exchange_many_chunks_on_a_stream_of_either() -> Result<()> {
    gpus();
    for source in Device::all() {
        for target in Device::all() {
            for stream in [source.new_stream()?, target.new_stream()?] {
                for bytes in [1, THRESHOLD, 9 * CHUNK + 3] {
                    let sent = pattern(bytes + 5, bytes);
                    let from = upload(&sent, &source.new_stream()?)?;
                    let to = upload(&vec![0_u8; bytes + 9], &target.new_stream()?)?;
                    copy(&from, 5, &to, 7, bytes, &stream)?;
                    let got = download(&to, &target.new_stream()?)?;
                    let case = format!("{bytes} bytes {source} -> {target} on {stream:?}");
                    assert!(got[7..7 + bytes] == sent[5..], "{case}");
                    assert!(got[..7].iter().chain(&got[7 + bytes..]).all(|b| *b == 0), "{case}");
                }
            }
        }
    }
    Ok(())
}

#[test]
fn copies_one_after_the_other_keep_their_order_on_one_stream_and_between_two() -> Result<()> {
    for device in gpus() {
        let (one, two) = (device.new_stream()?, device.new_stream()?);
        let bytes = 9 * CHUNK + 3;
        let (a, b) = (upload(&pattern(bytes, 0), &one)?, Memory::allocate(bytes, &two)?);
        let source = host(&pattern(bytes, 1))?;
        for round in 1..6 {
            // The source is written again as soon as the call returns.
            copy(&source, 0, &a, 0, bytes, &one)?;
            fill(&source, &pattern(bytes, round + 1));
            copy(&a, 0, &b, 0, bytes, &two)?;
            assert!(download(&b, &one)? == pattern(bytes, round), "round {round} on {device}");
        }
    }
    Ok(())
}

#[test]
fn a_source_that_a_device_still_writes_is_read_afterwards() -> Result<()> {
    for device in gpus() {
        let (one, two) = (device.new_stream()?, device.new_stream()?);
        let bytes = 9 * CHUNK + 3;
        let memory = upload(&pattern(bytes, 1), &one)?;
        // Below the threshold drivers may return before the bytes are there; piece by piece they fill the block.
        let between = host(&pattern(bytes, 2))?;
        for start in (0..bytes).step_by(CHUNK) {
            copy(&memory, start, &between, start, CHUNK.min(bytes - start), &one)?;
        }
        let other = Memory::allocate(bytes, &two)?;
        copy(&between, 0, &other, 0, bytes, &two)?;
        assert!(download(&other, &one)? == pattern(bytes, 1), "{device}");
    }
    Ok(())
}
