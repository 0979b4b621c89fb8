//! Derivatives along a direction.

use arrayspan_bridge::SharedArray;

use super::gradient::along_each;
use super::{Edge, Scheme};
use crate::{Diagonal, Error, Formula, Operator, Result, Space, adjoint};

/// The direction of a derivative, one component for each axis.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Direction {
    /// The same everywhere.
    Constant(Vec<f64>),
    /// An array of the shape and dtype of the space for each component.
    Fields(Vec<SharedArray>),
}

impl Direction {
    /// A direction that is the same everywhere: its component along each axis.
    pub fn constant(components: impl Into<Vec<f64>>) -> Self {
        Self::Constant(components.into())
    }

    /// A direction that changes from place to place: for each axis an array of its component.
    pub fn fields<A: Into<SharedArray>>(components: impl IntoIterator<Item = A>) -> Self {
        Self::Fields(components.into_iter().map(Into::into).collect())
    }

    fn len(&self) -> usize {
        match self {
            Self::Constant(components) => components.len(),
            Self::Fields(components) => components.len(),
        }
    }
}

/// `y = Σₖ vₖ ∂x/∂sₖ` with the direction `v`; domain and range are both `space`.
///
/// `v` need not have length 1. Units: those of `v x` per unit of each axis's step. Complex: linear. Cost: 1 launch, 2 values
/// moved per element and each value of `v` once (test `bytes::first_directional_derivative`).
///
/// Golden: PyLops 2.8.0 `FirstDirectionalDerivative`, which has no scheme of five points.
#[derive(Debug)]
pub struct FirstDirectionalDerivative(());

impl FirstDirectionalDerivative {
    const NAME: &str = "FirstDirectionalDerivative";

    /// The derivative along `direction` in `space`, whose samples lie `steps` apart, one number for each axis.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless there are a step and a component for each axis, and components are finite or arrays of the
    /// shape and dtype of `space`; as [`FirstDerivative::new`](crate::FirstDerivative::new).
    pub fn new(
        space: Space,
        direction: &Direction,
        steps: &[f64],
        scheme: Scheme,
        edge: Edge,
    ) -> Result<Operator> {
        Ok(along(Self::NAME, space, direction, (steps, scheme, edge))?.named(Self::NAME))
    }
}

/// `y = -Dᴴ D x` with `D` the [`FirstDirectionalDerivative`]; domain and range are both `space`.
///
/// Its own adjoint, and never positive. Inside, it is the second derivative along the direction where that does not change. Units: those
/// of `v² x` per unit of each axis's step squared. Complex: linear. Cost: 2 launches, 4 values moved per element and each value
/// of `v` twice; 1 launch and 2 values with a constant direction along one axis (test `bytes::second_directional_derivative`).
///
/// Golden: PyLops 2.8.0 `SecondDirectionalDerivative`.
#[derive(Debug)]
pub struct SecondDirectionalDerivative(());

impl SecondDirectionalDerivative {
    const NAME: &str = "SecondDirectionalDerivative";

    /// The derivative along `direction` in `space`, whose samples lie `steps` apart, one number for each axis.
    ///
    /// # Errors
    /// As [`FirstDirectionalDerivative::new`].
    pub fn new(
        space: Space,
        direction: &Direction,
        steps: &[f64],
        scheme: Scheme,
        edge: Edge,
    ) -> Result<Operator> {
        let first = along(Self::NAME, space, direction, (steps, scheme, edge))?;
        Ok((-adjoint(&first).after(first)).build()?.named(Self::NAME))
    }
}

/// `Σₖ vₖ ∂/∂sₖ` for the constructor of `operator`.
fn along(
    operator: &str,
    space: Space,
    direction: &Direction,
    (steps, scheme, edge): (&[f64], Scheme, Edge),
) -> Result<Operator> {
    space.computable(operator)?;
    if direction.len() != space.shape().len() {
        let count = direction.len();
        return Error::parameter(operator, format!("a direction of {count} components in {space}"));
    }
    let derivatives = along_each(operator, space.clone(), steps, scheme, edge)?;
    let spaces = std::iter::repeat_n(space, derivatives.len()).enumerate();
    let terms =
        derivatives.into_iter().zip(spaces).map(|(derivative, (axis, space))| match direction {
            Direction::Constant(components) => (components[axis] * derivative).build(),
            Direction::Fields(fields) => {
                Diagonal::new(space, fields[axis].clone())?.after(derivative).build()
            }
        });
    // There is an axis: `along_each` has seen to it.
    let sum = terms.map(Formula::from).reduce(|sum, term| sum + term);
    sum.map_or_else(|| Error::parameter(operator, "a space without axes"), Formula::build)
}
