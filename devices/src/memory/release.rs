//! Gives memory back after the last work that uses it, without making anyone wait.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, Sender, channel};

use super::Release;
use super::pool::Block;
use super::uses::Uses;
use crate::{Device, Event, Result, Stream};

/// Frees a block of the pool in stream order: on a stream that used it, after all the others.
pub(crate) fn own(device: Device, block: Block, uses: &Uses) {
    let pool = &device.0.pool;
    match on_device(device, uses) {
        Ok(Some(stream)) => pool.release(block, &stream),
        Ok(None) => {
            // Used only by other devices (host memory under a transfer): free once they are done.
            let release = move || match device.process_stream() {
                Ok(stream) => pool.release(block, &stream),
                Err(error) => device.0.defer(error),
            };
            after(uses, device, Box::new(release));
        }
        Err(error) => device.0.defer(error),
    }
}

/// A stream of `device` on which a free comes after all uses, or `None` if the host would have to wait.
fn on_device(device: Device, uses: &Uses) -> Result<Option<Stream>> {
    let Some(stream) = uses.streams().find(|stream| stream.device() == device) else {
        return if uses.streams().next().is_none() {
            device.process_stream().map(Some)
        } else {
            Ok(None)
        };
    };
    for other in uses.streams() {
        stream.wait_for(other)?;
    }
    Ok(Some(stream.clone()))
}

/// Runs `release` once the work in `uses` is done: at once if it is, else on the reaper's thread.
pub(crate) fn after(uses: &Uses, device: Device, release: Release) {
    match uses.record() {
        Ok(events) if events.iter().all(|e| e.is_complete().unwrap_or(false)) => run(release),
        Ok(events) => enqueue(Job::Release { events, release }),
        // Without an event nothing tells when the work ends. A leak is harmless, an early release is not.
        Err(error) => {
            device.0.defer(error);
            std::mem::forget(release);
        }
    }
}

enum Job {
    Release { events: Vec<Event>, release: Release },
    Report(Sender<()>),
}

/// Blocks until every release waiting for device work has run. In a release function it returns at once: those
/// that wait behind it cannot run before it ends.
pub fn drain() {
    if REAPS.get() {
        return;
    }
    let (report, done) = channel();
    enqueue(Job::Report(report));
    // An error means that there is no reaper, hence nothing to wait for.
    let _ = done.recv();
}

/// Whether this thread is the one that waits for releases.
pub(super) fn is_reaper() -> bool {
    REAPS.get()
}

thread_local! {
    /// Whether this thread is the reaper.
    static REAPS: Cell<bool> = const { Cell::new(false) };
}

fn reap(jobs: Receiver<Job>) {
    REAPS.set(true);
    jobs.into_iter().for_each(perform);
}

fn enqueue(job: Job) {
    static REAPER: OnceLock<Option<Sender<Job>>> = OnceLock::new();
    let reaper = REAPER.get_or_init(|| {
        let (sender, jobs) = channel::<Job>();
        let thread = std::thread::Builder::new().name("arrayspan-reaper".into());
        thread.spawn(move || reap(jobs)).ok().map(|_| sender)
    });
    match reaper {
        Some(sender) => {
            if let Err(returned) = sender.send(job) {
                perform(returned.0);
            }
        }
        None => perform(job),
    }
}

fn perform(job: Job) {
    match job {
        Job::Release { events, release } => {
            for event in events {
                if let Err(error) = event.synchronize() {
                    event.device().0.defer(error);
                }
            }
            run(release);
        }
        Job::Report(report) => {
            // The asker may have given up; that is its affair.
            let _ = report.send(());
        }
    }
}

/// A foreign release function may panic; that must not end the thread that happened to drop a block.
fn run(release: Release) {
    run_caught("a foreign memory release function", release);
}

/// Runs somebody else's function on a thread of ours, which must outlive its panics.
pub(crate) fn run_caught(what: &str, function: Box<dyn FnOnce() + Send>) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(function)) {
        tracing::error!("{what} panicked");
        // Dropping what a panic carries may panic again, and end the reaper with all that waits for it.
        if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
            std::mem::forget(again);
        }
    }
}
