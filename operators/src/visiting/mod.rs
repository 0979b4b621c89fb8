//! Stacks whose blocks visit other devices, the next one on its way while one is computed.

mod run;
mod schedule;
mod visit;

use std::fmt;
use std::sync::{Arc, OnceLock};

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::{Executor, Update};

use self::schedule::AHEAD;
use crate::algebra::Kind;
use crate::form::{Orientation, Partition};
use crate::number::ONE;
use crate::{Context, Devices, Error, Form, LinearMap, Operator, Properties, Result, Space};

impl Operator {
    /// The same stack ([`vstack`](fn@crate::vstack), [`hstack`](fn@crate::hstack), [`stack`](fn@crate::stack),
    /// [`block_diagonal`](fn@crate::block_diagonal)), whose blocks are computed on `devices` in turn, with models and data on
    /// `arrays`, mostly the CPU: for models or data that are too large for a GPU, and for several GPUs.
    ///
    /// While a block is computed, the parts of the model that the next two need are on their way and the data of the last
    /// one go back, by queues of their own. A device has three blocks of models and of data at a time, whatever the size of
    /// the stack. A model that all blocks share is sent to each device once, and sums of blocks are added up on each device.
    /// Blocks that hold arrays (weights, a matrix) visit the device of these, those of different devices as
    /// `part.on(device, arrays)`; a device that is named twice has twice as many of the others. The result is the same,
    /// whatever devices there are, up to the rounding of sums across them.
    ///
    /// Arrays in page-locked memory ([`Array::pinned`](arrayspan_bridge::Array::pinned), [`pin`](arrayspan_bridge::Array::pin))
    /// are sent from and to where they lie; others by way of such memory, for which the cores of the host copy them while the
    /// devices compute. Nested stacks stay whole: the blocks are the parts of the outermost one.
    ///
    /// It is an opaque operator, of the same properties: nothing is fused across its blocks. Applying it waits for the
    /// last block that comes back; no [`Plan`](arrayspan_kernels::Plan) keeps it.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use arrayspan_operators::kernels::bridge::{Array, DType, devices::Device};
    /// use arrayspan_operators::prelude::*;
    ///
    /// let space = Space::new([40, 30], DType::Float32)?;
    /// let slope = FirstDerivative::new(space, 0, 1.0, Scheme::Forward, Edge::Zero)?;
    /// let shots = block_diagonal((0..8).map(|_| &slope))?; // [320, 30]
    /// let cpu = Device::cpu();
    /// let visiting = shots.visiting([Device::best()], Devices::both(cpu))?;
    /// let y = visiting.forward(&Array::ones([320, 30], DType::Float32, cpu)?)?;
    /// assert_eq!((y.shape(), y.device()), (&[320, 30][..], cpu));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`] without devices, and for an operator that is no stack; [`Error::Devices`] for a block that has models
    /// and data on two devices; when a device cannot make a queue.
    pub fn visiting(
        &self,
        devices: impl IntoIterator<Item = Device>,
        arrays: Devices,
    ) -> Result<Self> {
        let operation = "visiting";
        let listed: Vec<Device> = devices.into_iter().collect();
        if listed.is_empty() {
            return Error::parameter(operation, "there are no devices to visit");
        }
        let mut whole = self.clone();
        while matches!(whole.node().kind(), Kind::Named)
            && let [inner] = whole.node().parts()
        {
            whole = inner.turned(whole.orientation()).multiplied(whole.factor());
        }
        let Kind::Blocks { domains, ranges } = whole.node().kind() else {
            let name = self.name();
            let why = format!("{name} is no stack; `Operator::on` has others computed elsewhere");
            return Error::parameter(operation, why);
        };
        let mut stops: Vec<Stop> = Vec::new();
        let ends = if whole.orientation().adjoint { arrays.swapped() } else { arrays };
        let mut parts = Vec::new();
        for (number, part) in whole.node().parts().iter().enumerate() {
            let (part, device) = match (within(part, ends), part.devices()) {
                (Some(within), _) => within,
                (None, None) => (part.clone(), listed[number % listed.len()]),
                (None, Some(Devices { domain, range })) if domain == range => {
                    (part.clone(), domain)
                }
                (None, Some(Devices { domain, range })) => {
                    let which = format!("domain and range of {}", part.name());
                    return Err(Error::devices(operation, which, domain, range));
                }
            };
            parts.push(part);
            if let Some(stop) = stops.iter_mut().find(|stop| stop.device == device) {
                stop.blocks.push(number);
                continue;
            }
            let lanes = if device.is_cpu() { Vec::new() } else { lanes(device)? };
            stops.push(Stop { device, blocks: vec![number], lanes });
        }
        // What is queued elsewhere comes before the host's own work.
        stops.sort_by_key(|stop| stop.device.is_cpu());
        let (domain, range) = whole.node().spaces(false);
        let visiting = Visiting {
            name: self.name().to_owned(),
            parts,
            linear: whole.is_linear(),
            domain: domain.clone(),
            range: range.clone(),
            domains: domains.clone(),
            ranges: ranges.clone(),
            arrays: ends,
            stops,
            needs: OnceLock::new(),
        };
        Ok(Self::new(visiting).turned(whole.orientation()).multiplied(whole.factor()))
    }
}

/// What [`Operator::on`] has computed on a device, with models and data on `arrays`, and that device.
fn within(part: &Operator, arrays: Devices) -> Option<(Operator, Device)> {
    let (down, rest) = factors(part)?;
    let (inner, up) = factors(rest).filter(|_| rest.factor() == ONE)?;
    let [there, back] = [moved(up)?, moved(down)?];
    let fits = there.domain == arrays.domain
        && back == Devices { domain: there.range, range: arrays.range };
    fits.then(|| (inner.multiplied(part.factor()), there.range))
}

/// The two factors of a product.
fn factors(operator: &Operator) -> Option<(&Operator, &Operator)> {
    match (operator.node().kind(), operator.node().parts()) {
        (Kind::Product, [outer, inner]) if is_plain(operator) => Some((outer, inner)),
        _ => None,
    }
}

/// From where to where an operator moves arrays, if it does nothing else.
fn moved(operator: &Operator) -> Option<Devices> {
    match operator.node().kind() {
        &Kind::Form(Form::ToDevice { from, to })
            if is_plain(operator) && operator.factor() == ONE =>
        {
            Some(Devices { domain: from, range: to })
        }
        _ => None,
    }
}

fn is_plain(operator: &Operator) -> bool {
    operator.orientation() == Orientation::default()
}

/// Executors of queues for what is sent.
fn lanes(device: Device) -> Result<Vec<Arc<dyn Executor>>> {
    let lane = |_| Ok(arrayspan_kernels::on_stream(&device.new_stream()?)?);
    (0..=AHEAD).map(lane).collect()
}

/// A stack whose blocks visit devices.
struct Visiting {
    name: String,
    parts: Vec<Operator>,
    linear: bool,
    domain: Space,
    range: Space,
    /// How models and data of the parts lie in those of the whole; one that all parts share is not divided.
    domains: Option<Arc<Partition>>,
    ranges: Option<Arc<Partition>>,
    /// Where those of the whole are.
    arrays: Devices,
    stops: Vec<Stop>,
    /// The bytes that parts take from the workspace of each device.
    needs: OnceLock<Vec<(Device, usize)>>,
}

/// A device that blocks visit.
struct Stop {
    device: Device,
    /// Their numbers.
    blocks: Vec<usize>,
    /// Queues for what is sent there and back, which blocks use in turn.
    lanes: Vec<Arc<dyn Executor>>,
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
