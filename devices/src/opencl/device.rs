//! One `OpenCL` device.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use cl3::device::{
    CL_DEVICE_DOUBLE_FP_CONFIG, CL_DEVICE_GLOBAL_MEM_SIZE, CL_DEVICE_LOCAL_MEM_SIZE,
    CL_DEVICE_MAX_COMPUTE_UNITS, CL_DEVICE_MAX_PARAMETER_SIZE, CL_DEVICE_MAX_WORK_GROUP_SIZE,
    CL_DEVICE_MEM_BASE_ADDR_ALIGN, CL_DEVICE_OPENCL_C_VERSION, CL_DRIVER_VERSION,
};

use super::context::Context;
use super::kernel::OpenClKernel;
use super::language::Language;
use super::place::{Place, means_no_memory};
use super::platform::Found;
use super::query::Id;
use super::stream::OpenClStream;
use super::{memory, pinned, program};
use crate::driver::{Codes, DeviceDriver, KernelDriver, Locked, Sizes, StreamDriver};
use crate::health::Health;
use crate::{DeviceInfo, Error, Priority, Result};

/// One device; its context is made at first use, because on a GPU that takes time and memory.
#[derive(Debug)]
pub(super) struct OpenClDevice {
    place: Arc<Place>,
    found: Found,
    info: DeviceInfo,
    /// What a buffer within a buffer begins at a multiple of.
    granule: usize,
    language: Language,
    driver_version: String,
    context: OnceLock<Arc<Context>>,
}

/// Set to 0, all devices are as those that have no 64-bit floating point: so programs are tried for them where there is
/// none of that kind.
const FLOAT64: &str = "ARRAYSPAN_OPENCL_FLOAT64";

/// The most threads of a group, and the most bytes that it has for itself: devices are as those that have no more.
const GROUP_THREADS: &str = "ARRAYSPAN_OPENCL_GROUP_THREADS";
const LOCAL_BYTES: &str = "ARRAYSPAN_OPENCL_LOCAL_BYTES";

/// What the device has, or what that variable says if it is less.
fn at_most(variable: &str, number: u64) -> usize {
    let told = std::env::var(variable).ok().and_then(|value| value.trim().parse().ok());
    told.map_or(number as usize, |most: usize| most.min(number as usize))
}

/// Whether the device computes with 64-bit floating point, and may.
fn has_float64(id: Id) -> bool {
    let forbidden = std::env::var(FLOAT64).is_ok_and(|value| value.trim() == "0");
    !forbidden && id.number(CL_DEVICE_DOUBLE_FP_CONFIG) != 0
}

impl OpenClDevice {
    pub(super) fn new(gpu_id: usize, found: Found) -> Self {
        let id = found.id;
        // "OpenCL C 1.2 PoCL": the third word.
        let version = id.text(CL_DEVICE_OPENCL_C_VERSION);
        let float64 = has_float64(id);
        let language = Language::of(id, float64);
        let info = DeviceInfo {
            name: found.name.clone(),
            platform: found.platform.clone(),
            memory_bytes: id.number(CL_DEVICE_GLOBAL_MEM_SIZE) as usize,
            capability: version.split(' ').nth(2).unwrap_or("unknown").into(),
            compute_units: id.number(CL_DEVICE_MAX_COMPUTE_UNITS) as usize,
            group_threads: at_most(GROUP_THREADS, id.number(CL_DEVICE_MAX_WORK_GROUP_SIZE)),
            local_bytes: at_most(LOCAL_BYTES, id.number(CL_DEVICE_LOCAL_MEM_SIZE)),
            most_local_bytes: at_most(LOCAL_BYTES, id.number(CL_DEVICE_LOCAL_MEM_SIZE)),
            argument_bytes: id.number(CL_DEVICE_MAX_PARAMETER_SIZE) as usize,
            float64,
            device_fence: language.has_device_fence(),
            accelerator: found.accelerator,
            uuid: found.uuid,
            pci: id.pci(),
        };
        let driver_version = id.text(CL_DRIVER_VERSION);
        // The standard counts bits here.
        let granule = id.number(CL_DEVICE_MEM_BASE_ADDR_ALIGN) as usize / 8;
        let granule = granule.next_power_of_two().max(Sizes::default().granule);
        let place = Arc::new(Place { gpu_id, ..Place::default() });
        Self { place, found, info, granule, language, driver_version, context: OnceLock::new() }
    }

    fn context(&self) -> Result<&Arc<Context>> {
        if let Some(context) = self.context.get() {
            return Ok(context);
        }
        // If two threads come here at once, one drops its context.
        let context = Arc::new(Context::new(&self.place, self.found.id)?);
        Ok(self.context.get_or_init(|| context))
    }
}

impl DeviceDriver for OpenClDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn health(&self) -> Arc<Health> {
        self.place.health.clone()
    }

    fn free_bytes(&self) -> Option<usize> {
        // OpenCL itself has no query for it.
        self.found.id.free_bytes()
    }

    fn new_stream(&self) -> Result<Box<dyn StreamDriver>> {
        Ok(Box::new(OpenClStream::new(self.context()?)?))
    }

    fn new_stream_with_priority(&self, priority: Priority) -> Result<Box<dyn StreamDriver>> {
        Ok(Box::new(OpenClStream::with_priority(self.context()?, priority)?))
    }

    fn lock_pages(&self, bytes: usize) -> Result<Locked> {
        pinned::lock(&OpenClStream::new(self.context()?)?, bytes)
    }

    unsafe fn unlock_pages(&self, locked: Locked) -> Result<()> {
        // SAFETY: passed on to the caller.
        unsafe { pinned::unlock(&OpenClStream::new(self.context()?)?, locked) }
    }

    fn means_no_memory(&self, _call: &str, code: i32) -> bool {
        means_no_memory(code)
    }

    fn codes(&self) -> Codes {
        Codes {
            memory: -4,
            lost: (-2, "CL_DEVICE_NOT_AVAILABLE"),
            refused: (-59, "CL_INVALID_OPERATION"),
        }
    }

    unsafe fn foreign_stream(&self, raw: usize) -> Result<Box<dyn StreamDriver>> {
        // SAFETY: passed on to the caller.
        Ok(Box::new(unsafe { OpenClStream::foreign(self.context()?, raw)? }))
    }

    fn allocate(&self, bytes: usize, stream: &dyn StreamDriver) -> Result<usize> {
        let stream = OpenClStream::of(stream, self.context()?)?;
        memory::allocate(stream, bytes, self.info.memory_bytes)
    }

    unsafe fn free(&self, address: usize, _: usize, _: &dyn StreamDriver) -> Result<()> {
        // SAFETY: by the caller's contract `address` is a buffer from `allocate`, not used again.
        unsafe { memory::free(&self.place, address) }
    }

    fn sizes(&self) -> Sizes {
        Sizes { granule: self.granule, ..Sizes::default() }
    }

    fn part(&self, address: usize, offset: usize, bytes: usize) -> Result<usize> {
        memory::part(&self.place, address, offset, bytes)
    }

    unsafe fn drop_part(&self, address: usize) -> Result<()> {
        // SAFETY: by the caller's contract `address` is a buffer from `part`, not named again.
        unsafe { memory::free(&self.place, address) }
    }

    fn target(&self) -> String {
        let (platform, name) = (&self.found.platform, &self.found.name);
        format!("opencl; {platform}; {name}; {}; {}", self.driver_version, self.language.all())
    }

    fn compile(&self, kernel: &str, text: &str) -> Result<Vec<u8>> {
        let context = self.context()?;
        let options = self.language.options(text).ok_or_else(|| Error::Unsupported {
            device: context.to_string(),
            what: format!("kernel '{kernel}', whose groups read what others have written"),
        })?;
        program::compile(context, &options, kernel, text)
    }

    /// They wait for each other: see [`serial`](super::serial).
    fn builds_side_by_side(&self) -> bool {
        false
    }

    fn load(&self, binary: &[u8], entry: &str) -> Result<Box<dyn KernelDriver>> {
        let context = self.context()?;
        let program = program::load(context, self.language.of_binaries(), binary)?;
        Ok(Box::new(OpenClKernel::new(context, program, entry)?))
    }

    fn as_any(&self) -> &dyn Any {
        &*self.place
    }
}
