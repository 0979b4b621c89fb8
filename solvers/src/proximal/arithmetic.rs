//! Arithmetic that functionals share.

use arrayspan_bridge::{Array, DType, Elementwise, View, ViewMut};
use arrayspan_kernels::{Executor, Expression, VectorMut, constant, widest_real};
use arrayspan_operators::{LinearMap, Space};

use super::Scratch;
use crate::engine::run::above;
use crate::parameters::wrong;
use crate::{NormEstimator, Result};

/// `out ← value`, also where a value of complex arrays takes the smaller or larger one of real parts of it.
pub(super) fn write<'a>(
    on: &dyn Executor,
    mut out: ViewMut<'_>,
    value: impl Into<Elementwise<'a>>,
) -> Result<()> {
    let value = value.into();
    if out.dtype().is_complex() && value.expression().has_order() {
        return Ok(on.map_many(&value.inputs(), [(value.expression().clone(), out.reborrow())])?);
    }
    Ok(out.assign_on(on, value)?)
}

/// `1 / number`, on the device.
pub(super) fn reciprocal(
    on: &dyn Executor,
    scratch: &mut Scratch,
    number: &View<'_>,
) -> Result<Array> {
    let mut inverse = scratch.take(on, &[], widest_real(on.device()))?;
    inverse.assign_on(on, 1.0 / number)?;
    Ok(inverse)
}

/// Zero where `out` is zero, infinity where it is more.
pub(super) fn indicate(on: &dyn Executor, out: ViewMut<'_>) -> Result<()> {
    // Of what is infinite there is no share.
    let out_of = above(arrayspan_kernels::previous().min(constant(1.0)), constant(0.0));
    // 1/1 - 1 or 1/0 - 1
    let one = || constant(1.0);
    Ok(on.map(&(one() / (one() - out_of) - one()), &[], out)?)
}

/// The nearest number of the dtype's parts.
pub(super) fn rounded(value: f64, dtype: DType) -> f64 {
    if dtype.real() == DType::Float32 { f64::from(value as f32) } else { value }
}

/// The sum of expressions.
pub(super) fn sum(terms: impl IntoIterator<Item = Expression>) -> Expression {
    terms.into_iter().reduce(|sum, term| sum + term).unwrap_or_else(|| constant(0.0))
}

/// Fails for complex arrays.
pub(super) fn real_only(name: &'static str, space: &Space) -> Result<()> {
    if space.dtype().is_complex() {
        return wrong(name, format!("{space} is complex, and complex numbers have no order"));
    }
    Ok(())
}

/// Fails unless an array broadcasts to the space, has one of these dtypes and is on the device.
pub(super) fn fits(
    name: &'static str,
    argument: &str,
    array: &View<'_>,
    (space, dtypes): (&Space, &[DType]),
    device: arrayspan_bridge::devices::Device,
) -> Result<()> {
    let (shape, dtype) = (array.shape(), array.dtype());
    if !dtypes.contains(&dtype) {
        return wrong(name, format!("{argument} is {dtype}, expected {}", dtypes[0]));
    }
    if array.device() != device {
        let found = array.device();
        return wrong(name, format!("{argument} is on {found}, and the run on {device}"));
    }
    if array.clone().broadcast(space.shape()).is_err() {
        let expected = space.shape();
        return wrong(name, format!("{argument} has shape {shape:?}, expected {expected:?}"));
    }
    Ok(())
}

/// `‖A‖` or more, by an estimate that is too low once in a million; 1 where that is zero or not finite, and any number will do. Waits
/// for the device.
pub(super) fn bound(on: &dyn Executor, a: &dyn LinearMap) -> Result<f64> {
    let norm = NormEstimator::default().of_on(a, on)?.upper;
    Ok(if norm > 0.0 && norm.is_finite() { norm } else { 1.0 })
}
