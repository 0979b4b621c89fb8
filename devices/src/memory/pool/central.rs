//! Free memory that is no longer in the arena of a stream, and which streams may use it when.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::arena::Block;
use super::heap::{After, Heap, Part};
use super::lane::Queue;
use super::sizes::{Kind, Request};
use crate::driver::StreamDriver;
use crate::{Device, Event, Result};

/// Free memory of a device beyond the arenas.
#[derive(Debug)]
pub(super) struct Central {
    pub(super) shared: Heap,
    pub(super) whole: Heap,
    /// Streams that free parts wait for, by the number of their arena.
    orders: HashMap<u64, Order>,
}

/// The progress of a stream. Events are recorded only when another stream could use what this one has freed.
#[derive(Debug, Default)]
struct Order {
    /// The number of blocks freed so far: the latest position that parts wait for.
    freed: u64,
    /// The position up to which the stream is done.
    done: u64,
    /// Later positions with their events, in order.
    marks: VecDeque<(u64, Arc<Event>)>,
}

/// A part and what comes before its use.
#[derive(Debug)]
pub(super) struct Later {
    pub(super) part: Part,
    pub(super) after: After,
    pub(super) event: Option<Arc<Event>>,
}

impl Order {
    fn marked(&self) -> u64 {
        self.marks.back().map_or(self.done, |(at, _)| *at)
    }
}

impl Central {
    pub(super) fn new() -> Self {
        Self { shared: Heap::new(true), whole: Heap::new(false), orders: HashMap::new() }
    }

    pub(super) fn heap(&mut self, kind: Kind) -> &mut Heap {
        if kind == Kind::Shared { &mut self.shared } else { &mut self.whole }
    }

    /// A part that `stream` may use without waiting.
    pub(super) fn take(&mut self, request: &Request, stream: u64) -> Option<Part> {
        let heap = self.heap(request.kind);
        heap.take(request.bytes, |after| after.allows(stream)).map(|(part, _)| part)
    }

    /// A part for which a stream has to wait.
    pub(super) fn take_later(
        &mut self,
        device: Device,
        request: &Request,
        queues: &[Arc<dyn Queue>],
    ) -> Option<Later> {
        self.mark(device, queues);
        let Self { shared, whole, orders } = self;
        let heap = if request.kind == Kind::Shared { shared } else { whole };
        let event = |after| match after {
            After::Nothing => Some(None),
            After::Stream { id, at } => {
                let mut marks = orders.get(&id)?.marks.iter();
                marks.find(|(mark, _)| *mark >= at).map(|(_, event)| Some(event.clone()))
            }
        };
        let (part, after) = heap.take(request.bytes, |after| event(after).is_some())?;
        Some(Later { part, after, event: event(after).flatten() })
    }

    /// Keeps what was freed on a stream. On the CPU, whose streams are always empty, all streams may use it.
    pub(super) fn give(&mut self, device: Device, stream: u64, blocks: &[Block]) {
        if blocks.is_empty() {
            return;
        }
        let after = if device.is_cpu() {
            After::Nothing
        } else {
            let order = self.orders.entry(stream).or_default();
            order.freed += 1;
            After::Stream { id: stream, at: order.freed }
        };
        for &Block { kind, segment, offset, bytes, .. } in blocks {
            self.heap(kind).give(Part { segment, offset, bytes }, after);
        }
    }

    /// Has every stream that lives mark what it has freed. What cannot be marked stays with its stream.
    pub(super) fn mark(&mut self, device: Device, queues: &[Arc<dyn Queue>]) {
        for queue in queues {
            let Some(order) = self.orders.get_mut(&queue.arena().id()) else { continue };
            if order.marked() < order.freed {
                match queue.driver().record() {
                    Ok(event) => {
                        order.marks.push_back((order.freed, Event::new(device, event).into()));
                    }
                    Err(error) => tracing::warn!(%error, "freed memory stays with its stream"),
                }
            }
        }
    }

    /// Marks what a stream has freed that is about to end. Without a mark it is never used again: a leak is
    /// harmless, an early reuse is not.
    pub(super) fn end(
        &mut self,
        device: Device,
        stream: u64,
        driver: &dyn StreamDriver,
    ) -> Result<()> {
        let Some(order) = self.orders.get_mut(&stream) else { return Ok(()) };
        if order.marked() < order.freed {
            let event = Event::new(device, driver.record()?);
            order.marks.push_back((order.freed, event.into()));
        }
        Ok(())
    }

    /// The last event of every stream that something waits for.
    pub(super) fn events(&self) -> Vec<Arc<Event>> {
        self.orders.values().filter_map(|order| Some(order.marks.back()?.1.clone())).collect()
    }

    /// Finds out which marks streams have passed; all streams may use what waited for them. Does not wait. Where work has
    /// failed, nothing that waits for it is given out again.
    pub(super) fn settle(&mut self) {
        let Self { shared, whole, orders } = self;
        for (&stream, order) in orders.iter_mut() {
            let mut passed = order.done;
            while let Some((at, event)) = order.marks.front() {
                if !event.is_complete().unwrap_or(false) {
                    break;
                }
                passed = *at;
                order.marks.pop_front();
            }
            if passed > order.done {
                order.done = passed;
                shared.settle(stream, passed);
                whole.settle(stream, passed);
            }
        }
        // Nothing waits for these; they are made again if their streams free more.
        orders.retain(|_, order| order.done < order.freed);
    }

    /// The largest free part.
    pub(super) fn largest(&self) -> usize {
        self.shared.largest().max(self.whole.largest())
    }
}
