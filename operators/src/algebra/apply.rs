//! How operators are applied.

use std::sync::Arc;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::Update;

use super::Operator;
use crate::form::{Orientation, Program};
use crate::{Context, Devices, LinearMap, Properties, Result, Space};

impl Operator {
    /// How it is run, without its factor.
    pub(crate) fn program(&self, adjoint: bool) -> &Arc<Program> {
        let turn = Orientation { adjoint, conj: false };
        self.node().program(turn.of(self.orientation()))
    }

    fn run(
        &self,
        adjoint: bool,
        on: Context<'_>,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        let program = self.program(adjoint);
        let factor = if adjoint { self.factor().conj() } else { self.factor() };
        let dtype = y.dtype();
        program.gain().times(factor).times(update.alpha.number()).check(
            self.name(),
            "alpha",
            dtype,
        )?;
        program.run(on, x, y, update.scaled(factor))
    }
}

impl LinearMap for Operator {
    fn name(&self) -> &str {
        self.node().name()
    }

    fn domain(&self) -> &Space {
        self.node().spaces(self.orientation().adjoint).0
    }

    fn range(&self) -> &Space {
        self.node().spaces(self.orientation().adjoint).1
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
        let home = self.devices().map(|devices| devices.domain);
        let bytes = |adjoint| self.program(adjoint).bytes().at_home(home);
        bytes(false).max(bytes(true))
    }

    /// As all that is made of forms does; of opaque parts nothing is known.
    fn only_enqueues(&self) -> bool {
        [false, true].into_iter().all(|adjoint| self.program(adjoint).cost().is_some())
    }

    fn properties(&self) -> Properties {
        let (self_adjoint, positive) = (self.is_self_adjoint(), self.is_positive());
        Properties { self_adjoint, positive, complex_linear: self.is_linear() }
    }

    fn devices(&self) -> Option<Devices> {
        let devices = self.node().devices?;
        Some(if self.orientation().adjoint { devices.swapped() } else { devices })
    }

    fn elsewhere(&self) -> Vec<(Device, usize)> {
        let Some(devices) = self.devices() else { return Vec::new() };
        let mut all = Vec::new();
        if devices.domain != devices.range {
            all.push((devices.range, 0));
        }
        let both = [false, true].map(|adjoint| self.program(adjoint).bytes().named());
        for &(device, bytes) in both.into_iter().flatten() {
            if device == devices.domain {
                continue;
            }
            match all.iter_mut().find(|(known, _)| *known == device) {
                Some((_, known)) => *known = bytes.max(*known),
                None => all.push((device, bytes)),
            }
        }
        all
    }
}
