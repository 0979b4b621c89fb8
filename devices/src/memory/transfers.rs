//! Transfers that fail midway, and page-locked memory that runs out: on a device that does so when it is told.

use std::sync::Once;
use std::sync::atomic::Ordering::SeqCst;

use super::fake::{self, Plan};
use super::staging::{self, Settings};
use super::{Access, Memory, drain};
use crate::{Device, DeviceKind, Error, Result, Stream};

/// Ten chunks and a rest.
const BYTES: usize = 10 * 4096 + 3;

fn small_steps() {
    static ONCE: Once = Once::new();
    let (threshold, chunk) = (4096, 4096);
    let settings = Settings {
        threshold,
        chunk,
        threads: 2,
        most_threads: 4,
        processors: true,
        ..staging::settings()
    };
    ONCE.call_once(|| staging::configure(settings));
}

fn host(seed: usize) -> Result<Memory> {
    let memory = Memory::allocate(BYTES, &Device::cpu().stream()?)?;
    let bytes = pattern(seed);
    // SAFETY: the block has this size and nobody else knows it.
    unsafe { std::ptr::copy(bytes.as_ptr(), memory.address() as *mut u8, BYTES) };
    Ok(memory)
}

fn pattern(seed: usize) -> Vec<u8> {
    (0..BYTES).map(|i| (i * 31 + i / 251 + seed * 97 + 1) as u8).collect()
}

fn copy(from: &Memory, to: &Memory, stream: &Stream) -> Result<()> {
    // SAFETY: the tests look into the blocks after waiting only.
    unsafe { from.copy_to(0, to, 0, BYTES, stream) }
}

/// A block of the fake device or of the host.
fn holds(memory: &Memory, seed: usize) -> Result<bool> {
    memory.wait(Access::Read)?;
    // SAFETY: the fake device's memory is the host's; the block has this size and no writer.
    let bytes = unsafe { std::slice::from_raw_parts(memory.address() as *const u8, BYTES) };
    Ok(bytes == pattern(seed))
}

/// Fails each transfer of a copy once; after each failure the same copy arrives.
fn fails_and_recovers(from: &Memory, to: &Memory, stream: &Stream, plan: &Plan) -> Result<()> {
    for at in 0..11 {
        plan.transfers.store(at, SeqCst);
        let error = copy(from, to, stream).expect_err("the transfer that fails is told");
        assert!(matches!(error, Error::Driver { call: "transfer", code: 7, .. }), "{at}: {error}");
        plan.transfers.store(-1, SeqCst);
        copy(from, to, stream)?;
    }
    Ok(())
}

#[test]
fn a_transfer_that_fails_midway_is_told_and_the_next_copy_arrives() -> Result<()> {
    small_steps();
    let (device, plan) = fake::device(DeviceKind::Cuda);
    let stream = device.new_stream()?;
    let far = Memory::allocate(BYTES, &stream)?;
    fails_and_recovers(&host(1)?, &far, &stream, &plan)?;
    assert!(holds(&far, 1)?);
    let near = host(2)?;
    fails_and_recovers(&far, &near, &stream, &plan)?;
    assert!(holds(&near, 1)?);
    // All of that took one buffer, which is kept and not in use.
    let statistics = device.pinned_statistics();
    assert_eq!((statistics.blocks, statistics.active_bytes, statistics.slabs), (0, 0, 1));
    assert_eq!(statistics.cached_bytes, statistics.bytes);
    device.trim_pinned(0)?;
    assert_eq!(plan.locked.load(SeqCst), 0);
    Ok(())
}

#[test]
fn a_relay_that_fails_on_either_side_is_told_and_the_next_one_arrives() -> Result<()> {
    small_steps();
    for kinds in [[DeviceKind::Cuda; 2], [DeviceKind::Cuda, DeviceKind::OpenCl]] {
        let [(one, down), (other, up)] = kinds.map(fake::device);
        let (source, target) = (one.new_stream()?, other.new_stream()?);
        let (from, to) = (Memory::allocate(BYTES, &source)?, Memory::allocate(BYTES, &target)?);
        copy(&host(3)?, &from, &source)?;
        fails_and_recovers(&from, &to, &target, &down)?;
        fails_and_recovers(&from, &to, &target, &up)?;
        assert!(holds(&to, 3)?, "{kinds:?}");
    }
    Ok(())
}

#[test]
fn without_page_locked_memory_copies_go_the_drivers_way() -> Result<()> {
    small_steps();
    let (device, plan) = fake::device(DeviceKind::Cuda);
    let (other, _) = fake::device(DeviceKind::OpenCl);
    plan.refuses.store(true, SeqCst);
    let (stream, second) = (device.new_stream()?, other.new_stream()?);
    let (far, back) = (Memory::allocate(BYTES, &stream)?, host(0)?);
    copy(&host(4)?, &far, &stream)?;
    copy(&far, &back, &stream)?;
    assert!(holds(&back, 4)?);
    let elsewhere = Memory::allocate(BYTES, &second)?;
    copy(&far, &elsewhere, &stream)?;
    assert!(holds(&elsewhere, 4)?);
    assert!(matches!(Memory::pinned(9, device), Err(Error::OutOfMemory { bytes: 9, .. })));
    // Nothing that is not locked was kept for later.
    plan.refuses.store(false, SeqCst);
    copy(&host(5)?, &far, &stream)?;
    let statistics = device.pinned_statistics();
    assert_eq!((statistics.blocks, statistics.slabs), (0, 1));
    assert!(holds(&far, 5)?);
    Ok(())
}

#[test]
fn what_the_pool_keeps_is_given_up_before_an_allocation_fails() -> Result<()> {
    let (device, plan) = fake::device(DeviceKind::Cuda);
    plan.limit.store(40 << 20, SeqCst);
    drop(Memory::pinned(30 << 20, device)?);
    assert_eq!(device.pinned_statistics().cached_bytes, 30 << 20);
    let larger = Memory::pinned(38 << 20, device)?;
    assert_eq!(plan.locked.load(SeqCst), 38 << 20);
    let error = Memory::pinned(30 << 20, device).expect_err("there is no room");
    assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
    drop(larger);
    drain();
    assert!(Memory::pinned(38 << 20, device).is_ok());
    Ok(())
}

#[test]
fn a_registered_block_is_unlocked_once_however_it_ends() -> Result<()> {
    let (device, plan) = fake::device(DeviceKind::Cuda);
    let registered = || plan.registered.lock().len();
    let stream = device.new_stream()?;
    let far = Memory::allocate(BYTES, &stream)?;
    let near = host(6)?;
    {
        let _guard = near.register(device)?;
        assert!(near.is_pinned(device) && registered() == 1);
        let twice = near.register(device).expect_err("it is locked already");
        assert!(matches!(twice, Error::PageLock { bytes: BYTES, code: 0, .. }), "{twice}");
        assert!(twice.to_string().ends_with("locked already"), "no code nobody gave: {twice}");
        copy(&near, &far, &stream)?;
    }
    assert!(!near.is_pinned(device) && registered() == 0);

    near.register(device)?.keep();
    near.unregister()?;
    near.unregister()?;
    assert_eq!(registered(), 0);

    near.register(device)?.keep();
    copy(&near, &far, &stream)?;
    drop(near);
    drain();
    assert!(registered() == 0 && holds(&far, 6)?);

    let theirs = pattern(7);
    let address = theirs.as_ptr().expose_provenance();
    // SAFETY: the vector lives until the release function, and nobody else uses it.
    let foreign = unsafe {
        Memory::from_foreign(Device::cpu(), address, BYTES, Box::new(move || drop(theirs)))
    };
    foreign.register(device)?.keep();
    // SAFETY: no work is queued on it; the vector ends with the release function.
    unsafe { foreign.hand_back() };
    assert_eq!(registered(), 0);
    Ok(())
}

#[test]
fn borrowed_memory_is_not_registered_because_nobody_tells_when_the_borrow_ends() -> Result<()> {
    let (device, plan) = fake::device(DeviceKind::Cuda);
    let theirs = pattern(9);
    // SAFETY: the vector outlives the block, and nobody writes it.
    let borrowed = unsafe { Memory::borrowed(theirs.as_ptr().expose_provenance(), BYTES) };
    let error = borrowed.register(device).expect_err("it is only borrowed");
    assert!(matches!(error, Error::PageLock { bytes: BYTES, code: 0, .. }), "{error}");
    assert!(plan.registered.lock().is_empty() && !borrowed.is_pinned(device));
    let stream = device.new_stream()?;
    let far = Memory::allocate(BYTES, &stream)?;
    copy(&borrowed, &far, &stream)?;
    std::mem::forget(borrowed);
    drop(theirs);
    assert!(holds(&far, 9)?);
    Ok(())
}

#[test]
fn a_refused_registration_leaves_nothing_behind() -> Result<()> {
    let (device, plan) = fake::device(DeviceKind::Cuda);
    let near = host(8)?;
    plan.refuses.store(true, SeqCst);
    let error = near.register(device).expect_err("the driver refuses");
    assert!(matches!(error, Error::PageLock { code: 2, .. }), "{error}");
    assert!(!near.is_pinned(device));
    plan.refuses.store(false, SeqCst);
    drop(near.register(device)?);
    Ok(())
}
