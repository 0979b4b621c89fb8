//! The executor that keeps calls instead of running them.

use std::mem::take;
use std::sync::{Arc, OnceLock};

use arrayspan_bridge::Array;
use arrayspan_bridge::devices::Stream;
use parking_lot::Mutex;

use crate::needed::{Block, Needed};
use crate::verb::Call;
use crate::{Executor, Result};

/// Keeps the calls that are made of it, for one of a plan's executors.
#[derive(Debug)]
pub(super) struct Record {
    on: Arc<dyn Executor>,
    /// The number of `on` among the plan's executors.
    number: usize,
    plan: Arc<Recording>,
    /// The one for the executor that was asked for next. A list that only grows lends what is in it.
    next: OnceLock<Box<Self>>,
}

/// What the executors of one plan share.
#[derive(Debug)]
struct Recording {
    /// The plan's memory when recording began. What is found here is looked for again before each replay, so that it
    /// matters to error messages alone if an array is replaced meanwhile.
    own: Vec<Block>,
    recorded: Mutex<Recorded>,
}

/// What was recorded so far.
#[derive(Debug, Default)]
pub(super) struct Recorded {
    /// In their order, whichever executor they are for; each with the number of that.
    pub(super) calls: Vec<(usize, Call<'static>)>,
    pub(super) needed: Vec<Needed>,
}

impl Record {
    /// Records calls for `on`, on these arrays.
    pub(super) fn new(on: Arc<dyn Executor>, own: &[&mut Array]) -> Self {
        let own = own.iter().map(|array| Block::of(array.memory())).collect();
        let plan = Arc::new(Recording { own, recorded: Mutex::default() });
        Self { on, number: 0, plan, next: OnceLock::new() }
    }

    /// The executors, by their numbers, and what was recorded for them.
    pub(super) fn into_recorded(self) -> (Vec<Arc<dyn Executor>>, Recorded) {
        let recorded = take(&mut *self.plan.recorded.lock());
        let (mut executors, mut next) = (Vec::new(), Some(self));
        while let Some(Self { on, next: rest, .. }) = next {
            executors.push(on);
            next = rest.into_inner().map(|rest| *rest);
        }
        (executors, recorded)
    }

    /// The memory that a call needs of the plan.
    fn needed(&self, call: &Call<'_>) -> Result<Vec<Needed>> {
        let needed = Needed::by(call.verb());
        match needed.iter().find(|need| !self.plan.own.contains(&need.block)) {
            Some(need) => Err(need.missing()),
            None => Ok(needed),
        }
    }
}

impl Executor for Record {
    fn stream(&self) -> &Stream {
        self.on.stream()
    }

    fn records(&self) -> bool {
        true
    }

    fn beside(&self, other: &Arc<dyn Executor>) -> Option<&dyn Executor> {
        let mut at = self;
        while !Arc::ptr_eq(&at.on, other) {
            at = at.next.get_or_init(|| {
                let (on, plan) = (other.clone(), self.plan.clone());
                Box::new(Self { on, number: at.number + 1, plan, next: OnceLock::new() })
            });
        }
        Some(at)
    }

    fn execute(&self, call: &mut Call<'_>) -> Result<()> {
        call.expect_device(self.on.device())?;
        let needed = self.needed(call)?;
        // SAFETY: nothing is read or written through it before `Plan::replay` has found every operand's memory either
        // exclusively borrowed again, or shared, which nobody can write as long as this call holds its handle
        // (`Operand::is_shared`). That holds on whichever of the plan's devices the memory lies.
        let call = unsafe { call.outliving() };
        let mut recorded = self.plan.recorded.lock();
        Needed::add_to(&mut recorded.needed, needed);
        recorded.calls.push((self.number, call));
        Ok(())
    }
}
