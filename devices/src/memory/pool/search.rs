//! Where a block comes from that the stream's own arena does not have, the cheapest way first.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::Pool;
use super::arena::Block;
use super::central::Later;
use super::heap::Part;
use super::lane::{Lane, Queue, Queues};
use super::sizes::{Kind, Request};
use crate::driver::StreamDriver;
use crate::memory::account::{self, Action};
use crate::memory::refusal::{Refusal, Refused};
use crate::{Device, Error, Result};

/// How often a shortage is looked into: other threads may take what was just given back.
const ROUNDS: usize = 8;

impl Pool {
    /// Finds a block: what this stream may use at once; what any stream has freed whose work is done; more from the
    /// driver. Only then come the ways that cost others something.
    pub(super) fn search(&self, request: &Request, lane: Lane<'_>) -> Result<Block> {
        if let Some(block) = self.at_once(request, lane)? {
            return Ok(block);
        }
        let device = lane.device;
        // Requests of this kind are not served from the pool; its free blocks are given up only when the driver refuses.
        if request.kind == Kind::Direct {
            return match self.grow(request, lane) {
                Err(error @ Error::OutOfMemory { .. }) => {
                    let queues = self.gather(device);
                    self.in_need(error, request, lane, queues)
                }
                done => done,
            };
        }
        let queues = self.gather(device);
        {
            let mut central = self.central.lock();
            // With an event recorded now, the next search may find it done.
            central.mark(device, &queues);
            central.settle();
        }
        if let Some(block) = self.at_once(request, lane)? {
            return Ok(block);
        }
        match self.grow(request, lane) {
            Err(error @ Error::OutOfMemory { .. }) => self.in_need(error, request, lane, queues),
            done => done,
        }
    }

    /// Memory is short: what other queues have freed is used after their work; then the host waits for all of it;
    /// then everything unused goes back to the driver, for it to make something larger of.
    fn in_need(
        &self,
        mut refused: Error,
        request: &Request,
        lane: Lane<'_>,
        mut queues: Queues,
    ) -> Result<Block> {
        let device = lane.device;
        for _ in 0..ROUNDS {
            if self.can_never_fit(device, request) {
                break;
            }
            if let Some(block) = self.later(request, lane, &queues)? {
                return Ok(block);
            }
            self.wait_for_all(device, &queues, lane.driver())?;
            if let Some(block) = self.at_once(request, lane)? {
                return Ok(block);
            }
            let freed = self.evict(device, lane.driver(), lane.arena().id(), usize::MAX);
            match self.grow(request, lane) {
                Err(error @ Error::OutOfMemory { .. }) => refused = error,
                done => return done,
            }
            // What is in the way may be segments of which a part is in use.
            let corner = self.sizes.corner(request);
            if request.kind == Kind::Whole
                && let Some(block) = self.at_once(&corner, lane)?
            {
                return Ok(block);
            }
            if freed == 0 {
                break;
            }
            queues = self.gather(device);
        }
        // What the driver has taken for the refused request would be missing elsewhere.
        if let Err(error) = device.0.driver.trim() {
            device.0.defer(error);
        }
        Err(self.explain(device, refused))
    }

    /// A part of the central memory that `stream` may use without waiting.
    fn at_once(&self, request: &Request, lane: Lane<'_>) -> Result<Option<Block>> {
        if request.kind == Kind::Direct || self.is_over() {
            return Ok(None);
        }
        let found = self.central.lock().take(request, lane.arena().id());
        found.map(|part| self.taken(part, request.kind, lane)).transpose()
    }

    /// A part of the central memory for whose last use `stream` is made to wait. The host does not.
    fn later(
        &self,
        request: &Request,
        lane: Lane<'_>,
        queues: &[Arc<dyn Queue>],
    ) -> Result<Option<Block>> {
        if request.kind == Kind::Direct || self.is_over() {
            return Ok(None);
        }
        let found = self.central.lock().take_later(lane.device, request, queues);
        let Some(Later { part, after, event }) = found else { return Ok(None) };
        if let Some(event) = event
            && let Err(error) = lane.driver().wait(event.driver())
        {
            self.central.lock().heap(request.kind).give(part, after);
            return Err(error);
        }
        self.taken(part, request.kind, lane).map(Some)
    }

    /// Blocks the host until nothing that was freed is in use any more.
    pub(super) fn wait_for_all(
        &self,
        device: Device,
        queues: &[Arc<dyn Queue>],
        stream: &dyn StreamDriver,
    ) -> Result<()> {
        let events = {
            let mut central = self.central.lock();
            central.mark(device, queues);
            central.events()
        };
        for event in events {
            event.synchronize()?;
        }
        // The driver's own pool takes back only what queues have passed.
        stream.synchronize()?;
        self.central.lock().settle();
        Ok(())
    }

    /// Moves what all arenas hold to the central part; the queues that live.
    pub(super) fn gather(&self, device: Device) -> Queues {
        let queues = self.queues();
        for arena in queues.iter().map(|queue| queue.arena()).chain([&self.host]) {
            let blocks = arena.drain();
            if !blocks.is_empty() {
                self.take_in(device, arena.id(), &blocks);
            }
        }
        queues
    }

    /// Takes a new segment from the driver and a block out of it.
    fn grow(&self, request: &Request, lane: Lane<'_>) -> Result<Block> {
        let segment = match request.kind {
            Kind::Shared => {
                let (_, shared) = self.central.lock().shared.segments();
                self.sizes.segment(shared)
            }
            Kind::Direct | Kind::Whole => request.bytes,
        };
        let least = self.sizes.least(request);
        match self.segment(segment, request, lane) {
            // A smaller segment may be available.
            Err(Error::OutOfMemory { .. }) if segment > least.bytes => {
                self.segment(least.bytes, &least, lane)
            }
            done => done,
        }
    }

    fn segment(&self, bytes: usize, request: &Request, lane: Lane<'_>) -> Result<Block> {
        let device = lane.device;
        self.reserve(device, bytes, request.asked)?;
        let segment = match device.0.driver.allocate(bytes, lane.driver()) {
            Ok(segment) => segment,
            Err(error) => {
                self.reserved.fetch_sub(bytes, Relaxed);
                self.held.fetch_sub(bytes, Relaxed);
                return Err(for_request(error, request));
            }
        };
        self.peak_reserved.fetch_max(self.reserved(), Relaxed);
        self.segments.fetch_add(1, Relaxed);
        let part = Part { segment, offset: 0, bytes: request.bytes };
        if request.kind == Kind::Direct {
            return Ok(Block { kind: Kind::Direct, segment, offset: 0, bytes, address: segment });
        }
        account::reserved(device, Action::Grow, bytes);
        self.cached.fetch_add(bytes, Relaxed);
        self.central.lock().heap(request.kind).add(segment, bytes);
        if bytes > request.bytes {
            // The driver has promised the segment to this stream alone.
            let rest = Part { segment, offset: request.bytes, bytes: bytes - request.bytes };
            self.leave(rest, request.kind, lane);
        }
        self.taken(part, request.kind, lane)
    }

    /// Leaves a part to the central memory, after the present end of `stream`.
    fn leave(&self, part: Part, kind: Kind, lane: Lane<'_>) {
        let Part { segment, offset, bytes } = part;
        let block = Block { kind, segment, offset, bytes, address: segment };
        self.central.lock().give(lane.device, lane.arena().id(), &[block]);
        if self.arena(lane).introduce() {
            self.introduce(lane);
        }
    }

    /// Makes a block of a part that was cached.
    fn taken(&self, part: Part, kind: Kind, lane: Lane<'_>) -> Result<Block> {
        let Part { segment, offset, bytes } = part;
        let device = lane.device;
        let address = match kind {
            Kind::Shared => device.0.driver.part(segment, offset, bytes),
            Kind::Direct | Kind::Whole => Ok(segment),
        };
        match address {
            Ok(address) => {
                self.cached.fetch_sub(bytes, Relaxed);
                Ok(Block { kind, segment, offset, bytes, address })
            }
            Err(error) => {
                self.leave(part, kind, lane);
                Err(error)
            }
        }
    }

    fn can_never_fit(&self, device: Device, request: &Request) -> bool {
        let there = device.info().memory_bytes;
        let least = self.sizes.least(request).bytes;
        there > 0 && least > there || self.bounds.limit().is_some_and(|most| least > most)
    }

    /// Adds to a refusal what the pool holds.
    pub(super) fn explain(&self, device: Device, error: Error) -> Error {
        let Error::OutOfMemory { device: at, bytes, code, refusal, tried } = error else {
            return error;
        };
        let there = device.info().memory_bytes;
        let why = match refusal.map(|refused| refused.why) {
            Some(why @ (Refusal::Limit { .. } | Refusal::Headroom { .. })) => why,
            _ if there > 0 && bytes > there => Refusal::NeverFits { device_bytes: there },
            _ => Refusal::Driver { code },
        };
        let figures = self.figures();
        let refused = Refused {
            why,
            reserved: figures.reserved,
            live: device.statistics().live_bytes,
            largest_free: figures.largest_free,
        };
        Error::OutOfMemory { device: at, bytes, code, refusal: Some(Box::new(refused)), tried }
    }
}

/// A driver's refusal in terms of what was asked for, not of the segment that it was asked for.
fn for_request(error: Error, request: &Request) -> Error {
    match error {
        Error::OutOfMemory { device, code, .. } => {
            Error::out_of_memory(device, request.asked, code)
        }
        other => other,
    }
}
