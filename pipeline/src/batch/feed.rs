//! Who takes batches from the input: one thread for all slots.

use std::sync::Arc;

use arrayspan_bridge::SharedArray;

use super::assignment::Placement;
use super::coordinator::Coordinator;

/// The input of a run, and what is to be done with it. A thread of its own takes batches from it, so that an iterator that
/// waits (for a file, for a channel) keeps nobody else from anything.
pub(super) struct Feed<I, E> {
    inputs: I,
    placement: Placement,
    ended: Ended<E>,
}

/// Tells the coordinator that the input has been given up, whatever the iterator and its end may do.
struct Ended<E>(Arc<Coordinator<E>>);

impl<I, E> Feed<I, E> {
    pub(super) fn new(inputs: I, placement: Placement, coordinator: Arc<Coordinator<E>>) -> Self {
        Self { inputs, placement, ended: Ended(coordinator) }
    }

    /// Takes batches until there are no more or none is wanted any more.
    pub(super) fn work(self)
    where
        I: Iterator<Item: Into<SharedArray>>,
        E: From<arrayspan_bridge::Error>,
    {
        let Self { mut inputs, placement, ended } = self;
        ended.0.feed(&placement, || inputs.next().map(Into::into));
        drop(inputs);
        drop(ended);
    }
}

impl<E> Drop for Ended<E> {
    fn drop(&mut self) {
        self.0.fed();
    }
}
