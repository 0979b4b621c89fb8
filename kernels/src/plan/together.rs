//! The calls of a plan as one launch.

use std::sync::Arc;

use crate::graph::Graph;
use crate::verb::Call;
use crate::{Error, Executor};

/// The calls of a plan as one launch, where the device has that.
#[derive(Debug)]
pub(super) enum Together {
    /// Not asked for yet.
    Unknown,
    Graph(Graph),
    /// They are launched one by one.
    No,
}

impl Together {
    /// The graph of these calls, made at the first replay.
    pub(super) fn graph(
        &mut self,
        executors: &[Arc<dyn Executor>],
        calls: &mut [(usize, Call<'static>)],
    ) -> Option<&Graph> {
        if let Self::Unknown = self {
            *self = made(executors, calls).map_or(Self::No, Self::Graph);
        }
        match self {
            Self::Graph(graph) => Some(graph),
            Self::Unknown | Self::No => None,
        }
    }
}

/// If there are several, all for one device, and all kernels.
fn made(executors: &[Arc<dyn Executor>], calls: &mut [(usize, Call<'static>)]) -> Option<Graph> {
    let [executor] = executors else { return None };
    // On the host a graph would be these calls once more.
    if calls.len() < 2 || executor.device().is_cpu() {
        return None;
    }
    let graph = executor.graph(|on| calls.iter_mut().try_for_each(|(_, call)| on.execute(call)));
    graph.unwrap_or_else(|error: Error| {
        tracing::debug!(%error, "the calls of a plan are launched one by one");
        None
    })
}
