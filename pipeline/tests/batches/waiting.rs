//! Inputs that wait: for a channel, say. Nobody else waits with them.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, Error, SharedArray};
use arrayspan_pipeline::batch::{Across, BatchPlace};

use super::{alone, batch, expected, held, sets, turned, values};

/// Long enough for a machine under load, far shorter than for ever.
const BOUND: Duration = Duration::from_secs(30);

fn failure() -> Error {
    Error::Axis { operation: "test", axis: 1, rank: 0 }
}

/// The least and the most devices: where an input is left behind, the end of a run takes a second.
fn ends() -> Vec<Vec<Device>> {
    let mut sets = sets();
    sets.drain(1..sets.len() - 1);
    sets
}

/// Runs `test` on a thread of its own and fails if that takes for ever.
fn bounded(test: impl FnOnce() + Send + 'static) {
    let (done, waiting) = mpsc::channel();
    let thread = thread::spawn(move || {
        test();
        let _ = done.send(());
    });
    let answer = waiting.recv_timeout(BOUND);
    assert!(!matches!(answer, Err(mpsc::RecvTimeoutError::Timeout)), "it waits for its input");
    thread.join().unwrap();
}

/// Tells when an input is given up.
struct Watched(Arc<AtomicBool>);

impl Drop for Watched {
    fn drop(&mut self) {
        self.0.store(true, SeqCst);
    }
}

/// An input that takes batches from a channel.
struct Channel {
    sender: mpsc::Sender<usize>,
    /// Whether the iterator has ended.
    gone: Arc<AtomicBool>,
    /// How often the iterator was asked for a batch.
    asked: Arc<AtomicUsize>,
}

fn channel() -> (Channel, impl Iterator<Item = ndarray::Array2<f32>> + Send) {
    let (sender, receiver) = mpsc::channel();
    let (gone, asked) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let (watched, count) = (Watched(gone.clone()), asked.clone());
    let batches = std::iter::from_fn(move || {
        let _ = &watched;
        count.fetch_add(1, SeqCst);
        receiver.recv().ok().map(|index| batch(index, 2))
    });
    (Channel { sender, gone, asked }, batches)
}

fn wait_for(what: impl Fn() -> bool) {
    let begun = Instant::now();
    while !what() {
        assert!(begun.elapsed() < BOUND, "it never comes");
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn the_first_failure_comes_while_the_input_waits_and_the_input_ends_later() {
    let _alone = alone();
    for devices in ends() {
        bounded(move || {
            let before = held();
            let (Channel { sender, gone, asked }, inputs) = channel();
            let compute = move |x: &Array, on: &BatchPlace| {
                if values(x)[0] >= 200.0 {
                    wait_for(|| asked.load(SeqCst) == 4);
                    return Err(failure());
                }
                turned(x, on)
            };
            let mut run = inputs.across(devices).ahead(9).map(compute).unwrap();
            (0..3).for_each(|index| sender.send(index).unwrap());
            assert_eq!(values(&run.next().unwrap().unwrap()), expected(0, 2));
            assert_eq!(values(&run.next().unwrap().unwrap()), expected(1, 2));
            assert!(matches!(run.next(), Some(Err(Error::Axis { .. }))));
            assert!(run.next().is_none());
            assert!(!gone.load(SeqCst), "the input still waits");
            assert_eq!(held(), before, "of the run nothing is left");
            // What comes later is dropped, and the input with it.
            sender.send(7).unwrap();
            wait_for(|| gone.load(SeqCst));
            assert_eq!(held(), before);
        });
    }
}

#[test]
fn a_run_is_given_up_while_its_input_waits() {
    let _alone = alone();
    for devices in ends() {
        for sent in [0, 2] {
            let devices = devices.clone();
            bounded(move || {
                let before = held();
                let (Channel { sender, gone, asked }, inputs) = channel();
                let mut run = inputs.across(devices).ahead(9).map(turned).unwrap();
                (0..sent).for_each(|index| sender.send(index).unwrap());
                for index in 0..sent {
                    assert_eq!(values(&run.next().unwrap().unwrap()), expected(index, 2));
                }
                wait_for(|| asked.load(SeqCst) == sent + 1);
                drop(run);
                assert!(!gone.load(SeqCst), "the input still waits");
                assert_eq!(held(), before);
                drop(sender);
                wait_for(|| gone.load(SeqCst));
            });
        }
    }
}

#[test]
fn results_come_while_the_input_waits_for_them() {
    let _alone = alone();
    for devices in sets() {
        bounded(move || {
            let (Channel { sender, .. }, inputs) = channel();
            let mut run = inputs.across(devices).map(turned).unwrap();
            // Each batch is sent when the result of the one before is there.
            for index in 0..20 {
                sender.send(index).unwrap();
                assert_eq!(values(&run.next().unwrap().unwrap()), expected(index, 2));
            }
            drop(sender);
            assert!(run.next().is_none());
        });
    }
}

#[test]
fn an_input_that_panics_after_the_run_has_ended_disturbs_nobody() {
    let _alone = alone();
    bounded(|| {
        let (sender, receiver) = mpsc::channel::<()>();
        let gone = Arc::new(AtomicBool::new(false));
        let watched = Watched(gone.clone());
        let inputs = (0..5).map(move |index| {
            let _ = &watched;
            if index == 1 {
                let _ = receiver.recv();
                panic!("too late");
            }
            batch(index, 2)
        });
        let mut run = inputs.across(sets().remove(0)).map(turned).unwrap();
        assert_eq!(values(&run.next().unwrap().unwrap()), expected(0, 2));
        drop(run);
        drop(sender);
        wait_for(|| gone.load(SeqCst));
    });
}

#[test]
fn a_run_that_borrows_ends_once_the_one_who_fails_has_ended_the_input() {
    let _alone = alone();
    for devices in sets() {
        bounded(move || {
            let (Channel { sender, .. }, inputs) = channel();
            let sender = std::sync::Mutex::new(Some(sender));
            for index in 0..3 {
                sender.lock().unwrap().as_ref().unwrap().send(index).unwrap();
            }
            let compute = |x: &Array, on: &BatchPlace| {
                if values(x)[0] >= 200.0 {
                    *sender.lock().unwrap() = None;
                    return Err(failure());
                }
                turned(x, on)
            };
            let mut taken = 0;
            let ended = inputs.across(devices).for_each(compute, |_| {
                taken += 1;
                Ok(())
            });
            assert!(matches!(ended, Err(Error::Axis { .. })));
            assert_eq!(taken, 2);
        });
    }
}

#[test]
fn a_caller_can_look_after_something_else_while_it_waits() {
    let _alone = alone();
    let (send, batches) = mpsc::channel::<SharedArray>();
    let mut run = batches.into_iter().across([Device::cpu()]).map(turned).unwrap();
    let begun = Instant::now();
    assert!(!run.is_due_within(Duration::from_millis(20)));
    assert!(begun.elapsed() >= Duration::from_millis(20));
    send.send(Array::from(batch(0, 2)).into_shared()).unwrap();
    assert!(run.is_due_within(Duration::MAX));
    assert_eq!(values(&run.next().unwrap().unwrap()), expected(0, 2));
    drop(send);
    assert!(run.is_due_within(Duration::MAX));
    assert!(run.next().is_none());
    assert!(run.is_due_within(Duration::ZERO));
}
