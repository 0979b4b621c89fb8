//! The identity, also between spaces of different extents.

use arrayspan_bridge::{Relayout, View, ViewMut};
use arrayspan_kernels::Update;

use crate::{Context, Error, LinearMap, Result, Space, elementwise};

/// `y = x`, or the part of `x` that fits, with zeros where there is no `x`; domain and range may differ
/// in extents, not in rank or dtype.
///
/// Along each axis the first elements are kept: a shorter range truncates, a longer one pads with zeros at
/// the end; the adjoint does the opposite. Units: those of `x`. Complex: linear. Cost: 1 launch and one
/// more for every axis that is padded; 2 values moved per element kept, 1 per zero
/// (test `bytes::identity`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::DType;
/// use arrayspan_operators::prelude::*;
/// let crop = Identity::rectangular(
///     Space::new([6, 4], DType::Float32)?,
///     Space::new([5, 4], DType::Float32)?,
/// )?;
/// assert_eq!(crop.range().shape(), [5, 4]);
/// # Ok(()) }
/// ```
///
/// Golden: PyLops 2.8.0 `Identity`, which refuses to truncate one axis while it pads another.
#[derive(Clone, Debug)]
pub struct Identity {
    domain: Space,
    range: Space,
}

impl Identity {
    const NAME: &str = "Identity";

    /// `y = x` in `space`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when the dtype is not one to compute with.
    pub fn new(space: Space) -> Result<Self> {
        Self::rectangular(space.clone(), space)
    }

    /// `y = x` where both spaces have elements, zero elsewhere.
    ///
    /// # Errors
    /// [`Error::Parameter`] when the dtype is not one to compute with; [`Error::Spaces`] when the spaces
    /// differ in rank or dtype.
    pub fn rectangular(domain: Space, range: Space) -> Result<Self> {
        domain.computable(Self::NAME)?;
        range.computable(Self::NAME)?;
        if domain.dtype() != range.dtype() || domain.shape().len() != range.shape().len() {
            return Err(Error::Spaces { operation: Self::NAME, left: range, right: domain });
        }
        Ok(Self { domain, range })
    }
}

/// `to ← alpha · from + beta · to` where both have elements, `to ← beta · to` elsewhere.
fn place(on: &Context<'_>, from: View<'_>, to: ViewMut<'_>, update: Update) -> Result<()> {
    let (mut from, mut to) = (from, to);
    for axis in 0..from.shape().len() {
        let kept = from.shape()[axis].min(to.shape()[axis]);
        from = from.sliced(axis, 0, kept)?;
        // What is cut off here is not part of `to` any more, so no element is visited twice.
        let (inside, outside) = to.split_at(axis, kept)?;
        elementwise::scale(on, outside, update)?;
        to = inside;
    }
    Ok(on.copy(from, to, update)?)
}

impl LinearMap for Identity {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn domain(&self) -> &Space {
        &self.domain
    }

    fn range(&self) -> &Space {
        &self.range
    }

    fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        place(&on, x, y, update)
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        place(&on, y, x, update)
    }
}
