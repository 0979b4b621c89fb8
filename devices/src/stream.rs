//! A queue of work on one device.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Weak};

use crate::callback::Callbacks;
use crate::driver::{Grid, MAX_ARGUMENTS, RawArgument, StreamDriver};
use crate::memory::pool::{Arena, Lane, Queue};
use crate::memory::{Counters, or_recover, queue_on, run_theirs, settle};
use crate::{Access, Device, Error, Event, Kernel, Memory, Priority, Result, fault};

/// A queue of work on one device: what is put in runs in order, while the host goes on.
///
/// Clones are the same queue. On the CPU work is done when the call returns, so its stream is
/// always empty.
#[derive(Clone)]
pub struct Stream(Arc<Inner>);

struct Inner {
    /// Itself.
    weak: Weak<Inner>,
    device: Device,
    driver: Box<dyn StreamDriver>,
    /// The driver's own handle, by which streams are told apart.
    raw: usize,
    /// What was freed on it and may be used on it again at once.
    arena: Arena,
    /// What was allocated on it.
    counters: Arc<Counters>,
    /// What the host wants to be told.
    callbacks: Arc<Callbacks>,
    /// What keeps another library's queue alive; dropped after the driver's part.
    _keep: Keep,
}

/// What keeps another library's queue alive. Its end is that library's function: run like those that give memory back.
struct Keep(Option<Box<dyn Any + Send + Sync>>);

impl Drop for Keep {
    fn drop(&mut self) {
        if let Some(keep) = self.0.take() {
            run_theirs(Box::new(move || drop(keep)));
        }
    }
}

impl Queue for Inner {
    fn arena(&self) -> &Arena {
        &self.arena
    }

    fn driver(&self) -> &dyn StreamDriver {
        &*self.driver
    }

    fn weak(&self) -> Weak<dyn Queue> {
        self.weak.clone()
    }
}

impl Drop for Inner {
    /// What was freed on the stream serves others from now on.
    fn drop(&mut self) {
        self.device.0.pool.end(self.device, &self.arena, &*self.driver);
    }
}

/// A kernel argument. Memory says how it is used, so that the launch can order itself after
/// whatever else uses it.
#[derive(Clone, Copy, Debug)]
pub enum Argument<'a> {
    /// Memory the kernel reads.
    Read(&'a Memory),
    /// Memory the kernel writes, or reads and writes.
    Write(&'a Memory),
    /// A 32-bit signed integer.
    I32(i32),
    /// A 64-bit signed integer.
    I64(i64),
    /// A 32-bit float.
    F32(f32),
    /// A 64-bit float.
    F64(f64),
}

impl<'a> Argument<'a> {
    /// The block it is, and what the kernel does with it.
    fn used(&self) -> Option<(&'a Memory, Access)> {
        match *self {
            Self::Read(memory) => Some((memory, Access::Read)),
            Self::Write(memory) => Some((memory, Access::Write)),
            _ => None,
        }
    }
}

impl Stream {
    pub(crate) fn new(device: Device) -> Result<Self> {
        Ok(Self::own(device, device.0.driver.new_stream()?))
    }

    pub(crate) fn with_priority(device: Device, priority: Priority) -> Result<Self> {
        Ok(Self::own(device, device.0.driver.new_stream_with_priority(priority)?))
    }

    fn own(device: Device, driver: Box<dyn StreamDriver>) -> Self {
        let stream = Self::over(device, driver, None);
        device.0.remember(&stream);
        stream
    }

    /// A queue that another library has made, without owning it: on CUDA a `CUstream` of the device's
    /// primary context, 0 or 1 for its legacy default stream, 2 for this thread's default stream; in
    /// `OpenCL` a `cl_command_queue` of our context, which is retained. Our work on it comes after all that is
    /// on it already. `keep` is dropped with the last clone.
    ///
    /// Two streams of one handle are the same queue and compare equal.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a queue of another context, one whose work does not run in order, and
    /// on the CPU, which has none; the driver's refusal.
    ///
    /// # Safety
    /// `raw` is a live queue of `device`, and stays one until `keep` is dropped. (Memory last used on the
    /// stream keeps it, too.)
    pub unsafe fn from_foreign(
        device: Device,
        raw: usize,
        keep: Box<dyn Any + Send + Sync>,
    ) -> Result<Self> {
        // SAFETY: passed on to the caller; `keep` lives as long as the driver's part, which is dropped first.
        let driver = unsafe { device.0.driver.foreign_stream(raw)? };
        Ok(Self::over(device, driver, Some(keep)))
    }

    fn over(
        device: Device,
        driver: Box<dyn StreamDriver>,
        keep: Option<Box<dyn Any + Send + Sync>>,
    ) -> Self {
        Self(Arc::new_cyclic(|weak| Inner {
            weak: weak.clone(),
            raw: driver.raw(),
            device,
            driver,
            arena: Arena::new(),
            counters: Arc::default(),
            callbacks: Arc::default(),
            _keep: Keep(keep),
        }))
    }

    /// Where its work runs.
    #[must_use]
    pub fn device(&self) -> Device {
        self.0.device
    }

    /// The driver's own handle (`CUstream`, `cl_command_queue`), zero on the CPU. Valid while this stream is.
    #[must_use]
    pub fn raw(&self) -> usize {
        self.0.raw
    }

    pub(crate) fn driver(&self) -> &dyn StreamDriver {
        &*self.0.driver
    }

    /// The queue as the device's pool sees it.
    pub(crate) fn lane(&self) -> Lane<'_> {
        Lane { device: self.0.device, queue: &*self.0 }
    }

    pub(crate) fn counters(&self) -> &Arc<Counters> {
        &self.0.counters
    }

    pub(crate) fn callbacks(&self) -> &Arc<Callbacks> {
        &self.0.callbacks
    }

    /// Blocks the host until all queued work is done.
    ///
    /// # Errors
    /// A failure of that work, or one found earlier with nobody to tell.
    pub fn synchronize(&self) -> Result<()> {
        let ended = self.0.driver.synchronize();
        settle();
        ended?;
        self.0.device.check()
    }

    /// Whether all queued work is done. Does not wait; where the driver has no question for it (`OpenCL`) the answer
    /// may be `false` for a moment longer than it is true.
    ///
    /// # Errors
    /// A failure of that work.
    pub fn is_idle(&self) -> Result<bool> {
        self.0.driver.is_idle()
    }

    /// Marks the present end of the queue.
    ///
    /// # Errors
    /// When the driver refuses.
    pub fn record(&self) -> Result<Event> {
        Ok(Event::new(self.0.device, self.0.driver.record()?))
    }

    /// Makes later work of this stream wait for `event`.
    ///
    /// Enqueued when both belong to the same kind of device; otherwise the host waits, because no
    /// driver can wait for another's work.
    ///
    /// # Errors
    /// When the driver refuses.
    pub fn wait(&self, event: &Event) -> Result<()> {
        if event.device().kind() == self.0.device.kind() && !self.0.device.is_cpu() {
            self.0.driver.wait(event.driver())
        } else {
            event.synchronize()
        }
    }

    /// Makes later work of this stream wait for all work queued so far on `other`.
    ///
    /// # Errors
    /// When the driver refuses.
    pub fn wait_for(&self, other: &Stream) -> Result<()> {
        if self == other || other.0.device.is_cpu() {
            return Ok(());
        }
        if self.0.driver.follow(other.driver())? {
            return Ok(());
        }
        self.wait(&other.record()?)
    }

    /// Enqueues a kernel after all earlier work on the memory it uses; does not wait. An empty grid
    /// runs nothing.
    ///
    /// # Errors
    /// [`Error::WrongDevice`] for memory or a kernel of another device; the driver's refusal.
    ///
    /// # Safety
    /// The arguments match the kernel's parameters in number, type and order, and all it reads and
    /// writes lies inside the memory given. Until this call returns no other thread queues work on
    /// bytes the kernel writes, or writes bytes it reads.
    pub unsafe fn launch(
        &self,
        kernel: &Kernel,
        grid: Grid,
        arguments: &[Argument<'_>],
    ) -> Result<()> {
        self.expect("launch", kernel.device())?;
        let mut raw = [RawArgument::I32(0); MAX_ARGUMENTS];
        let Some(raw) = raw.get_mut(..arguments.len()) else {
            return Err(Error::Unsupported {
                device: self.device().to_string(),
                what: format!("a kernel with {} arguments", arguments.len()),
            });
        };
        for (slot, argument) in raw.iter_mut().zip(arguments) {
            *slot = match *argument {
                Argument::Read(memory) | Argument::Write(memory) => self.address(memory)?,
                Argument::I32(value) => RawArgument::I32(value),
                Argument::I64(value) => RawArgument::I64(value),
                Argument::F32(value) => RawArgument::F32(value),
                Argument::F64(value) => RawArgument::F64(value),
            };
        }
        if grid.groups.contains(&0) || grid.threads.contains(&0) {
            return Ok(());
        }
        // Whoever is asked for memory finds no block locked.
        or_recover(self.device(), || {
            fault::check(fault::FaultKind::Launch, self.device(), 0)?;
            queue_on(self, arguments.iter().filter_map(Argument::used), || {
                // SAFETY: the caller vouches for the arguments. Every block is ordered after its earlier users and
                // remembers this stream, and stays locked until the launch is queued, so it is freed, on drop, after
                // it. One that was refused has queued nothing, so running it again is running it once.
                unsafe { self.0.driver.launch(kernel.driver(), grid, raw) }
            })
        })
    }

    fn address(&self, memory: &Memory) -> Result<RawArgument> {
        self.expect("launch", memory.device())?;
        Ok(RawArgument::Address(memory.address()))
    }

    pub(crate) fn expect(&self, operation: &'static str, found: Device) -> Result<()> {
        let expected = self.device();
        if found == expected {
            Ok(())
        } else {
            Err(Error::WrongDevice { operation, expected, found })
        }
    }
}

/// A stream that may have ended.
#[derive(Clone)]
pub(crate) struct WeakStream(Weak<Inner>);

impl Stream {
    pub(crate) fn downgrade(&self) -> WeakStream {
        WeakStream(Arc::downgrade(&self.0))
    }
}

impl WeakStream {
    pub(crate) fn lives(&self) -> bool {
        self.0.strong_count() > 0
    }

    pub(crate) fn upgrade(&self) -> Option<Stream> {
        self.0.upgrade().map(Stream)
    }
}

impl fmt::Debug for WeakStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WeakStream")
    }
}

/// Whether both are the same queue. All streams of the CPU are: it has none.
impl PartialEq for Stream {
    fn eq(&self, other: &Self) -> bool {
        let (one, other) = (&*self.0, &*other.0);
        std::ptr::eq(one, other)
            || one.device == other.device
                && one.raw == other.raw
                && one.driver.thread() == other.driver.thread()
    }
}

impl Eq for Stream {}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({} {:#x})", self.0.device, self.raw())
    }
}
