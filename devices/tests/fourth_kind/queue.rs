//! The queues of that kind of device: each is served by a thread of its own.

use std::any::Any;
use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use arrayspan_devices::driver::{
    BlockAddress, DeviceDriver, EventDriver, Grid, KernelDriver, RawArgument, StreamDriver,
};
use arrayspan_devices::{Error, Result};

/// What a shelf says when it is full, and when work is refused.
pub(super) const FULL: i32 = 77;

fn refused<T>(call: &'static str, code: i32) -> Result<T> {
    Err(Error::Driver { device: "a shelf".into(), call, name: "REFUSED".into(), code })
}

type Job = Box<dyn FnOnce() + Send>;

/// A queue and the thread that serves it until the queue has ended and is empty.
pub(super) struct ShelfStream {
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
    pub(super) fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(1);
        let shared = Arc::<Shared>::default();
        let served = shared.clone();
        thread::spawn(move || served.serve());
        Self { shared, raw: NEXT.fetch_add(1, SeqCst) }
    }

    pub(super) fn queue(&self, job: impl FnOnce() + Send + 'static) -> u64 {
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
