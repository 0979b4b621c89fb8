//! A run under way, as its caller sees it.

use std::fmt;
use std::iter::FusedIterator;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use arrayspan_bridge::{Array, Result};

use super::coordinator::{Coordinator, Outcome};
use super::report::BatchReport;

/// How long the end of a run waits for an input that is asked for a batch at that moment.
const GRACE: Duration = Duration::from_secs(1);

/// A run under way: an iterator over the results, in the order of the input, that waits for each.
///
/// The first failure in that order is the last thing returned, after the results before it, as of a loop; by then
/// all work under way has ended and memory is given back. A panic of the caller's functions goes on here. Dropping
/// the run cancels it: what has started ends, nothing starts.
///
/// An input iterator that waits does not hold this up: a run that ends while its `next` is under way gives it a second to
/// return. After that the thread that called it is left behind, with the iterator and nothing else of the run; what `next`
/// returns later is dropped there, then the iterator, and the thread ends.
pub struct Run<E> {
    coordinator: Arc<Coordinator<E>>,
    /// None where a scope waits for them.
    pub(super) threads: Vec<JoinHandle<()>>,
    /// The thread that takes batches from the input, unless a scope waits for it.
    pub(super) input: Option<JoinHandle<()>>,
    over: bool,
}

impl<E> Run<E> {
    pub(super) fn new(coordinator: Arc<Coordinator<E>>) -> Self {
        Self { coordinator, threads: Vec::new(), input: None, over: false }
    }

    /// What has been done so far; complete once the last result was returned.
    #[must_use]
    pub fn report(&self) -> BatchReport {
        self.coordinator.report()
    }

    /// Waits until `next` would return at once, for `time` at most; whether it would. For callers that have to look after something
    /// else meanwhile.
    #[must_use]
    pub fn is_due_within(&self, time: Duration) -> bool {
        self.over || self.coordinator.is_due_within(time)
    }

    fn end(&mut self) {
        self.over = true;
        self.coordinator.cancel();
        for thread in self.threads.drain(..) {
            // What may panic there is caught there; the end of a thread has nothing more to tell.
            let _ = thread.join();
        }
        // One that waits for something of others' may never end.
        if let Some(input) = self.input.take().filter(|_| self.coordinator.is_fed(GRACE)) {
            let _ = input.join();
        }
    }
}

impl<E> Iterator for Run<E> {
    type Item = Result<Array, E>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        match self.coordinator.result() {
            Some(Outcome::Done(array)) => return Some(Ok(array)),
            Some(Outcome::Failed(error)) => {
                self.end();
                return Some(Err(error));
            }
            Some(Outcome::Panicked(panic)) => {
                self.end();
                resume_unwind(panic)
            }
            None => self.end(),
        }
        None
    }
}

impl<E> FusedIterator for Run<E> {}

impl<E> Drop for Run<E> {
    fn drop(&mut self) {
        self.end();
    }
}

impl<E> fmt::Debug for Run<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Run({} threads)", self.threads.len())
    }
}
