//! The devices of this machine, opened once, at first use, kind by kind.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::driver::{DeviceDriver, Driver};
use crate::health::Health;
use crate::jit::{self, Kept};
use crate::memory::account::{self, History};
use crate::memory::{Counters, Gate, PinnedPool, Pool, StagingBuffers};
use crate::opened::Opened;
use crate::stream::WeakStream;
use crate::{Backend, Device, DeviceKind, Error, Result, Stream};

/// Every kind of device, in the order they are listed and preferred after the CPU.
static DRIVERS: [&dyn Driver; 3] = [&crate::cpu::Cpu, &crate::cuda::Cuda, &crate::opencl::OpenCl];

static OPENED: [Opened<Vec<Entry>>; DRIVERS.len()] = [const { Opened::new() }; DRIVERS.len()];

/// What the process keeps about one device.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) kind: DeviceKind,
    pub(crate) gpu_id: usize,
    pub(crate) dlpack_type: i32,
    pub(crate) driver: Box<dyn DeviceDriver>,
    pub(crate) counters: Counters,
    pub(crate) pool: Pool,
    pub(crate) history: History,
    /// What the driver has found out that nobody was told.
    pub(crate) health: Arc<Health>,
    /// Kernels built for the device, by what they are made for.
    pub(crate) kernels: Kept,
    /// Held by the one that looks for memory.
    pub(crate) recovery: Mutex<()>,
    /// Where threads wait for memory.
    pub(crate) gate: Gate,
    /// Page-locked host memory for transfers with the device.
    pub(crate) pinned: PinnedPool,
    /// The buffers of staged copies.
    pub(crate) staging: StagingBuffers,
    stream: OnceLock<Stream>,
    /// Those that still live.
    streams: Mutex<Vec<WeakStream>>,
}

impl Entry {
    pub(crate) fn new(kind: &dyn Driver, gpu_id: usize, driver: Box<dyn DeviceDriver>) -> Self {
        let name = match kind.kind() {
            DeviceKind::Cpu => "cpu".into(),
            kind => format!("{kind}:{gpu_id}"),
        };
        let pool = Pool::new(&name, &*driver);
        let health = driver.health();
        Self {
            kind: kind.kind(),
            gpu_id,
            dlpack_type: kind.dlpack_type(),
            driver,
            counters: Counters::default(),
            pool,
            history: History::default(),
            health,
            kernels: Kept::default(),
            recovery: Mutex::default(),
            gate: Gate::default(),
            pinned: PinnedPool::default(),
            staging: StagingBuffers::default(),
            stream: OnceLock::new(),
            streams: Mutex::default(),
        }
    }

    pub(crate) fn process_stream(&'static self) -> Result<Stream> {
        if let Some(stream) = self.stream.get() {
            return Ok(stream.clone());
        }
        let stream = Stream::new(Device(self))?;
        Ok(self.stream.get_or_init(|| stream).clone())
    }

    /// Has a new stream counted among the device's.
    pub(crate) fn remember(&self, stream: &Stream) {
        let mut streams = self.streams.lock();
        streams.retain(WeakStream::lives);
        streams.push(stream.downgrade());
    }

    /// The streams that live, without those of other libraries.
    pub(crate) fn streams(&self) -> Vec<Stream> {
        let known: Vec<WeakStream> = self.streams.lock().clone();
        known.iter().filter_map(WeakStream::upgrade).collect()
    }

    /// Keeps the first failure nobody could be told about.
    pub(crate) fn defer(&self, error: Error) {
        self.health.defer(error);
    }
}

pub(crate) fn entries(kind: DeviceKind) -> Result<&'static [Entry]> {
    let (at, driver) =
        DRIVERS.iter().enumerate().find(|(_, driver)| driver.kind() == kind).ok_or_else(|| {
            Error::Unavailable { what: kind.to_string(), why: "no driver".into() }
        })?;
    OPENED[at].get_or_open(|| open(*driver)).map(Vec::as_slice)
}

fn open(driver: &dyn Driver) -> Result<Vec<Entry>> {
    account::from_environment();
    jit::register();
    if let Some(backend) = Backend::of(driver.kind()) {
        backend.enabled()?;
    }
    let devices = driver.open()?;
    let entry = |(gpu_id, device)| Entry::new(driver, gpu_id, device);
    Ok(devices.into_iter().enumerate().map(entry).collect())
}

/// The kind's dialect of the kernel language; opens no device.
pub(crate) fn dialect(kind: DeviceKind) -> Option<&'static str> {
    DRIVERS.iter().find(|driver| driver.kind() == kind)?.dialect()
}

pub(crate) fn cpu() -> &'static Entry {
    match entries(DeviceKind::Cpu) {
        Ok([cpu]) => cpu,
        _ => unreachable!("the CPU driver opens exactly one device"),
    }
}

pub(crate) fn kinds() -> impl Iterator<Item = DeviceKind> {
    DRIVERS.iter().map(|driver| driver.kind())
}

pub(crate) fn all() -> impl Iterator<Item = &'static Entry> {
    kinds().filter_map(|kind| entries(kind).ok()).flatten()
}

pub(crate) fn kind_of_dlpack(device_type: i32) -> Option<DeviceKind> {
    DRIVERS.iter().find(|driver| driver.dlpack_type() == device_type).map(|driver| driver.kind())
}
