//! Any operator as one type, so that recurrences are compiled once.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::Update;
use arrayspan_operators::{Context, Devices, LinearMap, Properties, Result, Space};

/// A borrowed operator, which may be of a type that has no known size.
#[derive(Debug)]
pub(crate) struct Erased<'a, A: ?Sized>(pub(crate) &'a A);

impl<A: LinearMap + ?Sized> LinearMap for Erased<'_, A> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn domain(&self) -> &Space {
        self.0.domain()
    }

    fn range(&self) -> &Space {
        self.0.range()
    }

    fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        self.0.enqueue(on, x, y, update)
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        self.0.enqueue_adjoint(on, y, x, update)
    }

    fn workspace(&self) -> usize {
        self.0.workspace()
    }

    fn only_enqueues(&self) -> bool {
        self.0.only_enqueues()
    }

    fn properties(&self) -> Properties {
        self.0.properties()
    }

    fn devices(&self) -> Option<Devices> {
        self.0.devices()
    }

    fn elsewhere(&self) -> Vec<(Device, usize)> {
        self.0.elsewhere()
    }
}
