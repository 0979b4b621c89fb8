//! Operators above each other.

use std::sync::Arc;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::Update;

use super::operator::Node;
use super::partition::Partition;
use super::{common_device, shared_workspace, stacked};
use crate::{Context, Error, LinearMap, Operator, Result, Space};

/// `y = [A₀ x; A₁ x; …]`: the data of several operators on one model, one after the other.
///
/// Ranges that agree in all but their first axis are joined along it, `[3, 5]` and `[2, 5]` to `[5, 5]`; else the
/// range is one-dimensional, `[3, 5]` and `[4]` to `[19]`. Parts read and write views of the one array:
/// nothing is copied, and the cost is the sum of theirs. The adjoint adds up, `x = Σ Aᵢᴴ yᵢ`. A part that is a `vstack`
/// itself gives its own parts, so a stack may grow part by part.
///
/// # Errors
/// [`Error::Parameter`] without operators and with more than 64 stacks of other kinds within each other,
/// [`Error::Spaces`] when domains or dtypes differ, [`Error::TooLarge`] when the range cannot be addressed,
/// [`Error::Devices`] when parts live on different devices.
///
/// Golden: PyLops 2.8.0 `VStack`, whose range is always one-dimensional.
pub fn vstack<A>(parts: impl IntoIterator<Item = A>) -> Result<Operator>
where
    A: LinearMap + 'static,
{
    stack("vstack", parts.into_iter().map(Operator::new).collect())
}

/// A stack under the name by which it was asked for.
pub(super) fn stack(name: &'static str, parts: Vec<Operator>) -> Result<Operator> {
    let parts = spliced(parts);
    let ranges = Partition::new(name, parts.iter().map(|part| part.range().clone()).collect())?;
    let domain = parts[0].domain();
    if let Some(other) = parts.iter().find(|part| part.domain() != domain) {
        let (left, right) = (domain.clone(), other.domain().clone());
        return Err(Error::Spaces { operation: name, left, right });
    }
    let device = common_device(name, &parts)?;
    let facts = stacked(name, &parts)?;
    let stack = Arc::new(Stack { name, parts, ranges, device });
    Ok(Operator::with(Node::Stack(stack), facts))
}

/// The most parts that a stack takes over from stacks among its parts.
const MOST_SPLICED: usize = 1 << 16;

/// The parts, with those of stacks among them in their place: the spaces of the whole are the same.
fn spliced(parts: Vec<Operator>) -> Vec<Operator> {
    let own = |part: &Operator| part.stack().map_or(1, |stack| stack.parts.len());
    let count = parts.iter().map(own).fold(0, usize::saturating_add);
    if count > MOST_SPLICED || parts.iter().all(|part| part.stack().is_none()) {
        return parts;
    }
    let mut all = Vec::with_capacity(count);
    for part in parts {
        match part.stack() {
            Some(stack) => {
                all.extend(stack.parts.iter().map(|inner| inner.multiplied(part.factor)));
            }
            None => all.push(part),
        }
    }
    all
}

impl Operator {
    /// The stack that this is a multiple of.
    fn stack(&self) -> Option<&Stack> {
        match &self.node {
            Node::Stack(stack) if !self.adjoint => Some(stack),
            _ => None,
        }
    }
}

#[derive(Debug)]
pub(super) struct Stack {
    name: &'static str,
    parts: Vec<Operator>,
    ranges: Partition,
    device: Option<Device>,
}

impl LinearMap for Stack {
    fn name(&self) -> &'static str {
        self.name
    }

    fn domain(&self) -> &Space {
        self.parts[0].domain()
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
        for (part, y) in self.parts.iter().zip(self.ranges.split_mut(y)?) {
            part.enqueue(on.reborrow(), x.clone(), y, update)?;
        }
        Ok(())
    }

    fn enqueue_adjoint(
        &self,
        mut on: Context<'_>,
        y: View<'_>,
        mut x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        let mut update = update;
        for (part, y) in self.parts.iter().zip(self.ranges.split(&y)?) {
            part.enqueue_adjoint(on.reborrow(), y, x.reborrow(), update)?;
            update = update.then_add();
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
