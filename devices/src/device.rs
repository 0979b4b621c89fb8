//! Which devices exist, and how a program names one.

use std::fmt;
use std::str::FromStr;

use crate::default_stream;
use crate::entry::Entry;
use crate::registry;
use crate::{DeviceInfo, DeviceKind, Error, Kernel, Result, Specialisation, Stream, memory};

/// One device of this machine. Cheap to copy; it exists as long as the process.
///
/// A GPU that two drivers serve appears once for each (`cuda:0`, `opencl:1`), because arrays of one
/// cannot be used with the other; [`DeviceInfo::uuid`] tells that they are the same.
#[derive(Clone, Copy)]
pub struct Device(pub(crate) &'static Entry);

impl Device {
    /// The processor the program runs on.
    #[must_use]
    pub fn cpu() -> Self {
        Self(registry::cpu())
    }

    /// The CUDA GPU with this number.
    ///
    /// # Errors
    /// [`Error::Unavailable`] without a CUDA driver, [`Error::NoSuchDevice`] out of range.
    pub fn cuda(gpu_id: usize) -> Result<Self> {
        Self::new(DeviceKind::Cuda, gpu_id)
    }

    /// The `OpenCL` device with this number, counted over all platforms, accelerators first.
    ///
    /// # Errors
    /// [`Error::Unavailable`] without an `OpenCL` platform, [`Error::NoSuchDevice`] out of range.
    pub fn opencl(gpu_id: usize) -> Result<Self> {
        Self::new(DeviceKind::OpenCl, gpu_id)
    }

    /// The device of that kind with this number.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the kind has no driver here, [`Error::NoSuchDevice`] out of range.
    pub fn new(kind: DeviceKind, gpu_id: usize) -> Result<Self> {
        let entries = registry::entries(kind)?;
        let count = entries.len();
        entries.get(gpu_id).map(Self).ok_or(Error::NoSuchDevice { kind, gpu_id, count })
    }

    /// Every device that can be used: the CPU, then CUDA, then `OpenCL`, then those of [drivers that were
    /// added](crate::register_driver).
    #[must_use]
    pub fn all() -> Vec<Self> {
        registry::all().map(Self).collect()
    }

    /// The device most work runs fastest on: the first CUDA GPU, else the first `OpenCL` accelerator,
    /// else the CPU.
    #[must_use]
    pub fn best() -> Self {
        let all = Self::all();
        all.iter().copied().find(|d| d.info().accelerator).unwrap_or_else(Self::cpu)
    }

    /// Which driver serves it.
    #[must_use]
    pub fn kind(self) -> DeviceKind {
        self.0.kind
    }

    /// Its number among the devices of its kind.
    #[must_use]
    pub fn gpu_id(self) -> usize {
        self.0.gpu_id
    }

    /// Whether arrays on it are plain host memory.
    #[must_use]
    pub fn is_cpu(self) -> bool {
        self.0.is_cpu
    }

    /// Whether addresses of its memory are pointers, to which bytes can be added; else they are handles of the driver's, as
    /// in `OpenCL`.
    #[must_use]
    pub fn has_pointers(self) -> bool {
        self.0.has_pointers
    }

    /// What is known about it.
    #[must_use]
    pub fn info(self) -> &'static DeviceInfo {
        self.0.driver.info()
    }

    /// Bytes that are free now, where the driver can tell.
    #[must_use]
    pub fn free_bytes(self) -> Option<usize> {
        self.0.driver.free_bytes()
    }

    /// The stream work goes to when no other is named: [`process_stream`](Self::process_stream), unless
    /// this thread has chosen another by [`Stream::as_default`].
    ///
    /// # Errors
    /// When the driver cannot make it.
    pub fn stream(self) -> Result<Stream> {
        default_stream::of(self).map_or_else(|| self.process_stream(), Ok)
    }

    /// One stream for the whole process, made at first use, never destroyed.
    ///
    /// # Errors
    /// When the driver cannot make it.
    pub fn process_stream(self) -> Result<Stream> {
        self.0.own_stream().cloned()
    }

    /// As [`process_stream`](Self::process_stream), for those who need no handle of their own.
    ///
    /// # Errors
    /// When the driver cannot make it.
    pub(crate) fn own_stream(self) -> Result<&'static Stream> {
        self.0.own_stream()
    }

    /// A new stream.
    ///
    /// # Errors
    /// When the driver cannot make it.
    pub fn new_stream(self) -> Result<Stream> {
        Stream::new(self)
    }

    /// Blocks the host until all work queued on the device's streams is done.
    ///
    /// # Errors
    /// The first failure of that work, after all of it has ended; or one found earlier and not yet returned.
    pub fn synchronize(self) -> Result<()> {
        let ends = self.0.streams().into_iter().map(|stream| stream.driver().synchronize());
        let ended = ends.fold(Ok(()), Result::and);
        // Memory whose release waited for that work is released now.
        memory::settle_after(self);
        ended?;
        self.check()
    }

    /// The kernel that is made for `of`: compiled for this device when it is first asked for, or taken from the caches
    /// in memory and on disk. Asking again costs one look-up by the value.
    ///
    /// # Errors
    /// [`Error::Compile`] with the log; [`Error::Unsupported`] where no kernels run, as on the CPU.
    pub fn kernel<S: Specialisation>(self, of: &S) -> Result<Kernel> {
        Kernel::build(self, of)
    }

    /// The pair (`device_type`, `device_id`) by which `DLPack` knows it.
    #[must_use]
    pub fn dlpack(self) -> (i32, i32) {
        (self.kind().dlpack_type(), self.gpu_id() as i32)
    }

    /// The device that `DLPack` knows by this pair, if arrayspan serves it.
    ///
    /// # Errors
    /// As [`Device::new`]; [`Error::Unsupported`] for a type without a driver.
    pub fn from_dlpack(device_type: i32, device_id: i32) -> Result<Self> {
        let kind = registry::kind_of_dlpack(device_type).ok_or_else(|| Error::Unsupported {
            device: format!("DLPack device type {device_type}"),
            what: "memory of this kind".into(),
        })?;
        let gpu_id = usize::try_from(device_id).map_err(|_| Error::DeviceName {
            text: format!("DLPack device ({device_type}, {device_id})"),
        })?;
        Self::new(kind, gpu_id)
    }

    /// The failures found while memory was freed or work ended unattended; the oldest one, once.
    ///
    /// # Errors
    /// That failure.
    pub fn check(self) -> Result<()> {
        self.0.health.take().map_or(Ok(()), Err)
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Device {}

impl std::hash::Hash for Device {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        std::ptr::from_ref(self.0).hash(state);
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_cpu() {
            return f.write_str("cpu");
        }
        write!(f, "{}:{}", self.kind(), self.gpu_id())
    }
}

impl FromStr for Device {
    type Err = Error;

    /// Reads `cpu`, `cuda:N`, `opencl:N` and the like; a missing number is 0.
    fn from_str(text: &str) -> Result<Self> {
        let wrong = || Error::DeviceName { text: text.into() };
        let (name, number) = text.split_once(':').unwrap_or((text, "0"));
        let gpu_id = number.parse().map_err(|_| wrong())?;
        let kind =
            registry::kinds().into_iter().find(|kind| kind.name() == name).ok_or_else(wrong)?;
        Self::new(kind, gpu_id)
    }
}
