//! Sums and differences.

use std::ops::{Add, Sub};

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::Update;

use super::{common_device, shared_workspace};
use crate::{Context, Error, LinearMap, Operator, Result, Space};

/// `y = A x + B x`: the second term is added where the first one was written.
#[derive(Debug)]
struct Sum {
    terms: [Operator; 2],
    device: Option<Device>,
}

fn sum(operation: &'static str, left: Operator, right: Operator) -> Result<Operator> {
    let spaces = [(left.domain(), right.domain()), (left.range(), right.range())];
    if let Some((left, right)) = spaces.into_iter().find(|(left, right)| left != right) {
        return Err(Error::Spaces { operation, left: left.clone(), right: right.clone() });
    }
    let terms = [left, right];
    let device = common_device(operation, &terms)?;
    Ok(Operator::new(Sum { terms, device }))
}

/// `A + B`; [`Error::Spaces`] unless both have the same domain and range, [`Error::Devices`] when they
/// live on different devices.
impl<B: LinearMap + 'static> Add<B> for Operator {
    type Output = Result<Operator>;

    fn add(self, other: B) -> Result<Operator> {
        sum("+", self, Operator::new(other))
    }
}

/// `A - B`; errors as for `A + B`.
impl<B: LinearMap + 'static> Sub<B> for Operator {
    type Output = Result<Operator>;

    fn sub(self, other: B) -> Result<Operator> {
        sum("-", self, -Operator::new(other))
    }
}

impl LinearMap for Sum {
    fn name(&self) -> &'static str {
        "sum"
    }

    fn domain(&self) -> &Space {
        self.terms[0].domain()
    }

    fn range(&self) -> &Space {
        self.terms[0].range()
    }

    fn enqueue(
        &self,
        mut on: Context<'_>,
        x: View<'_>,
        mut y: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        let [first, second] = &self.terms;
        first.enqueue(on.reborrow(), x.clone(), y.reborrow(), update)?;
        second.enqueue(on, x, y, update.then_add())
    }

    fn enqueue_adjoint(
        &self,
        mut on: Context<'_>,
        y: View<'_>,
        mut x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        let [first, second] = &self.terms;
        first.enqueue_adjoint(on.reborrow(), y.clone(), x.reborrow(), update)?;
        second.enqueue_adjoint(on, y, x, update.then_add())
    }

    fn workspace(&self) -> usize {
        shared_workspace(&self.terms)
    }

    fn device(&self) -> Option<Device> {
        self.device
    }
}
