//! Four devices of which one is left out, has little room, panics or is lost: every element of every result is looked at.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use arrayspan_bridge::devices::{Device, DeviceKind, Limit, drain};
use arrayspan_bridge::{Array, Relayout, SharedArray};
use arrayspan_pipeline::batch::{Across, Assignment, BatchPlace};

mod lost;

use super::{alone, common, held, turned, uneven};

/// Four GPUs of CUDA; without them, which is said, another accelerator among three CPUs, or four CPUs.
fn four() -> Vec<Device> {
    let cuda = cuda();
    if cuda.len() >= 4 {
        return cuda[..4].to_vec();
    }
    eprintln!("skipped: no four CUDA devices; others take their place");
    let mut devices = vec![Device::cpu(); 4];
    if let Some(accelerator) = common::accelerators().first() {
        devices[VICTIM] = *accelerator;
    }
    devices
}

fn cuda() -> Vec<Device> {
    if cfg!(miri) {
        return Vec::new();
    }
    Device::all().into_iter().filter(|device| device.kind() == DeviceKind::Cuda).collect()
}

/// The position of the device that differs from the others.
const VICTIM: usize = 1;

/// The device that has its own limit or is lost: an accelerator. That there is none is said.
fn victim(devices: &[Device]) -> Option<Device> {
    let victim = Some(devices[VICTIM]).filter(|device| !device.is_cpu());
    if victim.is_none() {
        eprintln!("skipped: no accelerator to limit or to lose");
    }
    victim
}

/// Batches that overlap in one large array, and what [`turned`] makes of that: each begins a row below the one before.
struct Batches {
    whole: SharedArray,
    turned: Vec<f32>,
    rows: Vec<usize>,
}

impl Batches {
    fn new(rows: Vec<usize>) -> Self {
        let most = rows.iter().enumerate().map(|(index, rows)| index + rows).max().unwrap_or(0);
        let value = |at: usize| (at * 7 % 65_521) as f32;
        let whole = Array::from_vec((0..3 * most).map(value).collect(), [most, 3]).unwrap();
        let turned = (0..3 * most).map(|at| value(at / 3 * 3 + 2 - at % 3)).collect();
        Self { whole: whole.into_shared(), turned, rows }
    }

    fn inputs(&self) -> impl Iterator<Item = SharedArray> + Send + use<> {
        let (whole, rows) = (self.whole.clone(), self.rows.clone());
        rows.into_iter().enumerate().map(move |(i, rows)| whole.clone().sliced(0, i, rows).unwrap())
    }

    #[track_caller]
    fn expect(&self, index: usize, result: &Array) {
        assert_eq!(result.shape(), [self.rows[index], 3], "batch {index}");
        let expected = &self.turned[3 * index..3 * (index + self.rows[index])];
        let view = result.view();
        assert!(view.as_slice::<f32>().unwrap() == expected, "batch {index} differs");
    }
}

/// Small ones, and some of more bytes than the threshold of staged copies.
fn unequal() -> Batches {
    let large = if cfg!(miri) { 50 } else { 400_000 };
    Batches::new((0..23).map(|i| if i % 5 == 2 { large + i } else { 1 + 37 * i }).collect())
}

#[test]
fn any_three_of_four_devices_with_unequal_work_give_what_a_loop_gives() {
    let _alone = alone();
    let batches = unequal();
    for left_out in 0..4 {
        let mut devices = four();
        devices.remove(left_out);
        for assignment in [Assignment::LeastLoaded, Assignment::RoundRobin] {
            let before = held();
            let run = batches.inputs().across(devices.clone()).assign(assignment).map(uneven);
            let mut run = run.unwrap();
            for index in 0..batches.rows.len() {
                batches.expect(index, &run.next().unwrap().unwrap());
            }
            assert!(run.next().is_none());
            let counts: Vec<usize> = run.report().devices.iter().map(|d| d.batches).collect();
            assert_eq!((counts.len(), counts.iter().sum()), (3, batches.rows.len()));
            drop(run);
            assert_eq!(held(), before, "{devices:?}");
        }
    }
}

/// Takes a device's limit back.
struct Limited(Device);

impl Drop for Limited {
    fn drop(&mut self) {
        let _ = self.0.set_limit(None);
    }
}

#[test]
fn a_device_with_little_room_splits_its_batches_and_the_others_do_not() {
    let _alone = alone();
    let devices = four();
    let Some(victim) = victim(&devices) else { return };
    let limit = if victim.kind() == DeviceKind::Cuda { 1 << 30 } else { 64 << 20 };
    // A batch fits, but not with its result.
    let rows = limit / 100 * 55 / 12;
    let batches = Batches::new(vec![rows; 8]);
    drain();
    victim.trim(0).unwrap();
    let _limited = Limited(victim);
    victim.set_limit(Some(Limit::Bytes(limit))).unwrap();
    let run = batches.inputs().across(devices).assign(Assignment::RoundRobin).ahead(4);
    let mut run = run.splittable(1).map(turned).unwrap();
    for index in 0..8 {
        batches.expect(index, &run.next().unwrap().unwrap());
    }
    assert!(run.next().is_none());
    let report = run.report();
    for (position, device) in report.devices.iter().enumerate() {
        assert_eq!(device.batches, 2, "{report}");
        assert_eq!(device.splits > 0, position == VICTIM, "{report}");
    }
    assert!(victim.statistics().live_bytes <= limit, "{report}");
}

#[test]
fn a_panic_on_one_of_four_devices_comes_after_the_results_before_it_and_the_next_run_is_whole() {
    let _alone = alone();
    let (devices, batches) = (four(), unequal());
    let before = held();
    let count = AtomicUsize::new(0);
    let panicking = move |x: &Array, on: &BatchPlace| {
        let second = on.position == VICTIM && count.fetch_add(1, SeqCst) == 1;
        assert!(!second, "the second batch of {VICTIM}");
        uneven(x, on)
    };
    let run = batches.inputs().across(devices.clone()).assign(Assignment::RoundRobin).in_flight(1);
    let mut run = run.map(panicking).unwrap();
    // Every fourth batch is that device's.
    let second = VICTIM + 4;
    for index in 0..second {
        batches.expect(index, &run.next().unwrap().unwrap());
    }
    let panic = catch_unwind(AssertUnwindSafe(|| run.next())).unwrap_err();
    assert!(panic.downcast_ref::<String>().unwrap().contains("the second batch"));
    assert!(run.next().is_none());
    drop(run);
    assert_eq!(held(), before);
    let run = batches.inputs().across(devices).map(uneven).unwrap();
    for (index, result) in run.enumerate() {
        batches.expect(index, &result.unwrap());
    }
}
