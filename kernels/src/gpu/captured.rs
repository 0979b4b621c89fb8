//! Launches that are kept for a graph.

use std::sync::Arc;

use arrayspan_bridge::devices::{self, Access, Argument, GraphNode, Grid, Kernel, Memory, Stream};
use arrayspan_bridge::{Array, Operand};
use parking_lot::Mutex;

use super::Gpu;
use super::noted::Living;
use super::tables::Uploaded;
use crate::Result;
use crate::graph::Graph;
use crate::needed::{Block, Needed};
use crate::verb::{Call, OperandName};

/// What an executor keeps of its calls that launches nothing.
#[derive(Debug, Default)]
pub(super) struct Captured(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    nodes: Vec<GraphNode>,
    /// What calls are about.
    memory: Vec<Arc<Memory>>,
    tables: Vec<Uploaded>,
    needed: Vec<Needed>,
    /// Whether a call was made that no graph can hold.
    refused: bool,
}

impl Captured {
    /// Takes handles of what a call is about.
    pub(super) fn note(&self, call: &Call<'_>) {
        let mut kept = self.0.lock();
        Needed::add_to(&mut kept.needed, Needed::by(call.verb()));
        let memory = &mut kept.memory;
        call.verb().for_each_operand(&mut |_: OperandName, _: Access, operand: &Operand<'_>| {
            if memory.iter().all(|known| !std::ptr::eq(&raw const **known, operand.memory())) {
                memory.push(operand.handle());
            }
        });
    }

    /// Holds what launches use beside what calls are about.
    pub(super) fn hold(&self, room: &Living) {
        let mut kept = self.0.lock();
        match room {
            Living::Tables(tables) => kept.tables.push(tables.clone()),
            Living::Array(array) => kept.memory.push(Operand::from(array.view()).handle()),
        }
    }

    /// Holds the memory of an array that a launch before used, and that is given up now.
    pub(super) fn keep(&self, array: &Array) {
        self.0.lock().memory.push(Operand::from(array.view()).handle());
    }

    /// That there is no graph of the calls.
    pub(super) fn refuse(&self) {
        self.0.lock().refused = true;
    }

    /// Keeps a launch; how many kernels it has.
    ///
    /// # Safety
    /// As [`Stream::launch`].
    pub(super) unsafe fn launch(
        &self,
        stream: &Stream,
        kernel: &Kernel,
        grid: Grid,
        arguments: &[Argument<'_>],
    ) -> Result<()> {
        // SAFETY: passed on to the caller.
        let node = unsafe { GraphNode::new(stream, kernel, grid, arguments)? };
        self.0.lock().nodes.extend(node);
        Ok(())
    }
}

impl Gpu {
    /// One whose calls are kept for a graph. It shares what all kernels of the stream share, which run one after the other, and how the
    /// last calls were launched; room from one kernel to the next is its own.
    pub(super) fn for_graph(&self) -> Result<Self> {
        let (scratch, states) = (self.scratch.lock().clone(), self.states.lock().clone());
        Ok(Self {
            captured: Some(Captured::default()),
            recent: self.recent.clone(),
            transforms: self.transforms,
            scratch: Mutex::new(scratch),
            states: Mutex::new(states),
            ..Self::new(self.stream.clone())?
        })
    }

    /// What was kept, as a graph.
    pub(super) fn into_graph(self) -> Result<Option<Graph>> {
        let handle = |array: &Array| Operand::from(array.view()).handle();
        let Some(Captured(kept)) = self.captured else { return Ok(None) };
        let Kept { nodes, mut memory, tables, mut needed, refused } = kept.into_inner();
        if refused {
            return Ok(None);
        }
        // What was made and given back meanwhile is the graph's own: nobody else has a handle of it. (Other memory than the
        // pool's may be given back to its owner while there are handles.)
        let is_own = |memory: &&Arc<Memory>| Arc::strong_count(memory) == 1 && !memory.is_foreign();
        let own = memory.iter().filter(is_own);
        let own: Vec<Block> = own.map(|memory| Block::of(memory)).collect();
        needed.retain(|need| !own.contains(&need.block));
        for shared in [self.scratch, self.states] {
            memory.extend(shared.into_inner().map(|room| handle(&room)));
        }
        for rooms in [self.rooms, self.lines] {
            memory.extend(rooms.into_inner().iter().map(handle));
        }
        for uploaded in &tables {
            memory.extend([handle(&uploaded.0), handle(&uploaded.1)]);
        }
        let graph = devices::Graph::new(&self.stream, nodes, memory)?;
        Ok(graph.map(|graph| Graph::new(graph, needed)))
    }
}
