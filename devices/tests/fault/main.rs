//! Failures on purpose, and the ways back that every call has without anyone asking.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod environment;

use std::thread;

use arrayspan_devices::fault::{self, Class, Fault, FaultKind, Threads, inject};
use arrayspan_devices::retry::{RetryPolicy, Stage, with_retry};
use arrayspan_devices::{Argument, Device, Error, Grid, KernelSource, Memory, Result, Stream};

/// Every device, with a stream of its own.
fn devices() -> impl Iterator<Item = (Device, Stream)> {
    Device::all().into_iter().map(|device| (device, device.new_stream().unwrap()))
}

/// So many calls one after the other fail.
fn failing(kind: FaultKind, count: usize) -> Fault {
    Fault { count, ..Fault::new(kind) }
}

fn doubling() -> KernelSource {
    let body = "KERNEL twice(GLOBAL float* x, i64 n) {
  for (i64 i = GID(0); i < n; i += GSZ(0)) x[i] = 2.0f * x[i];
}";
    KernelSource::new("twice", "twice", body)
}

fn upload(values: &[f32], stream: &Stream) -> Result<Memory> {
    let bytes = size_of_val(values);
    let host = Memory::allocate(bytes, &Device::cpu().stream()?)?;
    // SAFETY: the block is as long as the values, and nobody else has it.
    unsafe {
        std::ptr::copy_nonoverlapping(values.as_ptr().cast(), host.address() as *mut u8, bytes);
    }
    let far = Memory::allocate(bytes, stream)?;
    // SAFETY: nobody looks into either block before the copy is done.
    unsafe { host.copy_to(0, &far, 0, bytes, stream)? };
    Ok(far)
}

fn download(memory: &Memory, stream: &Stream) -> Result<Vec<f32>> {
    let host = Memory::allocate(memory.bytes(), &Device::cpu().stream()?)?;
    // SAFETY: nobody looks into either block before the copy is done.
    unsafe { memory.copy_to(0, &host, 0, memory.bytes(), stream)? };
    host.wait(arrayspan_devices::Access::Read)?;
    stream.synchronize()?;
    let mut values = vec![0.0_f32; memory.bytes() / 4];
    // SAFETY: the copy is done; both are as long as that.
    unsafe {
        std::ptr::copy_nonoverlapping(
            host.address() as *const u8,
            values.as_mut_ptr().cast(),
            memory.bytes(),
        );
    }
    Ok(values)
}

/// A computation with allocations, copies, a kernel where there are any, and its result.
fn computation(device: Device, stream: &Stream) -> Result<Vec<f32>> {
    let values: Vec<f32> = (0..1000_u16).map(f32::from).collect();
    let memory = upload(&values, stream)?;
    if device.kind().dialect().is_some() {
        let kernel = device.kernel(&doubling())?;
        let arguments = [Argument::Write(&memory), Argument::I64(1000)];
        let grid = Grid { groups: [16, 1, 1], threads: [64, 1, 1] };
        // SAFETY: the arguments are the kernel's, and it stays within the block.
        unsafe { stream.launch(&kernel, grid, &arguments)? };
    }
    download(&memory, stream)
}

#[test]
fn an_injected_refusal_looks_like_the_drivers_and_costs_nothing_else() {
    for (device, stream) in devices() {
        let injection = inject(failing(FaultKind::Allocation, usize::MAX));
        match Memory::allocate(1000, &stream).unwrap_err() {
            Error::OutOfMemory { device: at, bytes: 1000, tried, .. } => {
                assert_eq!(at, device);
                let mut stages: Vec<Stage> = tried.iter().map(|step| step.stage).collect();
                // The host has page-locked memory beside its pool.
                stages.dedup();
                assert_eq!(stages[..3], [Stage::Drain, Stage::Pool, Stage::Plans], "{device}");
            }
            other => panic!("{other}"),
        }
        assert!(injection.hits() >= 2, "it was tried again");
        drop(injection);
        drop(Memory::allocate(1000, &stream).unwrap());
    }
}

#[test]
fn every_single_failure_is_survived_with_the_same_result() {
    for (device, stream) in devices() {
        let expected = computation(device, &stream).unwrap();
        for kind in [FaultKind::Allocation, FaultKind::Launch, FaultKind::Copy, FaultKind::Plan] {
            let mut injected = 0;
            for skip in 0..10 {
                let injection = inject(Fault { skip, ..Fault::new(kind) });
                let found = computation(device, &stream);
                assert_eq!(found.unwrap(), expected, "{device}: {kind:?} after {skip}");
                injected += injection.hits();
            }
            // Kernels are built once, unless somebody forgets them.
            let runs = device.kind().dialect().is_some();
            let some = match kind {
                FaultKind::Launch => runs,
                FaultKind::Plan => false,
                _ => true,
            };
            assert!(!some || injected > 0, "{device}: no {kind:?} failed");
        }
    }
}

#[test]
fn failures_that_do_not_end_are_an_error_of_the_same_kind() {
    for (device, stream) in devices() {
        let runs = device.kind().dialect().is_some();
        for kind in [FaultKind::Allocation, FaultKind::Launch, FaultKind::Copy] {
            let _injection = inject(failing(kind, usize::MAX));
            match computation(device, &stream) {
                Err(Error::OutOfMemory { tried, .. }) => assert!(!tried.is_empty()),
                Ok(_) => assert!(kind == FaultKind::Launch && !runs, "{device}: {kind:?}"),
                Err(other) => panic!("{device}: {kind:?}: {other}"),
            }
        }
    }
}

#[test]
fn a_lost_device_is_not_tried_again() {
    for (device, stream) in devices() {
        for kind in [FaultKind::Allocation, FaultKind::Copy] {
            let injection = inject(Fault { class: Class::DeviceLost, ..failing(kind, 5) });
            let runs = std::cell::Cell::new(0);
            let failed = with_retry(device, &RetryPolicy::default(), || {
                runs.set(runs.get() + 1);
                computation(device, &stream)
            });
            let unrecovered = failed.unwrap_err();
            assert!(matches!(unrecovered.error, Error::DeviceLost { .. }), "{unrecovered}");
            assert!(unrecovered.tried.is_empty());
            assert_eq!((runs.get(), injection.hits()), (1, 1), "{device}: {kind:?}");
        }
    }
}

#[test]
fn another_refusal_of_the_driver_is_not_tried_again() {
    let stream = Device::cpu().stream().unwrap();
    let injection = inject(Fault { class: Class::Driver, ..failing(FaultKind::Allocation, 5) });
    assert!(matches!(Memory::allocate(10, &stream), Err(Error::Driver { .. })));
    assert_eq!(injection.hits(), 1);
}

#[test]
fn only_the_thread_the_device_and_the_scope_asked_for_fail() {
    let lost = |fault| Fault { class: Class::DeviceLost, ..fault };
    let stream = Device::cpu().stream().unwrap();
    let allocate = || Memory::allocate(10, &stream).map(drop);

    let here = inject(lost(failing(FaultKind::Allocation, 1)));
    let stream_there = stream.clone();
    thread::spawn(move || Memory::allocate(10, &stream_there).map(drop)).join().unwrap().unwrap();
    assert_eq!(here.hits(), 0);
    assert!(allocate().is_err());
    drop(here);

    if let Some(other) = Device::all().into_iter().find(|device| !device.is_cpu()) {
        let there = inject(Fault {
            device: Some(other),
            ..lost(failing(FaultKind::Allocation, usize::MAX))
        });
        allocate().unwrap();
        let far = Memory::allocate(10, &other.stream().unwrap());
        assert!(far.is_err() && there.hits() == 1);
    }

    let fault = lost(failing(FaultKind::Allocation, usize::MAX));
    let scoped = inject(Fault { only_protected: true, ..fault });
    allocate().unwrap();
    let protected = fault::protect();
    assert!(fault::is_protected() && allocate().is_err());
    drop(protected);
    assert!(!fault::is_protected());
    allocate().unwrap();
    let inside = with_retry(Device::cpu(), &RetryPolicy::default(), allocate);
    assert!(inside.is_err() && scoped.hits() == 2);
}

#[test]
fn threads_can_be_counted_each_for_itself() {
    let fault = Fault {
        skip: 2,
        threads: Threads::Each,
        class: Class::DeviceLost,
        ..Fault::new(FaultKind::Plan)
    };
    let Some(device) = Device::all().into_iter().find(|device| device.kind().dialect().is_some())
    else {
        return eprintln!("skipped: no CUDA device, no OpenCL device");
    };
    // Inside scopes only, which the other tests here that build kernels do without.
    let injection = inject(Fault { only_protected: true, device: Some(device), ..fault });
    let thread = |number: usize| {
        thread::spawn(move || {
            let _protected = fault::protect();
            let build = |step: usize| {
                let name = format!("own{number}_{step}");
                let body = format!("KERNEL {name}(GLOBAL float* x) {{ x[0] = 1.0f; }}\n");
                device.kernel(&KernelSource::new(&name, &name, &body)).is_ok()
            };
            (0..4).map(build).collect::<Vec<_>>()
        })
    };
    let threads: Vec<_> = (0..3).map(thread).collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), [true, true, false, true]);
    }
    assert_eq!(injection.hits(), 3);
}

#[test]
fn allocations_outside_of_retry_scopes_are_listed() {
    let stream = Device::cpu().stream().unwrap();
    let watch = fault::watch();
    let line = line!() + 1;
    drop((0..3).map(|_| Memory::allocate(77, &stream)).collect::<Vec<_>>());
    let protected = fault::protect();
    let inside = line!() + 1;
    drop(Memory::allocate(78, &stream));
    drop(protected);
    drop(watch);
    drop(Memory::allocate(79, &stream));
    let sites = fault::unprotected();
    let here: Vec<_> = sites.iter().filter(|site| site.location.file() == file!()).collect();
    let site = here.iter().find(|site| site.location.line() == line).unwrap();
    assert_eq!((site.allocations, site.bytes), (3, 231));
    assert!(here.iter().all(|site| site.location.line() != inside));
}
