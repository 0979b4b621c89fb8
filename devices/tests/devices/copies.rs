//! Bytes arrive as they left, between any two devices, and nowhere else.

use arrayspan_devices::{Device, Error, Memory, Result};

use super::{copy, download, gpus, host, pattern, upload};

const SIZES: [usize; 7] = [1, 3, 31, 257, 4099, 65_537, 1_000_003];

#[test]
fn odd_sizes_survive_up_and_down() -> Result<()> {
    for device in gpus() {
        let stream = device.new_stream()?;
        for bytes in SIZES {
            let sent = pattern(bytes, 1);
            let memory = upload(&sent, &stream)?;
            assert!(download::<u8>(&memory, &stream)? == sent, "{bytes} bytes on {device}");
        }
    }
    Ok(())
}

#[test]
fn a_part_is_written_without_touching_the_rest() -> Result<()> {
    for device in gpus() {
        let stream = device.stream()?;
        for (start, to_start, bytes) in [(0, 1, 1), (5, 3, 1000), (1, 4095, 4097), (7, 7, 1)] {
            let (sent, before) = (pattern(5200, 2), pattern(9001, 3));
            let memory = upload(&before, &stream)?;
            copy(&host(&sent)?, start, &memory, to_start, bytes, &stream)?;
            let mut wanted = before.clone();
            wanted[to_start..to_start + bytes].copy_from_slice(&sent[start..start + bytes]);
            assert!(download::<u8>(&memory, &stream)? == wanted, "write at {to_start} on {device}");

            let part = host(&pattern(bytes + 2, 4))?;
            copy(&memory, to_start, &part, 1, bytes, &stream)?;
            let mut read = pattern(bytes + 2, 4);
            read[1..=bytes].copy_from_slice(&wanted[to_start..to_start + bytes]);
            assert!(download::<u8>(&part, &Device::cpu().stream()?)? == read, "{device}");
        }
    }
    Ok(())
}

#[test]
fn any_two_devices_exchange_bytes_on_a_stream_of_either() -> Result<()> {
    gpus();
    for source in Device::all() {
        for target in Device::all() {
            for stream in [source.new_stream()?, target.new_stream()?, source.stream()?] {
                for bytes in [1, 4099, 1_000_003] {
                    let sent = pattern(bytes + 5, bytes);
                    let from = upload(&sent, &source.new_stream()?)?;
                    let to = upload(&vec![0_u8; bytes + 9], &target.new_stream()?)?;
                    copy(&from, 5, &to, 7, bytes, &stream)?;
                    let got = download::<u8>(&to, &target.new_stream()?)?;
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
fn after_a_copy_on_a_stream_its_event_covers_the_copy() -> Result<()> {
    for source in Device::all() {
        for target in Device::all() {
            let stream = source.new_stream()?;
            let sent = pattern(2_000_003, 5);
            let (from, to) =
                (upload(&sent, &stream)?, Memory::allocate(sent.len(), &target.stream()?)?);
            copy(&from, 0, &to, 0, sent.len(), &stream)?;
            stream.record()?.synchronize()?;
            // A reader that knows nothing of the copy's stream sees the bytes.
            let idle = target.new_stream()?;
            assert!(download::<u8>(&to, &idle)? == sent, "{source} -> {target}");
        }
    }
    Ok(())
}

#[test]
fn two_threads_copy_there_and_back_without_blocking_each_other() -> Result<()> {
    for device in gpus() {
        let stream = device.stream()?;
        let (a, b) = (upload(&pattern(10_007, 1), &stream)?, upload(&pattern(10_007, 1), &stream)?);
        std::thread::scope(|threads| {
            for (from, to) in [(&a, &b), (&b, &a)] {
                threads.spawn(move || {
                    let own = device.new_stream().expect("a stream");
                    for _ in 0..200 {
                        copy(from, 0, to, 0, 10_007, &own).expect("a copy");
                    }
                });
            }
        });
        assert!(download::<u8>(&a, &stream)? == pattern(10_007, 1), "{device}");
    }
    Ok(())
}

#[test]
fn ranges_outside_a_block_are_refused() -> Result<()> {
    for device in Device::all() {
        let stream = device.stream()?;
        let memory = upload(&pattern(100, 6), &stream)?;
        let other = upload(&pattern(50, 7), &stream)?;
        for (start, to_start, bytes) in [(0, 0, 51), (51, 0, 50), (0, 1, 50), (0, usize::MAX, 2)] {
            let error = copy(&memory, start, &other, to_start, bytes, &stream).unwrap_err();
            assert!(matches!(error, Error::OutOfRange { .. }), "{device}: {error}");
        }
        copy(&memory, 100, &other, 50, 0, &stream)?;
        assert!(
            download::<u8>(&other, &stream)? == pattern(50, 7),
            "{device}: nothing was written"
        );
    }
    Ok(())
}

#[test]
fn a_stream_of_neither_device_is_refused() -> Result<()> {
    for device in gpus() {
        let memory = upload(&pattern(100, 8), &device.stream()?)?;
        for other in Device::all().into_iter().filter(|other| *other != device) {
            let error = copy(&memory, 0, &memory, 50, 10, &other.stream()?).unwrap_err();
            assert!(matches!(error, Error::WrongDevice { .. }), "{device}, {other}: {error}");
        }
    }
    Ok(())
}

#[test]
fn a_block_is_copied_within_itself_only_where_ranges_are_apart() -> Result<()> {
    for device in gpus() {
        let stream = device.stream()?;
        let memory = upload(&pattern(100, 9), &stream)?;
        let error = copy(&memory, 0, &memory, 49, 50, &stream).unwrap_err();
        assert!(matches!(error, Error::Unsupported { .. }), "{device}: {error}");
        copy(&memory, 0, &memory, 50, 50, &stream)?;
        let got = download::<u8>(&memory, &stream)?;
        assert!(got[..50] == got[50..] && got[..50] == pattern(50, 9), "{device}");
    }
    Ok(())
}

#[test]
fn empty_blocks_exist_everywhere() -> Result<()> {
    for device in Device::all() {
        let stream = device.stream()?;
        let (a, b) = (Memory::allocate(0, &stream)?, Memory::allocate(0, &stream)?);
        copy(&a, 0, &b, 0, 0, &stream)?;
        assert_eq!((a.bytes(), a.address()), (0, 0), "{device}");
    }
    Ok(())
}
