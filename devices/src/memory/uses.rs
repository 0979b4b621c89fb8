//! Which streams use a block, and who must wait for whom.

use super::Access;
use crate::{Event, Result, Stream};

/// The streams with possibly unfinished work on a block.
///
/// No event is recorded while one stream uses a block, which is the common case: an event is made only
/// when a second stream comes, and then covers all the first has queued. That waits for a little more
/// than necessary and costs nothing per launch.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    writer: Option<Stream>,
    /// Whether the writer has only been told of work that belongs to the block's owner.
    owners: bool,
    /// Streams that read after the last write; each already waits for the writer.
    readers: Vec<Stream>,
}

impl Uses {
    pub(crate) fn written_by(stream: &Stream) -> Self {
        Self { writer: queued(stream), ..Self::default() }
    }

    /// The owner's work, which nobody has to wait for before the block goes back to the owner.
    pub(crate) fn ready_on(stream: &Stream) -> Self {
        Self { owners: true, ..Self::written_by(stream) }
    }

    pub(crate) fn acquire(&mut self, stream: &Stream, access: Access) -> Result<()> {
        match access {
            Access::Read => self.read(stream),
            Access::Write => self.write(stream),
        }
    }

    fn read(&mut self, stream: &Stream) -> Result<()> {
        if self.writer.as_ref() == Some(stream) {
            self.owners = false;
            return Ok(());
        }
        if self.readers.contains(stream) {
            return Ok(());
        }
        if let Some(writer) = &self.writer {
            stream.wait_for(writer)?;
        }
        match queued(stream) {
            Some(stream) => self.readers.push(stream),
            // The host has waited for the writer: nothing is pending but reads.
            None => self.writer = None,
        }
        Ok(())
    }

    fn write(&mut self, stream: &Stream) -> Result<()> {
        for other in self.streams() {
            stream.wait_for(other)?;
        }
        self.readers.clear();
        self.writer = queued(stream);
        self.owners = false;
        Ok(())
    }

    /// Takes note of work that `stream` was given without asking.
    pub(crate) fn remember(&mut self, stream: &Stream) {
        if self.streams().all(|known| known != stream) {
            self.readers.extend(queued(stream));
        }
    }

    /// Takes note that all work of `stream` is done.
    pub(crate) fn forget(&mut self, stream: &Stream) {
        if self.writer.as_ref() == Some(stream) {
            self.writer = None;
            self.owners = false;
        }
        self.readers.retain(|reader| reader != stream);
    }

    /// Every stream with possibly unfinished work, each once unless it wrote and reads.
    pub(crate) fn streams(&self) -> impl Iterator<Item = &Stream> {
        self.writer.iter().chain(&self.readers)
    }

    /// Marks the end of all work so far but the owner's.
    pub(crate) fn record(&self) -> Result<Vec<Event>> {
        let ours = self.writer.iter().filter(|_| !self.owners);
        ours.chain(&self.readers).map(Stream::record).collect()
    }
}

/// The stream, if work on it can still be unfinished after the call that queued it.
fn queued(stream: &Stream) -> Option<Stream> {
    (!stream.device().is_cpu()).then(|| stream.clone())
}
