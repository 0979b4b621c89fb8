//! A device's queue of work, as its pool sees it: what was freed on it, and how far it is.

use std::ops::Deref;
use std::sync::{Arc, Weak};

use super::arena::Arena;
use crate::Device;
use crate::driver::StreamDriver;
use crate::memory::duty::elsewhere;

/// What a pool needs of a queue. It keeps weak references to queues with blocks in their arenas.
pub(crate) trait Queue: Send + Sync {
    /// What was freed on it last.
    fn arena(&self) -> &Arena;
    /// Records events, and allocates and frees in its order.
    fn driver(&self) -> &dyn StreamDriver;
    /// A weak reference to itself.
    fn weak(&self) -> Weak<dyn Queue>;
}

/// A queue of a device.
#[derive(Clone, Copy)]
pub(crate) struct Lane<'a> {
    pub(crate) device: Device,
    pub(crate) queue: &'a dyn Queue,
}

impl<'a> Lane<'a> {
    pub(super) fn arena(self) -> &'a Arena {
        self.queue.arena()
    }

    pub(super) fn driver(self) -> &'a dyn StreamDriver {
        self.queue.driver()
    }
}

/// Queues that were alive when listed. If the last reference to one is dropped here, what it holds of another library is
/// released on another thread: this one may be looking for memory under a lock of its caller.
pub(super) struct Queues(pub(super) Vec<Arc<dyn Queue>>);

impl Deref for Queues {
    type Target = [Arc<dyn Queue>];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Drop for Queues {
    fn drop(&mut self) {
        let _elsewhere = elsewhere();
        self.0.clear();
    }
}
