//! Derivatives.

use arrayspan::operators as of;
use arrayspan::operators::{Along, Direction, Edge, Operator, Scheme, Space};
use pyo3::prelude::*;

use super::choice::Choice;
use super::{DTYPE, kept, space};
use crate::dtype::Named;
use crate::error::{Class, Result, refuse};
use crate::integer::integer;
use crate::operator::PyOperator;
use crate::shape::{Axes, Shape};

/// ``y = ∂x/∂s`` along an axis whose samples lie ``step`` apart.
///
#[doc = include_str!("../../docs/operators/FirstDerivative.txt")]
#[pyfunction(name = "FirstDerivative")]
#[pyo3(signature = (shape, axis=0, step=1.0, scheme=Choice(Scheme::Centered3), edge=Choice(Edge::Zero), dtype=DTYPE))]
pub(crate) fn first_derivative(
    shape: Shape,
    #[pyo3(from_py_with = integer)] axis: isize,
    step: f64,
    scheme: Choice<Scheme>,
    edge: Choice<Edge>,
    dtype: Named,
) -> Result<PyOperator> {
    Ok(of::FirstDerivative::new(space(shape, dtype)?, axis, step, scheme.0, edge.0)?.into())
}

/// ``y = ∂²x/∂s²`` along an axis whose samples lie ``step`` apart.
///
#[doc = include_str!("../../docs/operators/SecondDerivative.txt")]
#[pyfunction(name = "SecondDerivative")]
#[pyo3(signature = (shape, axis=0, step=1.0, scheme=Choice(Scheme::Centered3), edge=Choice(Edge::Zero), dtype=DTYPE))]
pub(crate) fn second_derivative(
    shape: Shape,
    #[pyo3(from_py_with = integer)] axis: isize,
    step: f64,
    scheme: Choice<Scheme>,
    edge: Choice<Edge>,
    dtype: Named,
) -> Result<PyOperator> {
    Ok(of::SecondDerivative::new(space(shape, dtype)?, axis, step, scheme.0, edge.0)?.into())
}

/// The sum of second derivatives along axes, each with a step and a weight.
///
#[doc = include_str!("../../docs/operators/Laplacian.txt")]
#[pyfunction(name = "Laplacian")]
#[pyo3(signature = (shape, axes=Axes::last_two(), steps=None, weights=None, scheme=Choice(Scheme::Centered3), edge=Choice(Edge::Zero), dtype=DTYPE))]
pub(crate) fn laplacian(
    shape: Shape,
    axes: Axes,
    steps: Option<Vec<f64>>,
    weights: Option<Vec<f64>>,
    scheme: Choice<Scheme>,
    edge: Choice<Edge>,
    dtype: Named,
) -> Result<PyOperator> {
    let ones = || vec![1.0; axes.0.len()];
    let (steps, weights) = (steps.unwrap_or_else(ones), weights.unwrap_or_else(ones));
    if steps.len() != axes.0.len() || weights.len() != axes.0.len() {
        let (axes, steps, weights) = (axes.0.len(), steps.len(), weights.len());
        let why = format!("Laplacian: {steps} steps and {weights} weights for {axes} axes");
        return Ok(refuse(Class::Parameter, why)?);
    }
    let along = axes.0.iter().zip(steps).zip(weights);
    let terms: Vec<_> = along.map(|((&axis, step), weight)| Along { axis, step, weight }).collect();
    Ok(of::Laplacian::new(space(shape, dtype)?, &terms, scheme.0, edge.0)?.into())
}

/// The derivatives along all axes, along a new first axis.
///
#[doc = include_str!("../../docs/operators/Gradient.txt")]
#[pyfunction(name = "Gradient")]
#[pyo3(signature = (shape, steps=None, scheme=Choice(Scheme::Centered3), edge=Choice(Edge::Zero), dtype=DTYPE))]
pub(crate) fn gradient(
    shape: Shape,
    steps: Option<Vec<f64>>,
    scheme: Choice<Scheme>,
    edge: Choice<Edge>,
    dtype: Named,
) -> Result<PyOperator> {
    let steps = steps.unwrap_or_else(|| vec![1.0; shape.0.len()]);
    Ok(of::Gradient::new(space(shape, dtype)?, &steps, scheme.0, edge.0)?.into())
}

/// The derivative along a direction: a number for each axis, or an array ``[rank, …]`` with components that change from place to
/// place.
///
#[doc = include_str!("../../docs/operators/FirstDirectionalDerivative.txt")]
#[pyfunction(name = "FirstDirectionalDerivative")]
#[pyo3(signature = (shape, direction, steps=None, scheme=Choice(Scheme::Centered3), edge=Choice(Edge::Zero), dtype=DTYPE))]
pub(crate) fn first_directional_derivative(
    shape: Shape,
    direction: &Bound<'_, PyAny>,
    steps: Option<Vec<f64>>,
    scheme: Choice<Scheme>,
    edge: Choice<Edge>,
    dtype: Named,
) -> Result<PyOperator> {
    directional(
        of::FirstDirectionalDerivative::new,
        space(shape, dtype)?,
        direction,
        steps,
        (scheme.0, edge.0),
    )
}

/// ``y = -Dᴴ D x`` with ``D`` the first derivative along a direction.
///
#[doc = include_str!("../../docs/operators/SecondDirectionalDerivative.txt")]
#[pyfunction(name = "SecondDirectionalDerivative")]
#[pyo3(signature = (shape, direction, steps=None, scheme=Choice(Scheme::Centered3), edge=Choice(Edge::Zero), dtype=DTYPE))]
pub(crate) fn second_directional_derivative(
    shape: Shape,
    direction: &Bound<'_, PyAny>,
    steps: Option<Vec<f64>>,
    scheme: Choice<Scheme>,
    edge: Choice<Edge>,
    dtype: Named,
) -> Result<PyOperator> {
    directional(
        of::SecondDirectionalDerivative::new,
        space(shape, dtype)?,
        direction,
        steps,
        (scheme.0, edge.0),
    )
}

type Constructor = fn(Space, &Direction, &[f64], Scheme, Edge) -> of::Result<Operator>;

fn directional(
    new: Constructor,
    space: Space,
    direction: &Bound<'_, PyAny>,
    steps: Option<Vec<f64>>,
    (scheme, edge): (Scheme, Edge),
) -> Result<PyOperator> {
    let steps = steps.unwrap_or_else(|| vec![1.0; space.shape().len()]);
    // A number for each axis: a list of them, or an array with one axis.
    let direction = match direction.extract::<Vec<f64>>() {
        Ok(components) => Direction::constant(components),
        Err(_) => Direction::field(kept(direction, "direction")?)?,
    };
    Ok(new(space, &direction, &steps, scheme, edge)?.into())
}
