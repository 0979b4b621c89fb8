//! Memory goes away after its last use, once, and nobody waits for it.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};

use arrayspan_devices::{Access, Device, Event, Memory, Release, Result, Stream, drain};

use super::order::{N, increment, slow};
use super::{download, gpus, upload};

fn numbers(first: u32) -> Vec<u32> {
    (first..first + N as u32).collect()
}

#[test]
fn a_block_dropped_while_work_is_queued_stays_valid_until_the_work_is_done() -> Result<()> {
    for device in gpus() {
        let kernel = slow(device)?;
        let (stream, other) = (device.new_stream()?, device.new_stream()?);
        for first in 0..5 {
            let y = Memory::allocate(4 * N, &stream)?;
            let x = upload(&numbers(first), &stream)?;
            increment(&stream, &kernel, &x, &y)?;
            drop(x);
            // Whoever gets the memory next must not disturb the kernel.
            let thieves: Vec<_> =
                (0..8).map(|_| upload(&vec![u32::MAX; N], &other)).collect::<Result<_>>()?;
            assert_eq!(download::<u32>(&y, &stream)?, numbers(first + 1), "{device}");
            drop(thieves);
        }
        device.check()?;
    }
    Ok(())
}

#[test]
fn a_block_used_on_two_streams_is_freed_after_both() -> Result<()> {
    for device in gpus() {
        let kernel = slow(device)?;
        let (one, two) = (device.new_stream()?, device.new_stream()?);
        let (y, z) = (Memory::allocate(4 * N, &one)?, Memory::allocate(4 * N, &two)?);
        let x = upload(&numbers(3), &one)?;
        increment(&one, &kernel, &x, &y)?;
        increment(&two, &kernel, &x, &z)?;
        drop(x);
        let _thief = upload(&vec![u32::MAX; N], &one)?;
        assert_eq!(download::<u32>(&y, &one)?, numbers(4), "{device}");
        assert_eq!(download::<u32>(&z, &two)?, numbers(4), "{device}");
    }
    Ok(())
}

#[test]
fn host_memory_dropped_under_a_transfer_stays_valid_until_it_is_done() -> Result<()> {
    for device in gpus() {
        let stream = device.new_stream()?;
        for size in [1000_u32, 3_000_001] {
            let values: Vec<u32> = (0..size).collect();
            let memory = upload(&values, &stream)?;
            let noise: Vec<_> = (0..4).map(|_| vec![u32::MAX; size as usize]).collect();
            assert!(download::<u32>(&memory, &stream)? == values, "{device}");
            drop(noise);
        }
    }
    Ok(())
}

#[test]
fn foreign_memory_is_released_once_and_after_the_work() -> Result<()> {
    for device in gpus() {
        let kernel = slow(device)?;
        let stream = device.new_stream()?;
        let owner = upload(&numbers(5), &stream)?;
        stream.synchronize()?;
        let y = Memory::allocate(4 * N, &stream)?;
        let calls = Arc::new(AtomicUsize::new(0));
        let (address, bytes, counted) = (owner.address(), owner.bytes(), calls.clone());
        let release = move || {
            counted.fetch_add(1, SeqCst);
            drop(owner);
        };
        // SAFETY: `owner` keeps the memory alive until `release` runs and is not used before that.
        let foreign = unsafe { Memory::from_foreign(device, address, bytes, Box::new(release)) };
        increment(&stream, &kernel, &foreign, &y)?;
        let done = stream.record()?;
        drop(foreign);
        // The order of the two questions makes the answer certain: released implies done.
        let (released, complete) = (calls.load(SeqCst) > 0, done.is_complete()?);
        assert!(!released || complete, "{device}: released while the kernel runs");
        assert_eq!(download::<u32>(&y, &stream)?, numbers(6), "{device}");
        drain();
        assert_eq!(calls.load(SeqCst), 1, "{device}");
    }
    Ok(())
}

#[test]
fn foreign_memory_waits_for_its_owners_work_when_used_and_not_when_released() -> Result<()> {
    for device in gpus() {
        let kernel = slow(device)?;
        let (theirs, ours) = (device.new_stream()?, device.new_stream()?);
        for used in [true, false] {
            let x = upload(&numbers(5), &theirs)?;
            let owner = Memory::allocate(4 * N, &theirs)?;
            let (address, bytes) = (owner.address(), owner.bytes());
            let complete = Arc::new(Mutex::new(None));
            let told = complete.clone();
            increment(&theirs, &kernel, &x, &owner)?;
            let done = theirs.record()?;
            let release = move || {
                *told.lock().expect("nobody panics") = Some(done.is_complete());
                drop(owner);
            };
            // SAFETY: `owner` keeps the memory alive until `release` runs and is not used before that.
            let foreign =
                unsafe { Memory::from_foreign_on(&theirs, address, bytes, Box::new(release)) };
            if used {
                let y = Memory::allocate(4 * N, &ours)?;
                increment(&ours, &kernel, &foreign, &y)?;
                assert_eq!(download::<u32>(&y, &ours)?, numbers(7), "{device}");
            }
            drop(foreign);
            if used {
                drain();
            }
            let complete = complete.lock().expect("nobody panics").take();
            // At once where nobody used it, whether the owner's work was done by then or not.
            assert!(complete.is_some(), "{device}");
        }
    }
    Ok(())
}

#[test]
fn foreign_memory_that_another_library_used_on_its_owners_stream_waits_for_that() -> Result<()> {
    for device in gpus() {
        let kernel = slow(device)?;
        let theirs = device.new_stream()?;
        let x = upload(&numbers(5), &theirs)?;
        let owner = Memory::allocate(4 * N, &theirs)?;
        let (address, bytes) = (owner.address(), owner.bytes());
        theirs.synchronize()?;
        let (watch, release) = watched(owner);
        // SAFETY: its owner keeps the memory alive until `release` runs, which comes after the use below.
        let foreign = unsafe { Memory::from_foreign_on(&theirs, address, bytes, release) };
        // Another library's use of the block, on the very stream it was ready on.
        increment(&theirs, &kernel, &x, &foreign_alias(device, address, bytes))?;
        watch.mark(&theirs)?;
        foreign.remember(&theirs);
        drop(foreign);
        assert!(watch.was_done(), "{device}: released while the stream works");
    }
    Ok(())
}

#[test]
fn memory_lent_on_a_stream_waits_for_it_though_the_host_has_written_meanwhile() -> Result<()> {
    for device in gpus() {
        let kernel = slow(device)?;
        let theirs = device.new_stream()?;
        let x = upload(&numbers(5), &theirs)?;
        let owner = Memory::allocate(4 * N, &theirs)?;
        let (address, bytes) = (owner.address(), owner.bytes());
        let (watch, release) = watched(owner);
        // SAFETY: its owner keeps the memory alive until `release` runs, which comes after the use below.
        let lent = unsafe { Memory::from_foreign(device, address, bytes, release) };
        lent.lend_to(&theirs, Access::Read)?;
        lent.wait(Access::Write)?;
        // The other library's work comes after that, and nobody tells us of it.
        increment(&theirs, &kernel, &x, &foreign_alias(device, address, bytes))?;
        watch.mark(&theirs)?;
        drop(lent);
        assert!(watch.was_done(), "{device}: released while the stream works");
    }
    Ok(())
}

/// Tells whether the work marked last was done when memory went back to its owner.
struct Watch {
    mark: Arc<Mutex<Option<Event>>>,
    told: Receiver<bool>,
}

impl Watch {
    fn mark(&self, stream: &Stream) -> Result<()> {
        *self.mark.lock().expect("nobody panics") = Some(stream.record()?);
        Ok(())
    }

    /// Waits for the release.
    fn was_done(&self) -> bool {
        self.told.recv().expect("it is released")
    }
}

/// The release of memory that belongs to `owner`, watched.
fn watched(owner: Memory) -> (Watch, Release) {
    let (tell, told) = channel();
    let mark = Arc::new(Mutex::new(None::<Event>));
    let marked = mark.clone();
    let release = move || {
        let marked = marked.lock().expect("nobody panics").take();
        let done = marked.is_none_or(|mark| mark.is_complete().unwrap_or(false));
        drop(owner);
        tell.send(done).expect("the test waits");
    };
    (Watch { mark, told }, Box::new(release))
}

/// The same memory as another library sees it.
fn foreign_alias(device: Device, address: usize, bytes: usize) -> Memory {
    // SAFETY: the test keeps the memory alive, and orders all use of it.
    unsafe { Memory::from_foreign(device, address, bytes, Box::new(|| ())) }
}

#[test]
fn foreign_memory_that_nobody_used_is_released_on_drop() {
    for device in Device::all() {
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = calls.clone();
        let release = move || {
            counted.fetch_add(1, SeqCst);
        };
        // SAFETY: never used as memory.
        let foreign = unsafe { Memory::from_foreign(device, 0x1000, 16, Box::new(release)) };
        assert_eq!(calls.load(SeqCst), 0);
        drop(foreign);
        assert_eq!(calls.load(SeqCst), 1, "{device}");
    }
}

#[test]
fn a_release_function_that_panics_harms_nobody() -> Result<()> {
    // SAFETY: never used as memory.
    let foreign = unsafe {
        Memory::from_foreign(Device::cpu(), 0x1000, 16, Box::new(|| panic!("on purpose")))
    };
    drop(foreign);
    drain();
    for device in Device::all() {
        device.check()?;
    }
    Ok(())
}
