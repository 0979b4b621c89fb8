//! Results are those of a loop, in its order.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Barrier, Mutex};

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType, Error, Relayout};
use arrayspan_pipeline::batch::{Across, Assignment, BatchPlace};
use proptest::prelude::*;

use super::{alone, batch, common, expected, sets, turned, uneven, values};

fn assignments() -> Vec<Assignment> {
    let by = Assignment::By(Arc::new(|_| 0));
    vec![Assignment::LeastLoaded, Assignment::RoundRobin, Assignment::Explicit(vec![0]), by]
}

/// Whether number 0 names one device of the set.
fn has_one_zero(devices: &[Device]) -> bool {
    let mut zeros = devices.iter().filter(|device| device.gpu_id() == 0);
    zeros.next().is_some_and(|first| zeros.all(|other| other == first))
}

#[test]
fn every_assignment_on_every_set_of_devices_gives_what_a_loop_gives_in_its_order() {
    let _alone = alone();
    for devices in sets() {
        for assignment in assignments() {
            let numbered = matches!(assignment, Assignment::Explicit(_) | Assignment::By(_));
            if numbered && !has_one_zero(&devices) {
                continue;
            }
            // As many batches as devices and slots do not divide.
            let inputs = (0..17).map(|i| batch(i, 1 + i % 5));
            let run =
                inputs.across(devices.clone()).assign(assignment.clone()).map(uneven).unwrap();
            let results: Vec<_> = run.map(|result| values(&result.unwrap())).collect();
            let serial: Vec<_> = (0..17).map(|i| expected(i, 1 + i % 5)).collect();
            assert_eq!(results, serial, "{assignment:?} over {devices:?}");
        }
    }
}

#[test]
fn a_thousand_tiny_batches_come_in_order() {
    let _alone = alone();
    for devices in sets() {
        let run = (0..1000).map(|i| batch(i, 1)).across(devices.clone()).map(turned).unwrap();
        let mut count = 0;
        for (index, result) in run.enumerate() {
            assert_eq!(values(&result.unwrap()), expected(index, 1), "{devices:?}");
            count += 1;
        }
        assert_eq!(count, 1000);
    }
}

#[test]
fn no_batches_give_no_results() {
    let _alone = alone();
    for devices in sets() {
        let mut run = std::iter::empty::<Array>().across(devices).map(turned).unwrap();
        assert!(run.next().is_none());
        assert!(run.next().is_none());
        assert!(run.report().devices.iter().all(|device| device.batches == 0));
    }
}

#[test]
fn round_robin_and_explicit_numbers_say_which_device_computes() {
    let _alone = alone();
    let cpu = Device::cpu();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let places =
        [(Assignment::RoundRobin, [3, 3, 2]), (Assignment::Explicit(vec![0, 0]), [8, 0, 0])];
    for (assignment, counts) in places {
        seen.lock().unwrap().clear();
        let record = seen.clone();
        let compute = move |x: &Array, on: &BatchPlace| {
            record.lock().unwrap().push((values(x)[0] as usize / 100, on.position));
            turned(x, on)
        };
        let inputs = (0..8).map(|i| batch(i, 2));
        let mut run = inputs.across([cpu; 3]).assign(assignment.clone()).map(compute).unwrap();
        assert_eq!(run.by_ref().map(Result::unwrap).count(), 8);
        let report = run.report();
        let batches: Vec<usize> = report.devices.iter().map(|device| device.batches).collect();
        assert_eq!(batches, counts, "{assignment:?}");
        if let Assignment::RoundRobin = assignment {
            assert!(seen.lock().unwrap().iter().all(|(index, position)| index % 3 == *position));
        }
    }
}

#[test]
fn work_that_names_no_stream_goes_to_the_slots() {
    let _alone = alone();
    for devices in sets() {
        let compute = |x: &Array, on: &BatchPlace| {
            assert_eq!(on.device.stream()?, on.stream);
            assert_eq!(x.device(), on.device);
            x.view().to_array()
        };
        let run = (0..5).map(|i| batch(i, 2)).across(devices).map(compute).unwrap();
        let results: Vec<_> = run.map(|result| values(&result.unwrap())).collect();
        assert_eq!(
            results,
            (0..5).map(|i| batch(i, 2).into_raw_vec_and_offset().0).collect::<Vec<_>>()
        );
    }
}

#[test]
fn results_stay_on_their_device_when_asked_to() {
    let _alone = alone();
    for devices in sets() {
        let inputs = (0..7).map(|i| batch(i, 3));
        let run = inputs.across(devices.clone()).assign(Assignment::RoundRobin).keep_on_device();
        for (index, result) in run.map(turned).unwrap().enumerate() {
            let result = result.unwrap();
            assert_eq!(result.device(), devices[index % devices.len()]);
            assert_eq!(values(&result), expected(index, 3));
        }
    }
}

#[test]
fn functions_may_borrow_when_the_run_ends_with_the_call() {
    let _alone = alone();
    for devices in sets() {
        let names: Vec<String> = (0..9).map(|i| i.to_string()).collect();
        let inputs = names.iter().map(|name| batch(name.parse().unwrap(), 2));
        let mut results = Vec::new();
        let report = inputs.across(devices).for_each(
            |x, on| if names.is_empty() { Ok(x.view().to_array()?) } else { turned(x, on) },
            |result| {
                results.push(values(&result));
                Ok::<_, Error>(())
            },
        );
        assert_eq!(results, (0..9).map(|i| expected(i, 2)).collect::<Vec<_>>());
        assert_eq!(report.unwrap().devices.iter().map(|d| d.batches).sum::<usize>(), 9);
    }
}

#[test]
fn batches_of_one_device_compute_one_after_the_other_unless_they_may_overlap() {
    let _alone = alone();
    for device in common::accelerators() {
        let under_way = Arc::new(AtomicUsize::new(0));
        let compute = move |x: &Array, on: &BatchPlace| {
            assert_eq!(under_way.fetch_add(1, SeqCst), 0);
            let done = uneven(x, on);
            under_way.fetch_sub(1, SeqCst);
            done
        };
        let run = (0..20).map(|i| batch(i, 1 + i % 3)).across([device]).map(compute).unwrap();
        assert_eq!(run.map(Result::unwrap).count(), 20);

        // Each waits for another one, so that one alone would never end.
        let pair = Barrier::new(2);
        let compute = move |x: &Array, on: &BatchPlace| {
            pair.wait();
            turned(x, on)
        };
        let inputs = (0..20).map(|i| batch(i, 1));
        let run = inputs.across([device]).in_flight(2).overlap_compute().map(compute).unwrap();
        assert_eq!(run.map(Result::unwrap).count(), 20);
    }
}

#[test]
fn each_slot_makes_its_own_value_once() {
    let _alone = alone();
    let made = Arc::new(Mutex::new(Vec::new()));
    let record = made.clone();
    let init = move |on: &BatchPlace| {
        record.lock().unwrap().push((on.position, on.slot));
        Ok(std::cell::Cell::new(0)) // need not cross threads
    };
    let compute = |count: &mut std::cell::Cell<usize>, x: &Array, on: &BatchPlace| {
        count.set(count.get() + 1);
        turned(x, on)
    };
    let devices = sets().pop().unwrap();
    let run = (0..40).map(|i| batch(i, 1)).across(devices).map_init(init, compute).unwrap();
    assert_eq!(run.map(Result::<Array, Error>::unwrap).count(), 40);
    let made = made.lock().unwrap();
    assert_eq!(made.iter().collect::<HashSet<_>>().len(), made.len(), "{made:?}");
}

#[test]
fn the_report_counts_what_travelled_and_what_was_busy() {
    let _alone = alone();
    for device in common::accelerators() {
        let compute = |x: &Array, on: &BatchPlace| {
            let mut y = Array::empty([1], DType::Float32, &on.stream)?;
            y.view_mut().copy_from(&x.view().selected(0, 0)?.sliced(0, 0, 1)?, &on.stream)?;
            Ok::<_, Error>(y)
        };
        let mut run = (0..6).map(|i| batch(i, 4)).across([device]).map(compute).unwrap();
        run.by_ref().for_each(|result| drop(result.unwrap()));
        let report = run.report();
        let [only] = &report.devices[..] else { panic!("{report}") };
        assert_eq!((only.batches, only.bytes_in, only.bytes_out), (6, 6 * 4 * 3 * 4, 6 * 4));
        let [upload, compute] = [only.upload, only.compute].map(Option::unwrap);
        assert!(!upload.is_zero() && !compute.is_zero(), "{report}");
        assert!((0.0..=1.0).contains(&only.utilisation.unwrap()), "{report}");
        assert!(report.to_string().contains("6 batches"), "{report}");
        let wall = report.wall;
        assert_eq!(run.report().wall, wall, "a run that is over takes no more time");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_run_gives_what_a_loop_gives(
        count in 0..30_usize,
        in_flight in 1..5_usize,
        ahead in 1..9_usize,
        set in 0..8_usize,
        assignment in prop_oneof![Just(Assignment::LeastLoaded), Just(Assignment::RoundRobin)],
        fails_at in proptest::option::of(0..30_usize),
    ) {
        let _alone = alone();
        let sets = sets();
        let devices = sets[set % sets.len()].clone();
        let compute = move |x: &Array, on: &BatchPlace| {
            let index = values(x)[0] as usize / 100;
            // All after the first failure fail, too: only the first may be told.
            if fails_at.is_some_and(|at| index >= at) {
                return Err(Error::Axis { operation: "test", axis: index as isize, rank: 0 });
            }
            uneven(x, on)
        };
        let inputs = (0..count).map(|i| batch(i, 1 + i % 4));
        let run = inputs.across(devices).assign(assignment).in_flight(in_flight).ahead(ahead);
        let results: Vec<_> = run.map(compute).unwrap().collect();
        let whole = fails_at.unwrap_or(count).min(count);
        for (index, result) in results.iter().take(whole).enumerate() {
            prop_assert_eq!(values(result.as_ref().unwrap()), expected(index, 1 + index % 4));
        }
        if whole < count {
            let told = matches!(&results[whole], Err(Error::Axis { axis, .. }) if *axis == whole as isize);
            prop_assert!(told, "the first failure is the one told");
            prop_assert_eq!(results.len(), whole + 1);
        } else {
            prop_assert_eq!(results.len(), count);
        }
    }
}
