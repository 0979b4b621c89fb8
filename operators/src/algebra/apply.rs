//! How operators are applied.

use std::sync::Arc;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::Update;

use super::Operator;
use super::node::Kind;
use crate::form::{Orientation, Program};
use crate::{Context, Devices, LinearMap, OperatorKey, Properties, Result, Space};

impl Operator {
    /// How it is run, without its factor.
    pub(crate) fn program(&self, adjoint: bool) -> &Arc<Program> {
        let turn = Orientation { adjoint, conj: false };
        self.node().program(turn.of(self.orientation()))
    }

    fn is_one_verb(&self) -> bool {
        matches!(self.node().kind(), Kind::Form(form) if form.is_one_verb())
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
        // Known without compiling both directions, of which one may never be used.
        if self.is_one_verb() {
            return 0;
        }
        let home = self.devices().map(|devices| devices.domain);
        let bytes = |adjoint| self.program(adjoint).bytes().at_home(home);
        bytes(false).max(bytes(true))
    }

    /// As all that is made of forms does; of opaque parts nothing is known.
    fn only_enqueues(&self) -> bool {
        [false, true].into_iter().all(|adjoint| self.program(adjoint).cost().is_some())
    }

    /// What it is made of, where no part is opaque.
    fn key(&self) -> Option<OperatorKey> {
        let plain = [false, true].into_iter().all(|adjoint| self.program(adjoint).is_plain());
        let (orientation, factor) = (self.orientation(), self.factor());
        let numbers = [factor.re.to_bits(), factor.im.to_bits(), orientation.index() as u64];
        plain.then(|| OperatorKey::new(self.clone().into_node(), numbers))
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
        if self.is_one_verb() {
            return all;
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

#[cfg(test)]
mod tests {
    use arrayspan_bridge::{Array, DType};
    use arrayspan_kernels::{Band, Fourier, Gather, Scan, Stencil};
    use num_complex::Complex64;

    use super::*;
    use crate::Form;

    #[test]
    fn forms_whose_workspace_is_known_without_compiling_take_none_once_compiled() -> Result<()> {
        let space = Space::new([3, 4], DType::Complex128)?;
        let array = |shape: [usize; 2]| {
            let values = vec![Complex64::i(); shape[0] * shape[1]];
            Array::from_vec(values, shape).map(Array::into_shared)
        };
        let band = Band::uniform_complex(4, [(0, Complex64::i()), (1, Complex64::ONE)]);
        let weights = Some(vec![Complex64::i(); 3]);
        let forms = [
            Form::Zero,
            Form::Identity,
            Form::Conjugate,
            Form::Diagonal(array([3, 4])?),
            Form::Stencil(Stencil::along(1, band)?),
            Form::Gather(Gather::new(0, &[3], &[3], vec![0, 1, 1, 3], vec![2, 0, 0], weights)?),
            Form::Scan(Scan::weighted(0, 3, 0.5, 0.0, 0.5)?),
            Form::Fourier(Fourier::new(1, 4)?),
            Form::Matrix { matrix: array([3, 3])?, axis: 0 },
            Form::Matrix { matrix: array([4, 4])?, axis: 1 },
        ];
        for form in forms {
            assert!(form.is_one_verb());
            let operator = Operator::of("one verb", space.clone(), space.clone(), form)?;
            for operator in [operator.conj(), operator] {
                assert_eq!(LinearMap::workspace(&operator), 0);
                let takes = [false, true].map(|adjoint| operator.program(adjoint).takes_memory());
                assert_eq!(takes, [false; 2], "{operator:?}");
            }
        }
        Ok(())
    }
}
