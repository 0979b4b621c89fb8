//! Many threads share a device with far less memory than they want together. Seeded, so that every run wants the same;
//! in a process of its own, because the device gets a limit.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod common;

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use arrayspan_bridge::devices::{Device, Limit, Stream, drain, retry};
use arrayspan_bridge::retry::{Policy, with_checkpoint, with_retry};
use arrayspan_bridge::spill::{Spillable, statistics};
use arrayspan_bridge::{Array, DType, Error, Result};
use common::accelerators;

/// Numbers that look random and are the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// While it lives the device has so much; one test at a time.
struct Limited {
    device: Device,
    live: usize,
    _turn: std::sync::MutexGuard<'static, ()>,
}

impl Limited {
    fn to(bytes: usize, device: Device) -> Self {
        static TURN: Mutex<()> = Mutex::new(());
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        drain();
        device.trim(0).unwrap();
        device.set_limit(Some(Limit::Bytes(bytes))).unwrap();
        Self { device, live: device.statistics().live_bytes, _turn: turn }
    }

    /// Everything is given back.
    fn end(self) {
        drain();
        assert_eq!(self.device.statistics().live_bytes, self.live, "{}", self.device);
    }
}

impl Drop for Limited {
    fn drop(&mut self) {
        self.device.set_limit(None).unwrap();
    }
}

/// One element of a batch.
const ELEMENT: usize = 1 << 16;
const ELEMENT_BYTES: usize = 4 * ELEMENT;

fn patient() -> Policy {
    let wait = Some(Duration::from_secs(20));
    let patience = Duration::from_secs(120);
    Policy { retry: retry::Policy { wait, patience, ..Default::default() }, ..Policy::default() }
}

/// Takes an array of the piece's size, fills it from the host, and a copy of it; the sum of the copy's elements.
fn work(range: &Range<usize>, stream: &Stream) -> Result<f64> {
    let values: Vec<f32> =
        range.clone().flat_map(|at| (0..ELEMENT).map(move |i| ((i + at) % 97) as f32)).collect();
    let here = Array::from_vec(values, [range.len(), ELEMENT])?;
    let mut far = Array::empty([range.len(), ELEMENT], DType::Float32, stream)?;
    far.view_mut().copy_from(&here.view(), stream)?;
    let copy = far.view().to_array()?;
    let back: Vec<f32> = copy.view().to(Device::cpu())?.0.view().to_vec()?;
    Ok(back.iter().map(|value| f64::from(*value)).sum())
}

fn expected(range: &Range<usize>) -> f64 {
    range.clone().flat_map(|at| (0..ELEMENT).map(move |i| ((i + at) % 97) as f64)).sum()
}

#[test]
fn a_crowd_of_threads_gets_all_its_work_done_in_little_memory() {
    for device in accelerators() {
        for seed in [1_u64, 2, 3] {
            let limited = Limited::to(24 * ELEMENT_BYTES, device);
            let (splits, retries) = (AtomicUsize::new(0), AtomicUsize::new(0));
            thread::scope(|scope| {
                for number in 0..6 {
                    let (splits, retries) = (&splits, &retries);
                    scope.spawn(move || {
                        let mut chance = Chance(seed * 1000 + number + 1);
                        for _ in 0..6 {
                            let start = chance.below(1000);
                            let range = start..start + 1 + chance.below(16);
                            let outcome =
                                with_retry(&range, device, &patient(), |range, stream| {
                                    work(&range, stream)
                                });
                            let outcome = outcome.map_err(|failed| failed.to_string()).unwrap();
                            splits.fetch_add(outcome.splits(), Relaxed);
                            retries.fetch_add(outcome.steps.len() - outcome.splits(), Relaxed);
                            let sum: f64 = outcome.results().sum();
                            assert!((sum - expected(&range)).abs() < 1e-6 * sum, "{range:?}");
                        }
                    });
                }
            });
            eprintln!("{device}, seed {seed}: {splits:?} splits, {retries:?} retries");
            assert!(splits.into_inner() + retries.into_inner() > 0, "there was room for all");
            limited.end();
        }
    }
}

#[test]
fn a_job_of_three_times_the_memory_ends_with_the_same_result() {
    for device in accelerators() {
        let limited = Limited::to(16 * ELEMENT_BYTES, device);
        let before = statistics();
        // Inputs of three times the limit, of which most wait on the host.
        let inputs: Vec<Spillable> = (0..12)
            .map(|at| {
                let values = (0..4 * ELEMENT).map(|i| ((i + at) % 97) as f32).collect();
                let array = Array::from_vec(values, [4, ELEMENT]).unwrap();
                Spillable::new(array.to(device).unwrap().0)
            })
            .collect();
        let mut total = 0.0;
        for input in &inputs {
            let outcome =
                with_checkpoint(&mut total, input, device, &patient(), |total, piece, _| {
                    let copy = piece.view().to_array()?;
                    let back: Vec<f32> = copy.view().to(Device::cpu())?.0.view().to_vec()?;
                    *total += back.iter().map(|value| f64::from(*value)).sum::<f64>();
                    Ok::<_, Error>(())
                });
            outcome.map_err(|failed| failed.to_string()).unwrap();
        }
        let all = (0..12).map(|at| (0..4 * ELEMENT).map(|i| ((i + at) % 97) as f64).sum::<f64>());
        assert!((total - all.sum::<f64>()).abs() < 1e-3);
        let spilled = statistics().spilled_bytes - before.spilled_bytes;
        assert!(spilled >= 32 * ELEMENT_BYTES, "{device}: only {spilled} bytes were spilled");
        drop(inputs);
        limited.end();
    }
}

#[test]
fn threads_that_each_hold_half_of_the_memory_do_not_wait_for_ever() {
    for device in accelerators() {
        let limited = Limited::to(16 * ELEMENT_BYTES, device);
        let meet = std::sync::Barrier::new(2);
        let policy = patient().retry;
        let done = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let first = std::cell::Cell::new(true);
                    let stream = device.new_stream().unwrap();
                    let empty = || Array::empty([7, ELEMENT], DType::Float32, &stream);
                    let result = retry::with_retry(device, &policy, || {
                        let _one = empty()?;
                        // Both have their first half before either asks for its second, the first time.
                        if first.replace(false) {
                            meet.wait();
                        }
                        let _two = empty()?;
                        Ok::<_, Error>(())
                    });
                    // Each lets go of its first half when it fails, so the other finds room.
                    result.map_err(|unrecovered| unrecovered.to_string()).unwrap();
                    done.fetch_add(1, Relaxed);
                });
            }
        });
        assert_eq!(done.into_inner(), 2);
        limited.end();
    }
}
