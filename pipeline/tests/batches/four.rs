//! Four devices of which one is left out, has little room, panics or is lost: every element of every result is looked at.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

use arrayspan_bridge::devices::fault::{self, Class, Fault, FaultKind, Threads};
use arrayspan_bridge::devices::retry::OutOfMemory;
use arrayspan_bridge::devices::{
    Argument, Device, DeviceKind, Error as DeviceError, Grid, KernelSource, Limit, Memory, drain,
};
use arrayspan_bridge::{Array, Error, Relayout, Result, SharedArray};
use arrayspan_pipeline::batch::{Across, Assignment, BatchPlace, BatchReport, OnLost, Run};

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

/// Every call of the device after the first few fails as if it were gone.
fn losing(device: Device, kind: FaultKind) -> fault::Injection {
    fault::inject(Fault {
        class: Class::DeviceLost,
        skip: if kind == FaultKind::Launch { 1 } else { 4 },
        count: usize::MAX,
        threads: Threads::Any,
        device: Some(device),
        ..Fault::new(kind)
    })
}

/// The run gives every result, and has lost that one device.
#[track_caller]
fn expect_all_but_the_victim(mut run: Run<Error>, batches: &Batches) {
    for index in 0..batches.rows.len() {
        batches.expect(index, &run.next().unwrap().unwrap());
    }
    assert!(run.next().is_none());
    expect_that_the_victim_alone_is_lost(&run.report());
}

#[track_caller]
fn expect_that_the_victim_alone_is_lost(report: &BatchReport) {
    for (position, device) in report.devices.iter().enumerate() {
        assert_eq!(device.lost, position == VICTIM, "{report}");
    }
}

#[test]
fn the_batches_of_a_device_that_is_lost_at_any_call_go_to_the_other_three() {
    let _alone = alone();
    let (devices, batches) = (four(), unequal());
    let Some(victim) = victim(&devices) else { return };
    // At the upload or the download; before and while computing; at the wait for the result.
    for kind in [FaultKind::Copy, FaultKind::Allocation, FaultKind::Launch, FaultKind::Wait] {
        for assignment in [Assignment::LeastLoaded, Assignment::RoundRobin] {
            let before = held();
            let injected = losing(victim, kind);
            let run = batches.inputs().across(devices.clone()).assign(assignment);
            let run = run.on_lost(OnLost::Reassign).map(uneven).unwrap();
            expect_all_but_the_victim(run, &batches);
            assert!(injected.hits() > 0, "{kind:?}");
            drop(injected);
            assert_eq!(held(), before, "{kind:?}");
        }
    }
}

/// The error of a computation that uses something on a lost device.
fn gone(device: Device) -> Error {
    let (call, name) = ("a computation on two devices", "LOST".into());
    DeviceError::DeviceLost { device: device.to_string(), call, name, code: 700 }.into()
}

#[test]
fn a_batch_that_fails_on_account_of_another_device_which_is_lost_runs_again() {
    let _alone = alone();
    let (devices, batches) = (four(), unequal());
    let Some(victim) = victim(&devices) else { return };
    let before = held();
    let known = AtomicBool::new(false);
    let using = move |x: &Array, on: &BatchPlace| {
        let first = on.position == 0 && !known.swap(true, SeqCst);
        if first { Err(gone(victim)) } else { uneven(x, on) }
    };
    let run = batches.inputs().across(devices.clone()).assign(Assignment::RoundRobin);
    let run = run.on_lost(OnLost::Reassign).map(using).unwrap();
    expect_all_but_the_victim(run, &batches);
    // One that goes on failing so ends the run, and with its own error.
    let rows = batches.rows[4];
    let using = move |x: &Array, on: &BatchPlace| {
        if x.shape()[0] == rows { Err(gone(victim)) } else { uneven(x, on) }
    };
    let run = batches.inputs().across(devices).assign(Assignment::RoundRobin);
    let mut run = run.on_lost(OnLost::Reassign).map(using).unwrap();
    (0..4).for_each(|index| batches.expect(index, &run.next().unwrap().unwrap()));
    let error = run.next().unwrap().unwrap_err();
    assert_eq!(error.lost_device(), Some(&*victim.to_string()), "{error}");
    assert!(run.next().is_none());
    drop(run);
    assert_eq!(held(), before);
}

#[test]
fn a_lost_device_ends_a_run_that_was_not_told_to_go_on_without_it() {
    let _alone = alone();
    let (devices, batches) = (four(), unequal());
    let Some(victim) = victim(&devices) else { return };
    let before = held();
    let injected = losing(victim, FaultKind::Copy);
    let mut run =
        batches.inputs().across(devices).assign(Assignment::RoundRobin).map(uneven).unwrap();
    let mut index = 0;
    let error = loop {
        match run.next().unwrap() {
            Ok(result) => batches.expect(index, &result),
            Err(error) => break error,
        }
        index += 1;
    };
    assert_eq!(error.lost_device(), Some(&*victim.to_string()), "{error}");
    assert_eq!(index % 4, VICTIM, "{error}");
    assert!(run.next().is_none());
    drop((run, injected));
    assert_eq!(held(), before);
}

/// Writes far beyond any block.
const STRAY: &str = "KERNEL stray(GLOBAL float* x, i64 far) { x[far + GID(0)] = 1.0f; }";

#[test]
fn a_gpu_that_a_kernel_has_spoilt_leaves_its_batches_to_the_other_three() {
    if cuda().len() < 4 {
        eprintln!("skipped: no four CUDA devices");
        return;
    }
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "four::spoils_one_of_four", "--ignored", "--nocapture"])
        .output()
        .unwrap();
    assert!(child.status.success(), "{child:?}");
    let told = String::from_utf8_lossy(&child.stderr);
    told.lines().for_each(|line| eprintln!("{line}"));
}

#[test]
#[ignore = "run by the test above in a process of its own, whose GPU it spoils"]
fn spoils_one_of_four() {
    let (devices, batches) = (four(), unequal());
    let count = Arc::new(AtomicUsize::new(0));
    let begun = count.clone();
    let stray = move |x: &Array, on: &BatchPlace| -> Result<Array> {
        if on.position == VICTIM && begun.fetch_add(1, SeqCst) == 2 {
            let kernel = on.device.kernel(&KernelSource::new("stray", "stray", STRAY))?;
            let block = Memory::allocate(64, &on.stream)?;
            let grid = Grid { groups: [1, 1, 1], threads: [1, 1, 1] };
            let arguments = [Argument::Write(&block), Argument::I64(1 << 44)];
            // It writes where nothing is, on purpose: the device ends it, and with it all that this process has there.
            // SAFETY: the arguments are those STRAY declares.
            unsafe { on.stream.launch(&kernel, grid, &arguments)? };
        }
        turned(x, on)
    };
    let run = batches.inputs().across(devices.clone()).assign(Assignment::RoundRobin);
    let mut run = run.on_lost(OnLost::Reassign).map(stray).unwrap();
    for index in 0..batches.rows.len() {
        match run.next().unwrap() {
            Ok(result) => batches.expect(index, &result),
            Err(error) => return expect_that_all_are_lost(&error, &run.report(), &devices),
        }
    }
    assert!(run.next().is_none() && count.load(SeqCst) > 2);
    expect_that_the_victim_alone_is_lost(&run.report());
}

/// A run may fail if the driver has taken all devices from the process, of which it makes no promise: each is asked, past
/// all that we remember of it.
fn expect_that_all_are_lost(error: &Error, report: &BatchReport, devices: &[Device]) {
    let asked = devices.iter().map(|device| {
        let answer = device.new_stream().and_then(|stream| stream.record()?.synchronize());
        let page = Memory::pinned(1 << 20, *device).map(drop);
        eprintln!("{device}: {answer:?}; a page-locked block: {page:?}");
        answer.is_err()
    });
    let gone = asked.filter(|gone| *gone).count();
    assert!(gone == devices.len(), "{error}\n{report}");
    assert!(error.lost_device().is_some(), "{error}");
    eprintln!("skipped: with one GPU the driver takes all from the process: {error}");
}
