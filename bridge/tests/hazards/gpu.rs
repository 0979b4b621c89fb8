//! The driver's calls that the hazards are made of.

use std::cell::RefCell;
use std::ptr::with_exposed_provenance_mut;
use std::sync::{Mutex, MutexGuard, PoisonError};

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::interop::cudarc as cuda;
use arrayspan_bridge::{Array, DType};
use cudarc::driver::sys::{self, CUresult};

use crate::common;

/// Bytes of every block: more than any copy that the driver makes at once.
pub(crate) const BYTES: usize = 4 << 20;
/// What a block holds, and what a thief writes over it.
pub(crate) const GOOD: u8 = 0x11;
pub(crate) const BAD: u8 = 0xEE;

/// How often a hazard is tried to be shown, where something else may come between.
const TRIES: usize = 5;

/// The damage that an attempt shows; `None` is an attempt that shows nothing, because it was disturbed.
pub(crate) fn shown(attempt: impl FnMut() -> Option<usize>) -> usize {
    let mut attempt = attempt;
    (0..TRIES).find_map(|_| attempt()).expect("an attempt that nothing disturbs")
}

/// Keeps other tests from the devices until this one's thread ends: what a hazard writes to memory that it has given
/// back may be theirs, and what they wait for it may hold back.
pub(crate) fn take_turn() {
    static TURN: Mutex<()> = Mutex::new(());
    thread_local! {
        static TAKEN: RefCell<Option<MutexGuard<'static, ()>>> = const { RefCell::new(None) };
    }
    TAKEN.with_borrow_mut(|taken| {
        taken.get_or_insert_with(|| TURN.lock().unwrap_or_else(PoisonError::into_inner));
    });
}

/// The first CUDA device, its context current on this thread, for this test alone.
pub(crate) fn first() -> Option<Device> {
    take_turn();
    let device = common::first("cuda")?;
    enter(device);
    Some(device)
}

/// The first two CUDA devices, for this test alone.
pub(crate) fn two() -> Option<[Device; 2]> {
    take_turn();
    let found: Vec<Device> =
        common::accelerators().into_iter().filter(|d| d.to_string().starts_with("cuda")).collect();
    let [one, two, ..] = found[..] else {
        eprintln!("skipped: no second CUDA device");
        return None;
    };
    Some([one, two])
}

/// Makes the device's primary context current on this thread.
pub(crate) fn enter(device: Device) {
    cuda::context(device).unwrap().bind_to_thread().unwrap();
}

pub(crate) fn ok(code: CUresult) {
    assert_eq!(code, CUresult::CUDA_SUCCESS);
}

pub(crate) fn raw_stream(raw: usize) -> sys::CUstream {
    with_exposed_provenance_mut(raw)
}

/// An array of bytes on a device, all `GOOD`.
pub(crate) fn good(device: Device) -> Array {
    let array = Array::from_vec(vec![GOOD; BYTES], [BYTES]).unwrap().into_device(device).unwrap().0;
    device.stream().unwrap().synchronize().unwrap();
    assert_eq!(array.dtype(), DType::UInt8);
    array
}

/// How many bytes are not `GOOD`.
pub(crate) fn damage(array: &Array) -> usize {
    array.view().to_vec::<u8>().unwrap().into_iter().filter(|byte| *byte != GOOD).count()
}

/// A block of the driver's default pool, filled and ready.
pub(crate) fn block(stream: usize, fill: u8) -> u64 {
    let mut address = 0;
    // SAFETY: a live stream of the current context; the block is filled before the wait is over.
    unsafe {
        ok(sys::cuMemAllocAsync(&raw mut address, BYTES, raw_stream(stream)));
        ok(sys::cuMemsetD8Async(address, fill, BYTES, raw_stream(stream)));
        ok(sys::cuStreamSynchronize(raw_stream(stream)));
    }
    address
}

/// How many bytes of a block are not `GOOD`, once `stream` is done.
pub(crate) fn damage_at(address: u64, stream: usize) -> usize {
    let mut bytes = vec![0_u8; BYTES];
    // SAFETY: a live block of so many bytes of the stream's device.
    unsafe {
        ok(sys::cuStreamSynchronize(raw_stream(stream)));
        ok(sys::cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), address, BYTES));
    }
    bytes.into_iter().filter(|byte| *byte != GOOD).count()
}

/// Gives a block back to the pool, in the order of `stream`.
pub(crate) fn free(address: u64, stream: usize) {
    // SAFETY: a live block that is not used again.
    ok(unsafe { sys::cuMemFreeAsync(address, raw_stream(stream)) });
}
