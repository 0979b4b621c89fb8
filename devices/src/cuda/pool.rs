//! The driver's own pool of device memory: one of ours for each context.

use std::ptr;

use cudarc::driver::sys;

use super::check::check;
use crate::Result;
use crate::health::Health;

/// The part of a device's memory the driver's pool may hold when it is not in use, as 1 / this. What our own
/// pool keeps in front of it counts as used here, so that both together keep no more. More would starve other
/// libraries of the process and other processes; a limit of 0 would return every block to the driver at each
/// synchronisation, which is slower than not pooling at all.
const KEPT: usize = 8;

/// Makes a pool on the device, or none where it has no pools.
///
/// Not the device's default pool, which is shared with other libraries, and so are its settings.
pub(super) fn make(
    gpu_id: usize,
    device: sys::CUdevice,
    memory_bytes: usize,
    health: &Health,
) -> Result<Option<sys::CUmemoryPool>> {
    let supported = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED;
    let mut yes = 0;
    // SAFETY: the device is one the driver gave out; `yes` receives the answer.
    let asked = unsafe { sys::cuDeviceGetAttribute(&raw mut yes, supported, device) };
    check(gpu_id, "cuDeviceGetAttribute", asked)?;
    if yes == 0 {
        return Ok(None);
    }
    let properties = sys::CUmemPoolProps {
        allocType: sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
        handleTypes: sys::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
        location: location(device),
        win32SecurityAttributes: ptr::null_mut(),
        maxSize: 0,
        usage: 0,
        reserved: [0; 54],
    };
    let mut pool = ptr::null_mut();
    // SAFETY: the properties are complete and read during the call only; `pool` receives the pool.
    let made = unsafe { sys::cuMemPoolCreate(&raw mut pool, &raw const properties) };
    check(gpu_id, "cuMemPoolCreate", made)?;
    let threshold = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
    let mut bytes = (memory_bytes / KEPT) as u64;
    // SAFETY: the pool is ours; this attribute is a 64-bit number, read during the call only.
    let set = unsafe { sys::cuMemPoolSetAttribute(pool, threshold, (&raw mut bytes).cast()) };
    if let Err(error) = check(gpu_id, "cuMemPoolSetAttribute", set) {
        // SAFETY: made above, and nothing was allocated from it.
        let destroyed = unsafe { sys::cuMemPoolDestroy(pool) };
        health.keep(check(gpu_id, "cuMemPoolDestroy", destroyed));
        return Err(error);
    }
    Ok(Some(pool))
}

/// Where the device's memory lies.
pub(super) fn location(device: sys::CUdevice) -> sys::CUmemLocation {
    let kind = sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
    sys::CUmemLocation { type_: kind, id: device }
}
