//! Percentiles of absolute values, found on the device.

use arrayspan_bridge::{Array, DType, View};
use arrayspan_kernels::{Executor, Expression, Reduction, constant, input, widest_real};

use crate::Result;

/// The percentile of `|x|` of vectors of one length and dtype.
///
/// Its bracket is halved by counting what is above its middle, on the device. Numbers of the bracket have the dtype of the
/// elements, beside which reductions take no other.
#[derive(Debug)]
pub(super) struct Percentile {
    /// The bracket: all but the elements wanted and those above are at most `low`, and those wanted and all below are at most `high`.
    low: Array,
    high: Array,
    /// How many elements are above the middle.
    count: Array,
    /// What was found.
    value: Array,
    /// What takes the place of another number.
    next: Array,
    /// An element's size.
    size: Array,
    len: usize,
}

impl Percentile {
    /// For `len` elements of `dtype`.
    pub(super) fn new(on: &dyn Executor, dtype: DType, len: usize) -> Result<Self> {
        let number = || on.empty(&[], dtype);
        let (low, high, value, next) = (number()?, number()?, number()?, number()?);
        let (count, size) =
            (on.empty(&[], widest_real(on.device()))?, on.empty(&[], dtype.real())?);
        Ok(Self { low, high, count, value, next, size, len })
    }

    /// The bytes that one takes, for elements of `dtype`.
    pub(super) fn bytes(on: &dyn Executor, dtype: DType) -> usize {
        4 * dtype.bytes() + widest_real(on.device()).bytes() + dtype.real().bytes()
    }

    /// What was found, a number in the dtype of the elements.
    pub(super) fn value(&self) -> View<'_> {
        self.value.view()
    }

    /// Finds the percentile of the elements of `x`, of which there are `len`. Enqueued; does not wait.
    ///
    /// To within 2⁻³⁹ of the largest element, 2⁻⁶³ where elements have 64 bits, neighbours are told apart.
    pub(super) fn find(&mut self, on: &dyn Executor, x: &View<'_>, percent: f64) -> Result<()> {
        let place = (percent / 100.0).clamp(0.0, 1.0) * self.len.saturating_sub(1) as f64;
        let (below, share) = (place.floor(), place.fract());
        // So many are above the element that is wanted, or equal to it.
        let limit = self.len as f64 - below - 1.0;
        let passes = if x.dtype().real() == DType::Float32 { 40 } else { 64 };

        let axes: Vec<usize> = (0..x.shape().len()).collect();
        let reduce = |reduction, value: &Expression, with: &[&Array], out: &mut Array| {
            let mut inputs = vec![x.clone()];
            inputs.extend(with.iter().map(|array| array.view()));
            on.reduce(reduction, value, &inputs, &axes, out.view_mut())
        };
        let size = || input(0).abs();
        let real = x.dtype().real();
        reduce(Reduction::Maximum, &size(), &[], &mut self.size)?;
        let bracket =
            [(constant(-1.0) * input(0), self.low.view_mut()), (input(0), self.high.view_mut())];
        on.map_many(&[self.size.view()], bracket)?;
        let middle = || (input(1).re() + input(2).re()) * constant(0.5);
        let halved = |own: usize, other: usize, sign: f64| {
            // 1 where no more than `limit` are above the middle.
            let few = constant(sign) * (constant(limit + 0.5) - input(2));
            let few = one_or_zero(few);
            let middle = (input(own).re() + input(other).re()) * constant(0.5);
            few.clone() * middle + (constant(1.0) - few) * input(own).re()
        };
        for _ in 0..passes {
            reduce(
                Reduction::Sum,
                &larger(size(), middle()),
                &[&self.low, &self.high],
                &mut self.count,
            )?;
            // Both are made of both as they were.
            on.map_many(
                &[self.low.view(), self.high.view(), self.count.view()],
                [
                    (halved(0, 1, -1.0), self.value.view_mut()),
                    (halved(1, 0, 1.0), self.next.view_mut()),
                ],
            )?;
            std::mem::swap(&mut self.low, &mut self.value);
            std::mem::swap(&mut self.high, &mut self.next);
        }
        // The largest one that is not above the bracket.
        let inside = size() * (constant(1.0) - larger(size(), input(1).re()));
        reduce(Reduction::Maximum, &inside, &[&self.high], &mut self.size)?;
        on.map_many(&[self.size.view()], [(input(0), self.value.view_mut())])?;
        if share == 0.0 {
            return Ok(());
        }
        // The next one is the same, if fewer are above than would be, and else the least one above.
        reduce(Reduction::Sum, &larger(size(), input(1).re()), &[&self.value], &mut self.count)?;
        let far = constant(if real == DType::Float32 { 1e38 } else { 1e300 });
        let outside = size() + (constant(1.0) - larger(size(), input(1).re())) * far;
        reduce(Reduction::Minimum, &outside, &[&self.value], &mut self.size)?;
        on.map_many(
            &[self.size.view(), self.value.view(), self.count.view()],
            [(
                input(1).re()
                    + constant(share)
                        * one_or_zero(input(2) - constant(limit - 0.5))
                        * (input(0) - input(1).re()),
                self.next.view_mut(),
            )],
        )?;
        std::mem::swap(&mut self.value, &mut self.next);
        Ok(())
    }
}

/// 1 where a number is positive, else 0.
fn one_or_zero(number: Expression) -> Expression {
    let positive = number.max(constant(0.0));
    positive.clone().div_or_zero(positive)
}

/// 1 where `a > b`, else 0, for real numbers in complex arrays, too, in which there is no order.
fn larger(a: Expression, b: Expression) -> Expression {
    let difference = a - b;
    let positive = difference.clone() + difference.abs();
    positive.clone().div_or_zero(positive)
}
