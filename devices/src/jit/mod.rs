//! Kernels compiled at run time, from one source for every device that runs kernels.

mod cache;
mod source;

use std::fmt;
use std::sync::Arc;

pub use cache::Cache;
pub use source::KernelSource;

use crate::driver::KernelDriver;
use crate::memory::or_recover;
use crate::{Device, Error, Result, fault};

/// Kernels kept in memory for each device. More than a program has at work at once; the bound is for
/// programs that bake ever new shapes into their kernels.
const KEPT: usize = 1024;

/// A kernel loaded on one device. Clones are the same kernel.
#[derive(Clone)]
pub struct Kernel(Arc<Inner>);

struct Inner {
    device: Device,
    name: String,
    driver: Box<dyn KernelDriver>,
}

impl Kernel {
    pub(crate) fn build(device: Device, source: &KernelSource) -> Result<Self> {
        if let Some(kernel) = device.0.kernels.lock().get(source) {
            return Ok(kernel.clone());
        }
        // Not under the lock: a compiler takes its time, and two threads may build two kernels.
        let kernel = or_recover(device, || {
            fault::check(fault::FaultKind::Plan, device, 0)?;
            Self::build_cached(device, source, &Cache::standard())
        })?;
        let mut kernels = device.0.kernels.lock();
        if kernels.len() >= KEPT {
            kernels.clear();
        }
        kernels.insert(source.clone(), kernel.clone());
        Ok(kernel)
    }

    /// As [`Device::kernel`], with a cache on disk of the caller's and none in memory.
    ///
    /// # Errors
    /// As [`Device::kernel`].
    pub fn build_cached(device: Device, source: &KernelSource, cache: &Cache) -> Result<Self> {
        let driver = &device.0.driver;
        let dialect = device.kind().dialect().ok_or_else(|| Error::Unsupported {
            device: device.to_string(),
            what: format!("kernel '{}'", source.name()),
        })?;
        let text = source.text(dialect);
        let key = cache::key(&driver.target(), &text);
        let load = |binary: &[u8]| driver.load(binary, source.entry());
        // A binary that does not load (an older driver's, say) is treated as absent.
        let cached = cache.read(&key).and_then(|binary| load(&binary).ok());
        let loaded = if let Some(loaded) = cached {
            loaded
        } else {
            let binary = driver.compile(source.name(), &text)?;
            cache.write(&key, &binary);
            load(&binary)?
        };
        Ok(Self(Arc::new(Inner { device, name: source.name().into(), driver: loaded })))
    }

    /// The device it is loaded on.
    #[must_use]
    pub fn device(&self) -> Device {
        self.0.device
    }

    /// The name of its source.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    pub(crate) fn driver(&self) -> &dyn KernelDriver {
        &*self.0.driver
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kernel({} on {})", self.0.name, self.0.device)
    }
}
