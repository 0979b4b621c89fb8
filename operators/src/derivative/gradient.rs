//! Derivatives along all axes.

use super::{Edge, FirstDerivative, Scheme};
use crate::{Error, Operator, Result, Space, stack};

/// `y[k, …] = ∂x/∂sₖ` for each axis `k`; domain `space`, range with a new first axis, of as many indices as `space` has axes.
///
/// Units: those of `x` per unit of each axis's step. Complex: linear. Cost: 1 launch up to 4 axes, which reads
/// each value of the domain once, and so does the adjoint (test `bytes::gradient`).
///
/// Golden: PyLops 2.8.0 `Gradient`, which has no scheme of five points.
#[derive(Debug)]
pub struct Gradient(());

impl Gradient {
    const NAME: &str = "Gradient";

    /// The derivatives along the axes of `space`, whose samples lie `steps` apart, one number for each axis.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless there is a step for each axis; [`Error::TooLarge`] when the range cannot be addressed; as
    /// [`FirstDerivative::new`].
    pub fn new(space: Space, steps: &[f64], scheme: Scheme, edge: Edge) -> Result<Operator> {
        space.stored(Self::NAME)?;
        let parts = along_each(Self::NAME, space, steps, scheme, edge)?;
        Ok(stack(parts)?.named(Self::NAME))
    }
}

/// The derivative along each axis of `space`, for the constructor of `operator`.
pub(super) fn along_each(
    operator: &str,
    space: Space,
    steps: &[f64],
    scheme: Scheme,
    edge: Edge,
) -> Result<Vec<Operator>> {
    if steps.len() != space.shape().len() || steps.is_empty() {
        let (steps, axes) = (steps.len(), space.shape().len());
        let why = format!("{steps} steps for {space}, which has {axes} axes");
        return Error::parameter(operator, why);
    }
    let spaces = std::iter::repeat_n(space, steps.len()).zip(0_isize..);
    let along = |((space, axis), &step)| FirstDerivative::new(space, axis, step, scheme, edge);
    spaces.zip(steps).map(along).collect()
}
