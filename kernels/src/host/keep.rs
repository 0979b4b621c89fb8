//! Calls that are kept to be run over and over, without being made and checked again.

use std::sync::Arc;

use arrayspan_bridge::Operand;
use arrayspan_bridge::devices::{Memory, Stream};
use parking_lot::Mutex;

use super::kept_stencil::{Prepared, prepared};
use super::{Host, map_many};
use crate::graph::{Graph, Replay};
use crate::needed::{Block, Needed};
use crate::verb::Call;
use crate::{Executor, Result};

/// Keeps the calls that are made of it.
#[derive(Debug)]
pub(super) struct Keeping {
    host: Host,
    calls: Mutex<Vec<Call<'static>>>,
}

impl Keeping {
    pub(super) fn new(stream: &Stream) -> Self {
        Self { host: Host::on(stream.clone()), calls: Mutex::default() }
    }
}

impl Executor for Keeping {
    fn stream(&self) -> &Stream {
        &self.host.stream
    }

    fn records(&self) -> bool {
        true
    }

    fn kept(self: Box<Self>) -> Result<Option<Graph>> {
        let Self { host, calls } = *self;
        let calls = calls.into_inner();
        let mut needed = Needed::by_all(calls.iter().map(Call::verb));
        let own = own(&calls);
        needed.retain(|need| !own.contains(&need.block));
        let calls = calls.into_iter().map(Kept::new).collect();
        Ok(Some(Graph::of_calls(Box::new(Calls { host, calls }), needed)))
    }

    fn execute(&self, call: &mut Call<'_>) -> Result<()> {
        // SAFETY: nothing is read or written through it before `Graph::replay` has found every operand's memory either borrowed
        // again, exclusively if it is written; or shared, which nobody can write as long as this call holds its handle; or
        // ours and held by these calls alone.
        let call = unsafe { call.outliving() };
        self.calls.lock().push(call);
        Ok(())
    }
}

/// Calls that run one after the other.
#[derive(Debug)]
struct Calls {
    host: Host,
    calls: Vec<Kept>,
}

/// A call, and what has been made of it, which goes first.
#[derive(Debug)]
struct Kept {
    prepared: Option<Box<dyn Prepared>>,
    call: Call<'static>,
}

impl Kept {
    fn new(mut call: Call<'static>) -> Self {
        let prepared = match &mut call {
            // What cannot be made fails as the call does, when it is run.
            Call::Stencil(call) => prepared(call).ok().flatten(),
            _ => None,
        };
        Self { prepared, call }
    }
}

impl Replay for Calls {
    fn count(&self) -> usize {
        self.calls.len()
    }

    fn run(&mut self) -> Result<()> {
        self.calls.iter_mut().try_for_each(|kept| match kept {
            Kept { prepared: Some(prepared), call: Call::Stencil(call) } => {
                prepared.run(call)?;
                map_many::epilogue(&mut call.epilogue)
            }
            Kept { call, .. } => self.host.execute(call),
        })
    }
}

/// The memory that nothing but the operands of these calls has a handle of: what was made and given back while they were kept.
///
/// Of the pool alone: other memory may be borrowed, or given back to its owner while there are handles.
fn own(calls: &[Call<'static>]) -> Vec<Block> {
    // Each memory, and the operands that were seen to hold it.
    let mut held: Vec<(Arc<Memory>, Vec<*const Operand<'_>>)> = Vec::new();
    for call in calls {
        call.verb().for_each_operand(&mut |_, _, operand| {
            let handle = operand.handle();
            let at = held.iter().position(|(memory, _)| Arc::ptr_eq(memory, &handle));
            let at = at.unwrap_or_else(|| {
                held.push((handle, Vec::new()));
                held.len() - 1
            });
            let place: *const Operand<'_> = std::ptr::from_ref(operand).cast();
            if !held[at].1.contains(&place) {
                held[at].1.push(place);
            }
        });
    }
    let alone = |(memory, operands): &&(Arc<Memory>, Vec<_>)| {
        Arc::strong_count(memory) == operands.len() + 1 && !memory.is_foreign()
    };
    held.iter().filter(alone).map(|(memory, _)| Block::of(memory)).collect()
}
