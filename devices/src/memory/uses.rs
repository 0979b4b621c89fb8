//! Which streams use a block, and who must wait for whom.

use super::access::Access;
use crate::{Event, Result, Stream};

/// The streams with possibly unfinished work on a block.
///
/// Two facts are kept for each of them. Whether it *uses* the block: then later writers, and the release, come after
/// what is queued on it. Whether it is *ordered*: then what is queued on it from now on comes after the last write,
/// and may read at once. Neither follows from the other: a stream that another library has used is not ordered, and one
/// that waits for the writer need not use the block.
///
/// No event is recorded while one stream uses a block, which is the common case: an event is made only
/// when a second stream comes, and then covers all the first has queued. That waits for a little more
/// than necessary and costs nothing per launch.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    /// The stream of the last write, for which readers that are not ordered wait.
    writer: Option<Stream>,
    /// Whether the writer's stream uses the block. Not if all it holds is the work of the block's owner, to whom the
    /// block goes back.
    in_use: bool,
    others: Vec<Other>,
    /// Streams on which another library may queue work that uses the block, at any time until it is released. No write
    /// takes their place, because nobody tells when that work is queued.
    lent: Vec<Stream>,
}

/// A stream other than the writer's. Each is there once.
#[derive(Debug)]
struct Other {
    stream: Stream,
    uses: bool,
    ordered: bool,
}

impl Uses {
    pub(crate) fn written_by(stream: &Stream) -> Self {
        Self { writer: queued(stream), in_use: true, ..Self::default() }
    }

    /// The owner's work, which nobody has to wait for before the block goes back to the owner.
    pub(crate) fn ready_on(stream: &Stream) -> Self {
        Self { in_use: false, ..Self::written_by(stream) }
    }

    /// Whether nothing that is queued anywhere uses the block.
    pub(crate) fn is_idle(&self) -> bool {
        self.streams().next().is_none()
    }

    pub(crate) fn acquire(&mut self, stream: &Stream, access: Access) -> Result<()> {
        match access {
            Access::Read => self.read(stream),
            Access::Write => self.write(stream),
        }
    }

    fn read(&mut self, stream: &Stream) -> Result<()> {
        if self.writer.as_ref() == Some(stream) {
            self.in_use = true;
            return Ok(());
        }
        if let Some(known) = self.find(stream).filter(|known| known.ordered) {
            known.uses = true;
            return Ok(());
        }
        if let Some(writer) = &self.writer {
            stream.wait_for(writer)?;
        }
        match queued(stream) {
            Some(stream) => self.note(stream, true, true),
            // The host has waited for the writer: nothing is pending but reads.
            None => self.written(),
        }
        Ok(())
    }

    fn write(&mut self, stream: &Stream) -> Result<()> {
        // As in most calls: nothing is to be waited for, and nothing changes.
        let alone = self.others.is_empty() && self.lent.is_empty();
        if alone && self.writer.as_ref() == Some(stream) {
            self.in_use = true;
            return Ok(());
        }
        for other in self.streams() {
            stream.wait_for(other)?;
        }
        *self = Self { lent: std::mem::take(&mut self.lent), ..Self::written_by(stream) };
        Ok(())
    }

    /// Takes note of work that `stream` was given without asking.
    pub(crate) fn remember(&mut self, stream: &Stream) {
        if self.writer.as_ref() == Some(stream) {
            self.in_use = true;
        } else if let Some(stream) = queued(stream) {
            self.note(stream, true, false);
        }
    }

    /// Takes note that another library may queue work on `stream` from now on.
    pub(crate) fn lend(&mut self, stream: &Stream) {
        if !self.lent.contains(stream) {
            self.lent.extend(queued(stream));
        }
    }

    /// The streams on which other libraries may queue work.
    pub(crate) fn lent(&self) -> &[Stream] {
        &self.lent
    }

    /// Takes note that work queued on `stream` from now on comes after the last write.
    pub(crate) fn order(&mut self, stream: &Stream) {
        if self.writer.as_ref() != Some(stream)
            && let Some(stream) = queued(stream)
        {
            self.note(stream, false, true);
        }
    }

    /// Takes note that all work of `stream` is done.
    pub(crate) fn forget(&mut self, stream: &Stream) {
        if self.writer.as_ref() == Some(stream) {
            self.written();
        }
        self.others.retain(|other| other.stream != *stream);
        self.lent.retain(|lent| lent != stream);
    }

    /// The last write is done: whatever is queued from now on comes after it.
    fn written(&mut self) {
        self.writer = None;
        self.others.retain(|other| other.uses);
        self.others.iter_mut().for_each(|other| other.ordered = true);
    }

    /// Adds to what is known of a stream that is not the writer's.
    fn note(&mut self, stream: Stream, uses: bool, ordered: bool) {
        let ordered = ordered || self.writer.is_none();
        if let Some(known) = self.find(&stream) {
            known.uses |= uses;
            known.ordered |= ordered;
        } else if uses || self.writer.is_some() {
            self.others.push(Other { stream, uses, ordered });
        }
    }

    fn find(&mut self, stream: &Stream) -> Option<&mut Other> {
        self.others.iter_mut().find(|other| other.stream == *stream)
    }

    /// Every stream with possibly unfinished work, that of the block's owner included.
    pub(crate) fn streams(&self) -> impl Iterator<Item = &Stream> {
        self.writer.iter().chain(self.users()).chain(&self.lent)
    }

    fn users(&self) -> impl Iterator<Item = &Stream> {
        self.others.iter().filter(|other| other.uses).map(|other| &other.stream)
    }

    /// Marks the end of all work so far but the owner's.
    pub(crate) fn record(&self) -> Result<Vec<Event>> {
        let ours = self.writer.iter().filter(|_| self.in_use);
        let known: Vec<&Stream> = ours.chain(self.users()).collect();
        let lent = self.lent.iter().filter(|lent| !known.contains(lent));
        known.iter().copied().chain(lent).map(Stream::record).collect()
    }
}

/// The stream, if work on it can still be unfinished after the call that queued it.
fn queued(stream: &Stream) -> Option<Stream> {
    (!stream.device().is_cpu()).then(|| stream.clone())
}
