//! Applies the blocks of a stack that visit devices.

use std::sync::Arc;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::{Executor, Update};

use super::Visiting;
use super::schedule::{Act, schedule};
use super::visit::{Ends, Visit};
use crate::form::Partition;
use crate::{Context, Error, LinearMap, Result};

impl Visiting {
    /// `y ← alpha · A x + beta · y`, or with the adjoint.
    #[allow(clippy::needless_pass_by_value, reason = "views are given as to a `LinearMap`")]
    pub(super) fn run(
        &self,
        adjoint: bool,
        mut on: Context<'_>,
        x: View<'_>,
        mut y: ViewMut<'_>,
        update: Update<'_>,
    ) -> Result<()> {
        if on.records() {
            let why = "its blocks visit devices by queues of their own, which a plan does not keep";
            return Error::parameter(self.name(), why);
        }
        let parts: [&Option<Arc<Partition>>; 2] = [&self.domains, &self.ranges];
        let [from, to] = if adjoint { [parts[1], parts[0]] } else { parts };
        let ends = Ends {
            from: from.as_deref(),
            to: to.as_deref(),
            update,
            alone: self.stops.len() == 1,
            adjoint,
        };
        let mut visits: Vec<_> = self
            .stops
            .iter()
            .map(|stop| (Visit::new(stop, &self.parts), schedule(stop.blocks.len())))
            .collect();
        // One step of each device after the other, so that none waits until another is done.
        loop {
            let mut acted = false;
            for (visit, acts) in &mut visits {
                let Some(act) = acts.next() else { continue };
                acted = true;
                match act {
                    Act::Load(number) => visit.load(number, &ends, &on, &x)?,
                    Act::Compute(number) => {
                        visit.compute(number, &ends, &mut on, &x, y.reborrow())?;
                    }
                    Act::Retire(number) => visit.retire(number, &ends, &on, y.reborrow())?,
                }
            }
            if !acted {
                break;
            }
        }
        if to.is_none() {
            let mut update = update;
            for (visit, _) in visits {
                visit.add(&on, y.reborrow(), update)?;
                update = update.then_add();
            }
        }
        Ok(())
    }
}

/// What computes on a device that the operator has named.
pub(super) fn executor<'c>(on: &'c Context<'_>, device: Device) -> Result<&'c dyn Executor> {
    match on.executor_of(device) {
        Some(executor) => Ok(executor),
        None => Error::parameter("visiting", format!("the context is without {device}")),
    }
}
