//! Many threads share a device with far less memory than they want together. Seeded, so that every run wants the same;
//! in a process of its own, because the device gets a limit.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod common;

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use arrayspan_bridge::devices::retry::OutOfMemory as _;
use arrayspan_bridge::devices::{Device, Limit, Stream, drain, retry};
use arrayspan_bridge::{Array, DType, Error, Relayout, Result};
use arrayspan_pipeline::retry::{RecoveryPolicy, with_checkpoint, with_retry};
use arrayspan_pipeline::spill::{Spillable, statistics};
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
const ELEMENT: usize = 1 << 15;
const ELEMENT_BYTES: usize = 4 * ELEMENT;

fn patient() -> RecoveryPolicy {
    let wait = Some(Duration::from_secs(20));
    let patience = Duration::from_secs(120);
    RecoveryPolicy {
        retry: retry::RetryPolicy { wait, patience, ..Default::default() },
        ..RecoveryPolicy::default()
    }
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
        for seed in [1_u64, 2] {
            let limited = Limited::to(24 * ELEMENT_BYTES, device);
            let (splits, retries) = (AtomicUsize::new(0), AtomicUsize::new(0));
            thread::scope(|scope| {
                for number in 0..6 {
                    let (splits, retries) = (&splits, &retries);
                    scope.spawn(move || {
                        let mut chance = Chance(seed * 1000 + number + 1);
                        for _ in 0..4 {
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
                Spillable::new(array.into_device(device).unwrap().0)
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
                        let one = empty();
                        // Both have asked for their first half before either asks for its second, the first time: also
                        // one who was refused, because other processes have filled the device.
                        if first.replace(false) {
                            meet.wait();
                        }
                        let _one = one?;
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

#[test]
fn threads_that_register_use_and_drop_arrays_are_not_refused_while_others_can_be_spilled() {
    const ROWS: usize = 12;
    for device in accelerators() {
        // Room for one array in use of each thread, and for two more.
        let limited = Limited::to(8 * ROWS * ELEMENT_BYTES, device);
        let spilled = statistics().spilled;
        thread::scope(|scope| {
            for number in 0..6_u64 {
                scope.spawn(move || {
                    let stream = device.new_stream().unwrap();
                    let mut chance = Chance(77 + number);
                    let mut arrays: Vec<(f32, Spillable)> = Vec::new();
                    for round in 0..40 {
                        if arrays.len() < 3 || chance.below(3) == 0 {
                            let value = (number * 1000 + round) as f32;
                            let here =
                                Array::from_vec(vec![value; ROWS * ELEMENT], [ROWS, ELEMENT]);
                            // Not in a retry: the allocation itself finds what there is.
                            let mut far = Array::empty([ROWS, ELEMENT], DType::Float32, &stream)
                                .unwrap_or_else(|error| panic!("round {round}: {error}"));
                            far.view_mut().copy_from(&here.unwrap().view(), &stream).unwrap();
                            arrays.push((value, Spillable::new(far)));
                        } else if chance.below(2) == 0 {
                            let at = chance.below(arrays.len());
                            arrays.swap_remove(at);
                        } else {
                            let (value, array) = &arrays[chance.below(arrays.len())];
                            let held = array
                                .get()
                                .unwrap_or_else(|error| panic!("round {round}: {error}"));
                            let row = held.view().sliced(0, ROWS - 1, 1).unwrap();
                            let row = row.to(Device::cpu()).unwrap().0.view().to_vec::<f32>();
                            assert!(
                                row.unwrap().iter().all(|found| found.to_bits() == value.to_bits())
                            );
                        }
                    }
                });
            }
        });
        assert!(statistics().spilled > spilled, "{device}: there was room for all");
        limited.end();
    }
}

#[test]
fn memory_that_a_program_hands_over_counts_against_the_limit_of_the_host() {
    let cpu = Device::cpu();
    let limited = Limited::to(20 * ELEMENT_BYTES, cpu);
    let values = |rows: usize| vec![1.0_f32; rows * ELEMENT];
    let first = Array::from_vec(values(12), [12, ELEMENT]).unwrap();
    assert_eq!(cpu.statistics().live_bytes - limited.live, 12 * ELEMENT_BYTES);
    let refused = Array::from_vec(values(12), [12, ELEMENT]).unwrap_err();
    assert_eq!(refused.shortage().unwrap().bytes, Some(12 * ELEMENT_BYTES));
    assert!(Array::empty([12, ELEMENT], DType::Float32, &cpu.stream().unwrap()).is_err());
    // A conversion that cannot fail does not, and leaves the less to others.
    let second = Array::from(ndarray::Array2::<f32>::zeros((12, ELEMENT)));
    drop(first);
    assert!(Array::from_vec(values(9), [9, ELEMENT]).is_err());
    drop(second);
    drop(Array::from_vec(values(19), [19, ELEMENT]).unwrap());
    limited.end();
}

#[test]
fn a_job_on_the_host_beyond_its_limit_is_done_in_pieces() {
    let cpu = Device::cpu();
    let limited = Limited::to(28 * ELEMENT_BYTES, cpu);
    let inputs = Array::from_vec(vec![0.5_f32; 12 * ELEMENT], [12, ELEMENT]).unwrap();
    // Twice the piece beside the inputs: twelve at once do not fit.
    let outcome = with_retry(&inputs, cpu, &RecoveryPolicy::default(), |piece, stream| {
        let copy = piece.view().to_array()?;
        let mut sums = Array::empty(copy.shape(), DType::Float32, stream)?;
        sums.view_mut().copy_from(&copy.view(), stream)?;
        Ok::<_, Error>(sums.view().to_vec::<f32>()?.iter().sum::<f32>())
    });
    let outcome = outcome.map_err(|failed| failed.to_string()).unwrap();
    assert!(outcome.splits() > 0, "there was room for all");
    assert!((outcome.results().sum::<f32>() - 6.0 * ELEMENT as f32).abs() < 1.0);
    drop(inputs);
    limited.end();
}
