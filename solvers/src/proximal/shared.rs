//! Functions that several own.

use std::sync::Arc;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::Executor;
use arrayspan_operators::Space;

use super::{Misfit, Proximal, Scratch};
use crate::Result;

impl<F: Proximal + ?Sized> Proximal for Arc<F> {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn check(&self, space: &Space, device: Device) -> Result<()> {
        (**self).check(space, device)
    }

    fn value(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        out: ViewMut<'_>,
    ) -> Result<()> {
        (**self).value(on, scratch, x, out)
    }

    fn prox(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        step: View<'_>,
        out: ViewMut<'_>,
    ) -> Result<()> {
        (**self).prox(on, scratch, x, step, out)
    }

    fn prox_conjugate(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        step: View<'_>,
        out: ViewMut<'_>,
    ) -> Result<()> {
        (**self).prox_conjugate(on, scratch, x, step, out)
    }

    fn memory(&self, space: &Space) -> usize {
        (**self).memory(space)
    }

    fn conjugate_memory(&self, space: &Space) -> usize {
        (**self).conjugate_memory(space)
    }

    fn as_misfit(&self) -> Option<Misfit<'_>> {
        (**self).as_misfit()
    }
}
