//! The blocks that visit one device: what of them is there, and what is on its way.

use arrayspan_bridge::devices::{Device, Event};
use arrayspan_bridge::{Array, DType, View, ViewMut};
use arrayspan_kernels::{Executor, Update};

use super::stop::{Stop, executor};
use crate::form::Partition;
use crate::{Context, LinearMap, Operator, Result};

/// What all blocks have in common.
pub(super) struct Ends<'a> {
    /// How what is read and what is written are divided among the blocks, if they are.
    pub(super) from: Option<&'a Partition>,
    pub(super) to: Option<&'a Partition>,
    pub(super) update: Update<'a>,
    /// Whether one device alone is visited. Queues of several would wait for each other to write to one array.
    pub(super) alone: bool,
    pub(super) adjoint: bool,
}

/// The visits of one device, while an operator is applied.
pub(super) struct Visit<'a> {
    stop: &'a Stop,
    parts: &'a [Operator],
    /// What all blocks read, once it is there.
    shared: Option<Array>,
    /// What they add up to.
    sum: Option<Array>,
    blocks: Vec<Block>,
}

/// One block on its way.
#[derive(Default)]
struct Block {
    /// Page-locked, on the host, for what is sent.
    staged: Option<Array>,
    loaded: Option<Array>,
    result: Option<Array>,
    /// Where the result has come back to, unless it went where it belongs.
    landed: Option<Array>,
    done: Option<Event>,
}

impl<'a> Visit<'a> {
    pub(super) fn new(stop: &'a Stop, parts: &'a [Operator]) -> Self {
        let blocks = stop.blocks.iter().map(|_| Block::default()).collect();
        Self { stop, parts, shared: None, sum: None, blocks }
    }

    /// Sends what the block reads, by its own queue.
    pub(super) fn load(
        &mut self,
        number: usize,
        ends: &Ends<'_>,
        on: &Context<'_>,
        x: &View<'_>,
    ) -> Result<()> {
        let device = self.stop.device;
        if x.device() == device {
            return Ok(());
        }
        let Some(from) = ends.from else {
            if self.shared.is_none() {
                let worker = executor(on, device)?;
                let mut shared = worker.empty(x.shape(), x.dtype())?;
                carry(worker, executor(on, x.device())?, x.clone(), shared.view_mut())?;
                self.shared = Some(shared);
            }
            return Ok(());
        };
        let part = from.slices()[self.stop.blocks[number]].view(x.clone())?;
        let host = executor(on, x.device())?;
        let block = &mut self.blocks[number];
        // The CPU itself has no queues, and what it reads may wait where it is.
        let lane = self.stop.lane(number);
        let worker = lane.unwrap_or(host);
        if lane.is_some() && x.device().is_cpu() && !is_sent_as_it_lies(&part, device) {
            block.staged = pinned(part.shape(), part.dtype(), device);
        }
        let mut loaded = match lane {
            Some(lane) => lane.empty(part.shape(), part.dtype())?,
            None => executor(on, device)?.empty(part.shape(), part.dtype())?,
        };
        match &mut block.staged {
            Some(staged) => {
                host.copy(part, staged.view_mut(), Update::set())?;
                worker.transfer(staged.view(), loaded.view_mut())?;
            }
            None => worker.transfer(part, loaded.view_mut())?,
        }
        block.loaded = Some(loaded);
        Ok(())
    }

    /// Computes the block, and sends what it gives back.
    pub(super) fn compute(
        &mut self,
        number: usize,
        ends: &Ends<'_>,
        on: &mut Context<'_>,
        x: &View<'_>,
        y: ViewMut<'_>,
    ) -> Result<()> {
        let (device, which) = (self.stop.device, self.stop.blocks[number]);
        let part = &self.parts[which];
        let loaded = self.blocks[number].loaded.take();
        let x = match (&loaded, &self.shared, ends.from) {
            (Some(loaded), ..) => loaded.view(),
            (None, Some(shared), _) => shared.view(),
            (None, None, Some(from)) => from.slices()[which].view(x.clone())?,
            (None, None, None) => x.clone(),
        };
        let space = if ends.adjoint { part.domain() } else { part.range() };
        let enqueue = |on: &mut Context<'_>, y: ViewMut<'_>, update: Update<'_>| {
            let on = on.reborrow().at(device)?;
            if ends.adjoint {
                part.enqueue_adjoint(on, x.clone(), y, update)
            } else {
                part.enqueue(on, x.clone(), y, update)
            }
        };
        let Some(to) = ends.to else {
            let update = if self.sum.is_some() { Update::add() } else { Update::set() };
            let mut sum = match self.sum.take() {
                Some(sum) => sum,
                None => executor(on, device)?.empty(space.shape(), space.dtype())?,
            };
            enqueue(on, sum.view_mut(), update)?;
            self.sum = Some(sum);
            self.blocks[number].done = Some(executor(on, device)?.stream().record()?);
            return Ok(());
        };
        let mut place = to.slices()[which].view_mut(y)?;
        if place.device() == device {
            enqueue(on, place, ends.update)?;
            self.blocks[number].done = Some(executor(on, device)?.stream().record()?);
            return Ok(());
        }
        let mut result = executor(on, device)?.empty(space.shape(), space.dtype())?;
        enqueue(on, result.view_mut(), Update::set())?;
        // A transfer is asked of a device that has queues.
        let there = place.device();
        let lane = self.stop.lane(number);
        let worker = match lane {
            Some(lane) => lane,
            None => executor(on, there)?,
        };
        let direct = ends.alone
            && ends.update == Update::set()
            && (!there.is_cpu() || is_sent_as_it_lies(&place.view(), device));
        let block = &mut self.blocks[number];
        if direct {
            worker.transfer(result.view(), place.reborrow())?;
        } else {
            let locked = if there.is_cpu() && lane.is_some() {
                pinned(space.shape(), space.dtype(), device)
            } else {
                None
            };
            let mut landed = match locked {
                Some(landed) => landed,
                None => executor(on, there)?.empty(space.shape(), space.dtype())?,
            };
            worker.transfer(result.view(), landed.view_mut())?;
            block.landed = Some(landed);
        }
        block.done = Some(worker.stream().record()?);
        block.result = Some(result);
        Ok(())
    }

    /// Waits until the block is done, and writes what came back to its place.
    pub(super) fn retire(
        &mut self,
        number: usize,
        ends: &Ends<'_>,
        on: &Context<'_>,
        y: ViewMut<'_>,
    ) -> Result<()> {
        let Block { done, landed, .. } = std::mem::take(&mut self.blocks[number]);
        if let Some(done) = done {
            done.synchronize()?;
        }
        if let (Some(landed), Some(to)) = (landed, ends.to) {
            let place = to.slices()[self.stop.blocks[number]].view_mut(y)?;
            executor(on, place.device())?.copy(landed.view(), place, ends.update)?;
        }
        Ok(())
    }

    /// Adds what the blocks add up to, where that goes.
    pub(super) fn add(self, on: &Context<'_>, y: ViewMut<'_>, update: Update<'_>) -> Result<()> {
        let Some(sum) = self.sum else { return Ok(()) };
        let there = executor(on, y.device())?;
        if sum.device() == y.device() {
            return Ok(there.copy(sum.view(), y, update)?);
        }
        let mut landed = there.empty(sum.shape(), sum.dtype())?;
        carry(executor(on, sum.device())?, there, sum.view(), landed.view_mut())?;
        Ok(there.copy(landed.view(), y, update)?)
    }
}

/// From one device to another, asked of the one that has queues.
fn carry(first: &dyn Executor, second: &dyn Executor, x: View<'_>, y: ViewMut<'_>) -> Result<()> {
    let worker = if first.device().is_cpu() { second } else { first };
    Ok(worker.transfer(x, y)?)
}

/// Whether a device reads or writes an array of the host where it lies, without the host waiting.
fn is_sent_as_it_lies(array: &View<'_>, device: Device) -> bool {
    array.layout().is_contiguous() && array.memory().is_pinned(device)
}

/// Page-locked memory, as far as there is: without it transfers take longer and keep the host waiting.
fn pinned(shape: &[usize], dtype: DType, device: Device) -> Option<Array> {
    Array::pinned(shape, dtype, device).ok()
}
