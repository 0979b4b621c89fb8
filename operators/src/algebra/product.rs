//! Products.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::Update;

use super::{common_device, shared_workspace};
use crate::{Context, Error, LinearMap, Operator, Result, Space, scratch_bytes};

/// `y = A (B x)`, with one intermediate array in the workspace.
#[derive(Debug)]
struct Product {
    /// `[A, B]`
    factors: [Operator; 2],
    device: Option<Device>,
}

pub(crate) fn product(outer: Operator, inner: Operator) -> Result<Operator> {
    if outer.domain() != inner.range() {
        return Err(Error::Spaces {
            operation: "after",
            left: outer.domain().clone(),
            right: inner.range().clone(),
        });
    }
    let factors = [outer, inner];
    let device = common_device("after", &factors)?;
    Ok(Operator::new(Product { factors, device }))
}

impl LinearMap for Product {
    fn name(&self) -> &'static str {
        "product"
    }

    fn domain(&self) -> &Space {
        self.factors[1].domain()
    }

    fn range(&self) -> &Space {
        self.factors[0].range()
    }

    fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        let [outer, inner] = &self.factors;
        let (mut between, mut on) = on.scratch(inner.range())?;
        inner.enqueue(on.reborrow(), x, between.reborrow(), Update::set())?;
        outer.enqueue(on, between.view(), y, update)
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        let [outer, inner] = &self.factors;
        let (mut between, mut on) = on.scratch(outer.domain())?;
        outer.enqueue_adjoint(on.reborrow(), y, between.reborrow(), Update::set())?;
        inner.enqueue_adjoint(on, between.view(), x, update)
    }

    fn workspace(&self) -> usize {
        scratch_bytes(self.factors[1].range()) + shared_workspace(&self.factors)
    }

    fn device(&self) -> Option<Device> {
        self.device
    }
}
