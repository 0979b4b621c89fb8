//! An elementwise expression, reduced over axes; the result stays on the device.

use arrayspan_bridge::devices::Access;
use arrayspan_bridge::expression::{Binary, Node, Unary};
use arrayspan_bridge::{DType, Operand, OperandMut, Relayout, View, ViewMut};

use super::{Epilogue, OperandName, Terms, Verb, axes, check, map};
use crate::number::computed;
use crate::plan::{Moved, Operands};
use crate::{Cost, Expression, Result, cost, input};

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

/// The most moments of one call: a thread keeps the sums of all of them.
pub(crate) const MOST_MOMENTS: usize = 8;

/// `out ← reduction over axes of expression(inputs)`, or several moments of it.
#[derive(Debug)]
pub struct ReduceCall<'a> {
    pub(crate) reduction: Reduction,
    pub(crate) expression: Expression,
    /// How many sums there are of each: of the expression times powers of the last input, from the power 0 on. More than one are
    /// along the first axis of `out`; one has no axis.
    pub(crate) moments: usize,
    /// All of one shape.
    pub(crate) inputs: Vec<Operand<'a>>,
    /// Ascending.
    pub(crate) axes: Vec<usize>,
    pub(crate) out: OperandMut<'a>,
    /// What is computed of the only result.
    pub(crate) epilogue: Epilogue<'a>,
}

/// Reducing all of an array is shared by several groups when it has more elements than this: one work group
/// reads them faster than several find out which of them is last.
const ONE_GROUP: usize = 4096;

impl<'a> ReduceCall<'a> {
    /// Checks the arguments. Inputs have one dtype and broadcast to the shape of the first; `out` has that shape
    /// without the reduced axes. `out` has the dtype of the inputs, or a real one at least as wide as their
    /// parts; then elements are converted before anything is computed of them, and the expression must have no
    /// imaginary part. Inputs that hold `Float16` or `BFloat16` are computed, and added up, as the `Float32` numbers they are, and
    /// results of their dtype are rounded to 16 bits once more.
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
        Self::checked(reduction, expression, inputs, axes, (out, 1))
    }

    /// Checks the arguments of `out[k, …] ← Σ over axes of expression(inputs) · wᵏ`, where `w` is the last input, and `k` counts
    /// the first axis of `out`.
    ///
    /// # Errors
    /// As [`new`](Self::new); when `out` has no first axis, or one of more than 8 elements.
    pub fn moments(
        expression: &Expression,
        inputs: &[View<'a>],
        axes: &[usize],
        out: ViewMut<'a>,
    ) -> Result<Self> {
        let moments = out.shape().first().copied().unwrap_or(0);
        if !(1..=MOST_MOMENTS).contains(&moments) {
            let shape = out.shape();
            let why = format!(
                "the output has shape {shape:?}, expected 1 to {MOST_MOMENTS} moments along its first axis"
            );
            return check::argument(NAME, why);
        }
        let out = if moments == 1 { out.selected(0, 0)? } else { out };
        Self::checked(Reduction::Sum, expression, inputs, axes, (out, moments))
    }

    fn checked(
        reduction: Reduction,
        expression: &Expression,
        inputs: &[View<'a>],
        axes: &[usize],
        (out, moments): (ViewMut<'a>, usize),
    ) -> Result<Self> {
        check::stored(NAME, out.dtype())?;
        let Some(shape) = inputs.first().map(|view| view.shape().to_vec()) else {
            return check::argument(NAME, "there is no input");
        };
        if expression.reads_previous() {
            return check::argument(NAME, "the expression reads the output");
        }
        let dtype = inputs[0].dtype();
        check::stored(NAME, dtype)?;
        let narrow = out.dtype().is_complex() || out.dtype().bits() < dtype.real().bits();
        // There are two 16-bit floats, neither of which holds the other.
        if narrow || !out.dtype().is_computable() {
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
        let mut results = axes::kept(&shape, &axes);
        if moments > 1 {
            results.insert(0, moments);
        }
        check::shape(NAME, "the output", &results, out.shape())?;
        let inputs = map::operands(NAME, expression, inputs, &shape, dtype)?;
        let expression = expression.clone();
        let (out, epilogue) = (out.into(), Epilogue::default());
        Ok(Self { reduction, expression, moments, inputs, axes, out, epilogue })
    }

    pub(super) fn held(&mut self) -> ReduceCall<'_> {
        ReduceCall {
            reduction: self.reduction,
            expression: self.expression.clone(),
            moments: self.moments,
            inputs: self.inputs.iter().map(Operand::held).collect(),
            axes: self.axes.clone(),
            out: self.out.held(),
            epilogue: self.epilogue.held(),
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
            (DType::Float16 | DType::BFloat16 | DType::Float32, DType::Float64) => DType::Float64,
            (DType::Complex64, DType::Float64) => DType::Complex128,
            (dtype, _) => computed(dtype),
        }
    }

    /// Whether it is one real sum of all elements.
    pub(crate) fn is_sum_of_all(&self) -> bool {
        let all = self.axes.len() == self.shape().len() && self.moments == 1;
        self.reduction == Reduction::Sum && all && !self.out.dtype().is_complex()
    }

    /// The inputs whose products are summed, if that is all it does: the real part of `Σ conj(a) b`.
    pub(crate) fn dot(&self) -> Option<[usize; 2]> {
        let complex = self.dtype().is_complex();
        if !self.is_sum_of_all() {
            return None;
        }
        let number = |of: &Expression| match of.node() {
            Node::Input(at) => Some(*at),
            _ => None,
        };
        let product = |of: &Expression| {
            let Node::Binary(Binary::Multiply, a, b) = of.node() else { return None };
            match a.node() {
                Node::Unary(Unary::Conjugate, a) => Some([number(a)?, number(b)?]),
                _ if complex => None,
                _ => Some([number(a)?, number(b)?]),
            }
        };
        match self.expression.node() {
            Node::Unary(Unary::AbsoluteSquare, a) => number(a).map(|a| [a; 2]),
            Node::Unary(Unary::Real, of) => product(of),
            _ if complex => None,
            _ => product(&self.expression),
        }
    }

    /// The inputs whose differences are squared, absolutely, and summed, if that is all it does, and what these are multiplied by
    /// before: `Σ |factor (a - b)|²`.
    fn squared_differences(&self) -> Option<(f64, [usize; 2])> {
        if !self.is_sum_of_all() {
            return None;
        }
        let Node::Unary(Unary::AbsoluteSquare, of) = self.expression.node() else { return None };
        let difference = |of: &Expression| {
            let Node::Binary(Binary::Subtract, a, b) = of.node() else { return None };
            match (a.node(), b.node()) {
                (Node::Input(a), Node::Input(b)) => Some([*a, *b]),
                _ => None,
            }
        };
        match of.node() {
            Node::Binary(Binary::Multiply, factor, of) => match factor.node() {
                Node::Constant(factor) if factor.im == 0.0 => Some((factor.re, difference(of)?)),
                _ => None,
            },
            _ => difference(of).map(|of| (1.0, of)),
        }
    }

    /// The inputs and what is added up of them, if that is all it does.
    pub(crate) fn terms(&self) -> Option<([usize; 2], Terms)> {
        let differences = || {
            let (factor, of) = self.squared_differences()?;
            Some((of, Terms::Differences(factor)))
        };
        self.dot().map(|of| (of, Terms::Products)).or_else(differences)
    }

    /// What is computed for each element.
    fn operations(&self) -> usize {
        self.expression.operations().saturating_add(2 * self.moments - 1)
    }

    /// The moment of this number, alone.
    pub(crate) fn moment(&mut self, number: usize) -> Result<ReduceCall<'_>> {
        let weight = self.inputs.len().saturating_sub(1);
        let power = |value: Expression, _| value * input(weight);
        Ok(ReduceCall {
            reduction: self.reduction,
            expression: (0..number).fold(self.expression.clone(), power),
            moments: 1,
            inputs: self.inputs.iter().map(Operand::held).collect(),
            axes: self.axes.clone(),
            out: self.out.view_mut().selected(0, number)?.into(),
            epilogue: Epilogue::default(),
        })
    }

    /// Whether one number is left, or one of each moment, of so many that several groups share the work.
    pub(crate) fn is_shared(&self) -> bool {
        self.out.layout().len() == self.moments && Self::is_long(self.shape().iter().product())
    }

    /// Whether so many elements are reduced to one by several groups.
    pub(crate) fn is_long(len: usize) -> bool {
        len > ONE_GROUP
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
        self.epilogue.visit(visit);
    }

    fn cost(&self) -> Cost {
        let len: usize = self.shape().iter().product();
        let results = self.out.layout().len();
        // Where groups cannot read what others have written, a second kernel joins their parts.
        let joined = self.is_shared() && !self.out.device().info().device_fence;
        let mut cost = Cost {
            launches: usize::from(results > 0) + self.moments * usize::from(joined),
            bytes_read: cost::read(&self.inputs),
            bytes_written: results * self.out.dtype().bytes(),
            flops: len.saturating_mul(self.operations()),
        };
        cost += self.epilogue.cost();
        cost
    }
}

impl Operands for ReduceCall<'_> {
    fn move_operands(&mut self, moved: &Moved) {
        self.inputs.iter_mut().for_each(|input| moved.read(input));
        moved.written(&mut self.out);
        self.epilogue.move_operands(moved);
    }
}
