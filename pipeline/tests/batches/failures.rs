//! Errors, panics and runs given up: told as a loop would, and nothing hangs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use arrayspan_bridge::{Array, Error};
use arrayspan_pipeline::batch::{Across, BatchPlace};

use super::{alone, batch, expected, held, sets, turned, uneven, values};

fn failure(index: usize) -> Error {
    Error::Axis { operation: "test", axis: index as isize, rank: 0 }
}

#[test]
fn the_first_error_by_input_order_comes_after_the_results_before_it_and_is_the_last() {
    let _alone = alone();
    for devices in sets() {
        for first in [0, 1, 5, 11] {
            let before = held();
            let started = Arc::new(AtomicUsize::new(0));
            let count = started.clone();
            let compute = move |x: &Array, on: &BatchPlace| {
                count.fetch_add(1, SeqCst);
                match values(x)[0] as usize / 100 {
                    // Later ones fail sooner.
                    index if index > first => Err(failure(index)),
                    index if index == first => {
                        std::thread::sleep(std::time::Duration::from_millis(3));
                        Err(failure(index))
                    }
                    _ => uneven(x, on),
                }
            };
            let inputs = (0..200).map(|i| batch(i, 1));
            let mut run = inputs.across(devices.clone()).map(compute).unwrap();
            for index in 0..first {
                assert_eq!(values(&run.next().unwrap().unwrap()), expected(index, 1));
            }
            let error = run.next().unwrap().unwrap_err();
            assert!(matches!(error, Error::Axis { axis, .. } if axis == first as isize), "{error}");
            assert!(run.next().is_none());
            assert!(started.load(SeqCst) < 150, "the rest was cancelled");
            assert_eq!(held(), before, "{devices:?}");
        }
    }
}

#[test]
fn a_panic_goes_on_where_the_results_are_taken() {
    let _alone = alone();
    for devices in sets() {
        let before = held();
        let compute = |x: &Array, on: &BatchPlace| {
            assert_ne!(values(x)[0] as usize, 600, "at six");
            turned(x, on)
        };
        let mut run = (0..50).map(|i| batch(i, 1)).across(devices).map(compute).unwrap();
        for index in 0..6 {
            assert_eq!(values(&run.next().unwrap().unwrap()), expected(index, 1));
        }
        let panic = catch_unwind(AssertUnwindSafe(|| run.next())).unwrap_err();
        assert!(panic.downcast_ref::<String>().unwrap().contains("at six"));
        assert!(run.next().is_none());
        assert_eq!(held(), before);
    }
}

#[test]
fn a_panic_of_the_input_goes_on_where_the_results_are_taken() {
    let _alone = alone();
    for devices in sets() {
        let inputs = (0..9).map(|i| {
            assert_ne!(i, 3, "no third");
            batch(i, 1)
        });
        let mut run = inputs.across(devices).map(turned).unwrap();
        for index in 0..3 {
            assert_eq!(values(&run.next().unwrap().unwrap()), expected(index, 1));
        }
        let panic = catch_unwind(AssertUnwindSafe(|| run.next())).unwrap_err();
        assert!(panic.downcast_ref::<String>().unwrap().contains("no third"));
        assert!(run.next().is_none());
    }
}

#[test]
fn a_slot_that_cannot_make_its_value_fails_its_batch() {
    let _alone = alone();
    for devices in sets() {
        let init = |on: &BatchPlace| if on.slot < 9 { Err(failure(on.slot)) } else { Ok(()) };
        let compute = |(): &mut (), x: &Array, on: &BatchPlace| turned(x, on);
        let mut run = (0..9).map(|i| batch(i, 1)).across(devices).map_init(init, compute).unwrap();
        assert!(matches!(run.next(), Some(Err(Error::Axis { .. }))));
        assert!(run.next().is_none());
    }
}

#[test]
fn a_run_given_up_half_way_ends_and_leaves_nothing() {
    let _alone = alone();
    for devices in sets() {
        for taken in [0, 1, 7] {
            let before = held();
            let mut run =
                (0..100).map(|i| batch(i, 1 + i % 9)).across(devices.clone()).map(uneven).unwrap();
            for index in 0..taken {
                assert_eq!(values(&run.next().unwrap().unwrap()), expected(index, 1 + index % 9));
            }
            drop(run);
            assert_eq!(held(), before, "{devices:?}, {taken} taken");
        }
    }
}

#[test]
fn an_input_without_end_can_be_given_up() {
    let _alone = alone();
    for devices in sets() {
        let run = (0..).map(|i| batch(i % 9, 2)).across(devices).map(turned).unwrap();
        let results: Vec<_> = run.take(30).map(|result| values(&result.unwrap())).collect();
        assert_eq!(results, (0..30).map(|i| expected(i % 9, 2)).collect::<Vec<_>>());
    }
}

#[test]
fn an_error_of_the_one_who_takes_results_ends_the_run() {
    let _alone = alone();
    for devices in sets() {
        let before = held();
        let mut taken = 0;
        let ended = (0..100).map(|i| batch(i, 1)).across(devices.clone()).for_each(turned, |_| {
            taken += 1;
            if taken == 5 { Err(failure(5)) } else { Ok(()) }
        });
        assert!(matches!(ended, Err(Error::Axis { axis: 5, .. })));
        assert_eq!(taken, 5);
        let inputs = (0..100).map(|i| batch(i, 1));
        let panicking = || {
            inputs.across(devices).for_each(turned, |_| -> Result<(), Error> { panic!("enough") })
        };
        assert!(catch_unwind(AssertUnwindSafe(panicking)).is_err());
        assert_eq!(held(), before);
    }
}
