//! Pages stay locked until the last copy that uses them is done, whichever block it was queued by.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, mpsc};
use std::thread;

use super::fake::{self, Plan};
use super::pinned::is_closing;
use super::{Memory, drain};
use crate::{Device, DeviceKind, Result};

/// So few that no copy is staged.
const BYTES: usize = 1 << 11;

fn host() -> Result<Memory> {
    Memory::allocate(BYTES, &Device::cpu().stream()?)
}

/// The same bytes as a block of its own: what is exported and imported again, or taken from one owner twice.
fn again(memory: &Memory) -> Memory {
    // SAFETY: the tests keep `memory` as long as this is used; nobody looks into either.
    unsafe { Memory::from_foreign(Device::cpu(), memory.address(), BYTES, Box::new(|| ())) }
}

/// The same bytes, borrowed: a view of another library's.
fn borrowed(memory: &Memory) -> Memory {
    // SAFETY: as above.
    unsafe { Memory::borrowed(memory.address(), BYTES) }
}

/// On the stream that all work of these tests is on, so that no mark is for another.
fn copy(from: &Memory, to: &Memory, device: Device) -> Result<()> {
    // SAFETY: nobody looks into the blocks.
    unsafe { from.copy_to(0, to, 0, BYTES, &device.process_stream()?) }
}

/// What was asked of the device since it was asked last.
fn asked(plan: &Plan) -> Vec<&'static str> {
    std::mem::take(&mut plan.asked.lock())
}

#[test]
fn pages_are_unlocked_after_copies_by_other_blocks() -> Result<()> {
    let (device, plan) = fake::device(DeviceKind::Cuda);
    let far = Memory::allocate(BYTES, &device.process_stream()?)?;
    for upwards in [true, false] {
        for dropped in [true, false] {
            let near = host()?;
            near.register(device)?.keep();
            let other = again(&near);
            asked(&plan);
            let (from, to) = if upwards { (&other, &far) } else { (&far, &other) };
            copy(from, to, device)?;
            if dropped {
                drop(near);
                drain();
            } else {
                near.unregister()?;
            }
            let all = asked(&plan);
            let end = all.iter().rposition(|what| *what == "wait for a mark");
            let unlocked = all.iter().position(|what| *what == "unlock");
            assert!(end.is_some() && end < unlocked, "{upwards} {dropped}: {all:?}");
        }
    }
    Ok(())
}

#[test]
fn pages_are_not_unlocked_while_a_driver_is_asked_for_a_copy_by_another_block() -> Result<()> {
    let (device, plan) = fake::device(DeviceKind::Cuda);
    let far = Memory::allocate(BYTES, &device.process_stream()?)?;
    for alias in [again, borrowed] {
        // Locked before the driver is asked, or while it is: then it may still find them locked.
        for late in [false, true] {
            let near = Arc::new(host()?);
            let other = alias(&near);
            if !late {
                near.register(device)?.keep();
            }
            asked(&plan);
            let (unlocking, unlocked) = mpsc::channel();
            let block = near.clone();
            *plan.meanwhile.0.lock() = Some(Box::new(move || {
                let address = block.address();
                let done = Arc::new(AtomicBool::new(false));
                let told = done.clone();
                if late {
                    block.register(device).expect("it is not locked").keep();
                }
                let thread = thread::spawn(move || {
                    let ended = block.unregister();
                    told.store(true, SeqCst);
                    ended
                });
                // Until the other thread waits for the copy, or has ended without waiting for it.
                while !is_closing(address) && !done.load(SeqCst) {
                    thread::yield_now();
                }
                unlocking.send(thread).expect("the test waits");
            }));
            copy(&other, &far, device)?;
            let thread = unlocked.recv().expect("the copy has done it");
            thread.join().expect("no panic")?;
            let all = asked(&plan);
            let at = |what| all.iter().position(|other| *other == what);
            assert!(at("transfer") < at("unlock"), "{late}: {all:?}");
            assert!(at("mark") < at("unlock") && at("mark").is_some(), "{late}: {all:?}");
            assert!(!near.is_pinned(device) && plan.registered.lock().is_empty());
        }
    }
    Ok(())
}

#[test]
fn a_copy_by_the_registered_block_leaves_no_mark_of_its_own() -> Result<()> {
    let (device, plan) = fake::device(DeviceKind::Cuda);
    let far = Memory::allocate(BYTES, &device.process_stream()?)?;
    let near = host()?;
    near.register(device)?.keep();
    asked(&plan);
    copy(&near, &far, device)?;
    assert_eq!(asked(&plan), ["transfer"]);
    near.unregister()?;
    assert_eq!(asked(&plan), ["mark", "wait for a mark", "unlock"]);
    Ok(())
}
