//! Reciprocals of weights, where these are.

use arrayspan_bridge::{Array, Relayout, SharedArray};
use arrayspan_kernels::{Reduction, constant, input, widest_real};

use crate::laws::values::numbers;
use crate::{Error, Result};

/// `1 / w` of each weight. Waits for the device.
///
/// # Errors
/// [`Error::NoInverse`](crate::Error::NoInverse) when one is no number of the dtype, or becomes zero.
pub(super) fn reciprocal(name: &str, weights: &SharedArray) -> Result<SharedArray> {
    let on = arrayspan_kernels::on(weights.device())?;
    let mut all = Array::empty(weights.shape(), weights.dtype(), on.stream())?;
    on.map(&(constant(1.0) / input(0)), &[weights.view()], all.view_mut())?;
    if !all.view().layout().is_empty() {
        let (re, im) = (|| input(0).re(), || input(0).im());
        // The difference is 0, and NaN where there is no number.
        let differences = (re() - re()) + (im() - im());
        let mut facts = on.empty(&[2], widest_real(on.device()))?;
        let axes: Vec<usize> = (0..all.shape().len()).collect();
        for (at, (reduction, of)) in
            [(Reduction::Sum, differences), (Reduction::Minimum, re().abs() + im().abs())]
                .into_iter()
                .enumerate()
        {
            let out = facts.view_mut().selected(0, at)?;
            on.reduce(reduction, &of, &[all.view()], &axes, out)?;
        }
        let facts = numbers(&facts.view())?;
        if facts[0].re.is_nan() {
            return Error::no_inverse(
                name,
                "a weight is zero, is not a number or has a reciprocal that is none",
            );
        }
        if facts[1].re == 0.0 {
            return Error::no_inverse(name, "a weight has a reciprocal that is zero in its dtype");
        }
    }
    Ok(all.into_shared())
}
