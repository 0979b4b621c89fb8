//! What users give an operator, checked once for every operator.

use arrayspan_bridge::View;
use arrayspan_bridge::devices::Device;
use arrayspan_kernels::{Executor, Update};

use crate::{Error, LinearMap, Result, Space, number};

/// Models or data.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Model,
    Data,
}

impl Side {
    fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Data => "data",
        }
    }
}

/// Fails unless an array is one of the operator's models or data, where those live.
pub(crate) fn fits(
    operator: &(impl LinearMap + ?Sized),
    on: &dyn Executor,
    side: Side,
    array: &View<'_>,
) -> Result<()> {
    let (name, argument) = (operator.name(), side.name());
    let space = if side == Side::Model { operator.domain() } else { operator.range() };
    if array.shape() != space.shape() {
        let (expected, found) = (space.shape().to_vec(), array.shape().to_vec());
        return Err(Error::Shape { operator: name.into(), argument, expected, found });
    }
    if array.dtype() != space.dtype() {
        let (expected, found) = (space.dtype(), array.dtype());
        return Err(Error::DType { operator: name.into(), argument, expected, found });
    }
    let found = array.device();
    match operator.devices() {
        None => computes(operator, on, argument, found),
        Some(devices) => {
            let expected = if side == Side::Model { devices.domain } else { devices.range };
            if expected == found {
                return Ok(());
            }
            let operator = name.into();
            Err(Error::WrongDevice { operator, argument, expected, found, bound: true })
        }
    }
}

/// Fails unless what is on a device is where the executor computes.
pub(crate) fn computes(
    operator: &(impl LinearMap + ?Sized),
    on: &dyn Executor,
    argument: &'static str,
    found: Device,
) -> Result<()> {
    let expected = on.device();
    if expected == found {
        return Ok(());
    }
    let operator = operator.name().into();
    Err(Error::WrongDevice { operator, argument, expected, found, bound: false })
}

/// Fails unless arrays of `space`, to which results go, can hold the factors.
pub(crate) fn holds(
    operator: &(impl LinearMap + ?Sized),
    space: &Space,
    update: Update,
) -> Result<()> {
    for (what, factor) in [("alpha", update.alpha), ("beta", update.beta)] {
        let what = || format!("{what} {}", number::text(factor));
        number::check(operator.name(), what, factor, space.dtype())?;
    }
    if space.dtype().is_complex() || update.is_real() {
        return Ok(());
    }
    let Update { alpha, beta } = update;
    let [alpha, beta] = [alpha, beta].map(number::text);
    let why = format!("alpha {alpha} and beta {beta} must be real for {space}");
    Error::parameter(operator.name(), why)
}
