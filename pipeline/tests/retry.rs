//! Work on batches goes on when memory runs out: again, in pieces, elsewhere; and results stay in order.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod common;

use std::cell::{Cell, RefCell};
use std::error::Error as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use arrayspan_bridge::devices::fault::{Class, Fault, FaultKind, inject, is_protected};
use arrayspan_bridge::devices::retry::{self, OutOfMemory, Stage};
use arrayspan_bridge::devices::{Device, Error as DeviceError, Stream};
use arrayspan_bridge::{Array, Error, Result};
use arrayspan_pipeline::retry::{
    ArrayPiece, Failed, Outcome, RecoveryPolicy, RetryStep, with_checkpoint, with_retry,
};
use arrayspan_pipeline::spill::Spillable;

const LEN: usize = 37;

fn numbers() -> Vec<f32> {
    (0..LEN * 3).map(|i| i as f32).collect()
}

fn batch(device: Device) -> Array {
    Array::from_vec(numbers(), [LEN, 3]).unwrap().into_device(device).unwrap().0
}

fn full(device: Device) -> Error {
    DeviceError::out_of_memory(device, 1000, 2).into()
}

/// A copy of the piece on its device: as large as the piece, with allocations and a copy in it.
fn copied(piece: &ArrayPiece<'_>) -> Result<Array> {
    piece.view().to_array()
}

fn whole(outcome: Outcome<Array>) -> Vec<f32> {
    let array = outcome.combine(&Device::cpu().stream().unwrap()).unwrap();
    array.view().to_vec().unwrap()
}

/// Fails for more than `most` elements, as a device with room for so many would.
fn with_room(
    most: usize,
    inputs: &Array,
    policy: &RecoveryPolicy,
) -> Result<Outcome<Array>, Failed<Error>> {
    let device = inputs.device();
    with_retry(inputs, device, policy, |piece, stream| {
        assert_eq!(stream.device(), piece.view().device());
        let here = stream.device() == device;
        if here && piece.view().shape()[0] > most { Err(full(device)) } else { copied(&piece) }
    })
}

#[test]
fn a_batch_that_fits_is_run_at_once() {
    for device in Device::all() {
        let outcome = with_room(LEN, &batch(device), &RecoveryPolicy::default()).unwrap();
        assert_eq!((outcome.pieces.len(), outcome.steps.len()), (1, 0));
        assert_eq!(whole(outcome), numbers(), "{device}");
    }
}

#[test]
fn pieces_get_as_small_as_they_must_and_results_stay_in_order() {
    for device in Device::all() {
        for most in [1, 2, 5, 18, 36] {
            let outcome = with_room(most, &batch(device), &RecoveryPolicy::default()).unwrap();
            assert!(outcome.pieces.iter().all(|piece| piece.range.len() <= most));
            let ends = outcome.pieces.iter().map(|piece| piece.range.end);
            let starts = outcome.pieces.iter().map(|piece| piece.range.start);
            assert!(ends.zip(starts.skip(1)).all(|(end, start)| end == start));
            assert_eq!(outcome.splits() + 1, outcome.pieces.len());
            assert_eq!(whole(outcome), numbers(), "{device} with room for {most}");
        }
    }
}

#[test]
fn a_batch_that_cannot_be_split_further_is_an_error_with_all_that_was_tried() {
    let policy = RecoveryPolicy { min_len: 10, ..RecoveryPolicy::default() };
    let failed = with_room(5, &batch(Device::cpu()), &policy).unwrap_err();
    assert_eq!(failed.range, 0..18, "of 37: 18 is not split into less than 10");
    assert!(matches!(failed.error, Error::Device(DeviceError::OutOfMemory { .. })));
    assert!(failed.shortage().is_some() && failed.source().is_some());
    assert!(matches!(failed.steps[1], RetryStep::Split { at: 18, .. }), "{failed}");
    let (short, text) = (failed.to_string(), format!("{failed:#}"));
    assert!(text.contains("0..18") && text.contains("0..37 in two at 18"), "{text}");
    assert!(text.contains("waiting for queued work") && text.contains("neither fewer"), "{text}");
    assert!(short.lines().count() == 1 && short.len() < 500, "{short}");
    for part in ["0..18", "out of memory", "neither fewer", "attempt(s)", "freed", "split 1 times"]
    {
        assert!(short.contains(part), "{part}: {short}");
    }
    assert!(text.lines().count() > 10, "each step has a line of its own: {text}");

    let policy = RecoveryPolicy { split: false, ..RecoveryPolicy::default() };
    assert_eq!(with_room(5, &batch(Device::cpu()), &policy).unwrap_err().range, 0..LEN);
}

#[test]
fn what_finds_no_room_on_a_device_goes_to_the_cpu_where_that_is_allowed() {
    for device in common::accelerators() {
        let policy =
            RecoveryPolicy { min_len: 10, siblings: true, cpu: true, ..RecoveryPolicy::default() };
        let outcome = with_room(9, &batch(device), &policy).unwrap();
        assert!(outcome.moved_to().count() > 0);
        assert!(outcome.pieces.iter().all(|piece| piece.device != device));
        assert_eq!(whole(outcome), numbers(), "{device}");
    }
    let policy = RecoveryPolicy { cpu: true, ..RecoveryPolicy::default() };
    let failed = with_room(0, &batch(Device::cpu()), &policy).unwrap_err();
    assert_eq!(failed.range, 0..1, "it was there already");
}

#[test]
fn another_gpu_is_taken_before_the_cpu() {
    let gpus: Vec<Device> =
        Device::all().into_iter().filter(|device| device.info().accelerator).collect();
    let [first, second, ..] = gpus[..] else { return eprintln!("skipped: no two GPUs") };
    if first.info().uuid == second.info().uuid {
        return eprintln!("skipped: no two GPUs");
    }
    let policy = RecoveryPolicy { siblings: true, cpu: true, ..RecoveryPolicy::default() };
    let outcome = with_room(0, &batch(first), &policy).unwrap();
    assert!(outcome.moved_to().all(|device| !device.is_cpu() && device != first));
    assert_eq!(whole(outcome), numbers());
}

#[test]
fn every_failure_is_survived_with_the_same_result_and_nothing_left_behind() {
    for device in Device::all() {
        let inputs = batch(device);
        let pair = (&inputs, Spillable::new(batch(device)));
        for kind in [FaultKind::Allocation, FaultKind::Copy, FaultKind::Launch, FaultKind::Plan] {
            for (skip, count) in (0..6).flat_map(|skip| [1, 2, 9].map(|count| (skip, count))) {
                let injection = inject(Fault { skip, count, ..Fault::new(kind) });
                let outcome =
                    with_retry(&pair, device, &RecoveryPolicy::default(), |(one, two), _| {
                        assert!(is_protected());
                        Ok::<_, Error>((copied(&one)?, copied(&two)?))
                    });
                drop(injection);
                let outcome = outcome.map_err(|failed| failed.to_string()).unwrap();
                let both: Vec<(Array, Array)> = outcome.results().collect();
                let read = |array: &Array| {
                    array.view().to(Device::cpu()).unwrap().0.view().to_vec::<f32>().unwrap()
                };
                let one: Vec<f32> = both.iter().flat_map(|(one, _)| read(one)).collect();
                let two: Vec<f32> = both.iter().flat_map(|(_, two)| read(two)).collect();
                assert_eq!(
                    (&one, &two),
                    (&numbers(), &numbers()),
                    "{device} {kind:?} {skip} {count}"
                );
            }
        }
    }
}

#[test]
fn a_lost_device_and_other_errors_are_returned_at_once() {
    let inputs = batch(Device::cpu());
    let runs = Cell::new(0);
    let count = |result| {
        runs.set(runs.get() + 1);
        result
    };
    let policy = RecoveryPolicy { siblings: true, cpu: true, ..RecoveryPolicy::default() };
    let _injection =
        inject(Fault { class: Class::DeviceLost, count: 9, ..Fault::new(FaultKind::Allocation) });
    let failed = with_retry(&inputs, Device::cpu(), &policy, |piece, _| count(copied(&piece)));
    let failed = failed.unwrap_err();
    assert!(matches!(failed.error, Error::Device(DeviceError::DeviceLost { .. })), "{failed}");
    assert!(failed.steps.is_empty() && runs.get() == 1);

    let odd = (batch(Device::cpu()), 0..LEN - 1);
    let failed = with_retry(&odd, Device::cpu(), &policy, |_, _| Ok::<_, Error>(())).unwrap_err();
    assert!(matches!(failed.error, Error::Shape { .. }), "{failed}");
}

#[test]
fn what_a_failed_attempt_has_changed_is_put_back() {
    for device in Device::all() {
        let zero =
            || Array::from_vec(vec![0.0_f32; 3], [3]).unwrap().into_device(device).unwrap().0;
        let mut state = zero();
        let seen = RefCell::new(Vec::new());
        let work = |state: &mut Array, range: std::ops::Range<usize>, _: &Stream| {
            let before: Vec<f32> = state.view().to(Device::cpu())?.0.view().to_vec()?;
            seen.borrow_mut().push((range.clone(), before.clone()));
            let sum: f32 = range.clone().map(|i| i as f32).sum();
            let next = Array::from_vec(before.iter().map(|x| x + sum).collect(), [3])?;
            state.view_mut().copy_from(&next.view(), &device.stream()?)?;
            if range.len() > 4 { Err(full(device)) } else { Ok(()) }
        };
        let outcome =
            with_checkpoint(&mut state, &(0..16), device, &RecoveryPolicy::default(), work);
        assert_eq!(outcome.unwrap().pieces.len(), 4);
        let found: Vec<f32> = state.view().to(Device::cpu()).unwrap().0.view().to_vec().unwrap();
        assert_eq!(found, [120.0; 3], "{device}: each number once");
        let seen = seen.into_inner();
        assert!(seen.len() > 4 && seen[0].1 == [0.0; 3] && seen[1].1 == [0.0; 3]);

        // After an error it is as it was, too.
        let mut state = zero();
        let policy = RecoveryPolicy { split: false, ..RecoveryPolicy::default() };
        let work = |state: &mut Array, _: std::ops::Range<usize>, _: &Stream| {
            let one = Array::from_vec(vec![1.0_f32; 3], [3])?;
            state.view_mut().copy_from(&one.view(), &device.stream()?)?;
            Err::<(), _>(full(device))
        };
        with_checkpoint(&mut state, &(0..16), device, &policy, work).unwrap_err();
        let found: Vec<f32> = state.view().to(Device::cpu()).unwrap().0.view().to_vec().unwrap();
        assert_eq!(found, [0.0; 3], "{device}");
    }
}

#[test]
fn retries_nest() {
    let cpu = Device::cpu();
    let inputs = batch(cpu);
    // The inner one cannot make its pieces smaller than 4; the outer one then makes its own smaller.
    let inner = RecoveryPolicy { min_len: 4, ..RecoveryPolicy::default() };
    let outcome = with_retry(&inputs, cpu, &RecoveryPolicy::default(), |piece, _| {
        let view = piece.view();
        let done = with_retry(&view, cpu, &inner, |piece, _| {
            if piece.view().shape()[0] > 3 { Err(full(cpu)) } else { copied(&piece) }
        });
        done.map_err(|failed| failed.error)?.combine(&cpu.stream()?)
    });
    assert_eq!(whole(outcome.unwrap()), numbers());
}

#[test]
fn a_panic_in_the_work_leaves_nothing_behind() {
    let inputs = batch(Device::cpu());
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        with_retry(&inputs, Device::cpu(), &RecoveryPolicy::default(), |_, _| -> Result<()> {
            panic!("on purpose")
        })
    }));
    assert!(panicked.is_err() && !is_protected());
    let outcome = with_room(5, &inputs, &RecoveryPolicy::default()).unwrap();
    assert_eq!(whole(outcome), numbers());
}

#[test]
fn nothing_is_done_for_no_elements_and_scalars_cannot_be_counted() {
    let cpu = Device::cpu();
    let none =
        with_retry(&(0..0), cpu, &RecoveryPolicy::default(), |_, _| Ok::<_, Error>(())).unwrap();
    assert!(none.pieces.is_empty());
    let scalar = Array::from_vec(vec![1.0_f32], []).unwrap();
    let failed = with_retry(&scalar, cpu, &RecoveryPolicy::default(), |_, _| Ok::<_, Error>(()));
    assert!(matches!(failed.unwrap_err().error, Error::Axis { .. }));
    let empty = Outcome::<Array> { pieces: Vec::new(), steps: Vec::new() };
    assert!(empty.combine(&cpu.stream().unwrap()).is_err());
}

#[test]
fn others_are_waited_for_no_longer_in_all_than_allowed_however_many_pieces_there_are() {
    let (device, over) = (Device::cpu(), AtomicBool::new(false));
    let policy = |wait| retry::RetryPolicy { attempts: 1, wait: Some(wait), ..Default::default() };
    let (entered, has_entered) = channel();
    let failed = thread::scope(|scope| {
        let over = &over;
        scope.spawn(move || {
            // Works, so that it is waited for.
            let worked = retry::with_retry(device, &policy(Duration::MAX), || -> Result<()> {
                entered.send(()).unwrap();
                while !over.load(SeqCst) {
                    thread::sleep(Duration::from_millis(1));
                }
                Ok(())
            });
            worked.map_err(|unrecovered| unrecovered.error).unwrap();
        });
        has_entered.recv().unwrap();
        let policy = RecoveryPolicy {
            retry: policy(Duration::from_millis(200)),
            ..RecoveryPolicy::default()
        };
        let failed = with_room(0, &batch(device), &policy);
        over.store(true, SeqCst);
        failed.unwrap_err()
    });
    let attempts = failed.steps.iter().filter_map(|step| match step {
        RetryStep::Retried { tried, .. } => Some(tried),
        _ => None,
    });
    let steps = attempts.flatten().flat_map(|attempt| &attempt.recovered);
    let waits: Vec<Duration> =
        steps.filter(|step| step.stage == Stage::Wait).map(|step| step.took).collect();
    // Of 37, 18, 9, 4, 2 and 1: each its own 200 ms would be 1.2 s.
    assert!(waits.len() >= 6, "{waits:?}");
    let sum: Duration = waits.iter().sum();
    assert!((200..1000).contains(&sum.as_millis()), "{waits:?}");
}
