//! What a queue of a kind of device must provide, and a point in it.

use std::any::Any;
use std::fmt::Debug;
use std::thread::ThreadId;
use std::time::Duration;

use super::{BlockAddress, DeviceDriver, Grid, KernelDriver, RawArgument};
use crate::Result;

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
    /// Whether the driver launches several kernels as one unit.
    fn has_graphs(&self) -> bool {
        false
    }
    /// Makes one unit of kernels, each of which runs after the one before. Returns `None` where the driver knows no such unit.
    ///
    /// # Safety
    /// The arguments match the kernels' parameters. Kernels, and memory that they are given, outlive the unit.
    ///
    /// # Errors
    /// When the driver refuses.
    unsafe fn graph(&self, _nodes: &[RawNode<'_>]) -> Result<Option<Box<dyn GraphDriver>>> {
        Ok(None)
    }
    /// Queues such a unit, which this queue or another of the device has made.
    ///
    /// # Safety
    /// What its kernels read and write lies within the memory they were given.
    ///
    /// # Errors
    /// When the driver refuses, or knows no such unit.
    unsafe fn launch_graph(&self, _graph: &dyn GraphDriver) -> Result<()> {
        let (device, what) = (format!("{self:?}"), "a graph of kernels".into());
        Err(crate::Error::Unsupported { device, what })
    }
    /// The driver's own handle (`CUstream`, `cl_command_queue`), zero where there is none.
    fn raw(&self) -> usize;
    /// The thread whose queue this is, where one handle means another queue on each thread.
    fn thread(&self) -> Option<ThreadId> {
        None
    }
    /// For a driver's own downcasts.
    fn as_any(&self) -> &dyn Any;
}

/// A kernel of a unit that is launched as one.
#[derive(Clone, Copy, Debug)]
pub struct RawNode<'a> {
    /// The kernel.
    pub kernel: &'a dyn KernelDriver,
    /// Its groups and threads.
    pub grid: Grid,
    /// Its arguments.
    pub arguments: &'a [RawArgument],
}

/// Kernels that are launched as one.
pub trait GraphDriver: Debug + Send + Sync {
    /// Gives a kernel other arguments, from the next launch on.
    ///
    /// # Safety
    /// Those of [`StreamDriver::graph`]: kernel and grid are those that the node has.
    ///
    /// # Errors
    /// When the driver refuses: the unit is not to be launched any more then.
    unsafe fn renew(&mut self, number: usize, node: &RawNode<'_>) -> Result<()>;
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
