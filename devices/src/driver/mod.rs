//! What a kind of device must provide. Everything above this file is the same for all of them.
//!
//! A new kind of device is a folder with these five traits, which names the kind, and one line in `registry.rs`; one from
//! outside of this crate is added by [`register_driver`](crate::register_driver).
//! Addresses are opaque here: a pointer on the CPU and in CUDA, a `cl_mem` in OpenCL.

mod queue;
mod reach;
mod sizes;
mod terms;

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

pub use queue::{EventDriver, GraphDriver, RawNode, StreamDriver};
pub use reach::{Reach, Way};
pub use sizes::Sizes;
pub use terms::{BlockAddress, Codes, Grid, Locked, RawArgument};
pub(crate) use terms::{MAX_ARGUMENTS, PerArgument};

pub use crate::health::Health;
use crate::{Backend, DeviceInfo, DeviceKind, Priority, Result};

/// One kind of device: finds and opens the devices there are.
pub trait Driver: Sync {
    /// The kind.
    fn kind(&self) -> DeviceKind;
    /// The backend that a user can disable to keep the driver from being opened, if there is one.
    fn backend(&self) -> Option<Backend> {
        None
    }
    /// Whether addresses are pointers, to which bytes can be added; else they are handles.
    fn has_pointers(&self) -> bool {
        true
    }
    /// The macros that make this kind's compilers understand the shared kernel language, or `None`
    /// where no kernels run. Needs no device.
    fn dialect(&self) -> Option<&'static str>;
    /// Opens all devices, in the order of their `gpu_id`.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable) when the driver is not installed.
    fn open(&self) -> Result<Vec<Box<dyn DeviceDriver>>>;
}

/// One device.
pub trait DeviceDriver: Debug + Send + Sync {
    /// What is known about it.
    fn info(&self) -> &DeviceInfo;
    /// Where the driver records failures that no call of it can return. Called once.
    fn health(&self) -> Arc<Health> {
        Arc::default()
    }
    /// Bytes that are free now, where the driver can tell.
    fn free_bytes(&self) -> Option<usize>;
    /// Bytes that our own pool holds and nobody uses, beside [`free_bytes`](Self::free_bytes).
    fn spare_bytes(&self) -> usize {
        0
    }
    /// Gives what our own pool holds unused back to the driver; how many bytes that was.
    ///
    /// # Errors
    /// When the driver refuses.
    fn trim(&self) -> Result<usize> {
        Ok(0)
    }
    /// How bytes get from here to another device, which is neither this one nor the CPU.
    ///
    /// # Errors
    /// When the driver does not answer.
    fn reach(&self, _to: &dyn DeviceDriver) -> Result<Reach> {
        Ok(Reach::Staged)
    }
    /// How copies from here to another device are made, which is neither this one nor the CPU. May try it.
    ///
    /// # Errors
    /// When the driver refuses.
    fn way(&self, _to: &dyn DeviceDriver) -> Result<Way> {
        Ok(Way::Relay)
    }
    /// Opens a queue of work.
    ///
    /// # Errors
    /// When the driver refuses.
    fn new_stream(&self) -> Result<Box<dyn StreamDriver>>;
    /// Opens a queue of work that is taken up earlier or later than others, where the driver knows such.
    ///
    /// # Errors
    /// When the driver refuses.
    fn new_stream_with_priority(&self, _priority: Priority) -> Result<Box<dyn StreamDriver>> {
        self.new_stream()
    }
    /// Takes `bytes > 0` bytes of page-locked host memory, which this device copies from and to by itself.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory) of the CPU;
    /// [`Error::Unsupported`](crate::Error::Unsupported) where there is no such memory.
    fn lock_pages(&self, _bytes: usize) -> Result<Locked> {
        Err(self.without("page-locked host memory"))
    }
    /// Gives page-locked memory back.
    ///
    /// # Safety
    /// `locked` came from [`lock_pages`](Self::lock_pages), and no work uses it any more.
    ///
    /// # Errors
    /// When the driver reports a failure; the memory must be considered gone.
    unsafe fn unlock_pages(&self, _locked: Locked) -> Result<()> {
        Err(self.without("page-locked host memory"))
    }
    /// Locks the pages of host memory that is there already.
    ///
    /// # Safety
    /// The range is valid until [`unregister`](Self::unregister).
    ///
    /// # Errors
    /// [`Error::PageLock`](crate::Error::PageLock) when the driver refuses.
    unsafe fn register(&self, _address: usize, _bytes: usize) -> Result<()> {
        Err(self.without("page-locking memory of others"))
    }
    /// Unlocks them again.
    ///
    /// # Safety
    /// `address` was registered, and no work uses the range any more.
    ///
    /// # Errors
    /// When the driver reports a failure.
    unsafe fn unregister(&self, _address: usize) -> Result<()> {
        Err(self.without("page-locking memory of others"))
    }
    /// Whether pages that are locked for one device of the kind are so for all.
    fn shares_locked_pages(&self) -> bool {
        false
    }
    /// Whether a call of the driver, or of a library on top of it, that has returned `code` has found no memory.
    fn means_no_memory(&self, _call: &str, _code: i32) -> bool {
        false
    }
    /// The codes that injected failures come with.
    fn codes(&self) -> Codes {
        Codes::default()
    }
    /// Whether the driver itself knows this range of host memory to be page-locked, whoever did it.
    fn is_locked(&self, _address: usize, _bytes: usize) -> bool {
        false
    }
    /// The error for what this device cannot do.
    fn without(&self, what: &str) -> crate::Error {
        crate::Error::Unsupported { device: self.info().name.clone(), what: what.into() }
    }
    /// A queue of work that another library has made: a `CUstream`, a `cl_command_queue`.
    ///
    /// # Safety
    /// `raw` is a live queue, or one of the driver's special handles; it stays one until the stream is dropped.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) for a queue of another device or context, or one
    /// whose work does not run in order, and where the kind of device has no queues.
    unsafe fn foreign_stream(&self, raw: usize) -> Result<Box<dyn StreamDriver>>;
    /// Takes `bytes > 0` bytes that may be used on `stream` at once, and committed: later work cannot
    /// find them missing.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    fn allocate(&self, bytes: usize, stream: &dyn StreamDriver) -> Result<usize>;
    /// How its memory is cut into blocks.
    fn sizes(&self) -> Sizes {
        Sizes::default()
    }
    /// The address of a part of what [`allocate`](Self::allocate) gave, at a multiple of the device's granule.
    ///
    /// # Errors
    /// When the driver refuses.
    fn part(&self, address: usize, offset: usize, _bytes: usize) -> Result<usize> {
        Ok(address + offset)
    }
    /// Gives up the address of a part, not the memory.
    ///
    /// # Safety
    /// `address` came from [`part`](Self::part), and no further work will be queued with it.
    ///
    /// # Errors
    /// When the driver reports a failure.
    unsafe fn drop_part(&self, _address: usize) -> Result<()> {
        Ok(())
    }
    /// Gives memory back once the work queued on `stream` is done.
    ///
    /// # Safety
    /// `address` came from [`allocate`](Self::allocate) with `bytes` and is not used again; work on other
    /// streams that uses it comes before this point of `stream`.
    ///
    /// # Errors
    /// When the driver reports a failure; the memory must be considered gone.
    unsafe fn free(&self, address: usize, bytes: usize, stream: &dyn StreamDriver) -> Result<()>;
    /// Names compiler, options, architecture and driver: two devices with equal targets share binaries.
    fn target(&self) -> String;
    /// Compiles a whole translation unit to a binary for [`target`](Self::target).
    ///
    /// # Errors
    /// [`Error::Compile`](crate::Error::Compile) with the compiler's log.
    fn compile(&self, kernel: &str, text: &str) -> Result<Vec<u8>>;
    /// Whether the compiler can be used by several threads at once.
    fn builds_side_by_side(&self) -> bool {
        true
    }
    /// Loads a binary and finds the entry point in it.
    ///
    /// # Errors
    /// When the binary is not one for this device or lacks the entry.
    fn load(&self, binary: &[u8], entry: &str) -> Result<Box<dyn KernelDriver>>;
    /// As [`load`](Self::load), a kernel that is launched in a way of its own.
    ///
    /// # Errors
    /// As there; when the device has not as much local memory.
    fn load_with(
        &self,
        binary: &[u8],
        entry: &str,
        _needs: KernelNeeds,
    ) -> Result<Box<dyn KernelDriver>> {
        self.load(binary, entry)
    }
    /// For a driver's own downcasts.
    fn as_any(&self) -> &dyn Any;
}

/// How a kernel is launched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelNeeds {
    /// The bytes of local memory that it takes beside what its text declares: only where a text cannot declare as many.
    pub local_bytes: usize,
    /// Whether its text waits for the kernels before it, so that it may be launched before they have ended.
    pub awaits_earlier_kernels: bool,
}

/// A loaded kernel.
pub trait KernelDriver: Debug + Send + Sync {
    /// For a driver's own downcasts.
    fn as_any(&self) -> &dyn Any;
}
