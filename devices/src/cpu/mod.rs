//! The processor the program runs on. Its work is done when a call returns, so streams and events are empty.

mod memory;

use std::any::Any;
use std::time::{Duration, Instant};

use crate::driver::{
    BlockAddress, DeviceDriver, Driver, EventDriver, Grid, KernelDriver, RawArgument, Sizes,
    StreamDriver,
};
use crate::{DeviceInfo, DeviceKind, Error, Result};

#[derive(Debug)]
pub(crate) struct Cpu;

#[derive(Debug)]
struct CpuDevice {
    info: DeviceInfo,
}

#[derive(Debug)]
struct CpuStream;

#[derive(Debug)]
struct CpuEvent(Instant);

impl DeviceKind {
    /// The processor the program runs on.
    #[allow(non_upper_case_globals, reason = "kinds read like variants")]
    pub const Cpu: Self = Self::new("cpu", 1);
}

impl Driver for Cpu {
    fn kind(&self) -> DeviceKind {
        DeviceKind::Cpu
    }

    fn dialect(&self) -> Option<&'static str> {
        None
    }

    fn open(&self) -> Result<Vec<Box<dyn DeviceDriver>>> {
        Ok(vec![Box::new(CpuDevice { info: info() })])
    }
}

fn info() -> DeviceInfo {
    DeviceInfo {
        name: linux::model().unwrap_or_else(|| "CPU".into()),
        platform: std::env::consts::OS.into(),
        memory_bytes: linux::memory("MemTotal").unwrap_or(0),
        capability: std::env::consts::ARCH.into(),
        compute_units: std::thread::available_parallelism().map_or(1, usize::from),
        float64: true,
        device_fence: true,
        group_threads: 1,
        local_bytes: 0,
        most_local_bytes: 0,
        argument_bytes: 0,
        accelerator: false,
        uuid: None,
        pci: None,
    }
}

/// Facts that Linux gives in text files; unknown elsewhere.
mod linux {
    pub(super) fn model() -> Option<String> {
        let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().into())
    }

    pub(super) fn memory(field: &str) -> Option<usize> {
        let text = std::fs::read_to_string("/proc/meminfo").ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
        let kibibytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kibibytes * 1024)
    }
}

impl DeviceDriver for CpuDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn free_bytes(&self) -> Option<usize> {
        linux::memory("MemAvailable")
    }

    fn new_stream(&self) -> Result<Box<dyn StreamDriver>> {
        Ok(Box::new(CpuStream))
    }

    unsafe fn foreign_stream(&self, _: usize) -> Result<Box<dyn StreamDriver>> {
        let what = "a stream of another library".into();
        Err(Error::Unsupported { device: "cpu".into(), what })
    }

    fn allocate(&self, bytes: usize, _: &dyn StreamDriver) -> Result<usize> {
        memory::allocate(bytes)
    }

    fn sizes(&self) -> Sizes {
        memory::SIZES
    }

    unsafe fn free(&self, address: usize, bytes: usize, _: &dyn StreamDriver) -> Result<()> {
        // SAFETY: by the caller's contract the block came from `allocate` with the same size; streams of the CPU are
        // always empty, so nothing uses it.
        unsafe { memory::free(address, bytes) };
        Ok(())
    }

    fn target(&self) -> String {
        "cpu".into()
    }

    fn compile(&self, kernel: &str, _: &str) -> Result<Vec<u8>> {
        Err(runs_no_kernels(kernel))
    }

    fn load(&self, _: &[u8], entry: &str) -> Result<Box<dyn KernelDriver>> {
        Err(runs_no_kernels(entry))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn runs_no_kernels(kernel: &str) -> Error {
    Error::Unsupported { device: "cpu".into(), what: format!("kernel '{kernel}'") }
}

impl StreamDriver for CpuStream {
    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    fn record(&self) -> Result<Box<dyn EventDriver>> {
        Ok(Box::new(CpuEvent(Instant::now())))
    }

    fn wait(&self, _: &dyn EventDriver) -> Result<()> {
        Ok(())
    }

    unsafe fn upload(&self, from: *const u8, to: BlockAddress, bytes: usize) -> Result<()> {
        // SAFETY: by the caller's contract both ranges are valid; `copy` allows them to overlap.
        unsafe { std::ptr::copy(from, (to.address + to.offset) as *mut u8, bytes) };
        Ok(())
    }

    unsafe fn download(&self, from: BlockAddress, to: *mut u8, bytes: usize) -> Result<()> {
        // SAFETY: as for `upload`.
        unsafe { std::ptr::copy((from.address + from.offset) as *const u8, to, bytes) };
        Ok(())
    }

    unsafe fn fill(&self, at: BlockAddress, value: u8, bytes: usize) -> Result<()> {
        // SAFETY: by the caller's contract the range is valid.
        unsafe { ((at.address + at.offset) as *mut u8).write_bytes(value, bytes) };
        Ok(())
    }

    unsafe fn copy(
        &self,
        from: BlockAddress,
        _: &dyn DeviceDriver,
        to: BlockAddress,
        _: &dyn DeviceDriver,
        bytes: usize,
    ) -> Result<bool> {
        // SAFETY: as for `upload`.
        unsafe { self.upload((from.address + from.offset) as *const u8, to, bytes)? };
        Ok(true)
    }

    unsafe fn launch(&self, _: &dyn KernelDriver, _: Grid, _: &[RawArgument]) -> Result<()> {
        Err(runs_no_kernels("launch"))
    }

    fn raw(&self) -> usize {
        0
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl EventDriver for CpuEvent {
    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    fn is_complete(&self) -> Result<bool> {
        Ok(true)
    }

    fn elapsed_since(&self, earlier: &dyn EventDriver) -> Result<Duration> {
        let earlier =
            earlier.as_any().downcast_ref::<Self>().ok_or_else(|| Error::Unsupported {
                device: "cpu".into(),
                what: "the time since another device's event".into(),
            })?;
        Ok(self.0.saturating_duration_since(earlier.0))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
