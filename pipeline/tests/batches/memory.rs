//! Batches that do not fit, and what is left when a run is over.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use arrayspan_bridge::devices::retry::OutOfMemory;
use arrayspan_bridge::devices::{Device, Scope};
use arrayspan_bridge::{Array, DType, Error};
use arrayspan_pipeline::batch::{Across, BatchPlace};

use super::{alone, batch, common, expected, held, out_of_memory, sets, turned, values};

/// As [`turned`], but without room for more rows than `most`.
fn small(
    most: usize,
) -> impl Fn(&Array, &BatchPlace) -> Result<Array, Error> + Send + Sync + 'static {
    move |x, on| {
        if x.shape()[0] > most { Err(out_of_memory(on.device)) } else { turned(x, on) }
    }
}

#[test]
fn a_batch_without_room_is_split_and_its_results_joined_in_order() {
    let _alone = alone();
    for devices in sets() {
        for keep in [false, true] {
            let rows = |i: usize| if i % 3 == 1 { 11 } else { 2 };
            let inputs = (0..9).map(move |i| batch(i, rows(i)));
            let batches = inputs.across(devices.clone()).splittable(1);
            let batches = if keep { batches.keep_on_device() } else { batches };
            let mut run = batches.map(small(3)).unwrap();
            for (index, result) in run.by_ref().enumerate() {
                let result = result.unwrap();
                assert!(keep || result.device().is_cpu());
                assert_eq!(values(&result), expected(index, rows(index)), "{devices:?}");
            }
            let report = run.report();
            let sum = |of: fn(&arrayspan_pipeline::batch::BatchDeviceReport) -> usize| {
                report.devices.iter().map(of).sum::<usize>()
            };
            // 11 rows are 5 and 6, those 2, 3, 3 and 3.
            assert_eq!((sum(|d| d.retried), sum(|d| d.splits)), (3, 9), "{report}");
            assert_eq!(sum(|d| d.batches), 9);
        }
    }
}

#[test]
fn a_batch_that_may_not_be_split_or_no_further_is_an_error_that_says_so() {
    let _alone = alone();
    for devices in sets() {
        let before = held();
        let inputs = || [2, 8, 2].into_iter().enumerate().map(|(i, rows)| batch(i, rows));
        for batches in
            [inputs().across(devices.clone()), inputs().across(devices.clone()).splittable(5)]
        {
            let mut run = batches.map(small(3)).unwrap();
            assert_eq!(values(&run.next().unwrap().unwrap()), expected(0, 2));
            let error = run.next().unwrap().unwrap_err();
            assert_eq!(error.shortage().unwrap().bytes, Some(1 << 40));
            assert!(run.next().is_none());
        }
        assert_eq!(held(), before);
    }
}

#[test]
fn a_batch_that_finds_no_room_beside_others_is_run_again_alone() {
    let _alone = alone();
    for devices in sets() {
        let under_way = Arc::new(AtomicUsize::new(0));
        let counter = under_way.clone();
        // There is room for one batch at a time.
        let compute = move |x: &Array, on: &BatchPlace| {
            let others = counter.fetch_add(1, SeqCst);
            std::thread::sleep(std::time::Duration::from_millis(1));
            let done = if others > 0 { Err(out_of_memory(on.device)) } else { turned(x, on) };
            counter.fetch_sub(1, SeqCst);
            done
        };
        let one = devices[..1].to_vec();
        let run = (0..20).map(|i| batch(i, 2)).across(one).overlap_compute().map(compute).unwrap();
        let results: Vec<_> = run.map(|result| values(&result.unwrap())).collect();
        assert_eq!(results, (0..20).map(|i| expected(i, 2)).collect::<Vec<_>>());
        assert_eq!(under_way.load(SeqCst), 0);
    }
}

#[test]
fn results_of_parts_that_do_not_join_are_an_error() {
    let _alone = alone();
    let compute = |x: &Array, on: &BatchPlace| match x.shape()[0] {
        rows if rows > 4 => Err(out_of_memory(on.device)),
        3 => Array::empty([], DType::Float32, &on.stream),
        rows => Array::empty([2, rows], DType::Float32, &on.stream),
    };
    // Six rows give two results without rows; nine give one of four columns beside one of two.
    for (rows, shape) in [(6, false), (9, true)] {
        let inputs = [batch(0, rows)].into_iter();
        let mut run = inputs.across([Device::cpu()]).splittable(1).map(compute).unwrap();
        let error = run.next().unwrap().unwrap_err();
        assert_eq!(matches!(error, Error::Shape { .. }), shape, "{error}");
        assert_eq!(matches!(error, Error::Inexpressible { .. }), !shape, "{error}");
    }
}

#[test]
fn memory_returns_to_where_it_was_after_a_run() {
    let _alone = alone();
    for devices in sets() {
        let before = held();
        for _ in 0..3 {
            let run = (0..20).map(|i| batch(i, 50)).across(devices.clone()).map(turned).unwrap();
            assert_eq!(run.map(Result::unwrap).count(), 20);
        }
        assert_eq!(held(), before, "{devices:?}");
    }
}

#[test]
fn a_device_holds_no_more_than_its_batches_in_flight() {
    let _alone = alone();
    for device in common::accelerators() {
        let before = device.statistics().live_bytes;
        let most = Arc::new(AtomicUsize::new(0));
        let seen = most.clone();
        let compute = move |x: &Array, on: &BatchPlace| {
            let y = turned(x, on)?;
            seen.fetch_max(on.device.statistics().live_bytes - before, SeqCst);
            Ok::<_, Error>(y)
        };
        let rows = 1000;
        let inputs = (0..30).map(move |i| batch(i, rows));
        let run = inputs.across([device]).in_flight(2).map(compute).unwrap();
        assert_eq!(run.map(Result::unwrap).count(), 30);
        let batch_bytes = rows * 3 * 4;
        assert!(most.load(SeqCst) <= 2 * 2 * batch_bytes, "{}", most.load(SeqCst));
    }
}

#[test]
fn what_the_threads_of_a_run_allocate_counts_for_the_scope_around_it() {
    let _alone = alone();
    let cpu = Device::cpu();
    for devices in sets() {
        let scope = Scope::new("run").enter().unwrap();
        let total = || {
            let all = Device::all().into_iter().map(|device| scope.statistics(device));
            all.fold((0, 0), |sum, one| (sum.0 + one.allocations, sum.1 + one.live_bytes))
        };
        let run = (0..6).map(|i| batch(i, 5)).across(devices.clone()).map(turned).unwrap();
        let results: Vec<Array> = run.map(Result::unwrap).collect();
        // The threads have ended: what is live are the results, on the host.
        let live: usize = results.iter().map(|array| array.memory().bytes()).sum();
        assert!(total().0 >= 6, "{devices:?}");
        assert_eq!(scope.statistics(cpu).live_bytes, live, "{devices:?}");
        drop(results);
        let before = total().0;
        let inputs = (0..6).map(|i| batch(i, 5));
        inputs.across(devices.clone()).for_each(turned, |_| Ok::<_, Error>(())).unwrap();
        assert!(total().0 >= before + 6, "{devices:?}");
        held();
        assert_eq!(total().1, 0, "{devices:?}");
        // Its limit holds for them, too.
        let tight = Scope::new("tight").limit(20).enter().unwrap();
        let mut run = (0..6).map(|i| batch(i, 5)).across(devices.clone()).map(turned).unwrap();
        let error = run.next().unwrap().unwrap_err();
        assert!(error.to_string().contains("run/tight"), "{devices:?}: {error}");
        drop((run, tight));
    }
}
