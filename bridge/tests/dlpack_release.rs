//! Deleters of every temper, theirs and ours: each runs once, and harms nobody.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod common;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier, Mutex};

use arrayspan_bridge::devices::{Device, Memory, drain};
use arrayspan_bridge::dlpack::{Capsule, Legacy, Managed, Versioned};
use arrayspan_bridge::{Array, DType, Layout, SharedArray, Transfer};
use common::producer::Producer;

/// Waits for releases. Miri wants every thread to end, and that which they wait on never does.
fn settle() {
    if !cfg!(miri) {
        drain();
    }
}

#[test]
fn a_slow_deleter_keeps_no_other_thread_waiting() {
    let (enter, leave) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
    let (entered, left) = (enter.clone(), leave.clone());
    let slow = Producer {
        farewell: Some(Box::new(move || {
            entered.wait();
            left.wait();
        })),
        ..Producer::default()
    };
    let deleted = slow.counter();
    let array = SharedArray::from_dlpack(slow.versioned(), None).unwrap();
    let dropping = std::thread::spawn(move || drop(array));
    enter.wait();
    // While it is at work, others come and go.
    let other = Producer::default();
    let others = other.counter();
    drop(SharedArray::from_dlpack(other.legacy(), None).unwrap());
    settle();
    assert_eq!((others.load(Ordering::SeqCst), deleted.load(Ordering::SeqCst)), (1, 0));
    leave.wait();
    dropping.join().unwrap();
    assert_eq!(deleted.load(Ordering::SeqCst), 1);
}

#[test]
fn a_deleter_may_import_export_and_drop_arrays_itself() {
    let inner = Producer::default();
    let inner_deleted = inner.counter();
    let kept = Mutex::new(Some(SharedArray::from_dlpack(inner.versioned(), None).unwrap()));
    let outer = Producer {
        farewell: Some(Box::new(move || {
            let array = kept.lock().unwrap().take().unwrap();
            let (capsule, _) = array.to_dlpack::<Versioned>(Transfer::ZeroCopyOnly, None).unwrap();
            drop(array);
            let again = SharedArray::from_dlpack(capsule, None).unwrap();
            assert_eq!(again.view().to_vec::<f32>().unwrap()[..2], [0.0, 1.0]);
            drop(again);
            settle();
        })),
        ..Producer::default()
    };
    let outer_deleted = outer.counter();
    drop(SharedArray::from_dlpack(outer.versioned(), None).unwrap());
    let counts = [&inner_deleted, &outer_deleted].map(|count| count.load(Ordering::SeqCst));
    assert_eq!(counts, [1, 1]);
}

/// An array whose memory is given back by `release`.
fn released_by(release: impl FnOnce() + Send + 'static) -> SharedArray {
    let values = Box::leak(Box::new([1.0_f64, 2.0, 3.0, 4.0]));
    let address = values.as_mut_ptr().expose_provenance();
    let free = move || {
        // SAFETY: leaked above, and not used any more once the memory is given back.
        drop(unsafe { Box::from_raw(std::ptr::with_exposed_provenance_mut::<[f64; 4]>(address)) });
        release();
    };
    let layout = Layout::contiguous([4]).unwrap();
    // SAFETY: four numbers that live until the release function runs and that nobody else knows.
    unsafe {
        let memory = Memory::from_foreign(Device::cpu(), address, 32, Box::new(free));
        SharedArray::from_memory(memory, layout, DType::Float64).unwrap()
    }
}

/// Gives a struct back as a consumer written in C does.
fn delete<M: Managed>(capsule: Capsule<M>, deleter: unsafe extern "C" fn(*mut M)) {
    // SAFETY: a live struct that only this function holds; it calls the deleter once.
    unsafe { deleter(capsule.into_raw()) };
}

fn deleter_of(capsule: &Capsule<Versioned>) -> unsafe extern "C" fn(*mut Versioned) {
    // SAFETY: the struct lives as long as the capsule.
    unsafe { (*capsule.as_raw()).deleter.unwrap() }
}

#[test]
fn a_panic_while_an_exported_array_is_given_back_does_not_reach_c() {
    let ran = Arc::new(AtomicBool::new(false));
    let flag = ran.clone();
    let array = released_by(move || {
        flag.store(true, Ordering::SeqCst);
        panic!("on purpose");
    });
    let (capsule, _) = array.to_dlpack::<Versioned>(Transfer::ZeroCopyOnly, None).unwrap();
    drop(array);
    let deleter = deleter_of(&capsule);
    delete(capsule, deleter);
    assert!(ran.load(Ordering::SeqCst));
}

#[test]
fn an_export_keeps_the_memory_after_the_array_is_gone() {
    let (told, heard) = channel();
    let array = released_by(move || told.send(std::thread::current().id()).unwrap());
    let (capsule, _) = array.to_dlpack::<Versioned>(Transfer::ZeroCopyOnly, None).unwrap();
    let deleter = deleter_of(&capsule);
    drop(array);
    // SAFETY: the struct lives as long as the capsule, and so do its four numbers.
    let first = unsafe { *(*capsule.as_raw()).dl_tensor.data.cast::<f64>() };
    assert_eq!(first.to_bits(), 1.0_f64.to_bits());
    assert!(heard.try_recv().is_err(), "still lent");
    let consumer = std::thread::spawn(move || {
        delete(capsule, deleter);
        std::thread::current().id()
    });
    let consumer = consumer.join().unwrap();
    assert_eq!(heard.try_recv().unwrap(), consumer, "released where the consumer let go");
}

#[test]
fn a_struct_handed_on_twice_gives_every_hand_back_once() {
    let producer = Producer::default();
    let deleted = producer.counter();
    let once = SharedArray::from_dlpack(producer.versioned(), None).unwrap();
    let (capsule, _) = once.to_dlpack::<Versioned>(Transfer::ZeroCopyOnly, None).unwrap();
    let twice = SharedArray::from_dlpack(capsule, None).unwrap();
    drop(once);
    assert_eq!(deleted.load(Ordering::SeqCst), 0, "the second import still reads it");
    drop(twice);
    assert_eq!(deleted.load(Ordering::SeqCst), 1);
}

#[test]
fn many_threads_hand_over_at_once() {
    let (threads, rounds) = if cfg!(miri) { (2, 3) } else { (4, 500) };
    let deleted = Arc::new(AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                for round in 0..rounds {
                    let producer = Producer { deleted: deleted.clone(), ..Producer::default() };
                    let array = if round % 2 == 0 {
                        SharedArray::from_dlpack(producer.versioned(), None).unwrap()
                    } else {
                        SharedArray::from_dlpack(producer.legacy(), None).unwrap()
                    };
                    let array = array.try_into_array().unwrap();
                    let capsule = array.into_dlpack::<Legacy>(None).unwrap();
                    drop(Array::from_dlpack(capsule, Transfer::ZeroCopyOnly, None).unwrap());
                }
            });
        }
    });
    assert_eq!(deleted.load(Ordering::SeqCst), threads * rounds);
}
