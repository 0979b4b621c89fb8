//! How a run is asked for.

use std::fmt;
use std::sync::Arc;
use std::thread;

use arrayspan_bridge::{Array, Error, Result, SharedArray};
use arrayspan_devices::retry::OutOfMemory;
use arrayspan_devices::{Device, ScopeHandle};

use super::assignment::Assignment;
use super::coordinator::Coordinator;
use super::feed::Feed;
use super::options::{OnLost, Options};
use super::report::BatchReport;
use super::run::Run;
use super::slot::{BatchPlace, Slot};
use super::worker::Shared;

/// Batches over devices: for every iterator over arrays.
pub trait Across: Iterator + Sized {
    /// The batches of this iterator over `devices`, the CPU included: at least one, and one given twice counts twice.
    /// Batches are arrays or ndarrays, owned or shared, on the CPU or on any device.
    fn across(self, devices: impl IntoIterator<Item = Device>) -> Batches<Self> {
        let devices = devices.into_iter().collect();
        Batches { inputs: self, devices, options: Options::default() }
    }
}

impl<I: Iterator> Across for I {}

/// Batches, the devices they are to run on, and how. Started by [`map`](Self::map), [`map_init`](Self::map_init) or
/// [`for_each`](Self::for_each).
#[must_use = "nothing runs until it is told what to compute"]
pub struct Batches<I> {
    inputs: I,
    devices: Vec<Device>,
    options: Options,
}

impl<I> Batches<I> {
    /// Which device gets which batch; [`Assignment::LeastLoaded`] if not asked for.
    pub fn assign(mut self, assignment: Assignment) -> Self {
        self.options.assignment = assignment;
        self
    }

    /// How many batches a device has under way at once, 3 if not asked for: one that is uploaded, one computed, one
    /// downloaded. Each holds its memory on the device. The CPU has one, since there nothing travels.
    pub fn in_flight(mut self, batches: usize) -> Self {
        self.options.in_flight = batches;
        self
    }

    /// How many batches may be taken from the input before the first of them has been returned, twice as many as all
    /// devices have in flight if not asked for. Bounds what a slow batch or a slow caller piles up.
    pub fn ahead(mut self, batches: usize) -> Self {
        self.options.ahead = Some(batches);
        self
    }

    /// Leaves results on the device they were computed on. Without it they come to the CPU.
    pub fn keep_on_device(mut self) -> Self {
        self.options.keep = true;
        self
    }

    /// Lets the batches of one device compute at the same time, where otherwise one computes after the other. For
    /// functions that wait for the device themselves, or whose kernels are too small for it.
    pub fn overlap_compute(mut self) -> Self {
        self.options.one_computes = false;
        self
    }

    /// Allows a batch that does not fit into memory to be computed in parts along its first axis, of at least so many
    /// rows each, and the results to be joined along theirs. Only for functions whose result does not depend on that.
    pub fn splittable(mut self, least_rows: usize) -> Self {
        self.options.least_rows = Some(least_rows);
        self
    }

    /// What happens when a device fails for good; [`OnLost::Fail`] if not asked for.
    pub fn on_lost(mut self, on_lost: OnLost) -> Self {
        self.options.on_lost = on_lost;
        self
    }

    /// Starts: applies `compute` to every batch, and returns the results in the order of the input.
    ///
    /// `compute` gets the batch on the device of its [`BatchPlace`] and enqueues its work on the stream there; it need not
    /// wait. It is called from several threads, for several devices at once, and again for a batch that ran out of
    /// memory. What those threads allocate counts for the [scope](arrayspan_devices::ScopeHandle) this thread is in now.
    ///
    /// The iterator is called on a thread of its own, ahead of what is needed by a batch, and may wait there for as long as
    /// it likes: results, the first failure and the end of the run do not wait for it. See [`Run`] for what becomes of a
    /// call of `next` that is under way when the run ends.
    ///
    /// # Errors
    /// Found before anything runs: [`Error::Batches`] for no devices, nothing in flight or no rows;
    /// [`Error::Assignment`]; when a device cannot make its streams, or the system no threads. Those of batches are
    /// returned by [`Run`].
    pub fn map<F, E>(self, compute: F) -> Result<Run<E>>
    where
        I: Iterator<Item: Into<SharedArray>> + Send + 'static,
        F: Fn(&Array, &BatchPlace) -> Result<Array, E> + Send + Sync + 'static,
        E: From<Error> + OutOfMemory + Send + 'static,
    {
        self.map_init(|_| Ok(()), move |(), x, on| compute(x, on))
    }

    /// As [`map`](Self::map), with a value that each slot makes for itself before its first batch and uses for all of
    /// them: an executor on its stream, a workspace.
    ///
    /// # Errors
    /// As [`map`](Self::map). A failure of `init` is one of the slot's first batch.
    pub fn map_init<N, S, F, E>(self, init: N, compute: F) -> Result<Run<E>>
    where
        I: Iterator<Item: Into<SharedArray>> + Send + 'static,
        N: Fn(&BatchPlace) -> Result<S, E> + Send + Sync + 'static,
        F: Fn(&mut S, &Array, &BatchPlace) -> Result<Array, E> + Send + Sync + 'static,
        E: From<Error> + OutOfMemory + Send + 'static,
        S: 'static,
    {
        let (feed, shared, slots) = self.prepare(init, compute)?;
        let shared = Arc::new(shared);
        let mut run = Run::new(shared.coordinator.clone());
        let scope = ScopeHandle::current();
        let counted = scope.clone();
        let started = thread::Builder::new().name(INPUT.into()).spawn(move || {
            let _entered = counted.as_ref().map(ScopeHandle::enter);
            feed.work();
        });
        run.input = Some(started.map_err(|error| no_thread(&error))?);
        for slot in slots {
            let (shared, scope) = (shared.clone(), scope.clone());
            let started = builder(&slot).spawn(move || {
                let _entered = scope.as_ref().map(ScopeHandle::enter);
                shared.work(&slot);
            });
            run.threads.push(started.map_err(|error| no_thread(&error))?);
        }
        Ok(run)
    }

    /// Runs everything now, gives each result to `each` in the order of the input, on this thread, and returns the
    /// report. Unlike [`map`](Self::map) all may borrow what lives on the caller's stack.
    ///
    /// Therefore it returns only when no thread uses these any more: also after a failure it waits for a call of the
    /// iterator's `next` that is under way. Results reach `each` meanwhile, and no batch starts after a failure; but an
    /// iterator that may wait for ever belongs into [`map`](Self::map), or must be made to end by who fails (by `compute`
    /// closing its channel, say).
    ///
    /// # Errors
    /// As [`map`](Self::map); the first failure of a batch or of `each`, after all work under way has ended.
    pub fn for_each<F, E>(
        self,
        compute: F,
        mut each: impl FnMut(Array) -> Result<(), E>,
    ) -> Result<BatchReport, E>
    where
        I: Iterator<Item: Into<SharedArray>> + Send,
        F: Fn(&Array, &BatchPlace) -> Result<Array, E> + Send + Sync,
        E: From<Error> + OutOfMemory + Send,
    {
        let compute = |(): &mut (), x: &Array, on: &BatchPlace| compute(x, on);
        let (feed, shared, slots) = self.prepare(|_: &BatchPlace| Ok(()), compute)?;
        thread::scope(|scope| {
            // Dropped before the scope waits for its threads, however it is left; they end then.
            let mut run = Run::new(shared.coordinator.clone());
            let counted = ScopeHandle::current();
            let of_input = counted.clone();
            let started = thread::Builder::new().name(INPUT.into());
            let started = started.spawn_scoped(scope, move || {
                let _entered = of_input.as_ref().map(ScopeHandle::enter);
                feed.work();
            });
            started.map_err(|error| no_thread(&error))?;
            for slot in slots {
                let (shared, counted) = (&shared, counted.clone());
                let started = builder(&slot).spawn_scoped(scope, move || {
                    let _entered = counted.as_ref().map(ScopeHandle::enter);
                    shared.work(&slot);
                });
                started.map_err(|error| no_thread(&error))?;
            }
            run.by_ref().try_for_each(|result| each(result?))?;
            Ok(run.report())
        })
    }

    /// Checks what was asked for, and makes what the threads need.
    fn prepare<N, F, E>(self, init: N, compute: F) -> Result<Prepared<I, N, F, E>> {
        let Self { inputs, devices, options } = self;
        let refuse = |option, why| Err(Error::Batches { option, why });
        if devices.is_empty() {
            return refuse("across", "no devices are given");
        }
        if options.in_flight == 0 {
            return refuse("in_flight", "nothing can run with none in flight");
        }
        if options.ahead == Some(0) {
            return refuse("ahead", "nothing can run if none may be ahead");
        }
        if options.least_rows == Some(0) {
            return refuse("splittable", "a part has at least one row");
        }
        let placement = options.assignment.placement(&devices)?;
        let mut slots = Vec::new();
        for (position, device) in devices.iter().enumerate() {
            let count = if device.is_cpu() { 1 } else { options.in_flight };
            slots.append(&mut Slot::of_device(*device, position, count, options.one_computes)?);
        }
        let ahead = options.ahead.unwrap_or(2 * slots.len());
        let coordinator = Arc::new(Coordinator::new(&devices, ahead));
        let feed = Feed::new(inputs, placement, coordinator.clone());
        Ok((feed, Shared::new(init, compute, options, coordinator), slots))
    }
}

/// What the threads of a run do: one takes batches from the input, the others serve a slot each and share the rest.
type Prepared<I, N, F, E> = (Feed<I, E>, Shared<N, F, E>, Vec<Slot>);

/// The name of the thread that takes batches from the input.
const INPUT: &str = "batches input";

fn builder(slot: &Slot) -> thread::Builder {
    let BatchPlace { device, slot: number, .. } = &slot.place;
    thread::Builder::new().name(format!("batches {device} {number}"))
}

fn no_thread(error: &std::io::Error) -> Error {
    let (what, why) = ("a thread for batches".into(), error.to_string());
    arrayspan_devices::Error::Unavailable { what, why }.into()
}

impl<I> fmt::Debug for Batches<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Batches({:?}, {:?})", self.devices, self.options)
    }
}
