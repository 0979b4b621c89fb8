//! A queue of work on one device.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Weak};

use crate::callback::Callbacks;
use crate::companions::Companions;
use crate::driver::StreamDriver;
use crate::memory::pool::{Arena, Lane, Queue};
use crate::memory::{Counters, run_theirs, settle};
use crate::{Device, Error, Event, Priority, Result};

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
    /// What libraries keep with it; dropped before the driver's part.
    companions: Companions,
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
    /// Blocks that were freed on the stream become available to others.
    fn drop(&mut self) {
        self.device.0.pool.end(self.device, &self.arena, &*self.driver);
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
            companions: Companions::default(),
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

    /// Whether it is the one for the whole process: [`Device::process_stream`].
    #[must_use]
    pub fn is_process_stream(&self) -> bool {
        self.0.device.own_stream().is_ok_and(|own| own == self)
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

    /// What a library keeps with this queue, made if it is not there. It lives as long as the queue, and so must not hold
    /// it.
    ///
    /// # Errors
    /// Those of `make`, of which nothing is kept.
    pub(crate) fn companion<T: Any + Send + Sync>(
        &self,
        make: impl FnOnce() -> Result<Arc<T>>,
    ) -> Result<Arc<T>> {
        self.0.companions.get(make)
    }

    /// Blocks the host until all queued work is done.
    ///
    /// # Errors
    /// A failure of that work, or one found earlier and not yet returned.
    pub fn synchronize(&self) -> Result<()> {
        let ended = self.0.driver.synchronize();
        settle();
        ended?;
        self.0.device.check()
    }

    /// Whether all queued work is done. Does not wait; where the driver has no query for it (`OpenCL`) the answer
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

    /// Whether it is that stream, or was.
    pub(crate) fn is(&self, stream: &Stream) -> bool {
        std::ptr::eq(self.0.as_ptr(), Arc::as_ptr(&stream.0))
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
