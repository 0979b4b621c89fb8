//! What is counted for devices and streams.

use std::thread;

use arrayspan_devices::reclaim::{self, Holdings, Reclaim};
use arrayspan_devices::{Device, Memory, Statistics, account};

use super::{alone, block, devices};

#[test]
fn every_number_of_a_device_is_exact() {
    let _alone = alone();
    for device in devices() {
        let stream = device.new_stream().unwrap();
        device.reset_peak();
        let before = device.statistics();
        assert_eq!(before.peak_bytes, before.live_bytes, "{device}");
        let held = [block(1, &stream), block(5000, &stream), block(0, &stream)];
        drop(block(100_000, &stream));
        let now = device.statistics();
        assert_eq!(now.live_bytes, before.live_bytes + 5001, "{device}");
        assert_eq!(now.live_blocks, before.live_blocks + 3, "{device}");
        assert_eq!(now.peak_bytes, before.live_bytes + 105_001, "{device}");
        assert_eq!(now.requested_total_bytes, before.requested_total_bytes + 105_001, "{device}");
        assert_eq!(now.allocations, before.allocations + 4, "{device}");
        assert_eq!(now.frees, before.frees + 1, "{device}");
        assert_eq!(now.failures, before.failures, "{device}");
        assert!(now.largest_live >= 100_000, "{device}");
        drop(held);
        assert_eq!(device.statistics().live_bytes, before.live_bytes, "{device}");
        assert_eq!(device.statistics().frees, before.frees + 4, "{device}");
    }
}

#[test]
fn refused_allocations_are_counted_and_leave_the_rest_as_it_was() {
    let _alone = alone();
    for device in devices() {
        let stream = device.new_stream().unwrap();
        let before = device.statistics();
        assert!(Memory::allocate(1 << 50, &stream).is_err(), "{device}");
        let counted = |statistics: Statistics| Statistics { reserve: None, ..statistics };
        let expected = Statistics { failures: before.failures + 1, ..before };
        assert_eq!(counted(device.statistics()), counted(expected), "{device}");
        assert_eq!(stream.statistics().failures, 1, "{device}");
        assert_eq!(stream.statistics().allocations, 0, "{device}");
    }
}

#[test]
fn eight_threads_at_once_lose_nothing() {
    const THREADS: usize = 8;
    const ROUNDS: usize = 200;
    let _alone = alone();
    for device in devices() {
        let stream = device.new_stream().unwrap();
        let before = device.statistics();
        let work = |thread: usize| {
            let stream = &stream;
            move || {
                let mut held = Vec::new();
                for round in 1..=ROUNDS {
                    held.push(block(thread + round, stream));
                    if round % 3 == 0 {
                        held.swap_remove(round / 3 % held.len());
                    }
                }
                held
            }
        };
        let held: Vec<Memory> = thread::scope(|threads| {
            let all: Vec<_> = (0..THREADS).map(|thread| threads.spawn(work(thread))).collect();
            all.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        let bytes: usize = held.iter().map(Memory::bytes).sum();
        let all = THREADS * ROUNDS;
        let own = stream.statistics();
        assert_eq!((own.live_bytes, own.live_blocks), (bytes, held.len()), "{device}");
        assert_eq!((own.allocations, own.frees), (all, all - held.len()), "{device}");
        assert!(own.peak_bytes >= bytes, "{device}");
        let now = device.statistics();
        assert_eq!(now.live_bytes, before.live_bytes + bytes, "{device}");
        assert_eq!(now.allocations, before.allocations + all, "{device}");
        drop(held);
        assert_eq!(stream.statistics().live_bytes, 0, "{device}");
        assert_eq!(device.statistics().live_bytes, before.live_bytes, "{device}");
    }
}

#[test]
fn the_peak_under_threads_is_the_sum_they_reached_together() {
    let _alone = alone();
    let stream = Device::cpu().new_stream().unwrap();
    let all_hold = std::sync::Barrier::new(8);
    thread::scope(|threads| {
        for _ in 0..8 {
            threads.spawn(|| {
                let held = block(1000, &stream);
                all_hold.wait();
                drop(held);
            });
        }
    });
    assert_eq!(stream.statistics().peak_bytes, 8000);
    assert_eq!(stream.statistics().live_bytes, 0);
}

#[test]
fn a_block_counts_for_the_stream_it_was_allocated_on() {
    let _alone = alone();
    for device in devices() {
        let (one, two) = (device.new_stream().unwrap(), device.new_stream().unwrap());
        let (a, b) = (block(10, &one), block(20, &two));
        // Used and freed elsewhere, it still counts there.
        // SAFETY: both blocks are this test's own and nobody holds references into them.
        unsafe { a.copy_to(0, &b, 0, 10, &two).unwrap() };
        assert_eq!(one.clone().statistics().live_bytes, 10, "{device}");
        assert_eq!(two.statistics().live_bytes, 20, "{device}");
        thread::spawn(move || drop((a, b))).join().unwrap();
        assert_eq!((one.statistics().live_bytes, one.statistics().frees), (0, 1), "{device}");
        assert_eq!(two.statistics().live_blocks, 0, "{device}");
    }
}

#[test]
fn memory_of_others_is_counted_apart() {
    let _alone = alone();
    let device = Device::cpu();
    let before = device.statistics();
    // SAFETY: nobody looks at the block.
    let lent = unsafe { Memory::from_foreign(device, 0x1000, 64, Box::new(|| ())) };
    let now = device.statistics();
    assert_eq!(now.foreign_bytes, before.foreign_bytes + 64);
    assert_eq!(now.foreign_blocks, before.foreign_blocks + 1);
    assert_eq!((now.live_bytes, now.allocations), (before.live_bytes, before.allocations));
    drop(lent);
    assert_eq!(device.statistics().foreign_bytes, before.foreign_bytes);
}

#[test]
fn a_pool_says_what_it_holds() {
    let _alone = alone();
    for device in devices() {
        let stream = device.new_stream().unwrap();
        let held = block(1 << 22, &stream);
        let pool = device.statistics().reserve.unwrap();
        assert!(pool.reserved >= held.bytes() && pool.peak_reserved >= pool.reserved, "{pool:?}");
        assert!(pool.cached <= pool.reserved && pool.largest_free <= pool.cached, "{pool:?}");
        assert!((0.0..=1.0).contains(&pool.fragmentation), "{pool:?}");
        assert!(pool.driver_free < pool.driver_total, "{pool:?}");
        assert!(pool.segments > 0, "{pool:?}");
    }
}

#[test]
fn statistics_and_reports_are_json_with_stable_names() {
    let _alone = alone();
    let device = Device::cpu();
    let held = block(777, &device.stream().unwrap());
    let statistics = device.statistics();
    let text = serde_json::to_string(&statistics).unwrap();
    for name in [
        "live_bytes",
        "live_blocks",
        "peak_bytes",
        "requested_total_bytes",
        "allocations",
        "frees",
        "failures",
        "largest_live",
        "foreign_bytes",
        "foreign_blocks",
        "reserve",
    ] {
        assert!(text.contains(&format!("\"{name}\":")), "{name} in {text}");
    }
    let back: Statistics = serde_json::from_str(&text).unwrap();
    assert_eq!(back, statistics);
    let report: serde_json::Value = serde_json::from_str(&account::report_json().unwrap()).unwrap();
    assert_eq!(report["devices"][0]["device"], "cpu");
    assert!(report["devices"][0]["statistics"]["live_bytes"].as_u64().unwrap() >= 777);
    drop(held);
}

#[derive(Debug)]
struct Hoard;

impl Reclaim for Hoard {
    fn name(&self) -> &'static str {
        "hoard"
    }

    fn holdings(&self, device: Device) -> Option<Holdings> {
        let held = Holdings { live_bytes: 1 << 20, peak_bytes: 2 << 20, reserved_bytes: 3 << 20 };
        device.is_cpu().then_some(held)
    }

    fn release(&self, _: Device) -> arrayspan_devices::Result<Option<usize>> {
        Ok(Some(0))
    }
}

#[test]
fn what_other_libraries_hold_is_reported() {
    let _alone = alone();
    reclaim::register(&Hoard);
    let text = account::summary();
    let row = text.lines().find(|line| line.starts_with("hoard")).unwrap_or_default();
    let words: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(words, ["hoard", "cpu", "1.0", "MiB", "2.0", "MiB", "3.0", "MiB"], "{text}");
    let report = account::report();
    let libraries = &report.devices[0].libraries;
    assert!(libraries.iter().any(|library| library.name == "hoard"), "{libraries:?}");
    assert!(report.devices[1..].iter().all(|device| device.libraries.is_empty()));
}

#[test]
fn the_summary_names_devices_and_the_largest_scopes() {
    let _alone = alone();
    let device = Device::cpu();
    device.record(true);
    let scope = account::Scope::new("migration").limit(1 << 30).enter().unwrap();
    let held = block(3 << 20, &device.stream().unwrap());
    let text = account::summary();
    assert!(text.lines().any(|line| line.starts_with("cpu ")), "{text}");
    let row = text.lines().find(|line| line.starts_with("migration")).unwrap_or_default();
    let words: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(
        words,
        ["migration", "cpu", "3.0", "MiB", "1", "3.0", "MiB", "1.0", "GiB"],
        "{text}"
    );
    assert!(!device.summary().contains("opencl:"), "only the device asked for");
    drop((held, scope));
    assert!(!account::summary().contains("migration"), "a scope that holds nothing is gone");
    assert_eq!(
        device.snapshot().events.last().unwrap().scope.as_deref(),
        Some("migration"),
        "not its name"
    );
    device.record(false);
}
