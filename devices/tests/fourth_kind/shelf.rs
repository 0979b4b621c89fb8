//! A kind of device that this crate does not know: memory of the host, behind queues that threads of their own serve.
//!
//! Work really runs later than it was queued, so that a missing order shows.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::any::Any;
use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use arrayspan_devices::driver::{
    BlockAddress, DeviceDriver, Driver, EventDriver, Grid, KernelDriver, RawArgument, StreamDriver,
};
use arrayspan_devices::{Device, DeviceInfo, DeviceKind, Error, Result};

/// `kDLExtDev`.
pub(super) const KIND: DeviceKind = DeviceKind::new("shelf", 12);
pub(super) const DEVICES: usize = 2;
/// What each has.
pub(super) const BYTES: usize = 64 << 20;
/// What a shelf says when it is full, and when work is refused.
pub(super) const FULL: i32 = 77;

#[derive(Debug)]
pub(super) struct Shelves;

#[derive(Debug)]
struct Shelf {
    number: usize,
    info: DeviceInfo,
    taken: Arc<AtomicUsize>,
}

impl Driver for Shelves {
    fn kind(&self) -> DeviceKind {
        KIND
    }

    fn dialect(&self) -> Option<&'static str> {
        None
    }

    fn open(&self) -> Result<Vec<Box<dyn DeviceDriver>>> {
        let shelf = |number| {
            let info = DeviceInfo {
                name: format!("shelf number {number}"),
                platform: "tests".into(),
                memory_bytes: BYTES,
                capability: "none".into(),
                compute_units: 1,
                float64: true,
                device_fence: false,
                accelerator: false,
                uuid: None,
                pci: None,
            };
            Box::new(Shelf { number, info, taken: Arc::default() }) as Box<dyn DeviceDriver>
        };
        Ok((0..DEVICES).map(shelf).collect())
    }
}

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes, 256).expect("a size of the tests")
}

fn refused<T>(call: &'static str, code: i32) -> Result<T> {
    Err(Error::Driver { device: "a shelf".into(), call, name: "REFUSED".into(), code })
}

impl DeviceDriver for Shelf {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn free_bytes(&self) -> Option<usize> {
        Some(BYTES - self.taken.load(SeqCst))
    }

    fn new_stream(&self) -> Result<Box<dyn StreamDriver>> {
        Ok(Box::new(ShelfStream::new()))
    }

    unsafe fn foreign_stream(&self, _: usize) -> Result<Box<dyn StreamDriver>> {
        Err(self.without("a stream of another library"))
    }

    fn allocate(&self, bytes: usize, _: &dyn StreamDriver) -> Result<usize> {
        let more = |taken: usize| taken.checked_add(bytes).filter(|taken| *taken <= BYTES);
        if self.taken.fetch_update(SeqCst, SeqCst, more).is_err() {
            return Err(Error::out_of_memory(Device::new(KIND, self.number)?, bytes, FULL));
        }
        // SAFETY: more than zero bytes, by the trait's contract.
        Ok(unsafe { alloc_zeroed(layout(bytes)) }.expose_provenance())
    }

    unsafe fn free(&self, address: usize, bytes: usize, stream: &dyn StreamDriver) -> Result<()> {
        let Some(stream) = stream.as_any().downcast_ref::<ShelfStream>() else {
            return Err(self.without("another driver's stream"));
        };
        let taken = self.taken.clone();
        stream.queue(move || {
            // SAFETY: by the caller's contract it was allocated above with this size, and work that uses it comes before
            // this point of the stream.
            unsafe { dealloc(address as *mut u8, layout(bytes)) };
            taken.fetch_sub(bytes, SeqCst);
        });
        Ok(())
    }

    fn means_no_memory(&self, _: &str, code: i32) -> bool {
        code == FULL
    }

    fn target(&self) -> String {
        "shelf".into()
    }

    fn compile(&self, _: &str, _: &str) -> Result<Vec<u8>> {
        Err(self.without("a kernel"))
    }

    fn load(&self, _: &[u8], _: &str) -> Result<Box<dyn KernelDriver>> {
        Err(self.without("a kernel"))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

type Job = Box<dyn FnOnce() + Send>;

/// A queue and the thread that serves it until the queue has ended and is empty.
struct ShelfStream {
    shared: Arc<Shared>,
    raw: usize,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Job>,
    queued: u64,
    done: u64,
    ended: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self) {
        let mut state = self.lock();
        loop {
            let Some(job) = state.waiting.pop_front() else {
                if state.ended {
                    return;
                }
                state = self.wait(state);
                continue;
            };
            drop(state);
            // Whoever does not wait is early.
            thread::sleep(Duration::from_micros(200));
            job();
            state = self.lock();
            state.done += 1;
            self.changed.notify_all();
        }
    }

    fn wait_until(&self, position: u64) {
        let mut state = self.lock();
        while state.done < position {
            state = self.wait(state);
        }
    }
}

impl ShelfStream {
    fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(1);
        let shared = Arc::<Shared>::default();
        let served = shared.clone();
        thread::spawn(move || served.serve());
        Self { shared, raw: NEXT.fetch_add(1, SeqCst) }
    }

    fn queue(&self, job: impl FnOnce() + Send + 'static) -> u64 {
        let mut state = self.shared.lock();
        state.waiting.push_back(Box::new(job));
        state.queued += 1;
        self.shared.changed.notify_all();
        state.queued
    }

    /// Queues a copy of bytes that may overlap.
    ///
    /// # Safety
    /// Both ranges are valid, and nobody else uses them against it, until it is done.
    unsafe fn copy_bytes(&self, from: usize, to: usize, bytes: usize) {
        // SAFETY: passed on to the caller.
        self.queue(move || unsafe { std::ptr::copy(from as *const u8, to as *mut u8, bytes) });
    }
}

impl Drop for ShelfStream {
    fn drop(&mut self) {
        self.shared.lock().ended = true;
        self.shared.changed.notify_all();
    }
}

impl fmt::Debug for ShelfStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ShelfStream({})", self.raw)
    }
}

impl StreamDriver for ShelfStream {
    fn synchronize(&self) -> Result<()> {
        let queued = self.shared.lock().queued;
        self.shared.wait_until(queued);
        Ok(())
    }

    fn record(&self) -> Result<Box<dyn EventDriver>> {
        let passed = Arc::<OnceLock<Instant>>::default();
        let mark = passed.clone();
        let position = self.queue(move || {
            // Only this job sets it.
            let _ = mark.set(Instant::now());
        });
        Ok(Box::new(ShelfEvent { shared: self.shared.clone(), position, passed }))
    }

    fn wait(&self, event: &dyn EventDriver) -> Result<()> {
        let Some(event) = event.as_any().downcast_ref::<ShelfEvent>() else {
            return refused("wait", 5);
        };
        let (shared, position) = (event.shared.clone(), event.position);
        self.queue(move || shared.wait_until(position));
        Ok(())
    }

    unsafe fn upload(&self, from: *const u8, to: BlockAddress, bytes: usize) -> Result<()> {
        // SAFETY: passed on to the caller.
        unsafe { self.copy_bytes(from.expose_provenance(), to.address + to.offset, bytes) };
        Ok(())
    }

    unsafe fn download(&self, from: BlockAddress, to: *mut u8, bytes: usize) -> Result<()> {
        // SAFETY: passed on to the caller.
        unsafe { self.copy_bytes(from.address + from.offset, to.expose_provenance(), bytes) };
        Ok(())
    }

    unsafe fn copy(
        &self,
        from: BlockAddress,
        _: &dyn DeviceDriver,
        to: BlockAddress,
        _: &dyn DeviceDriver,
        bytes: usize,
    ) -> Result<bool> {
        // SAFETY: passed on to the caller; all shelves are memory of one host.
        unsafe { self.copy_bytes(from.address + from.offset, to.address + to.offset, bytes) };
        Ok(true)
    }

    unsafe fn launch(&self, _: &dyn KernelDriver, _: Grid, _: &[RawArgument]) -> Result<()> {
        refused("launch", FULL)
    }

    fn raw(&self) -> usize {
        self.raw
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

struct ShelfEvent {
    shared: Arc<Shared>,
    position: u64,
    passed: Arc<OnceLock<Instant>>,
}

impl fmt::Debug for ShelfEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ShelfEvent({})", self.position)
    }
}

impl EventDriver for ShelfEvent {
    fn synchronize(&self) -> Result<()> {
        self.shared.wait_until(self.position);
        Ok(())
    }

    fn is_complete(&self) -> Result<bool> {
        Ok(self.shared.lock().done >= self.position)
    }

    fn elapsed_since(&self, earlier: &dyn EventDriver) -> Result<Duration> {
        let earlier = earlier.as_any().downcast_ref::<Self>().and_then(|e| e.passed.get());
        match self.passed.get().zip(earlier) {
            Some((now, then)) => Ok(now.saturating_duration_since(*then)),
            None => refused("elapsed", 6),
        }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
