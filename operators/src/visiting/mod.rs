//! Stacks whose blocks visit other devices, the next one on its way while one is computed.

mod schedule;
mod stack;
mod stop;
mod visit;

use std::sync::OnceLock;

use arrayspan_bridge::devices::Device;

use self::stack::Visiting;
use self::stop::{Stop, lanes};
use crate::algebra::Kind;
use crate::form::Orientation;
use crate::number::ONE;
use crate::{Devices, Error, Form, LinearMap, Operator, Result};

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
