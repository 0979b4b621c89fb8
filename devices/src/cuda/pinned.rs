//! Page-locked host memory.
//!
//! Always portable, that is: locked for every context; never write-combined, which the host reads very slowly and
//! which makes no copy faster.

use std::ffi::c_void;
use std::ptr;

use cudarc::driver::sys::{self, CUresult};

use super::context::Context;
use crate::driver::Locked;
use crate::{Device, Error, Result};

/// Takes `bytes > 0` bytes of page-locked host memory.
pub(super) fn lock(context: &Context, bytes: usize) -> Result<Locked> {
    let _current = context.enter()?;
    let mut address = ptr::null_mut();
    // SAFETY: the context is current; `address` receives the memory.
    let taken =
        unsafe { sys::cuMemHostAlloc(&raw mut address, bytes, sys::CU_MEMHOSTALLOC_PORTABLE) };
    match taken {
        // Also returned for sizes that the driver cannot count.
        CUresult::CUDA_ERROR_OUT_OF_MEMORY | CUresult::CUDA_ERROR_INVALID_VALUE => {
            Err(Error::out_of_memory(Device::cpu(), bytes, taken as i32))
        }
        code => context.check("cuMemHostAlloc", code).map(|()| Locked {
            address: address.expose_provenance(),
            bytes,
            handle: 0,
        }),
    }
}

/// Gives it back.
///
/// # Safety
/// `locked` came from [`lock`] in this context, and no work uses it any more.
pub(super) unsafe fn unlock(context: &Context, locked: Locked) -> Result<()> {
    let _current = context.enter()?;
    // SAFETY: by the caller's contract this is the last use of the memory.
    let freed = unsafe { sys::cuMemFreeHost(pointer(locked.address)) };
    context.check("cuMemFreeHost", freed)
}

/// Locks the pages of memory that is there already.
///
/// # Safety
/// The range is valid until [`unregister`].
pub(super) unsafe fn register(context: &Context, address: usize, bytes: usize) -> Result<()> {
    let _current = context.enter()?;
    let flags = sys::CU_MEMHOSTREGISTER_PORTABLE;
    // SAFETY: the context is current; the range is valid by the caller's contract.
    let code = unsafe { sys::cuMemHostRegister_v2(pointer(address), bytes, flags) };
    let why = match code {
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
            "the system locks no more memory or maps no more ranges"
        }
        CUresult::CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED => "another library has locked them",
        CUresult::CUDA_ERROR_INVALID_VALUE | CUresult::CUDA_ERROR_NOT_PERMITTED => {
            "memory of this kind cannot be locked"
        }
        CUresult::CUDA_ERROR_NOT_SUPPORTED => "the driver cannot lock memory of others here",
        code => return context.check("cuMemHostRegister", code),
    };
    let device = Device::cuda(context.gpu_id)?;
    Err(Error::PageLock { device, address, bytes, why, code: code as i32 })
}

/// Unlocks them again.
///
/// # Safety
/// `address` was registered in this context, and no work uses the range any more.
pub(super) unsafe fn unregister(context: &Context, address: usize) -> Result<()> {
    let _current = context.enter()?;
    // SAFETY: by the caller's contract.
    let code = unsafe { sys::cuMemHostUnregister(pointer(address)) };
    context.check("cuMemHostUnregister", code)
}

/// Whether the driver knows both ends of a range to be page-locked. A hole between them would cost speed, nothing else.
pub(super) fn is_locked(context: &Context, address: usize, bytes: usize) -> bool {
    let Ok(_current) = context.enter() else { return false };
    let known = |address: usize| {
        let attribute = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
        let mut kind = 0_u32;
        // SAFETY: the attribute is a 32-bit number, written during the call only; the driver looks the address up
        // and does not follow it. To memory it does not know it answers with an error.
        let asked = unsafe {
            sys::cuPointerGetAttribute((&raw mut kind).cast(), attribute, address as u64)
        };
        asked == CUresult::CUDA_SUCCESS && kind == sys::CUmemorytype::CU_MEMORYTYPE_HOST as u32
    };
    bytes > 0 && known(address) && known(address + bytes - 1)
}

fn pointer(address: usize) -> *mut c_void {
    ptr::with_exposed_provenance_mut(address)
}
