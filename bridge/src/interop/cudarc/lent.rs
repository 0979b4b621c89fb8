//! Who was lent an array, and how our own work comes after theirs.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};

use arrayspan_devices::Access;
use cudarc::driver::sys::{CUevent_flags, CUresult};
use cudarc::driver::{CudaEvent, CudaStream, DriverError, SyncOnDrop};

use super::import::past_pending;
use super::own::{Current, current};

/// The streams that were lent an array, beside our own.
#[derive(Debug)]
pub(super) struct Lent {
    /// The device's stream of the whole process, which all uses are ordered with.
    own: &'static Arc<CudaStream>,
    /// The end of our own stream when another one comes.
    mark: OnceLock<CudaEvent>,
    ends: Ends,
    /// Whether a default stream of the device was among them. What they are called means other queues on other threads;
    /// their common end is looked up when it is needed.
    defaults: AtomicBool,
    /// The streams of other devices one of which may read the array.
    elsewhere: Mutex<Vec<&'static Arc<CudaStream>>>,
}

/// The end of the last use on each stream. A list that only grows, so that the guards of several uses can hold its
/// events at once: one event for all would keep the end of the guard dropped last, and lose the others.
#[derive(Debug, Default)]
struct Ends(OnceLock<Box<End>>);

#[derive(Debug)]
struct End {
    /// The handle of the stream, which no other has while the guard of a use on it lives.
    stream: usize,
    event: CudaEvent,
    next: Ends,
}

impl Ends {
    fn events(&self) -> impl Iterator<Item = &CudaEvent> {
        std::iter::successors(self.0.get(), |end| end.next.0.get()).map(|end| &end.event)
    }

    /// The event of a stream, made if it has none.
    fn of(
        &self,
        stream: &CudaStream,
        make: impl Fn() -> Result<CudaEvent, DriverError>,
    ) -> Result<&CudaEvent, DriverError> {
        let stream = stream.cu_stream() as usize;
        let mut made = None;
        let mut place = &self.0;
        loop {
            match place.get() {
                Some(end) if end.stream == stream => return Ok(&end.event),
                Some(end) => place = &end.next.0,
                None => {
                    let event = made.take().map_or_else(&make, Ok)?;
                    let end = Box::new(End { stream, event, next: Self::default() });
                    // Another thread may have been quicker; then this goes behind its end.
                    made = place.set(end).err().map(|end| end.event);
                }
            }
        }
    }
}

impl Lent {
    pub(super) fn own(&self) -> &'static Arc<CudaStream> {
        self.own
    }

    pub(super) fn new(own: &'static Arc<CudaStream>) -> Self {
        let (mark, ends, defaults) = (OnceLock::new(), Ends::default(), AtomicBool::new(false));
        Self { own, mark, ends, defaults, elsewhere: Mutex::default() }
    }

    /// Makes `stream` wait for all uses so far, and returns what marks the end of the use that comes now.
    pub(super) fn lend<'a>(&'a self, stream: &'a CudaStream, access: Access) -> SyncOnDrop<'a> {
        let (context, own) = (stream.context(), self.own.context());
        let on_own = stream == &**self.own;
        if on_own && access == Access::Read {
            self.look_elsewhere();
        }
        // The common case, which costs no call of the driver but the one above.
        if !on_own || self.is_used() {
            let ordered = past_pending(context, || self.order(stream, access));
            context.record_err(ordered.and_then(|ordered| ordered));
        }
        let event = || past_pending(own, || own.new_event(Some(UNTIMED)))?;
        if on_own {
            SyncOnDrop::Record(None)
        } else if context != own {
            // An event records streams of its own context only.
            SyncOnDrop::Sync(Some(stream))
        } else if DEFAULTS.contains(&(stream.cu_stream() as usize)) {
            self.defaults.store(true, SeqCst);
            SyncOnDrop::Record(None)
        } else if context.is_managing_stream_synchronization()
            && let Ok(end) = self.ends.of(stream, event)
        {
            SyncOnDrop::Record(Some((end, stream)))
        } else {
            SyncOnDrop::Sync(Some(stream))
        }
    }

    /// Whether any stream but our own may use the array.
    fn is_used(&self) -> bool {
        let elsewhere = self.elsewhere.lock().unwrap_or_else(PoisonError::into_inner);
        self.ends.0.get().is_some() || self.defaults.load(SeqCst) || !elsewhere.is_empty()
    }

    /// cudarc copies to another context on a stream of that context, but asks for the pointer on ours. Which stream it
    /// is nobody tells; its context is current.
    fn look_elsewhere(&self) {
        match current(self.own.context()) {
            Current::Own => {}
            Current::Elsewhere(there) => {
                let mut elsewhere = self.elsewhere.lock().unwrap_or_else(PoisonError::into_inner);
                if !elsewhere.contains(&there) {
                    elsewhere.push(there);
                }
            }
            Current::Unknown => {
                // A context that may end at any time cannot be waited for later. cudarc finds this before it copies.
                let refused = DriverError(CUresult::CUDA_ERROR_INVALID_CONTEXT);
                self.own.context().record_err::<()>(Err(refused));
            }
        }
    }

    /// Makes `stream` wait for all uses so far. Later uses on any stream wait for this one in turn.
    fn order(&self, stream: &CudaStream, access: Access) -> Result<(), DriverError> {
        if stream != &**self.own {
            let own = self.own.context();
            let mark = if let Some(mark) = self.mark.get() {
                mark
            } else {
                let made = past_pending(own, || own.new_event(Some(UNTIMED)))??;
                self.mark.get_or_init(|| made)
            };
            past_pending(own, || mark.record(self.own))??;
            stream.wait(mark)?;
        }
        self.ends.events().try_for_each(|end| stream.wait(end))?;
        self.wait_for_defaults(stream)?;
        if access == Access::Write { self.wait_elsewhere() } else { Ok(()) }
    }

    /// The legacy default stream comes after all that was given to the others.
    fn wait_for_defaults(&self, stream: &CudaStream) -> Result<(), DriverError> {
        if !self.defaults.load(SeqCst) {
            return Ok(());
        }
        let own = self.own.context();
        let end = past_pending(own, || own.default_stream().record_event(Some(UNTIMED)))??;
        stream.wait(&end)
    }

    /// Has the host wait for the devices that may read the array.
    fn wait_elsewhere(&self) -> Result<(), DriverError> {
        let mut elsewhere = self.elsewhere.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(there) = elsewhere.last() {
            let context = there.context();
            past_pending(context, || context.synchronize())??;
            elsewhere.pop();
        }
        Ok(())
    }

    /// Makes our own stream wait for all uses so far, and gives the events up.
    pub(super) fn settle(&mut self) -> Result<(), DriverError> {
        if self.mark.get().is_none() && !self.is_used() {
            return Ok(());
        }
        let own = self.own;
        let used = std::mem::replace(self, Self::new(own));
        past_pending(own.context(), move || used.order(own, Access::Write))?
    }
}

/// The handles of default streams: the legacy one by two names, and each thread's own.
const DEFAULTS: [usize; 3] = [0, 1, 2];

/// Events that take no times cost less.
const UNTIMED: CUevent_flags = CUevent_flags::CU_EVENT_DISABLE_TIMING;
