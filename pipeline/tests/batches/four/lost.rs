//! One of four devices is lost.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

use arrayspan_bridge::devices::fault::{self, Class, Fault, FaultKind, Threads};
use arrayspan_bridge::devices::retry::OutOfMemory as _;
use arrayspan_bridge::devices::{
    Argument, Device, Error as DeviceError, Grid, KernelSource, Memory,
};
use arrayspan_bridge::{Array, Error, Result};
use arrayspan_pipeline::batch::{Across, Assignment, BatchPlace, BatchReport, OnLost, Run};

use super::super::{alone, held, turned, uneven};
use super::{Batches, VICTIM, cuda, four, unequal, victim};

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
        .args(["--exact", "four::lost::spoils_one_of_four", "--ignored", "--nocapture"])
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
