//! Elementwise values, reduced as they are computed.

use std::borrow::Cow;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, Axis, DType, Elementwise, ViewMut};
use smallvec::SmallVec;

use super::arguments;
use crate::verb::{axes, check};
use crate::{Executor, Reduction, Result, on, previous, widest_real};

/// Numbers of axes, without a block on the heap where there are few.
type Numbers = SmallVec<[usize; 8]>;

/// A reduction under the name that its caller knows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Named {
    pub(super) operation: &'static str,
    pub(super) reduction: Reduction,
}

impl Named {
    pub(super) fn sum(operation: &'static str) -> Self {
        Self { operation, reduction: Reduction::Sum }
    }

    /// `out ← reduction of value` over `axes`, over all if there is no list of them.
    pub(super) fn into(
        self,
        on: &dyn Executor,
        value: &Elementwise<'_>,
        axes: Option<&[Axis]>,
        out: ViewMut<'_>,
    ) -> Result<()> {
        let operation = self.operation;
        let inputs = arguments::arrays(operation, value)?;
        arguments::expect_device(operation, on.device(), &inputs)?;
        let shape = arguments::shape(operation, &inputs, inputs[0].dtype())?;
        let axes = self.numbers(axes, &shape)?;
        // The verb takes the shape of the first input for that of all.
        let mut views = Cow::Borrowed(&*inputs);
        if inputs[0].shape() != &*shape {
            let first = inputs[0].clone().broadcast(&shape)?;
            views.to_mut()[0] = first;
        }
        on.reduce(self.reduction, value.expression(), &views, &axes, out)
            .map_err(|error| error.in_operation(operation))
    }

    /// Axes by their numbers from the first; all of them if there is no list.
    pub(super) fn numbers(self, axes: Option<&[Axis]>, shape: &[usize]) -> Result<Numbers> {
        let Some(axes) = axes else { return Ok((0..shape.len()).collect()) };
        let mut numbers = Numbers::new();
        for axis in axes {
            let Some(number) = axis.of(shape.len()) else {
                return axes::absent(self.operation, axis, shape);
            };
            if numbers.contains(&number) {
                let given: Vec<isize> = axes.iter().map(|axis| axis.number()).collect();
                return axes::twice(self.operation, number, given, shape);
            }
            numbers.push(number);
        }
        Ok(numbers)
    }

    /// The same into a new array, in the dtype that `dtype` makes of the elements'.
    pub(super) fn array(
        self,
        value: &Elementwise<'_>,
        axes: Option<&[Axis]>,
        dtype: impl Fn(DType, Device) -> DType,
    ) -> Result<Array> {
        let inputs = arguments::arrays(self.operation, value)?;
        arguments::one_device(self.operation, &inputs)?;
        let shape = arguments::shape(self.operation, &inputs, inputs[0].dtype())?;
        let reduced = self.numbers(axes, &shape)?;
        let kept = |axis: &usize| !reduced.contains(axis);
        let shape: Vec<usize> = (0..shape.len()).filter(kept).map(|axis| shape[axis]).collect();
        let device = inputs[0].device();
        let on = on(device)?;
        let mut out = on.empty(&shape, dtype(inputs[0].dtype(), device))?;
        self.into(&*on, value, axes, out.view_mut())?;
        Ok(out)
    }
}

/// The dtype of sums and extremes: that of the elements.
pub(super) fn own(dtype: DType, _: Device) -> DType {
    dtype
}

/// The dtype of norms, whose squares may be beyond the elements' dtype.
pub(super) fn wide(_: DType, device: Device) -> DType {
    widest_real(device)
}

/// `conj(a) · b`, element by element, of as many elements each.
pub(super) fn product<'a>(
    operation: &'static str,
    a: Elementwise<'a>,
    b: Elementwise<'a>,
) -> Result<Elementwise<'a>> {
    let (first, second) = (arguments::arrays(operation, &a)?, arguments::arrays(operation, &b)?);
    let (argument, dtype) = ("the second vector", first[0].dtype());
    check::dtype(operation, argument, dtype, second[0].dtype())?;
    let expected = arguments::shape(operation, &first, dtype)?;
    let found = arguments::shape(operation, &second, dtype)?;
    check::shape(operation, argument, &expected, &found)?;
    Ok(a.conj() * b)
}

/// `out ← √out`
pub(super) fn root(operation: &'static str, on: &dyn Executor, out: ViewMut<'_>) -> Result<()> {
    on.map(&previous().sqrt(), &[], out).map_err(|error| error.in_operation(operation))
}
