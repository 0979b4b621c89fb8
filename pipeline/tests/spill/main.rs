//! Arrays wait on the host while others need the memory of their device, and come back as they were. In a process of
//! its own: what is spilled is counted for the whole program.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

#[path = "../common/mod.rs"]
mod common;
mod scopes;

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::thread;
use std::time::Duration;

use arrayspan_bridge::devices::fault::{Fault, FaultKind, inject};
use arrayspan_bridge::devices::reclaim::{Holdings, Reclaim, register};
use arrayspan_bridge::devices::retry::{RetryPolicy, Stage, Unrecovered, with_retry};
use arrayspan_bridge::devices::{Device, Error, drain};
use arrayspan_bridge::{Array, DType, Relayout};
use arrayspan_pipeline::spill::{Spillable, statistics};
use common::accelerators;

/// One test at a time has arrays to spill.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

const LEN: usize = 1000;
const BYTES: usize = 4 * LEN;

fn values(seed: usize) -> Vec<f32> {
    (0..LEN).map(|i| (i * 7 + seed * 13) as f32).collect()
}

fn array(seed: usize, device: Device) -> Array {
    Array::from_vec(values(seed), [LEN]).unwrap().into_device(device).unwrap().0
}

fn on(device: Device, number: usize) -> Vec<Spillable> {
    (0..number).map(|seed| Spillable::new(array(seed, device))).collect()
}

/// Somebody needs so many bytes of a device, until `enough`.
fn need(device: Device, bytes: usize, enough: impl Fn() -> bool) -> Result<(), Unrecovered<Error>> {
    with_retry(device, &RetryPolicy::default(), || {
        if enough() { Ok(()) } else { Err(Error::out_of_memory(device, bytes, 2)) }
    })
}

fn content(array: &Array) -> Vec<f32> {
    array.view().to(Device::cpu()).unwrap().0.view().to_vec().unwrap()
}

#[test]
fn what_was_not_used_for_longest_is_spilled_and_no_more_than_is_needed() {
    let _turn = turn();
    for device in accelerators() {
        let arrays = on(device, 4);
        // The first is the last used now.
        drop(arrays[0].get().unwrap());
        // Far more than waiting for work can be thought to have given back.
        let before = statistics();
        let bytes = usize::MAX / 2;
        let spilled = || arrays.iter().filter(|array| array.is_spilled()).count();
        need(device, bytes, || spilled() > 0).unwrap();
        assert_eq!(spilled(), 4, "{device}: all that there is, for so much");
        let now = statistics();
        assert_eq!(
            (now.spilled - before.spilled, now.spilled_bytes - before.spilled_bytes),
            (4, 4 * BYTES)
        );
        for (seed, array) in arrays.iter().enumerate() {
            assert_eq!(content(&array.get().unwrap()), values(seed), "{device}");
            assert!(!array.is_spilled());
        }
        assert_eq!(statistics().returned_bytes - before.returned_bytes, 4 * BYTES);
    }
}

#[test]
fn an_allocation_that_is_refused_spills_by_itself_and_works() {
    let _turn = turn();
    for device in accelerators() {
        let arrays = on(device, 3);
        drop(arrays[0].get().unwrap());
        let stream = device.stream().unwrap();
        // Refused until the pool, the kernels and the libraries have been asked: the spill is what is left.
        let mut spilled = 0;
        for count in 1..12 {
            let before = statistics().spilled;
            let injection = inject(Fault { count, ..Fault::new(FaultKind::Allocation) });
            let block = Array::empty([LEN], DType::Float32, &stream);
            drop(injection);
            spilled = statistics().spilled - before;
            if spilled > 0 {
                // The host's block was refused as well while the fault went on.
                block.unwrap();
                break;
            }
        }
        assert!(spilled > 0, "{device}: nothing was spilled");
        assert!(
            !arrays[0].is_spilled() && arrays[1].is_spilled(),
            "{device}: not the one unused for longest"
        );
        assert_eq!(content(&arrays[1].get().unwrap()), values(1));
    }
}

#[test]
fn what_is_held_stays_and_strides_come_back_as_they_were() {
    let _turn = turn();
    for device in accelerators() {
        let turned = array(5, device).reshaped(&[10, 100]).unwrap().permuted(&[1, 0]).unwrap();
        let part = turned.sliced(0, 3, 50).unwrap();
        let (shape, strides) = (part.shape().to_vec(), part.layout().strides().to_vec());
        let expected = content(&part);
        let (part, held) = (Spillable::new(part), Spillable::new(array(6, device)));
        let hold = held.get().unwrap();
        need(device, usize::MAX / 2, || part.is_spilled()).unwrap();
        assert!(!held.is_spilled(), "{device}: somebody uses it");
        assert_eq!(content(&hold), values(6));
        drop(hold);
        assert_eq!((part.layout().shape(), part.dtype()), (&shape[..], DType::Float32));
        let part = part.into_array().unwrap();
        assert_eq!((part.shape(), part.layout().strides()), (&shape[..], &strides[..]));
        assert_eq!(content(&part), expected);
    }
}

#[test]
fn arrays_of_the_host_and_of_other_libraries_stay_where_they_are() {
    let _turn = turn();
    let array = Spillable::new(array(1, Device::cpu()));
    let failed = need(Device::cpu(), usize::MAX / 2, || array.is_spilled()).unwrap_err();
    let steps = failed.tried.iter().flat_map(|attempt| &attempt.recovered);
    for spill in steps.filter(|step| step.stage == Stage::Spill) {
        assert!(spill.freed == Some(0) || spill.failure.is_none(), "{spill}");
    }
    assert!(!array.is_spilled());
}

#[test]
fn an_array_that_cannot_come_back_waits_on_and_keeps_its_content() {
    let _turn = turn();
    for device in accelerators() {
        let mut array = Spillable::new(array(3, device));
        need(device, usize::MAX / 2, || array.is_spilled()).unwrap();
        let injection = inject(Fault { count: usize::MAX, ..Fault::new(FaultKind::Allocation) });
        assert!(array.get().is_err() && array.get_mut().is_err());
        drop(injection);
        assert!(array.is_spilled());
        assert_eq!(content(&array.get_mut().unwrap()), values(3));
    }
}

#[test]
fn threads_use_and_spill_the_same_arrays_without_waiting_for_each_other() {
    let _turn = turn();
    for device in accelerators() {
        let held = |device: Device| device.statistics().live_bytes;
        drain();
        let before = held(device);
        let arrays = on(device, 6);
        thread::scope(|scope| {
            for thread in 0..4 {
                let arrays = &arrays;
                scope.spawn(move || {
                    for round in 0..20 {
                        let at = (thread * 5 + round * 7) % arrays.len();
                        let array = arrays[at].get().unwrap();
                        if round % 4 == 0 {
                            // All but those in use now.
                            let _ = need(device, usize::MAX / 2, || false);
                        }
                        assert_eq!(content(&array), values(at));
                    }
                });
            }
        });
        drop(arrays);
        drain();
        // What an earlier test has forgotten may have gone meanwhile.
        assert!(held(device) <= before, "{device}: {} bytes leaked", held(device) - before);
    }
}

/// A library that is asked for memory, and has another thread look at an array meanwhile.
#[derive(Debug)]
struct Onlooker;

static WATCHED: Mutex<Option<Arc<Spillable>>> = Mutex::new(None);
static SEEN: Mutex<Vec<bool>> = Mutex::new(Vec::new());

impl Reclaim for Onlooker {
    fn name(&self) -> &'static str {
        "onlooker"
    }

    fn holdings(&self, _: Device) -> Option<Holdings> {
        None
    }

    fn release(&self, _: Device) -> Result<Option<usize>, Error> {
        if let Some(array) = WATCHED.lock().unwrap().clone() {
            let (tell, told) = channel();
            thread::spawn(move || tell.send(array.is_spilled()));
            SEEN.lock().unwrap().push(told.recv_timeout(Duration::from_secs(10)).is_ok());
        }
        Ok(Some(0))
    }
}

#[test]
fn an_array_that_comes_back_is_not_locked_while_memory_is_asked_for() {
    static ONCE: Once = Once::new();
    let _turn = turn();
    ONCE.call_once(|| register(&Onlooker));
    for device in accelerators() {
        let array = Arc::new(Spillable::new(array(4, device)));
        need(device, usize::MAX / 2, || array.is_spilled()).unwrap();
        *WATCHED.lock().unwrap() = Some(array.clone());
        let injection = inject(Fault { count: usize::MAX, ..Fault::new(FaultKind::Allocation) });
        assert!(array.get().is_err(), "{device}");
        drop(injection);
        *WATCHED.lock().unwrap() = None;
        let seen = std::mem::take(&mut *SEEN.lock().unwrap());
        assert!(!seen.is_empty() && seen.iter().all(|seen| *seen), "{device}: {seen:?}");
        assert_eq!(content(&array.get().unwrap()), values(4), "{device}");
    }
}

#[test]
fn what_was_held_and_forgotten_keeps_nobody_waiting() {
    let _turn = turn();
    for device in Device::all() {
        let (done, ended) = channel();
        thread::spawn(move || {
            let (mut array, other) = (Spillable::new(array(3, device)), on(device, 1));
            std::mem::forget(array.get().unwrap());
            std::mem::forget(array.get().unwrap());
            drop(array.get().unwrap());
            // What is held stays, what is not does not.
            let before = statistics();
            need(device, 2 * BYTES, || false).unwrap_err();
            assert!(!array.is_spilled() && other[0].is_spilled() != device.is_cpu(), "{device}");
            assert!(statistics().spilled_bytes - before.spilled_bytes <= BYTES);

            let on = device.stream().unwrap();
            array.get_mut().unwrap().view_mut().copy_from(&on_host(4).view(), &on).unwrap();
            std::mem::forget(array.get_mut().unwrap());
            assert!(format!("{array:?}").contains(&format!("[{LEN}]")) && !array.is_spilled());
            assert_eq!(content(&array.get().unwrap()), values(4));
            std::mem::forget(array.get_mut().unwrap());
            std::mem::forget(array.get().unwrap());
            assert_eq!(content(&array.get_mut().unwrap()), values(4));
            // Spilled as if nobody had ever forgotten anything.
            need(device, 2 * BYTES, || false).unwrap_err();
            assert_eq!(array.is_spilled(), !device.is_cpu(), "{device}");
            std::mem::forget(array.get().unwrap());
            done.send(content(&array.into_array().unwrap())).unwrap();
        });
        let content = ended.recv_timeout(Duration::from_secs(60));
        assert_eq!(content.expect("nobody waits for ever"), values(4), "{device}");
    }
}

fn on_host(seed: usize) -> Array {
    array(seed, Device::cpu())
}
