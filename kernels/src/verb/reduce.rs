//! An elementwise expression, reduced over axes; the result stays on the device.

use arrayspan_bridge::devices::Access;
use arrayspan_bridge::{DType, Operand, OperandMut, View, ViewMut};

use super::{OperandName, Verb, axes, check, map};
use crate::{Cost, Expression, Result, cost};

const NAME: &str = "reduce";

/// The reduction of many elements to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// The sum, kept in 64-bit floating point on the way where the device has it. 0 of nothing.
    Sum,
    /// The largest; NaN if any is. Real dtypes only. -∞ of nothing.
    Maximum,
    /// The smallest; NaN if any is. Real dtypes only. +∞ of nothing.
    Minimum,
}

/// `out ← reduction over axes of expression(inputs)`.
#[derive(Debug)]
pub struct ReduceCall<'a> {
    pub(crate) reduction: Reduction,
    pub(crate) expression: Expression,
    /// All of one shape.
    pub(crate) inputs: Vec<Operand<'a>>,
    /// Ascending.
    pub(crate) axes: Vec<usize>,
    pub(crate) out: OperandMut<'a>,
}

/// Reducing all of an array is shared by several groups when it has more elements than this: one work group
/// reads them faster than several find out which of them is last.
const ONE_GROUP: usize = 4096;

impl<'a> ReduceCall<'a> {
    /// Checks the arguments. Inputs have one dtype and broadcast to the shape of the first; `out` has that shape
    /// without the reduced axes. `out` has the dtype of the inputs, or a real one at least as wide as their
    /// parts; then elements are converted before anything is computed of them, and the expression must have no
    /// imaginary part.
    ///
    /// # Errors
    /// When there is no input or one does not fit, an axis is missing or named twice, the shape or dtype
    /// of `out` does not fit, or an order is asked of complex numbers.
    pub fn new(
        reduction: Reduction,
        expression: &Expression,
        inputs: &[View<'a>],
        axes: &[usize],
        out: ViewMut<'a>,
    ) -> Result<Self> {
        check::computable(NAME, out.dtype())?;
        let Some(shape) = inputs.first().map(|view| view.shape().to_vec()) else {
            return check::argument(NAME, "there is no input");
        };
        if expression.reads_previous() {
            return check::argument(NAME, "the expression reads the output");
        }
        let dtype = inputs[0].dtype();
        check::computable(NAME, dtype)?;
        let narrow = out.dtype().is_complex() || out.dtype().bits() < dtype.real().bits();
        if narrow {
            check::dtype(NAME, "the output", dtype, out.dtype())?;
        }
        if dtype.is_complex() && !out.dtype().is_complex() && !expression.is_real() {
            let (expected, found) = (dtype, out.dtype());
            return check::argument(
                NAME,
                format!(
                    "the expression is complex, the inputs are {expected}, the output is {found}"
                ),
            );
        }
        if reduction != Reduction::Sum && out.dtype().is_complex() {
            return check::argument(NAME, "complex numbers have no order");
        }
        let axes = axes::sorted(NAME, &shape, axes)?;
        check::shape(NAME, "the output", &axes::kept(&shape, &axes), out.shape())?;
        let inputs = map::operands(NAME, expression, inputs, &shape, dtype)?;
        Ok(Self { reduction, expression: expression.clone(), inputs, axes, out: out.into() })
    }

    pub(super) fn held(&mut self) -> ReduceCall<'_> {
        ReduceCall {
            reduction: self.reduction,
            expression: self.expression.clone(),
            inputs: self.inputs.iter().map(Operand::held).collect(),
            axes: self.axes.clone(),
            out: self.out.held(),
        }
    }

    /// The shape that is reduced.
    pub(crate) fn shape(&self) -> &[usize] {
        self.inputs[0].shape()
    }

    /// The dtype of the inputs.
    pub(crate) fn dtype(&self) -> DType {
        self.inputs[0].dtype()
    }

    /// The dtype in which the expression is computed: as precise as the output, complex as the inputs.
    pub(crate) fn computed(&self) -> DType {
        match (self.dtype(), self.out.dtype()) {
            (DType::Float32, DType::Float64) => DType::Float64,
            (DType::Complex64, DType::Float64) => DType::Complex128,
            (dtype, _) => dtype,
        }
    }

    /// Whether one number is left, of so many that several groups share the work.
    pub(crate) fn is_shared(&self) -> bool {
        self.out.layout().len() == 1 && self.shape().iter().product::<usize>() > ONE_GROUP
    }
}

impl Verb for ReduceCall<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn for_each_operand(&self, visit: &mut dyn FnMut(OperandName, Access, &Operand<'_>)) {
        for (number, input) in self.inputs.iter().enumerate() {
            visit(OperandName::Input(number), Access::Read, input);
        }
        visit(OperandName::Output, Access::Write, self.out.as_operand());
    }

    fn cost(&self) -> Cost {
        let len: usize = self.shape().iter().product();
        let results = self.out.layout().len();
        // Where groups cannot read what others have written, a second kernel joins their parts.
        let joined = self.is_shared() && !self.out.device().info().device_fence;
        Cost {
            launches: usize::from(results > 0) + usize::from(joined),
            bytes_read: cost::read(&self.inputs),
            bytes_written: results * self.out.dtype().bytes(),
            flops: len.saturating_mul(self.expression.operations().saturating_add(1)),
        }
    }
}
