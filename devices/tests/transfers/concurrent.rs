//! Many copies at once: each is whole, none waits for another forever.

use arrayspan_devices::{Device, Memory, Result, drain};

use super::{CHUNK, copy, download, fill, gpus, host, pattern, upload};

const BYTES: usize = 9 * CHUNK + 3;

#[test]
fn more_threads_than_buffers_copy_at_once_both_ways() {
    for device in gpus() {
        std::thread::scope(|threads| {
            for seed in 0..7 {
                threads.spawn(move || {
                    let stream = device.new_stream().expect("a stream");
                    for round in 0..5 {
                        let sent = pattern(BYTES, seed * 10 + round);
                        let memory = upload(&sent, &stream).expect("an upload");
                        let got = download(&memory, &stream).expect("a download");
                        assert!(got == sent, "thread {seed}, round {round} on {device}");
                    }
                });
            }
        });
    }
}

#[test]
fn threads_send_one_block_to_blocks_of_their_own_while_another_writes_it_now_and_then() -> Result<()>
{
    for device in gpus() {
        let stream = device.stream()?;
        let shared = host(&pattern(BYTES, 1))?;
        let newer = upload(&pattern(BYTES, 2), &stream)?;
        std::thread::scope(|threads| {
            for _ in 0..3 {
                threads.spawn(|| {
                    let own = device.new_stream().expect("a stream");
                    let memory = Memory::allocate(BYTES, &own).expect("a block");
                    for _ in 0..10 {
                        copy(&shared, 0, &memory, 0, BYTES, &own).expect("an upload");
                        let got = download(&memory, &own).expect("a download");
                        // Wholly before the other's copy or wholly after.
                        assert!(got == pattern(BYTES, 1) || got == pattern(BYTES, 2), "{device}");
                    }
                });
            }
            threads.spawn(|| {
                let own = device.new_stream().expect("a stream");
                for _ in 0..5 {
                    copy(&newer, 0, &shared, 0, BYTES, &own).expect("a download");
                }
            });
        });
        assert!(super::content(&shared) == pattern(BYTES, 2), "{device}");
    }
    Ok(())
}

#[test]
fn copies_there_and_back_between_two_blocks_end_wholly_one_way() -> Result<()> {
    for device in gpus() {
        let stream = device.stream()?;
        let (near, far) = (host(&pattern(BYTES, 3))?, upload(&pattern(BYTES, 4), &stream)?);
        std::thread::scope(|threads| {
            for (from, to) in [(&near, &far), (&far, &near)] {
                threads.spawn(move || {
                    let own = device.new_stream().expect("a stream");
                    for _ in 0..20 {
                        copy(from, 0, to, 0, BYTES, &own).expect("a copy");
                    }
                });
            }
        });
        let (near, far) = (super::content(&near), download(&far, &stream)?);
        assert!(
            near == far && (near == pattern(BYTES, 3) || near == pattern(BYTES, 4)),
            "{device}"
        );
    }
    Ok(())
}

#[test]
fn any_two_devices_exchange_blocks_from_many_threads_without_blocking_each_other() {
    gpus();
    let pairs: Vec<_> = Device::all()
        .into_iter()
        .flat_map(|one| Device::all().into_iter().map(move |other| (one, other)))
        .collect();
    std::thread::scope(|threads| {
        for (seed, &(source, target)) in pairs.iter().chain(&pairs).enumerate() {
            threads.spawn(move || {
                let (one, other) = (
                    source.new_stream().expect("a stream"),
                    target.new_stream().expect("a stream"),
                );
                let sent = pattern(BYTES, seed);
                let from = upload(&sent, &one).expect("an upload");
                let to = Memory::allocate(BYTES, &other).expect("a block");
                for _ in 0..5 {
                    copy(&from, 0, &to, 0, BYTES, &other).expect("a copy");
                }
                assert!(download(&to, &other).expect("a download") == sent, "{source} -> {target}");
            });
        }
    });
}

#[test]
fn host_memory_may_be_dropped_right_after_a_copy_from_it_is_queued() -> Result<()> {
    for device in gpus() {
        let stream = device.new_stream()?;
        let memory = Memory::allocate(BYTES, &stream)?;
        for round in 0..20 {
            let sent = pattern(BYTES, round);
            let source = match round % 2 {
                0 => host(&sent)?,
                _ => Memory::pinned(BYTES, device)?,
            };
            fill(&source, &sent);
            copy(&source, 0, &memory, 0, BYTES, &stream)?;
            drop(source);
            // A block that took the other's place too early would be seen in what arrives.
            let next = Memory::pinned(BYTES, device)?;
            fill(&next, &pattern(BYTES, 1000));
            assert!(download(&memory, &stream)? == sent, "round {round} on {device}");
        }
        drop(memory);
        drain();
    }
    Ok(())
}
