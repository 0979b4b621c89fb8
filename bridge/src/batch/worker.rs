//! What the thread of a slot does.

use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrayspan_devices::Stream;
use arrayspan_devices::retry::OutOfMemory;

use super::board::{Board, Outcome};
use super::lane::{Lane, Place, Stages};
use super::plan::{OnLost, Options};
use super::recover::Runner;
use crate::{Array, Result, SharedArray};

/// What all slots of a run use.
pub(super) struct Shared<N, F, E> {
    init: N,
    compute: F,
    options: Options,
    pub(super) board: Arc<Board<E>>,
    error: PhantomData<fn() -> E>,
}

impl<N, F, E> Shared<N, F, E> {
    pub(super) fn new(init: N, compute: F, options: Options, board: Arc<Board<E>>) -> Self {
        Self { init, compute, options, board, error: PhantomData }
    }

    /// Runs batch after batch in a slot, until there are no more for it.
    pub(super) fn work<S>(&self, lane: &Lane)
    where
        N: Fn(&Place) -> Result<S, E>,
        F: Fn(&mut S, &Array, &Place) -> Result<Array, E>,
        E: From<crate::Error> + OutOfMemory,
    {
        let position = lane.place.position;
        let _default = lane.place.stream.as_default();
        let runner = Runner { lane, options: &self.options, board: &self.board };
        let mut state = None;
        while let Some((index, input)) = self.board.next(position) {
            let ran = catch_unwind(AssertUnwindSafe(|| {
                let state = match &mut state {
                    Some(state) => state,
                    none => none.insert((self.init)(&lane.place)?),
                };
                let parts = runner.run(&input, &mut |x, on| (self.compute)(state, x, on))?;
                let stages: Vec<Stages> = parts.iter().map(|part| part.stages.clone()).collect();
                Ok((lane.join(parts, self.options.keep)?, stages))
            }));
            match ran {
                Ok(Ok((array, stages))) => {
                    drop(input);
                    let done = Outcome::Done(array);
                    self.board.end(index, done, |counts| counts[position].add(&stages));
                }
                Ok(Err(error)) => self.failed(lane, index, input, error),
                Err(panic) => self.board.end(index, Outcome::Panicked(panic), |_| ()),
            }
        }
    }

    /// A batch has failed: with its device, or by itself.
    fn failed(&self, lane: &Lane, index: usize, input: SharedArray, error: E) {
        let reassign = self.options.on_lost == OnLost::Reassign && is_lost(&lane.place.stream);
        if reassign && self.board.lose(lane.place.position, index, input).is_ok() {
            return;
        }
        self.board.end(index, Outcome::Failed(error), |_| ());
    }
}

/// Whether the stream's device has failed for good.
fn is_lost(stream: &Stream) -> bool {
    let ended = stream.record().and_then(|end| end.synchronize());
    matches!(ended, Err(arrayspan_devices::Error::DeviceLost { .. }))
}
