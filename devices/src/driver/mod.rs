//! What a kind of device must provide. Everything above this file is the same for all of them.
//!
//! A new kind of device is a folder with these five traits, which names the kind, and one line in `registry.rs`; one from
//! outside of this crate is added by [`register_driver`](crate::register_driver).
//! Addresses are opaque here: a pointer on the CPU and in CUDA, a `cl_mem` in OpenCL.

mod reach;
mod sizes;
mod terms;

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;
use std::thread::ThreadId;
use std::time::Duration;

pub use reach::{Reach, Way};
pub use sizes::Sizes;
pub(crate) use terms::MAX_ARGUMENTS;
pub use terms::{BlockAddress, Codes, Grid, Locked, RawArgument};

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
    /// For a driver's own downcasts.
    fn as_any(&self) -> &dyn Any;
}

/// A loaded kernel.
pub trait KernelDriver: Debug + Send + Sync {
    /// For a driver's own downcasts.
    fn as_any(&self) -> &dyn Any;
}

/// A queue of work that runs in order.
pub trait StreamDriver: Debug + Send + Sync {
    /// Blocks the host until all queued work is done.
    ///
    /// # Errors
    /// A failure of that work.
    fn synchronize(&self) -> Result<()>;
    /// Whether all queued work is done, as far as the driver knows without waiting.
    ///
    /// # Errors
    /// A failure of that work.
    fn is_idle(&self) -> Result<bool> {
        self.record()?.is_complete()
    }
    /// Marks the present end of the queue.
    ///
    /// # Errors
    /// When the driver refuses.
    fn record(&self) -> Result<Box<dyn EventDriver>>;
    /// Makes later work wait for `event`, which comes from a stream of the same kind of device.
    ///
    /// # Errors
    /// When the driver refuses.
    fn wait(&self, event: &dyn EventDriver) -> Result<()>;
    /// Makes later work wait for all that is on `other` now, if the driver has a quicker way than an event of its
    /// own for it. Returns `false`, having done nothing, where it has not.
    ///
    /// # Errors
    /// When the driver refuses.
    fn follow(&self, _other: &dyn StreamDriver) -> Result<bool> {
        Ok(false)
    }
    /// Queues a copy from host memory.
    ///
    /// # Safety
    /// Both ranges are valid, and the host range stays valid and unchanged until the copy is done.
    ///
    /// # Errors
    /// When the driver refuses.
    unsafe fn upload(&self, from: *const u8, to: BlockAddress, bytes: usize) -> Result<()>;
    /// Queues a copy into host memory.
    ///
    /// # Safety
    /// Both ranges are valid, and the host range stays valid and untouched until the copy is done.
    ///
    /// # Errors
    /// When the driver refuses.
    unsafe fn download(&self, from: BlockAddress, to: *mut u8, bytes: usize) -> Result<()>;
    /// Queues filling with one value.
    ///
    /// # Safety
    /// The range is valid until the filling is done.
    ///
    /// # Errors
    /// When the driver refuses, or cannot.
    unsafe fn fill(&self, _at: BlockAddress, _value: u8, _bytes: usize) -> Result<()> {
        let (device, what) = (format!("{self:?}"), "filling".into());
        Err(crate::Error::Unsupported { device, what })
    }
    /// Queues a copy between two places of the same kind of device, possibly two devices, of which
    /// this stream's is one. Returns `false`, having done nothing, where the driver has no direct way.
    ///
    /// # Safety
    /// Both ranges are valid until the copy is done and do not overlap.
    ///
    /// # Errors
    /// When the driver refuses.
    unsafe fn copy(
        &self,
        from: BlockAddress,
        from_device: &dyn DeviceDriver,
        to: BlockAddress,
        to_device: &dyn DeviceDriver,
        bytes: usize,
    ) -> Result<bool>;
    /// Queues a kernel.
    ///
    /// # Safety
    /// The arguments match the kernel's parameters, and what it reads and writes lies within them.
    ///
    /// # Errors
    /// When the driver refuses the launch.
    unsafe fn launch(
        &self,
        kernel: &dyn KernelDriver,
        grid: Grid,
        arguments: &[RawArgument],
    ) -> Result<()>;
    /// The driver's own handle (`CUstream`, `cl_command_queue`), zero where there is none.
    fn raw(&self) -> usize;
    /// The thread whose queue this is, where one handle means another queue on each thread.
    fn thread(&self) -> Option<ThreadId> {
        None
    }
    /// For a driver's own downcasts.
    fn as_any(&self) -> &dyn Any;
}

/// A point in a stream.
pub trait EventDriver: Debug + Send + Sync {
    /// Blocks the host until the work before the event is done.
    ///
    /// # Errors
    /// A failure of that work.
    fn synchronize(&self) -> Result<()>;
    /// Whether the work before the event is done.
    ///
    /// # Errors
    /// A failure of that work.
    fn is_complete(&self) -> Result<bool>;
    /// Device time since `earlier`, an event of the same device. Both must be complete.
    ///
    /// # Errors
    /// When the driver keeps no times.
    fn elapsed_since(&self, earlier: &dyn EventDriver) -> Result<Duration>;
    /// For a driver's own downcasts.
    fn as_any(&self) -> &dyn Any;
}
