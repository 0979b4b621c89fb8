//! Means: sums may leave the dtype where the mean does not.

use arrayspan_bridge::{Array, Axis, Conversion, DType, Elementwise};
use num_complex::Complex64;

use super::arguments;
use super::reduce::Named;
use crate::number::computed;
use crate::{Executor, Expression, Result, constant, input, on, widest_real};

/// The means along `axes`, along all if there is no list of them.
pub(super) fn mean(
    operation: &'static str,
    value: &Elementwise<'_>,
    axes: Option<&[Axis]>,
) -> Result<Array> {
    let sum = Named::sum(operation);
    let inputs = arguments::arrays(operation, value)?;
    let (dtype, device) = (inputs[0].dtype(), arguments::one_device(operation, &inputs)?);
    let shape = arguments::shape(operation, &inputs, dtype)?;
    let axes_of_each = sum.numbers(axes, &shape)?;
    // More elements than can be counted are refused by the sum.
    let len = axes_of_each.iter().fold(1_usize, |len, &axis| len.saturating_mul(shape[axis]));
    let single = computed(dtype).real() == DType::Float32;
    let widened = single && widest_real(device) == DType::Float64;
    Mean { sum, on: &*on(device)?, axes, len, widened }.of(value, dtype)
}

struct Mean<'a> {
    sum: Named,
    on: &'a dyn Executor,
    axes: Option<&'a [Axis]>,
    /// The elements of each mean.
    len: usize,
    /// Whether sums are in Float64, beside elements that are not.
    widened: bool,
}

impl Mean<'_> {
    /// By way of the sums of real and of imaginary parts.
    fn of(&self, value: &Elementwise<'_>, dtype: DType) -> Result<Array> {
        if !dtype.is_complex() {
            return self.quotient(&[self.sums(value.clone(), dtype)?], dtype);
        }
        let re = self.sums(value.clone().re(), dtype)?;
        if value.expression().is_real() {
            return self.quotient(&[re], dtype);
        }
        let im = self.sums(value.clone().im(), dtype)?;
        self.quotient(&[re, im], dtype)
    }

    /// What elements are multiplied by before they are added up. Where nothing is wider it is a power of two of which more
    /// than there are elements make 1, so that no partial sum is larger than the largest element, be it rounded up.
    fn scale(&self) -> Option<f64> {
        let many = !self.widened && self.len > 1;
        many.then(|| 0.5 / (self.len as f64).log2().ceil().exp2())
    }

    /// The dtype of sums of real numbers, or of parts of complex ones.
    fn kept(&self, dtype: DType) -> DType {
        if self.widened { DType::Float64 } else { computed(dtype).real() }
    }

    /// The scaled sums of a real value.
    fn sums(&self, part: Elementwise<'_>, dtype: DType) -> Result<Array> {
        let scaled = match self.scale() {
            Some(scale) => part * scale,
            None => part,
        };
        let kept = self.kept(dtype);
        self.sum.array(&scaled, self.axes, |_, _| kept)
    }

    /// What scaled sums of parts are sums of, divided by their number, as `dtype`.
    fn quotient(&self, sums: &[Array], dtype: DType) -> Result<Array> {
        let shape = sums[0].shape();
        let number = self.len as f64 * self.scale().unwrap_or(1.0);
        // What is computed of numbers stays real until it meets the imaginary unit.
        let part = |part| input(part) / constant(number);
        let whole =
            if sums.len() == 1 { part(0) } else { part(0) + constant(Complex64::i()) * part(1) };
        // `map` takes single numbers of a wider dtype, but no arrays.
        let narrowed = self.kept(dtype) != dtype.real() && !shape.is_empty();
        let wide = if dtype.is_complex() { DType::Complex128 } else { self.kept(dtype) };
        let mut out = self.on.empty(shape, if narrowed { wide } else { dtype })?;
        self.divide(&whole, sums, &mut out)?;
        if !narrowed {
            return Ok(out);
        }
        // Rounded as floating point is: what is infinite stays so.
        Ok(out.view().convert(dtype, &Conversion::WRAP, self.on.stream())?)
    }

    fn divide(&self, quotient: &Expression, sums: &[Array], out: &mut Array) -> Result<()> {
        let views: Vec<_> = sums.iter().map(Array::view).collect();
        self.on
            .map(quotient, &views, out.view_mut())
            .map_err(|error| error.in_operation(self.sum.operation))
    }
}
