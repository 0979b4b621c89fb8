//! What the process keeps about one device.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::driver::{DeviceDriver, Driver};
use crate::health::Health;
use crate::jit::Kept;
use crate::memory::account::History;
use crate::memory::{Counters, Gate, PinnedPool, Pool, StagingBuffers};
use crate::stream::WeakStream;
use crate::{Device, DeviceKind, Error, Result, Stream};

/// What the process keeps about one device.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) kind: DeviceKind,
    pub(crate) gpu_id: usize,
    pub(crate) is_cpu: bool,
    /// Whether addresses are pointers, and not handles.
    pub(crate) has_pointers: bool,
    pub(crate) driver: Box<dyn DeviceDriver>,
    pub(crate) counters: Counters,
    pub(crate) pool: Pool,
    pub(crate) history: History,
    /// Failures that the driver has found and no call has returned.
    pub(crate) health: Arc<Health>,
    /// Kernels built for the device, by what they are made for.
    pub(crate) kernels: Kept,
    /// Held by the thread that runs a recovery.
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
    pub(crate) fn new(
        of: &dyn Driver,
        gpu_id: usize,
        driver: Box<dyn DeviceDriver>,
        kinds: &[DeviceKind],
    ) -> Self {
        let kind = of.kind();
        let is_cpu = kind == DeviceKind::Cpu;
        let name = if is_cpu { "cpu".into() } else { format!("{kind}:{gpu_id}") };
        let pool = Pool::new(&name, &*driver, kinds);
        let health = driver.health();
        Self {
            kind,
            gpu_id,
            is_cpu,
            has_pointers: of.has_pointers(),
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

    /// The stream of the process, made at first use.
    pub(crate) fn own_stream(&'static self) -> Result<&'static Stream> {
        if let Some(stream) = self.stream.get() {
            return Ok(stream);
        }
        let stream = Stream::new(Device(self))?;
        Ok(self.stream.get_or_init(|| stream))
    }

    /// Registers a new stream of the device.
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
