//! What cannot be done is said before anything runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, Error};
use arrayspan_pipeline::batch::{Across, Assignment, BatchPlace, Batches, Run};

use super::{alone, batch, turned};

type Inputs = Box<dyn Iterator<Item = Array> + Send>;

/// Fails unless the run is refused without taking a batch from its input.
fn refused(devices: &[Device], ask: impl Fn(Batches<Inputs>) -> Batches<Inputs>) -> Error {
    let taken = Arc::new(AtomicUsize::new(0));
    let count = taken.clone();
    let inputs = (0..3).map(move |i| {
        count.fetch_add(1, SeqCst);
        Array::from(batch(i, 1))
    });
    let inputs: Inputs = Box::new(inputs);
    let run: Result<Run<Error>, Error> = ask(inputs.across(devices.to_vec())).map(turned);
    let error = run.unwrap_err();
    assert_eq!(taken.load(SeqCst), 0);
    error
}

#[test]
fn without_devices_slots_or_rows_nothing_runs() {
    let _alone = alone();
    let cpu = [Device::cpu()];
    let option = |error| match error {
        Error::Batches { option, .. } => option,
        other => panic!("{other}"),
    };
    assert_eq!(option(refused(&[], |batches| batches)), "across");
    assert_eq!(option(refused(&cpu, |batches| batches.in_flight(0))), "in_flight");
    assert_eq!(option(refused(&cpu, |batches| batches.ahead(0))), "ahead");
    assert_eq!(option(refused(&cpu, |batches| batches.splittable(0))), "splittable");
    let none = |batches: Batches<Inputs>| batches.assign(Assignment::Explicit(vec![]));
    assert_eq!(option(refused(&cpu, none)), "assign");
}

#[test]
fn a_number_that_names_no_device_is_refused_before_anything_runs() {
    let _alone = alone();
    let cpu = [Device::cpu(); 2];
    let ask = |batches: Batches<Inputs>| batches.assign(Assignment::Explicit(vec![0, 7]));
    let error = refused(&cpu, ask);
    assert!(
        matches!(&error, Error::Assignment { gpu_id: 7, devices } if *devices == cpu),
        "{error}"
    );
    assert_eq!(error.to_string(), "batches: gpu_id 7 does not name one of the devices [cpu, cpu]");
}

#[test]
fn a_number_that_two_devices_have_names_neither() {
    let _alone = alone();
    let Some(other) = super::common::accelerators().into_iter().find(|d| d.gpu_id() == 0) else {
        return;
    };
    let ask = |batches: Batches<Inputs>| batches.assign(Assignment::Explicit(vec![0]));
    let error = refused(&[Device::cpu(), other], ask);
    assert!(matches!(error, Error::Assignment { gpu_id: 0, .. }), "{error}");
    assert!(error.to_string().contains("Assignment::Devices"), "{error}");
}

#[test]
fn devices_of_two_kinds_with_one_number_are_named_by_themselves() {
    let _alone = alone();
    let cpu = Device::cpu();
    let ask = |batches: Batches<Inputs>| batches.assign(Assignment::Devices(vec![]));
    let error = refused(&[cpu], ask);
    assert!(matches!(error, Error::Batches { option: "assign", .. }), "{error}");
    let Some(other) = super::common::accelerators().into_iter().find(|d| d.gpu_id() == 0) else {
        return;
    };
    let ask = |batches: Batches<Inputs>| batches.assign(Assignment::Devices(vec![cpu, other]));
    let error = refused(&[cpu], ask);
    assert_eq!(error.to_string(), format!("batches: {other} is not one of the devices [cpu]"));

    let named = Assignment::Devices(vec![other, other, cpu]);
    let by = Assignment::DeviceBy(Arc::new(move |index| if index % 3 == 2 { cpu } else { other }));
    for assignment in [named, by] {
        let inputs = (0..6).map(|i| batch(i, 1));
        let run = inputs.across([cpu, other]).assign(assignment.clone()).map(turned);
        let mut run = run.unwrap();
        assert!(run.by_ref().all(|result| result.is_ok()));
        let batches: Vec<usize> = run.report().devices.iter().map(|d| d.batches).collect();
        assert_eq!(batches, [2, 4], "{assignment:?}");
    }
}

#[test]
fn a_number_that_a_function_gives_wrong_fails_that_batch() {
    let _alone = alone();
    let assignment = Assignment::By(Arc::new(|index| if index == 4 { 9 } else { 0 }));
    let inputs = (0..8).map(|i| batch(i, 1));
    let run = inputs.across([Device::cpu(); 2]).assign(assignment).map(turned).unwrap();
    let results: Vec<Result<Array, Error>> = run.collect();
    assert_eq!(results.len(), 5);
    assert!(results[..4].iter().all(Result::is_ok));
    assert!(matches!(results[4], Err(Error::Assignment { gpu_id: 9, .. })));
}

#[test]
fn no_more_batches_are_taken_than_may_be_ahead() {
    let _alone = alone();
    for devices in super::sets() {
        let taken = Arc::new(AtomicUsize::new(0));
        let count = taken.clone();
        let inputs = (0..20).map(move |i| {
            count.fetch_add(1, SeqCst);
            batch(i, 1)
        });
        let compute = |x: &Array, on: &BatchPlace| turned(x, on);
        let run = inputs.across(devices).ahead(4).map(compute).unwrap();
        for (returned, result) in run.enumerate() {
            drop(result.unwrap());
            let ahead = taken.load(SeqCst) - returned;
            assert!(ahead <= 5, "{ahead} taken, among them the one just returned");
        }
    }
}
