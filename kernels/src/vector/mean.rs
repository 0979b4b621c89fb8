//! Means: sums may leave the dtype where the mean does not.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType, Elementwise};
use num_complex::Complex64;

use super::arguments;
use super::reduce::{Named, own};
use crate::{Executor, Expression, Result, constant, input, on, previous, widest_real};

const OPERATION: &str = "mean";
const SUM: Named = Named { operation: OPERATION, reduction: crate::Reduction::Sum };

/// The mean of all elements.
pub(super) fn mean(value: &Elementwise<'_>) -> Result<Array> {
    let inputs = arguments::arrays(OPERATION, value)?;
    let (dtype, device) = (inputs[0].dtype(), inputs[0].device());
    let len: usize = arguments::shape(OPERATION, &inputs, dtype)?.iter().product();
    let on = on(device)?;
    match dtype.real() {
        DType::Float32 if widest_real(device) == DType::Float64 => wide(&*on, value, dtype, len),
        DType::Float32 => scaled(value, device, len),
        _ => {
            let mut out = SUM.array(value, None, own)?;
            divide(&*on, &(previous() / number(len)), &[], &mut out)?;
            Ok(out)
        }
    }
}

/// By way of sums in Float64, of real and imaginary parts each.
fn wide(on: &dyn Executor, value: &Elementwise<'_>, dtype: DType, len: usize) -> Result<Array> {
    let sum = |part: &Elementwise<'_>| SUM.array(part, None, |_, _| DType::Float64);
    let mut out = on.empty(&[], dtype)?;
    if !dtype.is_complex() || value.expression().is_real() {
        let sum = sum(&if dtype.is_complex() { value.clone().re() } else { value.clone() })?;
        divide(on, &(input(0) / number(len)), &[&sum], &mut out)?;
        return Ok(out);
    }
    let (re, im) = (sum(&value.clone().re())?, sum(&value.clone().im())?);
    // What is computed of numbers stays real until it meets the imaginary unit.
    let parts = [0, 1].map(|part| input(part) / number(len));
    let [re_part, im_part] = parts;
    let whole = re_part + constant(Complex64::i()) * im_part;
    divide(on, &whole, &[&re, &im], &mut out)?;
    Ok(out)
}

/// Where there is no Float64: of elements divided by a power of two that is not less than their number, so that no partial
/// sum is larger than the largest element.
fn scaled(value: &Elementwise<'_>, device: Device, len: usize) -> Result<Array> {
    let power = len.max(1).checked_next_power_of_two().unwrap_or(len) as f64;
    let mut out = SUM.array(&(value * (1.0 / power)), None, own)?;
    let rest = len as f64 / power;
    divide(&*on(device)?, &(previous() / constant(rest)), &[], &mut out)?;
    Ok(out)
}

fn number(len: usize) -> Expression {
    constant(len as f64)
}

fn divide(
    on: &dyn Executor,
    quotient: &Expression,
    sums: &[&Array],
    out: &mut Array,
) -> Result<()> {
    let views: Vec<_> = sums.iter().map(|sum| sum.view()).collect();
    on.map(quotient, &views, out.view_mut()).map_err(|error| error.in_operation(OPERATION))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vector;

    #[test]
    fn means_without_float64_are_finite_and_accurate() {
        for len in [1, 2, 3, 7, 1000, 7919] {
            let numbers: Vec<f32> = (0..len).map(|i| (i as f32).sin() * 3.2e38).collect();
            let expected = numbers.iter().map(|v| f64::from(*v)).sum::<f64>() / len as f64;
            let x = Array::from_vec(numbers, [len]).unwrap();
            let found = scaled(&(&x * 1.0), Device::cpu(), len).unwrap().item::<f32>().unwrap();
            let error = (f64::from(found) - expected).abs();
            assert!(error <= 1e-6 * 3.2e38, "{len}: {found:e}, not {expected:e}");
            assert!(x.mean().unwrap().item::<f32>().unwrap().is_finite());
        }
        let none = Array::from_vec(Vec::<f32>::new(), [0]).unwrap();
        let found = scaled(&(&none * 1.0), Device::cpu(), 0).unwrap();
        assert!(found.item::<f32>().unwrap().is_nan());
    }
}
