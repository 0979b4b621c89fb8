//! The trait of what runs the verbs.

mod elementwise;
mod linear;
mod reduce;

use std::fmt::Debug;
use std::sync::Arc;

use arrayspan_bridge::devices::{Device, Stream};
use arrayspan_bridge::{Array, DType, View};

use crate::graph::Graph;
use crate::plan::{Arrays, keep};
use crate::verb::Call;
use crate::{Error, Result};

/// Runs the verbs: on the host, on a GPU, or by passing them on and counting ([`Trace`](crate::Trace)). One per device and
/// stream.
///
/// Implementors are given checked calls. Callers use the methods of `dyn Executor`, one for each verb.
pub trait Executor: Debug + Send + Sync {
    /// The queue its work goes to.
    fn stream(&self) -> &Stream;

    /// Runs a checked call whose arguments live on this executor's device: enqueues it on
    /// [`stream`](Self::stream) and does not wait.
    ///
    /// # Errors
    /// When the device fails.
    fn execute(&self, call: &mut Call<'_>) -> Result<()>;

    /// Whether it keeps calls to be run later, as in [`Plan::record`](crate::Plan::record). Then work that is queued on
    /// the stream past it is not where its caller thinks it is, and no part of the plan.
    fn records(&self) -> bool {
        false
    }

    /// Whether there are [graphs](trait.Executor.html#method.graph) of its calls.
    fn has_graphs(&self) -> bool {
        false
    }

    /// An executor for the same stream that keeps its calls for a [graph](trait.Executor.html#method.graph) instead of making
    /// them; `None` where there are no graphs.
    ///
    /// # Errors
    /// When the device fails.
    fn keeping(&self) -> Result<Option<Box<dyn Executor>>> {
        Ok(None)
    }

    /// What such an executor has kept; `None` if a call was made that no graph can hold.
    ///
    /// # Errors
    /// When the device fails.
    fn kept(self: Box<Self>) -> Result<Option<Graph>> {
        Ok(None)
    }

    /// Begins a section. Within [`fused`](#method.fused) and [`fused_graph`](#method.fused_graph) elementwise calls, sums and norms are joined only with
    /// calls of the same section; only single numbers that are computed of sums may be joined with an earlier one, which changes no bits. So a
    /// section gives the same bits whichever sections surround it. Other executors ignore this.
    fn begin_section(&self) {}

    /// What does for `other`, an executor of another device or stream, what this does: beside one that records, one that
    /// records for `other`, into the same plan. `None` beside all that run what they are given: there `other` itself is
    /// used.
    fn beside(&self, other: &Arc<dyn Executor>) -> Option<&dyn Executor> {
        let _ = other;
        None
    }
}

impl dyn Executor + '_ {
    /// Where its work runs.
    #[must_use]
    pub fn device(&self) -> Device {
        self.stream().device()
    }

    /// A row-major array on this executor's device, with unspecified content.
    ///
    /// # Errors
    /// Out of memory.
    #[track_caller]
    pub fn empty(&self, shape: &[usize], dtype: DType) -> Result<Array> {
        Ok(Array::empty(shape, dtype, self.stream())?)
    }

    /// The calls that `work` makes of the executor it is given as one graph, instead of running them. `None`, and nothing has run, on devices without
    /// graphs (all but the host and CUDA), and, on CUDA, if a call is not one of kernels of ours: products of large matrices by the vendor's library,
    /// transfers.
    ///
    /// What `work` does besides (allocates, reads elements on the host) happens once, while it is recorded, and finds arrays
    /// as they were.
    ///
    /// # Errors
    /// Those of `work`; the device's failure.
    pub fn graph<E: From<Error>>(
        &self,
        work: impl FnOnce(&dyn Executor) -> Result<(), E>,
    ) -> Result<Option<Graph>, E> {
        let Some(keeping) = self.keeping()? else { return Ok(None) };
        work(&*keeping)?;
        Ok(keeping.kept()?)
    }

    /// As [`graph`](#method.graph), in fewer passes over memory, as [`Plan::fused`](crate::Plan::fused) makes them.
    ///
    /// # Errors
    /// As there.
    pub fn fused_graph<E: From<Error>>(
        &self,
        work: impl FnOnce(&dyn Executor) -> Result<(), E>,
    ) -> Result<Option<Graph>, E> {
        let Some(keeping) = self.keeping()? else { return Ok(None) };
        keep::fused(&*keeping, work)?;
        Ok(keeping.kept()?)
    }

    /// Runs what `work` asks for as [`fused_graph`](#method.fused_graph) would keep it, once: the calls are made when `work` has ended, in
    /// fewer passes over memory. Results are those of the graph to the bit, if both [begin sections](Executor::begin_section) at the same calls. Enqueued;
    /// does not wait.
    ///
    /// No call has run while `work` runs: reading an array on the host there gives what it held before.
    ///
    /// # Errors
    /// Those of `work`; [`Error::NotKept`](crate::Error::NotKept) if a call writes an array that is not in `arrays`, or reads one that others could
    /// write and that is in neither `arrays` nor `views`; nothing has run in either case. The device's failure.
    pub fn fused<A: Arrays, E: From<Error>>(
        &self,
        arrays: &mut A,
        views: &[View<'_>],
        work: impl FnOnce(&dyn Executor, &mut A) -> Result<(), E>,
    ) -> Result<(), E> {
        keep::run_fused(self, arrays, views, work)
    }

    pub(crate) fn run(&self, mut call: Call<'_>) -> Result<()> {
        call.expect_device(self.device())?;
        tracing::trace!(verb = call.name(), device = %self.device());
        self.execute(&mut call)
    }
}
