//! Where the intermediate results of steps lie, and what each step takes for itself.

use arrayspan_bridge::CARVE_BYTES;
use arrayspan_bridge::devices::Device;

use super::cost::cost;
use super::draft::{Draft, OUTPUT, Register};
use super::partition::Slice;
use super::program::{Act, Leaf, Place, Program, Step, is_real};
use super::registers::Lifetimes;
use crate::devices::PerDevice;
use crate::number::Gain;
use crate::number::ONE;
use crate::{Devices, Space, scratch_bytes};

/// The steps, with a place for each intermediate result from its first use to its last.
pub(super) fn placed(
    drafts: Vec<Draft>,
    results: &[(Space, Option<Device>)],
    [domain, range]: [&Space; 2],
    devices: Option<Devices>,
    is_complex_linear: bool,
) -> Program {
    let mut lifetimes = Lifetimes::default();
    for (space, device) in results {
        lifetimes.push(*device, scratch_bytes(space));
    }
    for (at, draft) in drafts.iter().enumerate() {
        for register in [&draft.from, &draft.to] {
            if let Some(number) = register.number.checked_sub(OUTPUT + 1) {
                lifetimes.used(number, at);
            }
        }
    }
    // What a step takes for itself lives as long as the step: its number, and its bytes.
    let mut owns = Vec::with_capacity(drafts.len());
    for (at, draft) in drafts.iter().enumerate() {
        let mut own = draft.bytes(results, range).map(|_, bytes| (0, bytes));
        for (device, (number, bytes)) in own.each() {
            if *bytes > 0 {
                // An author may ask for any number of bytes: for so many that there is no room, there is no room.
                let room = bytes.checked_next_multiple_of(CARVE_BYTES).unwrap_or(usize::MAX);
                *number = lifetimes.push(device, room);
                lifetimes.used(*number, at);
            }
        }
        owns.push(own);
    }
    let (starts, mut bytes) = lifetimes.arranged();
    // A device where a step computes and takes no memory is one of the program's, too.
    for (device, _) in owns.iter().flat_map(PerDevice::named) {
        bytes.entry(Some(*device));
    }
    let place = |register: Register| Place {
        scratch: register
            .number
            .checked_sub(OUTPUT + 1)
            .map(|number| (starts[number], results[number].0.clone())),
        device: register.device,
        path: register.path.into(),
    };
    let mut gain: Option<Gain> = None;
    let steps = drafts.into_iter().zip(owns).map(|(draft, own)| {
        let device = draft.device();
        let Draft { act, from, to, scale, first } = draft;
        if to.number == OUTPUT {
            let here = Gain::ONE.times(scale);
            let inner = match &act {
                Act::Leaf(Leaf::Call(program)) => program.gain.times(scale),
                Act::Maps(maps) => maps.gain(scale),
                _ => here,
            };
            gain = Some(gain.map_or(inner, |gain| gain.union(inner)));
        }
        let start = |(number, bytes)| if bytes == 0 { (0, 0) } else { (starts[number], bytes) };
        let own = own.map(|_, own| start(own));
        Step { act, from: place(from), to: place(to), scale, first, device, own }
    });
    let steps: Vec<Step> = steps.collect();
    let (is_real, cost) = (is_real(&steps, domain, range), cost(&steps, domain, range, ONE));
    let gain = gain.unwrap_or(Gain::ONE);
    let is_plain = steps.iter().all(Step::is_plain);
    Program { steps, bytes, devices, gain, is_real, is_complex_linear, is_plain, cost }
}

impl Draft {
    /// Where it runs, in a program of several devices.
    fn device(&self) -> Option<Device> {
        match &self.act {
            Act::Leaf(leaf @ Leaf::Map { map, .. }) if leaf.devices().is_some() => {
                map.devices().map(|devices| devices.domain)
            }
            _ => self.to.device,
        }
    }

    /// The bytes of workspace that it takes itself.
    fn bytes(&self, results: &[(Space, Option<Device>)], range: &Space) -> PerDevice<usize> {
        let number = self.to.number.checked_sub(OUTPUT + 1);
        let whole = number.map_or(range, |number| &results[number].0);
        let moves = matches!(self.act, Act::Leaf(Leaf::Move(_)));
        // What arrives is multiplied by a factor, or added to what is there, or may be: the caller says so later.
        if moves && (number.is_none() || !self.first || self.scale != ONE) {
            let space = self.to.path.last().map_or(whole, Slice::space);
            return PerDevice::of(self.to.device, scratch_bytes(space));
        }
        self.act.bytes(range.dtype(), self.device())
    }
}
