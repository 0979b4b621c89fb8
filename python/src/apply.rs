//! Operators applied to the arrays of Python programs.

use std::sync::Arc;

use arrayspan::bridge::Array;
use arrayspan::devices::Device;
use arrayspan::kernels::{self, Executor, Update};
use arrayspan::operators::{LinearMap, LinearOperator, Operator, Workspace};
use pyo3::prelude::*;

use crate::direct;
use crate::direction::{Direction, run};
use crate::error::Result;
use crate::incoming::{self, Given, Target};

/// Applies an operator to an array of any kind; into `out`, or into a new array of the same kind.
pub(crate) fn apply<'py>(
    operator: &Operator,
    direction: Direction,
    x: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
) -> Result<Bound<'py, PyAny>> {
    let py = x.py();
    let out = out.filter(|out| !out.is_none());
    if out.is_none()
        && !incoming::is_near(x)
        && let Some(result) = direct::apply(operator, direction, x)?
    {
        return Ok(result);
    }
    let given = incoming::read(x, if direction == Direction::Forward { "x" } else { "y" })?;
    let Some(out) = out else {
        let result = run(py, operator, given.device(), || {
            let result = match direction {
                Direction::Forward => operator.forward(given.view())?,
                Direction::Adjoint => operator.adjoint(given.view())?,
            };
            given.settle()?;
            Ok(result)
        })?;
        return given.kind.give(py, result);
    };
    let mut target = incoming::write(out)?;
    target.apart_from(&given)?;
    run(py, operator, given.device(), || into(operator, direction, &given, &mut target))?;
    Ok(out.clone())
}

/// `out ← A x`, or of the adjoint.
fn into(operator: &Operator, direction: Direction, given: &Given, out: &mut Target) -> Result<()> {
    let on = executor(operator, direction, given.device())?;
    let mut workspace = Workspace::of(operator, &*on)?;
    let (x, y) = (given.view(), out.view_mut());
    match direction {
        Direction::Forward => operator.apply_with(&mut workspace, &*on, x, y, Update::set())?,
        Direction::Adjoint => {
            operator.apply_adjoint_with(&mut workspace, &*on, x, y, Update::set())?;
        }
    }
    given.settle()?;
    out.settle()
}

/// What computes where models live, or where the argument is.
fn executor(operator: &Operator, direction: Direction, found: Device) -> Result<Arc<dyn Executor>> {
    let device = match (operator.devices(), direction) {
        (None, _) => found,
        (Some(devices), Direction::Forward) => devices.domain,
        (Some(devices), Direction::Adjoint) => devices.range,
    };
    Ok(kernels::on(device)?)
}

/// As [`apply`], to a stack of arrays along a last axis.
pub(crate) fn apply_to_columns<'py>(
    operator: &Operator,
    direction: Direction,
    x: &Bound<'py, PyAny>,
) -> Result<Bound<'py, PyAny>> {
    let given = incoming::read(x, if direction == Direction::Forward { "x" } else { "y" })?;
    let result = x.py().detach(|| -> Result<Array> {
        let result = match direction {
            Direction::Forward => operator.matmat(given.view())?,
            Direction::Adjoint => operator.rmatmat(given.view())?,
        };
        given.settle()?;
        Ok(result)
    })?;
    given.kind.give(x.py(), result)
}
