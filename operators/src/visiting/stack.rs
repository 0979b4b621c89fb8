//! A stack whose blocks visit devices, as an operator.

use std::fmt;
use std::sync::{Arc, OnceLock};

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::Update;

use super::schedule::{Act, schedule};
use super::stop::Stop;
use super::visit::{Ends, Visit};
use crate::form::Partition;
use crate::{Context, Devices, Error, LinearMap, Operator, Properties, Result, Space};

/// A stack whose blocks visit devices.
pub(super) struct Visiting {
    pub(super) name: String,
    pub(super) parts: Vec<Operator>,
    pub(super) linear: bool,
    pub(super) domain: Space,
    pub(super) range: Space,
    /// How models and data of the parts lie in those of the whole; one that all parts share is not divided.
    pub(super) domains: Option<Arc<Partition>>,
    pub(super) ranges: Option<Arc<Partition>>,
    /// Where those of the whole are.
    pub(super) arrays: Devices,
    pub(super) stops: Vec<Stop>,
    /// The bytes that parts take from the workspace of each device.
    pub(super) needs: OnceLock<Vec<(Device, usize)>>,
}

impl Visiting {
    /// Blocks of one device are computed one after the other, in the same memory.
    fn needs(&self) -> &[(Device, usize)] {
        self.needs.get_or_init(|| {
            let mut needs = vec![(self.arrays.domain, 0)];
            let mut need =
                |device, bytes: usize| match needs.iter_mut().find(|(named, _)| *named == device) {
                    Some((_, most)) => *most = bytes.max(*most),
                    None => needs.push((device, bytes)),
                };
            need(self.arrays.range, 0);
            for stop in &self.stops {
                for &number in &stop.blocks {
                    let part = &self.parts[number];
                    need(stop.device, part.workspace());
                    part.elsewhere().into_iter().for_each(|(device, bytes)| need(device, bytes));
                }
            }
            needs
        })
    }
}

impl Visiting {
    /// `y ← alpha · A x + beta · y`, or with the adjoint.
    #[allow(clippy::needless_pass_by_value, reason = "views are given as to a `LinearMap`")]
    fn run(
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

impl LinearMap for Visiting {
    fn name(&self) -> &str {
        &self.name
    }

    fn domain(&self) -> &Space {
        &self.domain
    }

    fn range(&self) -> &Space {
        &self.range
    }

    fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        self.run(false, on, x, y, update)
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        self.run(true, on, y, x, update)
    }

    fn workspace(&self) -> usize {
        self.needs().first().map_or(0, |(_, bytes)| *bytes)
    }

    fn properties(&self) -> Properties {
        let properties = Properties::of(self);
        if self.linear { properties } else { properties.real_linear() }
    }

    fn description(&self) -> Option<String> {
        let stop = |stop: &Stop| {
            let blocks = stop.blocks.len();
            format!("{blocks} {} on {}", if blocks == 1 { "block" } else { "blocks" }, stop.device)
        };
        Some(self.stops.iter().map(stop).collect::<Vec<_>>().join(" and "))
    }

    fn devices(&self) -> Option<Devices> {
        Some(self.arrays)
    }

    fn elsewhere(&self) -> Vec<(Device, usize)> {
        self.needs().iter().skip(1).copied().collect()
    }
}

impl fmt::Debug for Visiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} visiting", self.name)?;
        self.stops.iter().try_for_each(|stop| write!(f, " {}", stop.device))
    }
}
