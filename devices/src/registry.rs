//! The devices of this machine, opened once, at first use, kind by kind.

use parking_lot::RwLock;

use crate::driver::Driver;
use crate::entry::Entry;
use crate::memory::account;
use crate::opened::Opened;
use crate::{DeviceKind, Error, Result, cpu, cuda, jit, opencl};

/// Every kind of device, in the order they are listed and preferred after the CPU.
static KINDS: [Kind; 3] = [Kind::of(&cpu::Cpu), Kind::of(&cuda::Cuda), Kind::of(&opencl::OpenCl)];

/// Those that were added while the process ran.
static ADDED: RwLock<Vec<&'static Kind>> = RwLock::new(Vec::new());

/// A kind of device and, once it was asked for, its devices.
struct Kind {
    driver: &'static dyn Driver,
    opened: Opened<Vec<Entry>>,
}

impl Kind {
    const fn of(driver: &'static dyn Driver) -> Self {
        Self { driver, opened: Opened::new() }
    }

    fn entries(&self) -> Result<&[Entry]> {
        self.opened.get_or_open(|| open(self.driver)).map(Vec::as_slice)
    }
}

fn open(driver: &dyn Driver) -> Result<Vec<Entry>> {
    account::from_environment();
    jit::register();
    if let Some(backend) = driver.backend() {
        backend.enabled()?;
    }
    let (devices, kinds) = (driver.open()?, kinds());
    let entry = |(gpu_id, device)| Entry::new(driver, gpu_id, device, &kinds);
    Ok(devices.into_iter().enumerate().map(entry).collect())
}

/// Adds a kind of device from outside of this crate, which then is one like all others: its devices are listed after
/// those of the built-in kinds, found by name and by `DLPack`'s number, and have memory, streams, copies, limits and, where
/// it has a dialect, kernels.
///
/// # Errors
/// [`Error::Unsupported`] where another kind has the name or the number already.
///
/// # Safety
/// The driver and all that comes from it keep the contracts of the traits in [`driver`](crate::driver): memory that it
/// gives out is there and nobody else's, and what is queued runs in order.
pub unsafe fn register_driver(driver: &'static dyn Driver) -> Result<()> {
    let kind = driver.kind();
    let mut added = ADDED.write();
    let mut known = KINDS.iter().chain(added.iter().copied()).map(|known| known.driver.kind());
    let same = |known: &DeviceKind| {
        known.name() == kind.name() || known.dlpack_type() == kind.dlpack_type()
    };
    if let Some(known) = known.find(same) {
        let what = format!("a second kind with the name or the DLPack number of {known}");
        return Err(Error::Unsupported { device: kind.to_string(), what });
    }
    added.push(Box::leak(Box::new(Kind::of(driver))));
    Ok(())
}

fn find(wanted: impl Fn(DeviceKind) -> bool) -> Option<&'static Kind> {
    let is = |kind: &&'static Kind| wanted(kind.driver.kind());
    KINDS.iter().find(is).or_else(|| ADDED.read().iter().copied().find(is))
}

pub(crate) fn entries(kind: DeviceKind) -> Result<&'static [Entry]> {
    let found = find(|known| known == kind);
    let missing = || Error::Unavailable { what: kind.to_string(), why: "no driver".into() };
    found.ok_or_else(missing)?.entries()
}

pub(crate) fn cpu() -> &'static Entry {
    let [cpu, ..] = &KINDS;
    match cpu.entries() {
        Ok([cpu]) => cpu,
        _ => unreachable!("the CPU driver opens exactly one device"),
    }
}

pub(crate) fn kinds() -> Vec<DeviceKind> {
    all_kinds().into_iter().map(|kind| kind.driver.kind()).collect()
}

pub(crate) fn all() -> impl Iterator<Item = &'static Entry> {
    all_kinds().into_iter().filter_map(|kind| kind.entries().ok()).flatten()
}

/// Not opened under the lock: that asks for devices.
fn all_kinds() -> Vec<&'static Kind> {
    KINDS.iter().chain(ADDED.read().iter().copied()).collect()
}

pub(crate) fn kind_of_dlpack(device_type: i32) -> Option<DeviceKind> {
    find(|kind| kind.dlpack_type() == device_type).map(|kind| kind.driver.kind())
}

impl DeviceKind {
    /// The macros that make this kind's compilers understand the shared kernel language (the text
    /// [`KernelSource::text`](crate::KernelSource::text) asks for), or `None` where no kernels run. Needs no device.
    #[must_use]
    pub fn dialect(self) -> Option<&'static str> {
        find(|kind| kind == self)?.driver.dialect()
    }

    /// Every kind there is a driver for, whether it is installed or not: the CPU, CUDA, `OpenCL`, then those that were
    /// [added](crate::register_driver).
    #[must_use]
    pub fn all() -> Vec<Self> {
        kinds()
    }
}
