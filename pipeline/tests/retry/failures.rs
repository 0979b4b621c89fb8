//! Work that fails, panics or waits: what is put back, and what is left behind.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use arrayspan_bridge::devices::fault::{Class, Fault, FaultKind, inject, is_protected};
use arrayspan_bridge::devices::retry::{self, Stage};
use arrayspan_bridge::devices::{Device, Error as DeviceError, Stream};
use arrayspan_bridge::{Array, Error, Result};
use arrayspan_pipeline::retry::{RecoveryPolicy, RetryStep, with_checkpoint, with_retry};
use arrayspan_pipeline::spill::Spillable;

use super::{LEN, batch, copied, full, numbers, whole, with_room};

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
