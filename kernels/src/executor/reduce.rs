//! Verbs that make one element of many.

use arrayspan_bridge::{View, ViewMut};

use super::Executor;
use crate::verb::{Call, ReduceCall, Reduction};
use crate::{Expression, Result};

impl dyn Executor + '_ {
    /// `out ← reduction over axes of expression(inputs)`. Enqueued; does not wait.
    ///
    /// # Errors
    /// As [`ReduceCall::new`]; arguments on another device; the device's failure.
    pub fn reduce(
        &self,
        reduction: Reduction,
        expression: &Expression,
        inputs: &[View<'_>],
        axes: &[usize],
        out: ViewMut<'_>,
    ) -> Result<()> {
        self.run(Call::Reduce(ReduceCall::new(reduction, expression, inputs, axes, out)?))
    }

    /// `out[k, …] ← Σ over axes of expression(inputs) · wᵏ` in one pass, where `w` is the last input and `k` counts the first axis
    /// of `out`, which has 1 to 8 elements. Sums are kept as those of [`reduce`](#method.reduce); on GPUs, up to eight
    /// terms are added in the dtype of the inputs first, so that terms as large as that holds may overflow. Enqueued; does not wait.
    ///
    /// ```
    /// use arrayspan_kernels::bridge::{Array, devices::Device};
    /// use arrayspan_kernels::{input, on};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let y = Array::from_slice(&[1.0, 2.0, 4.0], [3])?;
    /// let t = Array::from_slice(&[0.0, 1.0, 2.0], [3])?;
    /// let on = on(Device::cpu())?;
    /// let mut sums = Array::from_slice(&[0.0; 3], [3])?;
    /// on.moments(&input(0), &[y.view(), t.view()], &[0], sums.view_mut())?;
    /// assert_eq!(sums.view().as_slice::<f64>()?, [7.0, 10.0, 18.0]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`ReduceCall::moments`]; arguments on another device; the device's failure.
    pub fn moments(
        &self,
        expression: &Expression,
        inputs: &[View<'_>],
        axes: &[usize],
        out: ViewMut<'_>,
    ) -> Result<()> {
        self.run(Call::Reduce(ReduceCall::moments(expression, inputs, axes, out)?))
    }

    /// `out ← Σ expression(inputs)` over all elements, into a 0-d array. Enqueued; does not wait.
    ///
    /// # Errors
    /// As [`reduce`](#method.reduce).
    pub fn sum(
        &self,
        expression: &Expression,
        inputs: &[View<'_>],
        out: ViewMut<'_>,
    ) -> Result<()> {
        let rank = inputs.first().map_or(0, |view| view.shape().len());
        let axes: Vec<usize> = (0..rank).collect();
        self.reduce(Reduction::Sum, expression, inputs, &axes, out)
    }
}
