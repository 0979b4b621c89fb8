//! Devices for tests: operations that a test does not define are refused.

use std::any::Any;
use std::fmt::Debug;

use crate::driver::{
    BlockAddress, DeviceDriver, Driver, EventDriver, Grid, KernelDriver, RawArgument, StreamDriver,
};
use crate::entry::Entry;
use crate::{Device, DeviceInfo, DeviceKind, Error, Result};

/// A kind of device that is found by no search.
#[derive(Debug)]
struct Unlisted(DeviceKind);

impl Driver for Unlisted {
    fn kind(&self) -> DeviceKind {
        self.0
    }

    fn dialect(&self) -> Option<&'static str> {
        None
    }

    fn open(&self) -> Result<Vec<Box<dyn DeviceDriver>>> {
        refusal("open")
    }
}

/// A device with that driver. It exists as long as the process, as all do.
pub(crate) fn enter(kind: DeviceKind, driver: impl DeviceDriver + 'static) -> Device {
    Device(Box::leak(Box::new(Entry::new(&Unlisted(kind), 0, Box::new(driver), &[]))))
}

pub(crate) fn refusal<T>(call: &'static str) -> Result<T> {
    Err(Error::Driver { device: "fake".into(), call, name: "ON_PURPOSE".into(), code: 7 })
}

/// Something that is only about streams and the order of their work: there is neither memory nor a kernel.
#[derive(Debug)]
pub(crate) struct Bare<T>(pub(crate) T);

/// What a [`Bare`] device says of itself.
pub(crate) trait Streams: Debug + Send + Sync + 'static {
    fn new_stream(&self) -> Result<Box<dyn StreamDriver>>;
}

/// What a [`Bare`] stream does.
pub(crate) trait Marks: Debug + Send + Sync + 'static {
    fn synchronize(&self) -> Result<()>;
    fn record(&self) -> Result<Box<dyn EventDriver>>;
    fn wait(&self, event: &dyn EventDriver) -> Result<()>;
    fn raw(&self) -> usize;
}

impl<T: Streams> DeviceDriver for Bare<T> {
    fn info(&self) -> &DeviceInfo {
        Device::cpu().info()
    }

    fn free_bytes(&self) -> Option<usize> {
        None
    }

    fn new_stream(&self) -> Result<Box<dyn StreamDriver>> {
        self.0.new_stream()
    }

    unsafe fn foreign_stream(&self, _: usize) -> Result<Box<dyn StreamDriver>> {
        refusal("foreign stream")
    }

    fn allocate(&self, _: usize, _: &dyn StreamDriver) -> Result<usize> {
        refusal("allocate")
    }

    unsafe fn free(&self, _: usize, _: usize, _: &dyn StreamDriver) -> Result<()> {
        refusal("free")
    }

    fn target(&self) -> String {
        "fake".into()
    }

    fn compile(&self, _: &str, _: &str) -> Result<Vec<u8>> {
        refusal("compile")
    }

    fn load(&self, _: &[u8], _: &str) -> Result<Box<dyn KernelDriver>> {
        refusal("load")
    }

    fn as_any(&self) -> &dyn Any {
        &self.0
    }
}

impl<T: Marks> StreamDriver for Bare<T> {
    fn synchronize(&self) -> Result<()> {
        self.0.synchronize()
    }

    fn record(&self) -> Result<Box<dyn EventDriver>> {
        self.0.record()
    }

    fn wait(&self, event: &dyn EventDriver) -> Result<()> {
        self.0.wait(event)
    }

    unsafe fn upload(&self, _: *const u8, _: BlockAddress, _: usize) -> Result<()> {
        refusal("upload")
    }

    unsafe fn download(&self, _: BlockAddress, _: *mut u8, _: usize) -> Result<()> {
        refusal("download")
    }

    unsafe fn copy(
        &self,
        _: BlockAddress,
        _: &dyn DeviceDriver,
        _: BlockAddress,
        _: &dyn DeviceDriver,
        _: usize,
    ) -> Result<bool> {
        refusal("copy")
    }

    unsafe fn launch(&self, _: &dyn KernelDriver, _: Grid, _: &[RawArgument]) -> Result<()> {
        refusal("launch")
    }

    fn raw(&self) -> usize {
        self.0.raw()
    }

    fn as_any(&self) -> &dyn Any {
        &self.0
    }
}
