//! A kernel loaded on a device, and how it is built.

use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Weak};

use super::cache::{self, Cache};
use super::source::KernelSource;
use super::specialisation::Specialisation;
use crate::driver::{KernelDriver, KernelNeeds};
use crate::memory::or_recover;
use crate::{Device, Error, Result, fault};

/// A kernel loaded on one device. Clones are the same kernel.
#[derive(Clone)]
pub struct Kernel(Arc<Inner>);

struct Inner {
    device: Device,
    name: String,
    /// Of its binary.
    bytes: usize,
    /// Of its source: two specialisations may have one text.
    digest: u64,
    driver: Box<dyn KernelDriver>,
}

impl Kernel {
    pub(crate) fn build<S: Specialisation>(device: Device, of: &S) -> Result<Self> {
        if let Some(kernel) = device.0.kernels.get(of) {
            return Ok(kernel);
        }
        Self::build_new(device, of)
    }

    /// Not under a lock: compilers are slow, and threads may build different kernels.
    #[cold]
    fn build_new<S: Specialisation>(device: Device, of: &S) -> Result<Self> {
        let source = of.source();
        let kernel = or_recover(device, || {
            fault::check(fault::FaultKind::Plan, device, 0)?;
            Self::build_cached(device, &source, &Cache::standard())
        })?;
        Ok(device.0.kernels.keep(of, kernel))
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
        let needs = KernelNeeds {
            local_bytes: source.local_bytes(),
            awaits_earlier_kernels: source.awaits_earlier_kernels(),
        };
        let load =
            |binary: &[u8]| Ok((driver.load_with(binary, source.entry(), needs)?, binary.len()));
        // A binary that does not load (an older driver's, say) is treated as absent.
        let cached = cache.read(&key).and_then(|binary| load(&binary).ok());
        let (driver, bytes) = if let Some(loaded) = cached {
            loaded
        } else {
            let binary = driver.compile(source.name(), &text)?;
            cache.write(&key, &binary);
            load(&binary)?
        };
        Ok(Self(Arc::new(Inner {
            device,
            name: source.name().into(),
            bytes,
            digest: digest(source),
            driver,
        })))
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

    /// The bytes of its binary.
    pub(super) fn bytes(&self) -> usize {
        self.0.bytes
    }

    /// The same for kernels of one source.
    pub(super) fn digest(&self) -> u64 {
        self.0.digest
    }

    pub(crate) fn driver(&self) -> &dyn KernelDriver {
        &*self.0.driver
    }

    /// One that nobody can launch.
    #[cfg(test)]
    pub(super) fn stand_in(device: Device, name: &str) -> Self {
        #[derive(Debug)]
        struct None;

        impl KernelDriver for None {
            fn as_any(&self) -> &dyn std::any::Any {
                self
            }
        }

        Self(Arc::new(Inner {
            device,
            name: name.into(),
            bytes: 100,
            digest: digest(&KernelSource::new(name, name, "")),
            driver: Box::new(None),
        }))
    }
}

/// A kernel that may have been unloaded: it keeps nothing of the device.
#[derive(Clone, Debug)]
pub struct WeakKernel(Weak<Inner>);

impl Kernel {
    /// What finds it again as long as it is loaded.
    #[must_use]
    pub fn downgrade(&self) -> WeakKernel {
        WeakKernel(Arc::downgrade(&self.0))
    }
}

impl WeakKernel {
    /// The kernel, if it is still loaded.
    #[must_use]
    pub fn upgrade(&self) -> Option<Kernel> {
        self.0.upgrade().map(Kernel)
    }
}

fn digest(source: &KernelSource) -> u64 {
    let mut hasher = DefaultHasher::new();
    source.hash(&mut hasher);
    hasher.finish()
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kernel({} on {})", self.0.name, self.0.device)
    }
}
