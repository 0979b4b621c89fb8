//! What the thread of a slot does.

use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrayspan_bridge::{Array, Result, SharedArray};
use arrayspan_devices::Stream;
use arrayspan_devices::retry::OutOfMemory;

use super::coordinator::{Coordinator, Outcome};
use super::options::{OnLost, Options};
use super::recover::Runner;
use super::slot::{BatchPlace, Slot, Stages};

/// What all slots of a run use.
pub(super) struct Shared<N, F, E> {
    init: N,
    compute: F,
    options: Options,
    pub(super) coordinator: Arc<Coordinator<E>>,
    error: PhantomData<fn() -> E>,
}

impl<N, F, E> Shared<N, F, E> {
    pub(super) fn new(
        init: N,
        compute: F,
        options: Options,
        coordinator: Arc<Coordinator<E>>,
    ) -> Self {
        Self { init, compute, options, coordinator, error: PhantomData }
    }

    /// Runs batch after batch in a slot, until there are no more for it.
    pub(super) fn work<S>(&self, slot: &Slot)
    where
        N: Fn(&BatchPlace) -> Result<S, E>,
        F: Fn(&mut S, &Array, &BatchPlace) -> Result<Array, E>,
        E: From<arrayspan_bridge::Error> + OutOfMemory,
    {
        let position = slot.place.position;
        let _default = slot.place.stream.as_default();
        let runner = Runner { slot, options: &self.options, coordinator: &self.coordinator };
        let mut state = None;
        while let Some((index, input)) = self.coordinator.next(position) {
            let ran = catch_unwind(AssertUnwindSafe(|| {
                let state = match &mut state {
                    Some(state) => state,
                    none => none.insert((self.init)(&slot.place)?),
                };
                let parts = runner.run(&input, &mut |x, on| (self.compute)(state, x, on))?;
                let stages: Vec<Stages> = parts.iter().map(|part| part.stages.clone()).collect();
                Ok((slot.join(parts, self.options.keep)?, stages))
            }));
            match ran {
                Ok(Ok((array, stages))) => {
                    drop(input);
                    let done = Outcome::Done(array);
                    self.coordinator.end(index, done, |counts| counts[position].add(&stages));
                }
                Ok(Err(error)) => self.failed(slot, index, input, error),
                Err(panic) => self.coordinator.end(index, Outcome::Panicked(panic), |_| ()),
            }
        }
    }

    /// A batch has failed: with a device, or by itself.
    fn failed(&self, slot: &Slot, index: usize, input: SharedArray, error: E)
    where
        E: OutOfMemory,
    {
        let reassign = self.options.on_lost == OnLost::Reassign;
        let lost = if reassign { self.lost(slot, &error) } else { Vec::new() };
        let position = slot.place.position;
        if !lost.is_empty() && self.coordinator.lose(&lost, position, index, input).is_ok() {
            return;
        }
        self.coordinator.end(index, Outcome::Failed(error), |_| ());
    }

    /// The positions whose device has failed for good, as an error of a batch or the slot's own stream tells. That need
    /// not be the slot's device: what the batch uses may be on another.
    fn lost(&self, slot: &Slot, error: &E) -> Vec<usize>
    where
        E: OutOfMemory,
    {
        let named = error.lost_device();
        let own = named.is_some_and(|name| name == slot.place.device.to_string());
        if own || is_lost(&slot.place.stream) {
            return vec![slot.place.position];
        }
        named.map_or(Vec::new(), |name| self.coordinator.positions_of(name))
    }
}

/// Whether the stream's device has failed for good.
fn is_lost(stream: &Stream) -> bool {
    let ended = stream.record().and_then(|end| end.synchronize());
    matches!(ended, Err(arrayspan_devices::Error::DeviceLost { .. }))
}
