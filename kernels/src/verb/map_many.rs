//! Several outputs in one pass, over real and complex arrays of one precision.

use arrayspan_bridge::devices::Access;
use arrayspan_bridge::{DType, Operand, OperandMut, Relayout, View, ViewMut};

use super::map::{self, NAME};
use super::{OperandName, Verb, check};
use crate::program::{Kind, Op, Program, Refusal};
use crate::{Cost, Expression, Result, cost};

/// `outₖ ← expressionₖ(inputs, outₖ)` for several outputs in one pass, element by element.
///
/// Arrays are real or complex, of one precision. What is computed of real numbers is computed as a real number, and
/// becomes complex where it meets one that is; parts that expressions share are computed once.
#[derive(Debug)]
pub struct MapManyCall<'a> {
    /// What is computed, and the values of its constants.
    pub(crate) program: Program,
    pub(crate) constants: Vec<num_complex::Complex64>,
    /// Broadcast to the shape of the outputs; numbers have no axes.
    pub(crate) inputs: Vec<Operand<'a>>,
    /// What each input is.
    pub(crate) kinds: Vec<Kind>,
    pub(crate) outs: Vec<OperandMut<'a>>,
    /// The dtype of elements: complex if any array is.
    pub(crate) element: DType,
    /// The dtype of the inputs that are numbers.
    pub(crate) numbers: Option<DType>,
}

impl<'a> MapManyCall<'a> {
    /// Checks the arguments. Outputs have one shape, to which inputs broadcast. Each array is real or complex, all of one
    /// precision; inputs of one element may also be of a wider real dtype, the same for all of them (see
    /// [`Expression`]).
    ///
    /// # Errors
    /// When there is no output, an output has another shape or precision than the first, an input is missing, does not
    /// broadcast, or has a dtype that is not allowed; when values that have an imaginary part go to a real output.
    pub fn new(
        inputs: &[View<'a>],
        outputs: impl IntoIterator<Item = (Expression, ViewMut<'a>)>,
    ) -> Result<Self> {
        let (expressions, outs): (Vec<Expression>, Vec<ViewMut<'a>>) = outputs.into_iter().unzip();
        let Some(first) = outs.first() else {
            return check::argument(NAME, "there is no output");
        };
        let (shape, real) = (first.shape(), first.dtype().real());
        check::computable(NAME, first.dtype())?;
        for (number, out) in outs.iter().enumerate().skip(1) {
            let argument = format!("output {number}");
            check::shape(NAME, &argument, shape, out.shape())?;
            if out.dtype().real() != real {
                check::dtype(NAME, &argument, first.dtype(), out.dtype())?;
            }
        }
        let complex = complex_of(real);
        let any = |dtype: DType| {
            outs.iter().any(|out| out.dtype() == dtype)
                || inputs.iter().any(|input| input.dtype() == dtype)
        };
        let element = if any(complex) { complex } else { real };
        let mut numbers = None;
        let (mut operands, mut kinds) = (Vec::with_capacity(inputs.len()), Vec::new());
        for (number, view) in inputs.iter().enumerate() {
            let kind = match view.dtype() {
                dtype if dtype == element => Kind::Element,
                dtype if dtype == real => Kind::Real,
                _ => Kind::Number,
            };
            operands.push(match kind {
                Kind::Number => map::number(view, number, element, &mut numbers)?,
                // One element is passed as a number, too, even where it has axes of extent 1.
                Kind::Real if view.layout().len() == 1 => {
                    view.clone().reshaped(&[])?.broadcast(shape)?.into()
                }
                _ => map::broadcast(NAME, OperandName::Input(number), view, shape)?,
            });
            kinds.push(kind);
        }
        for expression in &expressions {
            map::check_size(NAME, expression, inputs.len())?;
            if !element.is_complex() && !expression.has_real_constants() {
                return check::argument(
                    NAME,
                    format!("a constant is complex, the arrays are {element}"),
                );
            }
        }
        let kind = |out: &ViewMut<'_>| {
            if out.dtype() == element { Kind::Element } else { Kind::Real }
        };
        let computed: Vec<(&Expression, Kind)> =
            expressions.iter().zip(outs.iter().map(kind)).collect();
        let program = Program::new(&computed, &kinds, element.is_complex());
        let (program, constants) = match program {
            Ok(both) => both,
            Err((_, Refusal::Unordered)) => {
                return check::argument(NAME, "complex numbers have no order");
            }
            Err((number, Refusal::Complex)) => {
                let dtype = outs.get(number).map_or(real, ViewMut::dtype);
                let why =
                    format!("output {number} is {dtype}, the values of its expression complex");
                return check::argument(NAME, why);
            }
        };
        let outs = outs.into_iter().map(OperandMut::from).collect();
        Ok(Self { program, constants, inputs: operands, kinds, outs, element, numbers })
    }

    /// Whether inputs and output that `map` was given are real and complex arrays together.
    pub(crate) fn is_mixed(inputs: &[View<'_>], out: &ViewMut<'_>) -> bool {
        let own = out.dtype();
        let other = if own.is_complex() { own.real() } else { complex_of(own) };
        // A single real number beside complex elements is a number already.
        let is_array = |view: &View<'_>| other.is_complex() || view.layout().len() != 1;
        own.is_computable() && inputs.iter().any(|view| view.dtype() == other && is_array(view))
    }

    pub(super) fn held(&mut self) -> MapManyCall<'_> {
        MapManyCall {
            program: self.program.clone(),
            constants: self.constants.clone(),
            inputs: self.inputs.iter().map(Operand::held).collect(),
            kinds: self.kinds.clone(),
            outs: self.outs.iter_mut().map(OperandMut::held).collect(),
            element: self.element,
            numbers: self.numbers,
        }
    }

    /// The dtype that a step of this kind is computed in.
    pub(crate) fn dtype(&self, kind: Kind) -> DType {
        match kind {
            Kind::Number => self.numbers.unwrap_or(self.element.real()),
            Kind::Real => self.element.real(),
            Kind::Element => self.element,
        }
    }

    /// Whether what an output held is read.
    pub(crate) fn reads(&self, out: usize) -> bool {
        self.program.steps.iter().any(|step| step.op == Op::Previous(out))
    }
}

/// The complex dtype whose parts are of this real one.
fn complex_of(real: DType) -> DType {
    if real == DType::Float32 { DType::Complex64 } else { DType::Complex128 }
}

impl Verb for MapManyCall<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn for_each_operand(&self, visit: &mut dyn FnMut(OperandName, Access, &Operand<'_>)) {
        for (number, input) in self.inputs.iter().enumerate() {
            visit(OperandName::Input(number), Access::Read, input);
        }
        for (number, out) in self.outs.iter().enumerate() {
            visit(OperandName::OutputOf(number), Access::Write, out.as_operand());
        }
    }

    fn cost(&self) -> Cost {
        let bytes = |out: &OperandMut<'_>| out.layout().len() * out.dtype().bytes();
        let len = self.outs.first().map_or(0, |out| out.layout().len());
        let operations = self.program.steps.iter().filter(|step| {
            matches!(step.op, Op::Unary(..) | Op::Binary(..)) && step.kind != Kind::Number
        });
        let read = (0..self.outs.len()).filter(|out| self.reads(*out));
        let previous: usize = read.map(|out| bytes(&self.outs[out])).sum();
        Cost {
            launches: usize::from(len > 0),
            bytes_read: cost::read(&self.inputs) + previous,
            bytes_written: self.outs.iter().map(bytes).sum(),
            flops: len.saturating_mul(operations.count()),
        }
    }
}
