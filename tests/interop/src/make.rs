//! Arrays of any dtype and layout, on any device.

use std::slice;

use arrayspan_bridge::{Array, DType, Layout, SharedArray};
use arrayspan_devices::Memory;

use crate::error::{Failure, guarded, misuse};
use crate::held::{Content, Held};
use crate::places::device;

/// What an array shall be.
#[repr(C)]
#[derive(Debug)]
pub struct Wanted {
    /// `DLDeviceType` and number.
    device: [i32; 2],
    /// `DLDataTypeCode` and bits.
    dtype: [u8; 2],
    /// Whether it can be written, and handed over once; else it is read-only, and can be lent many times.
    exclusive: bool,
    rank: usize,
    shape: *const usize,
    /// In elements.
    strides: *const isize,
    /// Elements from the start of the block to index zero.
    offset: usize,
    /// The content of the whole block.
    block: *const u8,
    bytes: usize,
}

/// Makes an array.
///
/// # Safety
/// The pointers name as many numbers as `rank` and `bytes` say; `to` is a place for a handle. The block holds
/// elements of the dtype.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn interop_make(wanted: *const Wanted, to: *mut *mut Held) -> i32 {
    guarded(|| {
        // SAFETY: the caller's.
        let Some(wanted) = (unsafe { wanted.as_ref() }) else { return misuse("nothing wanted") };
        // SAFETY: passed on to the caller.
        unsafe { Held::put(make(wanted)?, to) }
    })
}

/// # Safety
/// As [`interop_make`].
unsafe fn make(wanted: &Wanted) -> Result<Content, Failure> {
    let [kind, id] = wanted.device;
    let [code, bits] = wanted.dtype;
    let stream = device(kind, id)?.stream()?;
    let Some(dtype) = DType::from_dlpack(code, bits) else {
        return misuse(format!("dtype {code} with {bits} bits"));
    };
    // SAFETY: the caller's.
    let (shape, strides, block) = unsafe {
        (
            list(wanted.shape, wanted.rank),
            list(wanted.strides, wanted.rank),
            list(wanted.block, wanted.bytes),
        )
    };
    let memory = Memory::allocate(block.len(), &stream)?;
    let host = Array::from_slice(block, [block.len()])?;
    if !block.is_empty() {
        // SAFETY: two blocks of that size which nobody else knows; the host's is given up in stream order.
        unsafe { host.memory().copy_to(0, &memory, 0, block.len(), &stream)? };
    }
    let layout = Layout::strided(shape, strides, wanted.offset)?;
    // SAFETY: nobody else knows the memory, and the caller vouches that it holds such elements.
    Ok(unsafe {
        if wanted.exclusive {
            Content::Exclusive(Array::from_memory(memory, layout, dtype)?)
        } else {
            Content::Shared(SharedArray::from_memory(memory, layout, dtype)?)
        }
    })
}

/// # Safety
/// `first` is null or the first of `len` values that live for `'a`.
unsafe fn list<'a, T>(first: *const T, len: usize) -> &'a [T] {
    if first.is_null() || len == 0 {
        return &[];
    }
    // SAFETY: the caller's.
    unsafe { slice::from_raw_parts(first, len) }
}
