//! Operators that do not see each other's models.

use std::sync::Arc;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::Update;

use super::operator::Node;
use super::partition::Partition;
use super::{common_device, shared_workspace, stacked};
use crate::{Context, LinearMap, Operator, Result, Space};

/// `y = [A₀ x₀; A₁ x₁; …]`: each operator on its own part of the model, for its own part of the data.
///
/// Domain and range join those of the parts as the range of a [`vstack`](crate::vstack) does. Parts read and
/// write views of the one array: nothing is copied, and the cost is the sum of theirs.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) without operators and with more than 64 stacks within each other,
/// [`Error::Spaces`](crate::Error::Spaces) when dtypes differ, [`Error::TooLarge`](crate::Error::TooLarge) when a space
/// cannot be addressed, [`Error::Devices`](crate::Error::Devices) when parts live on different devices.
///
/// Golden: PyLops 2.8.0 `BlockDiag`.
pub fn block_diagonal<A>(parts: impl IntoIterator<Item = A>) -> Result<Operator>
where
    A: LinearMap + 'static,
{
    let parts: Vec<Operator> = parts.into_iter().map(Operator::new).collect();
    let spaces = |of: fn(&Operator) -> &Space| {
        Partition::new(NAME, parts.iter().map(|part| of(part).clone()).collect())
    };
    let (domains, ranges) = (spaces(Operator::domain)?, spaces(Operator::range)?);
    let device = common_device(NAME, &parts)?;
    let facts = stacked(NAME, &parts)?;
    let map = Arc::new(BlockDiagonal { parts, domains, ranges, device });
    Ok(Operator::with(Node::Map(map), facts))
}

const NAME: &str = "block_diagonal";

#[derive(Debug)]
struct BlockDiagonal {
    parts: Vec<Operator>,
    domains: Partition,
    ranges: Partition,
    device: Option<Device>,
}

impl LinearMap for BlockDiagonal {
    fn name(&self) -> &'static str {
        NAME
    }

    fn domain(&self) -> &Space {
        self.domains.whole()
    }

    fn range(&self) -> &Space {
        self.ranges.whole()
    }

    fn enqueue(
        &self,
        mut on: Context<'_>,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        let places = self.domains.split(&x)?.into_iter().zip(self.ranges.split_mut(y)?);
        for (part, (x, y)) in self.parts.iter().zip(places) {
            part.enqueue(on.reborrow(), x, y, update)?;
        }
        Ok(())
    }

    fn enqueue_adjoint(
        &self,
        mut on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        let places = self.ranges.split(&y)?.into_iter().zip(self.domains.split_mut(x)?);
        for (part, (y, x)) in self.parts.iter().zip(places) {
            part.enqueue_adjoint(on.reborrow(), y, x, update)?;
        }
        Ok(())
    }

    fn workspace(&self) -> usize {
        shared_workspace(&self.parts)
    }

    fn device(&self) -> Option<Device> {
        self.device
    }
}
