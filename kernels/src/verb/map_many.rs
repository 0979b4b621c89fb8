//! Several outputs in one pass, over real and complex arrays of one precision.

use arrayspan_bridge::devices::Access;
use arrayspan_bridge::{DType, Layout, Operand, OperandMut, Relayout, View, ViewMut};

use super::dot::{Among, DotCall};
use super::map::{self, NAME};
use super::{Dot, Epilogue, Numbers, OperandName, ReduceCall, Verb, check};
use crate::plan::{Moved, Operands};
use crate::program::{Kind, Op, Program, Refusal};
use crate::{Cost, Expression, Result, cost};

/// `outₖ ← expressionₖ(inputs, outs)` for several outputs in one pass, element by element, and dots of what comes out.
///
/// Arrays are real or complex, of one precision. What is computed of real numbers is computed as a real number, and
/// becomes complex where it meets one that is; parts that expressions share are computed once. Behind the inputs, expressions
/// find what the outputs held: of `n` inputs, `input(n + k)` is what output `k` did, as `previous()` is in its own expression.
#[derive(Debug)]
pub struct MapManyCall<'a> {
    /// As they were given.
    pub(crate) expressions: Vec<Expression>,
    /// What is computed, and the values of its constants.
    pub(crate) program: Program,
    pub(crate) constants: Vec<num_complex::Complex64>,
    /// Broadcast to the shape of the outputs; numbers have no axes.
    pub(crate) inputs: Vec<Operand<'a>>,
    /// What each input is.
    pub(crate) kinds: Vec<Kind>,
    pub(crate) outs: Vec<OperandMut<'a>>,
    /// Sums of products of inputs and of what comes out.
    pub(crate) dots: Vec<DotCall<'a>>,
    /// What is computed of these.
    pub(crate) epilogue: Epilogue<'a>,
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
        // Single numbers that are as wide as elements are numbers as those that are wider: computed with once.
        let wide = |view: &View<'_>| view.dtype() != element && view.dtype() != real;
        let own = real == DType::Float64 && !inputs.iter().any(wide);
        let own = own && shape.iter().product::<usize>() > 1;
        let is_number =
            |view: &View<'_>| own && view.layout().len() == 1 && view.shape().len() <= shape.len();
        let (mut operands, mut kinds) = (Vec::with_capacity(inputs.len()), Vec::new());
        for (number, view) in inputs.iter().enumerate() {
            let kind = match view.dtype() {
                DType::Float64 if is_number(view) => Kind::Number,
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
            let needed = expression.inputs();
            if needed > inputs.len() + outs.len() {
                let (inputs, outs) = (inputs.len(), outs.len());
                let why =
                    format!("an expression takes {needed} inputs, not {inputs} and {outs} outputs");
                return check::argument(NAME, why);
            }
            map::check_size(NAME, expression, needed)?;
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
        let (inputs, dots, epilogue) = (operands, Vec::new(), Epilogue::default());
        Ok(Self {
            expressions,
            program,
            constants,
            inputs,
            kinds,
            outs,
            dots,
            epilogue,
            element,
            numbers,
        })
    }

    /// As [`new`](Self::new) for one output, whose expression takes inputs alone, and what the output held as `previous()`.
    pub(crate) fn one(
        expression: &Expression,
        inputs: &[View<'a>],
        out: ViewMut<'a>,
    ) -> Result<Self> {
        map::check_size(NAME, expression, inputs.len())?;
        Self::new(inputs, [(expression.clone(), out)])
    }

    /// The same call with dots.
    ///
    /// # Errors
    /// When a dot names an array that is not there or is a single number, its arrays have two dtypes, or its result has axes or
    /// is not real and at least as wide as they are.
    pub fn with_dots(mut self, dots: impl IntoIterator<Item = Dot<'a>>) -> Result<Self> {
        for (number, dot) in dots.into_iter().enumerate() {
            let dot = DotCall::new(number, dot, self.among())?;
            self.dots.push(dot);
        }
        Ok(self)
    }

    /// Whether inputs and output that `map` was given are real and complex arrays together.
    pub(crate) fn is_mixed(inputs: &[View<'_>], out: &ViewMut<'_>) -> bool {
        let own = out.dtype();
        let other = if own.is_complex() { own.real() } else { complex_of(own) };
        // A single real number beside complex elements is a number already.
        let is_array = |view: &View<'_>| other.is_complex() || view.layout().len() != 1;
        own.is_computable() && inputs.iter().any(|view| view.dtype() == other && is_array(view))
    }

    /// Whether it is one of [`Numbers`].
    pub(crate) fn is_of_numbers(&self) -> bool {
        let single = |of: &Operand<'_>| of.layout().len() == 1 && of.dtype() == self.element;
        matches!(self.element, DType::Float32 | DType::Float64)
            && self.dots.is_empty()
            && self.kinds.iter().all(|kind| *kind == Kind::Element)
            && self.inputs.iter().all(single)
            && self.outs.iter().map(OperandMut::as_operand).all(single)
            && !(0..self.outs.len()).any(|out| self.reads(out))
    }

    /// As those.
    pub(crate) fn into_numbers(self) -> Numbers<'a> {
        let Self { expressions, program, constants, inputs, outs, element, .. } = self;
        Numbers { expressions, program, constants, inputs, outs, element }
    }

    /// The call of numbers.
    pub(crate) fn of_numbers(numbers: &'a mut Numbers<'_>) -> Self {
        let Numbers { expressions, program, constants, inputs, outs, element } = numbers.held();
        let kinds = vec![Kind::Element; inputs.len()];
        let (dots, epilogue) = (Vec::new(), Epilogue::default());
        Self {
            expressions,
            program,
            constants,
            inputs,
            kinds,
            outs,
            dots,
            epilogue,
            element,
            numbers: None,
        }
    }

    pub(super) fn held(&mut self) -> MapManyCall<'_> {
        MapManyCall {
            expressions: self.expressions.clone(),
            program: self.program.clone(),
            constants: self.constants.clone(),
            inputs: self.inputs.iter().map(Operand::held).collect(),
            kinds: self.kinds.clone(),
            outs: self.outs.iter_mut().map(OperandMut::held).collect(),
            dots: self.dots.iter_mut().map(DotCall::held).collect(),
            epilogue: self.epilogue.held(),
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

    /// Whether all arrays have the outputs' dtype and no gaps, beside single numbers: then they are lines side by side.
    pub(crate) fn is_lines(&self) -> bool {
        let out =
            |out: &OperandMut<'_>| out.dtype() == self.element && out.layout().is_contiguous();
        let input = |(input, kind): (&Operand<'_>, &Kind)| match kind {
            Kind::Number => true,
            Kind::Real => false,
            Kind::Element => is_single(input.layout()) || input.layout().is_contiguous(),
        };
        self.outs.iter().all(out) && self.inputs.iter().zip(&self.kinds).all(input)
    }

    /// Whether there are dots, which are added up in the pass that fills the outputs. Those of other arrays take a pass each.
    pub(crate) fn is_fused(&self) -> bool {
        let of_lines = |dot: &DotCall<'_>| {
            dot.arrays(self.among()).into_iter().all(|array| array.layout().is_contiguous())
        };
        let elements = self.outs.first().is_some_and(|out| !out.layout().is_empty());
        elements && !self.dots.is_empty() && self.is_lines() && self.dots.iter().all(of_lines)
    }

    /// Runs the dots by themselves, as reductions.
    pub(crate) fn each_dot(
        &mut self,
        mut run: impl FnMut(&mut ReduceCall<'_>) -> Result<()>,
    ) -> Result<()> {
        let Self { inputs, kinds, outs, dots, .. } = self;
        let among = Among { verb: NAME, inputs, kinds, outs };
        dots.iter_mut().try_for_each(|dot| run(&mut dot.reduction(among)?))
    }

    fn among(&self) -> Among<'_, 'a> {
        Among { verb: NAME, inputs: &self.inputs, kinds: &self.kinds, outs: &self.outs }
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
        for (number, dot) in self.dots.iter().enumerate() {
            visit(OperandName::Dot(number), Access::Write, dot.out.as_operand());
        }
        self.epilogue.visit(visit);
    }

    fn cost(&self) -> Cost {
        let bytes = |out: &OperandMut<'_>| out.layout().len() * out.dtype().bytes();
        let len = self.outs.first().map_or(0, |out| out.layout().len());
        let read = (0..self.outs.len()).filter(|out| self.reads(*out));
        let previous: usize = read.map(|out| bytes(&self.outs[out])).sum();
        let mut cost = Cost {
            launches: usize::from(len > 0),
            bytes_read: cost::read(&self.inputs) + previous,
            bytes_written: self.outs.iter().map(bytes).sum(),
            flops: len.saturating_mul(self.program.operations()),
        };
        let alone = !self.is_fused();
        for dot in &self.dots {
            cost += dot.cost(self.among(), alone);
        }
        cost += self.epilogue.cost();
        cost
    }
}

impl Operands for MapManyCall<'_> {
    fn move_operands(&mut self, moved: &Moved) {
        self.inputs.iter_mut().for_each(|input| moved.read(input));
        self.outs.iter_mut().for_each(|out| moved.written(out));
        self.dots.iter_mut().for_each(|dot| moved.written(&mut dot.out));
        self.epilogue.move_operands(moved);
    }
}

/// Whether it is one element, however often.
pub(crate) fn is_single(layout: &Layout) -> bool {
    layout.shape().iter().zip(layout.strides()).all(|(&extent, &stride)| extent == 1 || stride == 0)
}
