//! The order in which the slots of a device upload and compute.

use std::sync::Arc;

use arrayspan_devices::{Event, Stream};
use parking_lot::{Condvar, Mutex};

use crate::Result;

/// The order in which the slots of a device upload and compute: one after the other, and first come, first served.
///
/// Uploads that shared the bus, and batches that shared the device, would each take longer, and the first result and
/// all that follows from it would come later.
pub(super) struct Turns {
    /// Whether batches compute one after the other, too.
    one_computes: bool,
    uploads: Mutex<Last>,
    computing: Mutex<Last>,
    changed: Condvar,
}

#[derive(Default)]
struct Last {
    /// The number of the next in turn.
    next: usize,
    /// Where the one before ends.
    end: Option<Arc<Event>>,
}

/// The turn of a batch that has been uploaded. Passes on to the next when dropped.
pub(super) struct Turn<'a> {
    turns: &'a Turns,
    number: usize,
    /// Where the batch's work ends, once that is enqueued.
    end: Option<Arc<Event>>,
}

impl Turns {
    pub(super) fn new(one_computes: bool) -> Self {
        let (uploads, computing) = (Mutex::default(), Mutex::default());
        Self { one_computes, uploads, computing, changed: Condvar::new() }
    }

    /// Enqueues an upload on `stream` behind the one before. Returns where it begins and ends, and the batch's turn to
    /// compute.
    pub(super) fn upload<T>(
        &self,
        stream: &Stream,
        upload: impl FnOnce() -> Result<T>,
    ) -> Result<(T, [Arc<Event>; 2], Turn<'_>)> {
        let mut uploads = self.uploads.lock();
        uploads.end.iter().try_for_each(|end| stream.wait(end))?;
        let begin = Arc::new(stream.record()?);
        let done = upload()?;
        let end = Arc::new(stream.record()?);
        uploads.end = Some(end.clone());
        let turn = Turn { turns: self, number: uploads.next, end: None };
        uploads.next += 1;
        Ok((done, [begin, end], turn))
    }
}

impl Turn<'_> {
    /// Waits until all whose turn comes before have enqueued their work, and puts that of `stream` behind it. Returns
    /// where it begins.
    pub(super) fn begin(&self, stream: &Stream) -> Result<Event> {
        if self.turns.one_computes {
            let before = self.wait().end.clone();
            before.iter().try_for_each(|end| stream.wait(end))?;
        }
        Ok(stream.record()?)
    }

    /// All work of the turn is enqueued on `stream`: the next one's comes after it. Returns where it ends.
    pub(super) fn end(mut self, stream: &Stream) -> Result<Arc<Event>> {
        let end = Arc::new(stream.record()?);
        self.end = Some(end.clone());
        Ok(end)
    }

    fn wait(&self) -> parking_lot::MutexGuard<'_, Last> {
        let mut computing = self.turns.computing.lock();
        while computing.next != self.number {
            self.turns.changed.wait(&mut computing);
        }
        computing
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if !self.turns.one_computes {
            return;
        }
        // After a failure, too, and after one before the turn came: those that wait do not wait for ever.
        let end = self.end.take();
        let mut computing = self.wait();
        computing.next += 1;
        if end.is_some() {
            computing.end = end;
        }
        self.turns.changed.notify_all();
    }
}
