//! Attempts that wait for others to release memory.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

use arrayspan_devices::retry::{RetryPolicy, Stage, with_retry};
use arrayspan_devices::{Device, Memory, Result, drain};

use super::{full, hoarder, tries};

/// No other attempts than those that waiting brings.
fn waiting() -> RetryPolicy {
    RetryPolicy { wait: Some(Duration::from_secs(60)), ..tries(1) }
}

#[test]
fn what_an_attempt_lets_go_of_itself_does_not_make_it_run_again() {
    let _turn = hoarder();
    // What the test before has let go of is a release by another thread, as long as it is under way.
    drain();
    let stream = Device::cpu().stream().unwrap();
    let runs = Cell::new(0);
    let failed = with_retry(Device::cpu(), &waiting(), || -> Result<()> {
        runs.set(runs.get() + 1);
        drop(Memory::allocate(1000, &stream)?);
        Err(full(Device::cpu(), 1000))
    });
    let unrecovered = failed.unwrap_err();
    let wait = unrecovered.tried[0].recovered.last().unwrap();
    assert_eq!((wait.stage, wait.freed, runs.get()), (Stage::Wait, Some(0), 1), "{wait}");
    assert!(wait.to_string().contains("which all wait"), "{wait}");
}

#[test]
fn what_another_thread_lets_go_of_makes_an_attempt_run_again() {
    let _turn = hoarder();
    let (device, enough) = (Device::cpu(), AtomicUsize::new(0));
    let (failed, has_failed) = std::sync::mpsc::channel();
    let stream = device.stream().unwrap();
    thread::scope(|scope| {
        let (entered, has_entered) = std::sync::mpsc::channel();
        let (enough, stream) = (&enough, &stream);
        scope.spawn(move || {
            with_retry(device, &waiting(), || -> Result<()> {
                let block = Memory::allocate(1000, stream)?;
                entered.send(()).unwrap();
                has_failed.recv().unwrap();
                enough.store(1, SeqCst);
                drop(block);
                Ok(())
            })
            .unwrap();
        });
        has_entered.recv().unwrap();
        let runs = Cell::new(0);
        let done = with_retry(device, &waiting(), || {
            runs.set(runs.get() + 1);
            if enough.load(SeqCst) == 1 {
                return Ok(());
            }
            failed.send(()).unwrap();
            Err(full(device, 1000))
        });
        done.unwrap();
        assert!(runs.get() >= 2);
    });
}

#[test]
fn threads_that_wait_for_memory_do_not_wake_each_other_and_wait_as_long_as_they_may() {
    let _turn = hoarder();
    for device in Device::all() {
        let stream = device.stream().unwrap();
        let [enough, runs, failed] = [0; 3].map(AtomicUsize::new);
        let (entered, has_entered) = std::sync::mpsc::channel();
        thread::scope(|scope| {
            let (enough, runs, failed, stream) = (&enough, &runs, &failed, &stream);
            scope.spawn(move || {
                let kept = with_retry(device, &waiting(), || -> Result<()> {
                    let block = Memory::allocate(1000, stream)?;
                    entered.send(()).unwrap();
                    // All wait, however late they have begun; then as long as they could run hundreds of times.
                    while failed.load(SeqCst) < 5 {
                        thread::sleep(Duration::from_millis(1));
                    }
                    thread::sleep(Duration::from_millis(1500));
                    enough.store(1, SeqCst);
                    drop(block);
                    Ok(())
                });
                kept.unwrap();
            });
            has_entered.recv().unwrap();
            for _ in 0..5 {
                scope.spawn(move || {
                    let first = Cell::new(true);
                    let done = with_retry(device, &waiting(), || {
                        runs.fetch_add(1, SeqCst);
                        // What an attempt lets go of is no gain for the others.
                        drop(Memory::allocate(1000, stream)?);
                        if enough.load(SeqCst) == 1 {
                            return Ok(());
                        }
                        failed.fetch_add(usize::from(first.replace(false)), SeqCst);
                        Err(full(device, 1000))
                    });
                    done.map_err(|unrecovered| unrecovered.to_string()).unwrap();
                });
            }
        });
        let runs = runs.into_inner();
        assert!((10..500).contains(&runs), "{device}: {runs} attempts of five threads");
    }
}

#[test]
fn releases_that_are_not_enough_neither_end_the_waiting_nor_fill_it_with_attempts() {
    let _turn = hoarder();
    let device = Device::cpu();
    let stream = device.stream().unwrap();
    let over = AtomicUsize::new(0);
    let (entered, has_entered) = std::sync::mpsc::channel();
    thread::scope(|scope| {
        let (over, stream) = (&over, &stream);
        scope.spawn(move || {
            let worked = with_retry(device, &waiting(), || -> Result<()> {
                entered.send(()).unwrap();
                while over.load(SeqCst) == 0 {
                    thread::sleep(Duration::from_millis(1));
                }
                Ok(())
            });
            worked.unwrap();
        });
        has_entered.recv().unwrap();
        // Outside of any retry: each of its releases is a gain.
        scope.spawn(move || {
            while over.load(SeqCst) == 0 {
                drop(Memory::allocate(1000, stream));
            }
        });
        let runs = Cell::new(0);
        let begin = std::time::Instant::now();
        let policy = RetryPolicy { wait: Some(Duration::from_secs(2)), ..tries(1) };
        let failed = with_retry(device, &policy, || -> Result<()> {
            runs.set(runs.get() + 1);
            Err(full(device, 1000))
        });
        let took = begin.elapsed();
        over.store(1, SeqCst);
        failed.unwrap_err();
        assert!(took >= Duration::from_millis(1900), "it gave up after {took:?}");
        assert!(took < Duration::from_secs(30), "{took:?}");
        assert!(runs.get() < 300, "{} attempts", runs.get());
    });
}
