//! Memory runs out, is got back, and the work goes on. In a process of its own, since it registers a library.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod waiting;

use std::cell::Cell;
use std::error::Error as _;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, Once};
use std::thread;

use arrayspan_devices::reclaim::{Holdings, Reclaim, register};
use arrayspan_devices::retry::{OutOfMemory, RetryPolicy, Stage, with_retry};
use arrayspan_devices::{Device, DeviceKind, Error, Memory, Result};

/// A library that holds blocks until it is asked for them.
#[derive(Debug)]
struct Hoarder {
    blocks: Mutex<Vec<Memory>>,
    /// Whether releasing itself runs out of memory.
    fails: Mutex<bool>,
    asked: AtomicUsize,
}

static HOARDER: Hoarder = Hoarder {
    blocks: Mutex::new(Vec::new()),
    fails: Mutex::new(false),
    asked: AtomicUsize::new(0),
};

/// One test at a time has the hoarder.
static TURN: Mutex<()> = Mutex::new(());

impl Hoarder {
    fn held(&self, device: Device) -> usize {
        let blocks = self.blocks.lock().unwrap();
        blocks.iter().filter(|block| block.device() == device).map(Memory::bytes).sum()
    }
}

impl Reclaim for Hoarder {
    fn name(&self) -> &'static str {
        "hoarder"
    }

    fn holdings(&self, device: Device) -> Option<Holdings> {
        let reserved_bytes = self.held(device);
        Some(Holdings { reserved_bytes, ..Holdings::default() })
    }

    fn release(&self, device: Device) -> Result<Option<usize>> {
        self.asked.fetch_add(1, SeqCst);
        if *self.fails.lock().unwrap() {
            // Its own retry must not start another recovery, which would ask it again, and so on.
            return with_retry(device, &RetryPolicy::default(), || Err(full(device, 1)))
                .map_err(|unrecovered| unrecovered.error);
        }
        let freed = self.held(device);
        self.blocks.lock().unwrap().retain(|block| block.device() != device);
        Ok(Some(freed))
    }
}

fn hoarder() -> std::sync::MutexGuard<'static, ()> {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| register(&HOARDER));
    TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn tries(attempts: usize) -> RetryPolicy {
    RetryPolicy { attempts, ..RetryPolicy::default() }
}

fn full(device: Device, bytes: usize) -> Error {
    Error::out_of_memory(device, bytes, 2)
}

#[test]
fn an_operation_that_works_is_run_once() {
    let _turn = hoarder();
    let runs = Cell::new(0);
    let asked = HOARDER.asked.load(SeqCst);
    let done = with_retry(Device::cpu(), &RetryPolicy::default(), || -> Result<_> {
        runs.set(runs.get() + 1);
        Ok(7)
    });
    assert_eq!((done.unwrap(), runs.get()), (7, 1));
    assert_eq!(HOARDER.asked.load(SeqCst), asked);
}

#[test]
fn other_errors_are_returned_at_once() {
    let runs = Cell::new(0);
    let failed = with_retry(Device::cpu(), &RetryPolicy::default(), || -> Result<()> {
        runs.set(runs.get() + 1);
        Device::new(DeviceKind::Cpu, 1).map(|_| ())
    });
    let unrecovered = failed.unwrap_err();
    assert!(matches!(unrecovered.error, Error::NoSuchDevice { .. }));
    assert!(unrecovered.tried.is_empty());
    assert_eq!(runs.get(), 1);
}

#[test]
fn all_steps_are_taken_in_order_and_reported_when_nothing_helps() {
    let _turn = hoarder();
    let runs = Cell::new(0);
    // More than any step can give back.
    let wanted = usize::MAX;
    let failed = with_retry(Device::cpu(), &tries(3), || -> Result<()> {
        runs.set(runs.get() + 1);
        Err(full(Device::cpu(), wanted))
    });
    let unrecovered = failed.unwrap_err();
    assert_eq!(runs.get(), 3);
    assert_eq!(unrecovered.tried.len(), 2, "nothing is tried after the last attempt");
    for attempt in &unrecovered.tried {
        assert_eq!(attempt.shortage.bytes, Some(wanted));
        let steps: Vec<(Stage, &str)> =
            attempt.recovered.iter().map(|recovered| (recovered.stage, recovered.name)).collect();
        let expected = [
            (Stage::Drain, "queued work"),
            (Stage::Pool, "our pool"),
            (Stage::Pool, "page-locked memory"),
            (Stage::Plans, "kernels"),
            (Stage::Libraries, "hoarder"),
        ];
        assert_eq!(steps, expected);
    }
    let (short, text) = (unrecovered.to_string(), format!("{unrecovered:#}"));
    assert!(text.contains("out of memory") && text.contains("hoarder freed 0 bytes"), "{text}");
    assert_eq!(text.lines().count(), 1 + 2 * 5, "each step has a line of its own: {text}");
    let said = short.contains("out of memory") && short.contains("2 attempt(s) before the last");
    assert!(said && short.lines().count() == 1 && short.len() < 300, "{short}");
    assert!(text.contains("after attempt 2"), "{text}");
    assert!(unrecovered.shortage().is_some() && unrecovered.source().is_some());
}

#[test]
fn what_a_library_holds_comes_back_and_the_operation_succeeds() {
    let _turn = hoarder();
    for device in Device::all() {
        let stream = device.stream().unwrap();
        let block = Memory::allocate(100_000, &stream).unwrap();
        HOARDER.blocks.lock().unwrap().push(block);
        let runs = Cell::new(0);
        let done = with_retry(device, &RetryPolicy::default(), || {
            runs.set(runs.get() + 1);
            if HOARDER.held(device) > 0 { Err(full(device, usize::MAX)) } else { Ok(()) }
        });
        done.unwrap();
        assert_eq!(runs.get(), 2, "{device}");
    }
}

#[test]
fn an_operation_is_tried_once_where_no_more_is_allowed() {
    let _turn = hoarder();
    for attempts in [0, 1] {
        let runs = Cell::new(0);
        let failed = with_retry(Device::cpu(), &tries(attempts), || -> Result<()> {
            runs.set(runs.get() + 1);
            Err(full(Device::cpu(), 1))
        });
        assert!(failed.unwrap_err().tried.is_empty());
        assert_eq!(runs.get(), 1);
    }
}

#[test]
fn a_library_that_runs_out_of_memory_while_releasing_is_reported_and_not_asked_again() {
    let _turn = hoarder();
    *HOARDER.fails.lock().unwrap() = true;
    let asked = HOARDER.asked.load(SeqCst);
    let failed = with_retry(Device::cpu(), &tries(2), || -> Result<()> {
        Err(full(Device::cpu(), usize::MAX))
    });
    *HOARDER.fails.lock().unwrap() = false;
    let unrecovered = failed.unwrap_err();
    let last = unrecovered.tried[0].recovered.last().unwrap();
    assert!(matches!(last.failure, Some(Error::OutOfMemory { bytes: 1, .. })), "{last}");
    assert_eq!(HOARDER.asked.load(SeqCst), asked + 1);
}

#[test]
fn a_panic_after_a_recovery_does_not_stop_later_ones() {
    let _turn = hoarder();
    let panicked = std::panic::catch_unwind(|| {
        let runs = Cell::new(0);
        with_retry(Device::cpu(), &RetryPolicy::default(), || -> Result<()> {
            runs.set(runs.get() + 1);
            assert!(runs.get() < 2, "on purpose");
            Err(full(Device::cpu(), 1))
        })
    });
    assert!(panicked.is_err());
    let runs = Cell::new(0);
    let done = with_retry(Device::cpu(), &RetryPolicy::default(), || {
        runs.set(runs.get() + 1);
        if runs.get() < 2 { Err(full(Device::cpu(), usize::MAX)) } else { Ok(()) }
    });
    done.unwrap();
}

#[test]
fn many_threads_recover_at_once_without_blocking_each_other() {
    let _turn = hoarder();
    for device in Device::all() {
        let left = Arc::new(AtomicUsize::new(24));
        let threads: Vec<_> = (0..8)
            .map(|number| {
                let left = left.clone();
                thread::spawn(move || {
                    let stream = device.new_stream()?;
                    for _ in 0..10 {
                        let done = with_retry(device, &tries(40), || {
                            let block = Memory::allocate(1000 + number, &stream)?;
                            match left.fetch_update(SeqCst, SeqCst, |n| n.checked_sub(1)) {
                                Ok(_) => Err(full(device, 1000)),
                                Err(_) => Ok(block),
                            }
                        });
                        drop(done.map_err(|unrecovered| unrecovered.error)?);
                    }
                    Ok::<_, Error>(())
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap().unwrap();
        }
        assert_eq!(left.load(SeqCst), 0, "{device}: failures were injected");
    }
}

#[test]
fn a_release_on_the_reaper_may_itself_recover() {
    let _turn = hoarder();
    let Some(device) = Device::all().into_iter().find(|device| !device.is_cpu()) else {
        return eprintln!("skipped: no CUDA device, no OpenCL device");
    };
    let stream = device.new_stream().unwrap();
    let far = Memory::allocate(1 << 24, &stream).unwrap();
    let (sender, done) = std::sync::mpsc::channel();
    let values = vec![1_u8; 1 << 24];
    let address = values.as_ptr().expose_provenance();
    let release = Box::new(move || {
        drop(values);
        let recovered =
            with_retry(device, &tries(2), || -> Result<()> { Err(full(device, usize::MAX)) });
        sender.send(recovered.unwrap_err().tried.len()).unwrap();
    });
    // SAFETY: the vector lives in the release function, and nobody else uses it.
    let host = unsafe { Memory::from_foreign(Device::cpu(), address, 1 << 24, release) };
    // SAFETY: nobody looks into either block before the copy is done.
    unsafe { host.copy_to(0, &far, 0, 1 << 24, &stream).unwrap() };
    drop(host);
    assert_eq!(done.recv().unwrap(), 1);
}

#[test]
fn a_full_gpu_gives_back_what_a_library_holds() {
    let _turn = hoarder();
    for device in Device::all().into_iter().filter(|device| device.kind() == DeviceKind::Cuda) {
        let stream = device.new_stream().unwrap();
        let chunk = device.info().memory_bytes / 16;
        let asked = HOARDER.asked.load(SeqCst);
        // More than the device has: an allocation that is refused finds what the hoarder keeps by itself.
        for _ in 0..20 {
            let block = Memory::allocate(chunk, &stream).unwrap();
            HOARDER.blocks.lock().unwrap().push(block);
        }
        assert!(HOARDER.asked.load(SeqCst) > asked, "{device} was never full");
        assert!(HOARDER.held(device) < 16 * chunk);
        HOARDER.blocks.lock().unwrap().clear();
        // What the pool keeps goes back to the driver, and is measured.
        drop(Memory::allocate(chunk, &stream).unwrap());
        let failed =
            with_retry(device, &tries(2), || -> Result<()> { Err(full(device, usize::MAX)) });
        let unrecovered = failed.unwrap_err();
        eprintln!("{unrecovered}");
        let trim = &unrecovered.tried[0].recovered[1];
        assert_eq!(trim.stage, Stage::Pool);
        assert!(trim.freed.is_some_and(|bytes| bytes > 0), "{trim}");
    }
    if Device::new(DeviceKind::Cuda, 0).is_err() {
        eprintln!("skipped: no CUDA device");
    }
}
