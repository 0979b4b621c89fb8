//! Foreign memory whose device is lost: it is given back once, or knowingly kept, and the failure is told.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use super::stand_in::{Bare, Marks, Streams, enter};
use super::{Access, Memory, drain};
use crate::driver::{EventDriver, StreamDriver};
use crate::{Device, DeviceKind, Error, Result};

/// A kind of device that fails like one the driver has lost.
#[derive(Debug)]
struct Lost {
    /// Whether events can still be recorded.
    records: bool,
}

#[derive(Debug)]
struct LostStream {
    records: bool,
}

#[derive(Debug)]
struct LostEvent;

fn lost<T>(call: &'static str) -> Result<T> {
    let (device, name) = ("cuda:0".into(), "CUDA_ERROR_DEVICE_UNAVAILABLE".into());
    Err(Error::Driver { device, call, name, code: 46 })
}

impl Streams for Lost {
    fn new_stream(&self) -> Result<Box<dyn StreamDriver>> {
        Ok(Box::new(Bare(LostStream { records: self.records })))
    }
}

impl Marks for LostStream {
    fn synchronize(&self) -> Result<()> {
        lost("synchronize")
    }

    fn record(&self) -> Result<Box<dyn EventDriver>> {
        if self.records { Ok(Box::new(LostEvent)) } else { lost("record") }
    }

    fn wait(&self, _: &dyn EventDriver) -> Result<()> {
        lost("wait")
    }

    fn raw(&self) -> usize {
        0
    }
}

impl EventDriver for LostEvent {
    fn synchronize(&self) -> Result<()> {
        lost("wait for an event")
    }

    fn is_complete(&self) -> Result<bool> {
        lost("ask an event")
    }

    fn elapsed_since(&self, _: &dyn EventDriver) -> Result<Duration> {
        lost("elapsed")
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn device(records: bool) -> Device {
    enter(DeviceKind::Cuda, Bare(Lost { records }))
}

/// Drops foreign memory that a stream of `device` uses; whether it was released, and how often.
fn release(device: Device) -> Result<usize> {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let release = move || {
        counted.fetch_add(1, SeqCst);
    };
    // SAFETY: never used as memory.
    let memory = unsafe { Memory::from_foreign(device, 0x1000, 16, Box::new(release)) };
    memory.acquire(&device.new_stream()?, Access::Write)?;
    drop(memory);
    drain();
    Ok(calls.load(SeqCst))
}

#[test]
fn work_that_fails_with_its_device_is_over_and_its_memory_is_released_once() -> Result<()> {
    let device = device(true);
    assert_eq!(release(device)?, 1);
    assert!(matches!(device.check(), Err(Error::Driver { call: "wait for an event", .. })));
    device.check()
}

#[test]
fn memory_is_kept_where_nothing_can_tell_when_its_work_ends() -> Result<()> {
    let device = device(false);
    assert_eq!(release(device)?, 0);
    assert!(matches!(device.check(), Err(Error::Driver { call: "record", .. })));
    device.check()
}

#[test]
fn a_release_function_may_release_and_wait_for_releases() -> Result<()> {
    let (device, done) = (device(true), Arc::new(AtomicBool::new(false)));
    let flag = done.clone();
    // On the reaper's thread, since the event is not complete.
    let release = move || {
        drain();
        let inner = move || flag.store(true, SeqCst);
        // SAFETY: never used as memory.
        drop(unsafe { Memory::from_foreign(Device::cpu(), 0x1000, 16, Box::new(inner)) });
    };
    // SAFETY: never used as memory.
    let memory = unsafe { Memory::from_foreign(device, 0x1000, 16, Box::new(release)) };
    memory.acquire(&device.new_stream()?, Access::Read)?;
    drop(memory);
    drain();
    assert!(done.load(SeqCst));
    Ok(())
}

/// A panic that carries a value whose drop panics.
struct Grenade;

impl Drop for Grenade {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "on purpose");
    }
}

#[test]
fn a_panic_that_carries_another_ends_with_the_release_function() -> Result<()> {
    let explode = || std::panic::resume_unwind(Box::new(Grenade));
    // SAFETY: never used as memory.
    drop(unsafe { Memory::from_foreign(Device::cpu(), 0x1000, 16, Box::new(explode)) });
    assert_eq!(release(device(true))?, 1, "the reaper goes on");
    Ok(())
}
