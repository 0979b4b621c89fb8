//! The order in which the slots of a device upload and compute.

use std::sync::Arc;

use arrayspan_bridge::Result;
use arrayspan_devices::{Event, Stream};
use parking_lot::{Condvar, Mutex, MutexGuard};

/// The order in which the slots of a device upload and compute: one after the other, and first come, first served.
///
/// Uploads that shared the bus, and batches that shared the device, would each take longer, and the first result and
/// all that follows from it would come later. What is enqueued in turn runs in turn, because slots share their streams.
pub(super) struct Turns {
    /// Whether batches compute one after the other, too.
    one_computes: bool,
    /// The number of the next batch to be uploaded; locked while one is.
    uploads: Mutex<usize>,
    /// The number of the batch whose turn it is to compute.
    computing: Mutex<usize>,
    changed: Condvar,
}

/// The turn of a batch that has been uploaded. Passes on to the next when dropped: when all work of the batch is
/// enqueued.
pub(super) struct Turn<'a> {
    turns: &'a Turns,
    number: usize,
}

impl Turns {
    pub(super) fn new(one_computes: bool) -> Self {
        let (uploads, computing) = (Mutex::default(), Mutex::default());
        Self { one_computes, uploads, computing, changed: Condvar::new() }
    }

    /// Enqueues an upload on `stream`. Returns where it begins and ends, and the batch's turn to compute.
    pub(super) fn upload<T>(
        &self,
        stream: &Stream,
        upload: impl FnOnce() -> Result<T>,
    ) -> Result<(T, [Arc<Event>; 2], Turn<'_>)> {
        let mut uploads = self.uploads.lock();
        let begin = Arc::new(stream.record()?);
        let done = upload()?;
        let end = Arc::new(stream.record()?);
        let turn = Turn { turns: self, number: *uploads };
        *uploads += 1;
        Ok((done, [begin, end], turn))
    }
}

impl Turn<'_> {
    /// Waits until all whose turn comes before have enqueued their work.
    pub(super) fn begin(&self) {
        if self.turns.one_computes {
            drop(self.wait());
        }
    }

    fn wait(&self) -> MutexGuard<'_, usize> {
        let mut computing = self.turns.computing.lock();
        while *computing != self.number {
            self.turns.changed.wait(&mut computing);
        }
        computing
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if self.turns.one_computes {
            // After a failure, too, and after one before the turn came: those that wait do not wait for ever.
            *self.wait() += 1;
            self.turns.changed.notify_all();
        }
    }
}
