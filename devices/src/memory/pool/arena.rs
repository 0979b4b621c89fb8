//! The blocks freed on one stream last, which that stream may reuse at once.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use parking_lot::Mutex;

use super::sizes::{Kind, Request};

/// Blocks an arena keeps. Few enough to look through, enough for the temporaries of one operation.
const ROOM: usize = 64;

/// Memory that has been handed out, or waits to be handed out again as it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(super) kind: Kind,
    /// What it was cut out of: the address the driver gave.
    pub(super) segment: usize,
    pub(super) offset: usize,
    pub(super) bytes: usize,
    /// Its own address in the driver's terms.
    pub(crate) address: usize,
}

impl Block {
    /// What it takes, in bytes.
    pub(crate) fn size(&self) -> usize {
        self.bytes
    }
}

/// The blocks freed on one stream last. Work queued on the stream from now on comes after all work that used them,
/// so they can be given out again on it without an event and without asking the driver.
#[derive(Debug)]
pub(crate) struct Arena {
    /// Unlike a handle, never used again.
    id: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    recent: Vec<Block>,
    /// Whether the pool has been told of the stream.
    known: bool,
}

impl Arena {
    pub(crate) fn new() -> Self {
        static IDS: AtomicU64 = AtomicU64::new(1);
        Self { id: IDS.fetch_add(1, Relaxed), state: Mutex::default() }
    }

    pub(super) fn id(&self) -> u64 {
        self.id
    }

    /// The latest block that serves the request as it is.
    pub(super) fn pop(&self, request: &Request) -> Option<Block> {
        let mut state = self.state.lock();
        let fits = |block: &Block| (request.bytes..=request.most).contains(&block.bytes);
        let at = state.recent.iter().rposition(fits)?;
        Some(state.recent.remove(at))
    }

    /// Keeps a block. Returns those that have to make room for it, and whether the pool has yet to be told of the
    /// stream.
    pub(super) fn push(&self, block: Block) -> (Vec<Block>, bool) {
        let mut state = self.state.lock();
        let older = if state.recent.len() < ROOM {
            Vec::new()
        } else {
            state.recent.drain(..ROOM / 2).collect()
        };
        state.recent.push(block);
        (older, !std::mem::replace(&mut state.known, true))
    }

    /// All blocks, which the arena gives up.
    pub(super) fn drain(&self) -> Vec<Block> {
        std::mem::take(&mut self.state.lock().recent)
    }

    /// Whether the pool has yet to be told of the stream, which is then taken as done.
    pub(super) fn introduce(&self) -> bool {
        let mut state = self.state.lock();
        !std::mem::replace(&mut state.known, true)
    }

    /// Whether the pool may hold something that waits for the stream.
    pub(super) fn is_known(&self) -> bool {
        self.state.lock().known
    }

    /// The largest block.
    pub(super) fn largest(&self) -> usize {
        let state = self.state.lock();
        state.recent.iter().map(|block| block.bytes).max().unwrap_or(0)
    }
}
