//! Derivatives along a direction.

use arrayspan_bridge::SharedArray;

use super::gradient::along_each;
use super::{Edge, Scheme};
use crate::{Diagonal, Error, Formula, Operator, Result, Space, adjoint, number};

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

    /// As [`fields`](Self::fields), of one array `[rank, …]` with a component at each index of its first axis.
    ///
    /// # Errors
    /// [`Error::Kernel`] for an array without axes.
    pub fn field(components: impl Into<SharedArray>) -> Result<Self> {
        Ok(Self::Fields(components.into().unstack(0)?))
    }

    fn len(&self) -> usize {
        match self {
            Self::Constant(components) => components.len(),
            Self::Fields(components) => components.len(),
        }
    }

    /// Fails unless each component fits `space`, for the constructor of `operator`.
    fn check(&self, operator: &str, space: &Space) -> Result<()> {
        match self {
            Self::Constant(components) => {
                components.iter().enumerate().try_for_each(|(axis, &v)| {
                    let what = || format!("component {axis} of the direction, {}", number::text(v));
                    number::check(operator, what, v, space.dtype())
                })
            }
            Self::Fields(fields) => {
                let differs = |field: &SharedArray| {
                    field.shape() != space.shape() || field.dtype() != space.dtype()
                };
                let Some(axis) = fields.iter().position(differs) else { return Ok(()) };
                let (dtype, shape) = (fields[axis].dtype(), fields[axis].shape());
                let why =
                    format!("component {axis} of the direction is {dtype} {shape:?}, not {space}");
                Error::parameter(operator, why)
            }
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
/// Its own adjoint, and negative semidefinite. Where the direction is constant and away from the edges, it is a second derivative along
/// it. Units: those of `v² x` per unit of each axis's step squared. Complex: linear. Cost: 2 launches, 4 values moved per element and each value
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
    space.stored(operator)?;
    if direction.len() != space.shape().len() {
        let (count, axes) = (direction.len(), space.shape().len());
        let why = format!("a direction of {count} components in {space}, which has {axes} axes");
        return Error::parameter(operator, why);
    }
    direction.check(operator, &space)?;
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
