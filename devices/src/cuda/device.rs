//! One CUDA device.

use std::any::Any;
use std::ffi::{CStr, c_char};
use std::sync::Arc;

use cudarc::driver::sys::{self, CUdevice_attribute};

use super::check::{check, means_no_memory};
use super::kernel::CudaKernel;
use super::peer::Found;
use super::primary::Primary;
use super::queue::Queue;
use super::stream::CudaStream;
use super::{library, memory, nvrtc, peer, pinned};
use crate::driver::{
    Codes, DeviceDriver, Health, KernelDriver, KernelNeeds, Locked, StreamDriver, Way,
};
use crate::{DeviceInfo, PciAddress, Priority, Reach, Result};

/// What every driver takes; those from CUDA 12.1 on take more.
const ARGUMENT_BYTES: usize = 4096;

/// The first number of the compute capability from which on a kernel can wait for those before it.
const WAITS_IN_KERNELS: i32 = 9;

/// One device.
#[derive(Debug)]
pub(super) struct CudaDevice {
    primary: Primary,
    info: DeviceInfo,
    /// The architecture binaries are made for: `sm_90`.
    arch: String,
    /// The first number of its compute capability.
    major: i32,
}

/// How many devices the driver shows (`CUDA_VISIBLE_DEVICES` hides some).
pub(super) fn count() -> Result<usize> {
    let mut count = 0;
    // SAFETY: the driver is initialised; `count` is written during the call only.
    check(0, "cuDeviceGetCount", unsafe { sys::cuDeviceGetCount(&raw mut count) })?;
    Ok(count.max(0) as usize)
}

impl CudaDevice {
    pub(super) fn new(gpu_id: usize) -> Result<Self> {
        let mut raw = 0;
        // SAFETY: the driver is initialised; `raw` is written during the call only.
        check(gpu_id, "cuDeviceGet", unsafe { sys::cuDeviceGet(&raw mut raw, gpu_id as i32) })?;
        let number = |what| attribute(gpu_id, raw, what);
        let major = number(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = number(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let processors = number(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let threads = number(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?;
        // What a kernel may take without asking for more.
        let local = number(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?;
        let most_local =
            number(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
        let info = DeviceInfo {
            name: name(gpu_id, raw)?,
            platform: format!("NVIDIA CUDA {}", driver_version()?),
            memory_bytes: memory_bytes(gpu_id, raw)?,
            capability: format!("{major}.{minor}"),
            compute_units: processors.max(0) as usize,
            group_threads: threads.max(0) as usize,
            local_bytes: local.max(0) as usize,
            most_local_bytes: most_local.max(0) as usize,
            argument_bytes: ARGUMENT_BYTES,
            float64: true,
            device_fence: true,
            accelerator: true,
            uuid: uuid(raw),
            pci: pci(gpu_id, raw),
        };
        let arch = format!("sm_{major}{minor}");
        let primary = Primary::new(gpu_id, raw, info.memory_bytes);
        Ok(Self { primary, info, arch, major })
    }
}

impl DeviceDriver for CudaDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn health(&self) -> Arc<Health> {
        self.primary.health.clone()
    }

    fn free_bytes(&self) -> Option<usize> {
        memory::free_bytes(self.primary.context().ok()?).ok()
    }

    fn spare_bytes(&self) -> usize {
        self.primary.context().and_then(|context| memory::spare_bytes(context)).unwrap_or(0)
    }

    fn trim(&self) -> Result<usize> {
        memory::trim(self.primary.context()?)
    }

    fn reach(&self, to: &dyn DeviceDriver) -> Result<Reach> {
        let Some(to) = Primary::of(to) else { return Ok(Reach::Staged) };
        let mut can = 0;
        let own = &self.primary;
        // SAFETY: both devices are ones the driver gave out; `can` is written during the call only.
        let asked = unsafe { sys::cuDeviceCanAccessPeer(&raw mut can, own.raw, to.raw) };
        let asked = check(own.gpu_id, "cuDeviceCanAccessPeer", asked);
        asked.map_err(|error| own.health.note(error))?;
        Ok(if can == 0 { Reach::Staged } else { Reach::Direct })
    }

    fn way(&self, to: &dyn DeviceDriver) -> Result<Way> {
        let Some(to) = Primary::of(to) else { return Ok(Way::Relay) };
        let found = peer::found(self.primary.context()?, to.context()?)?;
        Ok(match found {
            Found { works: false, .. } => Way::Relay,
            Found { direct: true, .. } => Way::Direct,
            Found { direct: false, .. } => Way::Driver,
        })
    }

    fn new_stream(&self) -> Result<Box<dyn StreamDriver>> {
        Ok(Box::new(CudaStream::over(Queue::new(self.primary.context()?)?)))
    }

    fn new_stream_with_priority(&self, priority: Priority) -> Result<Box<dyn StreamDriver>> {
        let queue = Queue::with_priority(self.primary.context()?, priority)?;
        Ok(Box::new(CudaStream::over(queue)))
    }

    fn lock_pages(&self, bytes: usize) -> Result<Locked> {
        pinned::lock(self.primary.context()?, bytes)
    }

    unsafe fn unlock_pages(&self, locked: Locked) -> Result<()> {
        // SAFETY: passed on to the caller.
        unsafe { pinned::unlock(self.primary.context()?, locked) }
    }

    unsafe fn register(&self, address: usize, bytes: usize) -> Result<()> {
        // SAFETY: passed on to the caller.
        unsafe { pinned::register(self.primary.context()?, address, bytes) }
    }

    unsafe fn unregister(&self, address: usize) -> Result<()> {
        // SAFETY: passed on to the caller.
        unsafe { pinned::unregister(self.primary.context()?, address) }
    }

    /// They are locked for every context.
    fn shares_locked_pages(&self) -> bool {
        true
    }

    fn means_no_memory(&self, call: &str, code: i32) -> bool {
        means_no_memory(call, code)
    }

    fn codes(&self) -> Codes {
        Codes {
            memory: 2,
            lost: (46, "CUDA_ERROR_DEVICE_UNAVAILABLE"),
            refused: (800, "CUDA_ERROR_NOT_PERMITTED"),
        }
    }

    fn is_locked(&self, address: usize, bytes: usize) -> bool {
        self.primary.context().is_ok_and(|context| pinned::is_locked(context, address, bytes))
    }

    unsafe fn foreign_stream(&self, raw: usize) -> Result<Box<dyn StreamDriver>> {
        // SAFETY: passed on to the caller.
        let queue = unsafe { Queue::foreign(self.primary.context()?, raw)? };
        Ok(Box::new(CudaStream::over(queue)))
    }

    fn allocate(&self, bytes: usize, stream: &dyn StreamDriver) -> Result<usize> {
        memory::allocate(CudaStream::queue_of(stream, self.primary.context()?)?, bytes)
    }

    unsafe fn free(&self, address: usize, _: usize, stream: &dyn StreamDriver) -> Result<()> {
        let stream = CudaStream::queue_of(stream, self.primary.context()?)?;
        // SAFETY: by the caller's contract `address` is a block from `allocate`, not used after this
        // point of `stream`.
        unsafe { memory::free(stream, address) }
    }

    fn target(&self) -> String {
        format!("cuda; {}; {}", self.arch, nvrtc::describe())
    }

    fn compile(&self, kernel: &str, text: &str) -> Result<Vec<u8>> {
        nvrtc::compile(&format!("cuda:{}", self.primary.gpu_id), kernel, text, &self.arch)
    }

    fn load(&self, binary: &[u8], entry: &str) -> Result<Box<dyn KernelDriver>> {
        self.load_with(binary, entry, KernelNeeds::default())
    }

    fn load_with(
        &self,
        binary: &[u8],
        entry: &str,
        needs: KernelNeeds,
    ) -> Result<Box<dyn KernelDriver>> {
        // What the text begins with waits there, as in dialect.h.
        let awaits_earlier_kernels = needs.awaits_earlier_kernels && self.major >= WAITS_IN_KERNELS;
        let needs = KernelNeeds { awaits_earlier_kernels, ..needs };
        Ok(Box::new(CudaKernel::new(self.primary.context()?, binary, entry, needs)?))
    }

    fn as_any(&self) -> &dyn Any {
        &self.primary
    }
}

fn attribute(gpu_id: usize, device: sys::CUdevice, what: CUdevice_attribute) -> Result<i32> {
    let mut value = 0;
    // SAFETY: the device is one the driver gave out; `value` is written during the call only.
    let asked = unsafe { sys::cuDeviceGetAttribute(&raw mut value, what, device) };
    check(gpu_id, "cuDeviceGetAttribute", asked)?;
    Ok(value)
}

fn name(gpu_id: usize, device: sys::CUdevice) -> Result<String> {
    let mut text: [c_char; 256] = [0; 256];
    // One less than there is room for, so that the text always ends.
    // SAFETY: at most as many bytes as said are written, during the call only.
    let asked = unsafe { sys::cuDeviceGetName(text.as_mut_ptr(), 255, device) };
    check(gpu_id, "cuDeviceGetName", asked)?;
    // SAFETY: the last byte is zero.
    Ok(unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy().into_owned())
}

fn memory_bytes(gpu_id: usize, device: sys::CUdevice) -> Result<usize> {
    let mut bytes = 0;
    // SAFETY: the device is one the driver gave out; `bytes` is written during the call only.
    let asked = unsafe { sys::cuDeviceTotalMem_v2(&raw mut bytes, device) };
    check(gpu_id, "cuDeviceTotalMem", asked)?;
    Ok(bytes)
}

fn uuid(device: sys::CUdevice) -> Option<[u8; 16]> {
    let mut uuid = sys::CUuuid { bytes: [0; 16] };
    // SAFETY: the device is one the driver gave out; `uuid` is written during the call only.
    let asked = unsafe { sys::cuDeviceGetUuid_v2(&raw mut uuid, device) };
    let told = asked == sys::CUresult::CUDA_SUCCESS;
    told.then(|| uuid.bytes.map(|byte| byte as u8)).filter(|uuid| *uuid != [0; 16])
}

/// `None` where the driver refuses one of the numbers: the place is optional.
fn pci(gpu_id: usize, device: sys::CUdevice) -> Option<PciAddress> {
    let number = |what| attribute(gpu_id, device, what).ok().and_then(|n| u32::try_from(n).ok());
    Some(PciAddress {
        domain: number(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID)?,
        bus: number(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)?,
        device: number(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)?,
    })
}

/// The newest CUDA version the driver serves, as `13.0`.
pub(crate) fn driver_version() -> Result<String> {
    library::driver()?;
    let mut version = 0;
    // SAFETY: `version` is written during the call only.
    let asked = unsafe { sys::cuDriverGetVersion(&raw mut version) };
    check(0, "cuDriverGetVersion", asked)?;
    Ok(format!("{}.{}", version / 1000, version % 1000 / 10))
}
