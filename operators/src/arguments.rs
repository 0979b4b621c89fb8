//! What users give an operator, checked once for every operator.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{DType, ScalarView, View};
use arrayspan_kernels::{Executor, Update, computed};

use crate::{Error, LinearMap, Result, Space, number};

/// Models or data.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Model,
    Data,
}

impl Side {
    pub(crate) fn name(self) -> &'static str {
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

/// Fails unless arrays of `space`, to which results go, can hold the factors, and those on a device are where the results are.
pub(crate) fn holds(
    operator: &(impl LinearMap + ?Sized),
    space: &Space,
    device: Device,
    update: Update<'_>,
) -> Result<()> {
    let (name, dtype) = (operator.name(), space.dtype());
    for (what, factor) in [("alpha", update.alpha), ("beta", update.beta)] {
        let number = factor.number();
        number::check(name, || format!("{what} {}", number::text(number)), number, dtype)?;
        if let Some(scalar) = factor.on_device() {
            loaded(name, what, scalar, dtype, device)?;
        }
    }
    if dtype.is_complex() || update.is_real() {
        return Ok(());
    }
    let [alpha, beta] = [update.alpha, update.beta].map(|factor| number::text(factor.number()));
    let why = format!("alpha {alpha} and beta {beta} must be real for {space}");
    Error::parameter(name, why)
}

/// Fails unless a factor is one number, of a dtype that is allowed beside results of `dtype`, where those are.
fn loaded(
    operator: &str,
    argument: &'static str,
    scalar: Result<ScalarView<'_>, usize>,
    dtype: DType,
    expected: Device,
) -> Result<()> {
    let scalar = match scalar {
        Ok(scalar) => scalar,
        Err(elements) => {
            let why = format!("{argument} is an array of {elements} elements, expected one");
            return Error::parameter(operator, why);
        }
    };
    let (of, found, operator) = (scalar.dtype(), scalar.device(), operator.to_owned());
    let wide = of.is_computable() && !of.is_complex() && of.bits() >= computed(dtype).real().bits();
    // A factor of 16-bit floats is as wide as what is computed of them.
    if !wide && (of != dtype || !dtype.is_computable()) {
        return Err(Error::DType { operator, argument, expected: computed(dtype), found: of });
    }
    if found != expected {
        return Err(Error::FactorDevice { operator, argument, dtype: of, expected, found });
    }
    Ok(())
}
