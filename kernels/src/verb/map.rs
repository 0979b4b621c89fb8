//! `out ← expression(inputs, out)`, element by element, in one pass.

use arrayspan_bridge::devices::Access;
use arrayspan_bridge::expression::{Binary, Node};
use arrayspan_bridge::{DType, Operand, OperandMut, Relayout, View, ViewMut};

use smallvec::SmallVec;

use super::{OperandName, Verb, check};
use crate::level::Level;
use crate::plan::{Moved, Operands};
use crate::{Cost, Expression, Result, cost};

pub(crate) const NAME: &str = "map";

/// The most operations of an expression. Its parts may be shared, so that few nodes make more operations than anyone
/// could wait for.
const MOST_OPERATIONS: usize = 1 << 17;

/// `out ← expression(inputs, out)`, element by element, in one pass.
#[derive(Debug)]
pub struct MapCall<'a> {
    /// What is computed.
    pub(crate) expression: Expression,
    /// Its inputs, broadcast to the shape of `out`.
    pub(crate) inputs: Vec<Operand<'a>>,
    /// Where the result goes.
    pub(crate) out: OperandMut<'a>,
}

impl<'a> MapCall<'a> {
    /// Checks the arguments. Inputs have the dtype of `out` and broadcast to its shape; a 0-d input is a scalar
    /// on the device. Inputs of one element may also be of a real dtype at least as wide as the parts of `out`,
    /// the same for all of them (see [`Expression`]). Arrays may hold `Float16` or `BFloat16`: arithmetic is that of `Float32` then,
    /// and results are rounded to 16 bits once, the nearest ones, ties to even.
    ///
    /// # Errors
    /// When an input is missing, does not broadcast, or has a dtype that is not allowed.
    pub fn new(expression: &Expression, inputs: &[View<'a>], out: ViewMut<'a>) -> Result<Self> {
        check::stored(NAME, out.dtype())?;
        let (shape, dtype) = (out.shape(), out.dtype());
        let wide = |number: usize| inputs.get(number).is_some_and(|view| view.dtype() != dtype);
        check_expression(NAME, expression, inputs.len(), dtype, &wide)?;
        let mut numbers: Option<DType> = None;
        let operand = |(number, view): (usize, &View<'a>)| {
            if view.dtype() == dtype {
                return broadcast(NAME, OperandName::Input(number), view, shape);
            }
            self::number(view, number, dtype, &mut numbers)
        };
        let inputs = inputs.iter().enumerate().map(operand).collect::<Result<_>>()?;
        Ok(Self { expression: expression.clone(), inputs, out: out.into() })
    }

    pub(super) fn held(&mut self) -> MapCall<'_> {
        let (expression, inputs) =
            (self.expression.clone(), self.inputs.iter().map(Operand::held).collect());
        MapCall { expression, inputs, out: self.out.held() }
    }

    /// The inputs that are single numbers beside many elements: those of a wider dtype, or else those of the
    /// elements' own, if that is real.
    pub(crate) fn numbers(&self) -> Numbers {
        let own = self.out.dtype();
        let wide = self.inputs.iter().map(Operand::dtype).find(|dtype| *dtype != own);
        let single = |view: &Operand<'_>| {
            let layout = view.layout();
            let axes = layout.shape().iter().zip(layout.strides());
            own.is_computable()
                && !own.is_complex()
                && self.out.layout().len() > 1
                && axes.into_iter().all(|(&extent, &stride)| extent == 1 || stride == 0)
        };
        let inputs = self.inputs.iter();
        let which: SmallVec<[bool; 8]> = match wide {
            Some(dtype) => inputs.map(|view| view.dtype() == dtype).collect(),
            None => inputs.map(single).collect(),
        };
        let any = which.contains(&true);
        Numbers { dtype: any.then(|| wide.unwrap_or(own)), which }
    }
}

impl Verb for MapCall<'_> {
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
        let mut cost = cost::of_output(&self.out, self.expression.reads_previous());
        cost.bytes_read += cost::read(&self.inputs);
        cost.flops = self.out.layout().len().saturating_mul(self.expression.operations());
        cost
    }
}

impl Operands for MapCall<'_> {
    fn move_operands(&mut self, moved: &Moved) {
        self.inputs.iter_mut().for_each(|input| moved.read(input));
        moved.written(&mut self.out);
    }
}

/// Which inputs are single numbers, and their dtype.
#[derive(Debug)]
pub(crate) struct Numbers {
    /// `None` if there are none.
    pub(crate) dtype: Option<DType>,
    which: SmallVec<[bool; 8]>,
}

impl Numbers {
    /// Whether an input is one of them.
    pub(crate) fn contains(&self, input: usize) -> bool {
        self.which.get(input).copied().unwrap_or(false)
    }
}

/// Whether a view is one number of a real dtype at least as wide as the parts of `dtype`.
pub(crate) fn is_wider(view: &View<'_>, dtype: DType) -> bool {
    let found = view.dtype();
    let real = found.is_computable() && !found.is_complex();
    real && found.bits() >= dtype.real().bits() && view.layout().len() == 1
}

/// The input with this number as a single number of a real dtype at least as wide as the parts of `dtype`, that of all
/// `numbers`.
pub(super) fn number<'a>(
    view: &View<'a>,
    number: usize,
    dtype: DType,
    numbers: &mut Option<DType>,
) -> Result<Operand<'a>> {
    let expected = numbers.unwrap_or(if is_wider(view, dtype) { view.dtype() } else { dtype });
    check::dtype(NAME, OperandName::Input(number), expected, view.dtype())?;
    if view.layout().len() != 1 {
        let (expected, found) = (vec![], view.shape().to_vec());
        let argument = OperandName::Input(number).to_string();
        return Err(crate::Error::Shape { verb: NAME, argument, expected, found });
    }
    *numbers = Some(expected);
    Ok(view.clone().reshaped(&[])?.into())
}

pub(super) fn broadcast<'a>(
    verb: &'static str,
    argument: OperandName,
    view: &View<'a>,
    shape: &[usize],
) -> Result<Operand<'a>> {
    if view.shape() == shape {
        return Ok(view.clone().into());
    }
    view.clone().broadcast(shape).map(Operand::from).map_err(|_| crate::Error::Shape {
        verb,
        argument: argument.to_string(),
        expected: shape.to_vec(),
        found: view.shape().to_vec(),
    })
}

/// Fails unless an expression can be computed of so many inputs in that dtype.
fn check_expression(
    verb: &'static str,
    expression: &Expression,
    inputs: usize,
    dtype: DType,
    wide: &impl Fn(usize) -> bool,
) -> Result<()> {
    check_size(verb, expression, inputs)?;
    if !dtype.is_complex() && !expression.has_real_constants() {
        return check::argument(verb, format!("a constant is complex, the arrays are {dtype}"));
    }
    if dtype.is_complex() && expression.has_order() && orders_elements(expression, wide) {
        return check::argument(verb, "complex numbers have no order");
    }
    Ok(())
}

/// Fails if an expression takes more than so many inputs, or has more operations than any should.
pub(super) fn check_size(verb: &'static str, expression: &Expression, inputs: usize) -> Result<()> {
    if expression.inputs() > inputs {
        let needed = expression.inputs();
        return check::argument(
            verb,
            format!("the expression takes {needed} inputs, not {inputs}"),
        );
    }
    let operations = expression.operations();
    if operations > MOST_OPERATIONS {
        let why =
            format!("the expression has {operations} operations, more than {MOST_OPERATIONS}");
        return check::argument(verb, why);
    }
    Ok(())
}

/// Whether a minimum or maximum is taken of anything but single numbers of a wider dtype.
fn orders_elements(expression: &Expression, wide: &impl Fn(usize) -> bool) -> bool {
    let mut levels = Vec::new();
    expression.nodes().any(|node| {
        let level = Level::of(node, wide, &mut levels);
        levels.push(level);
        let ordered = matches!(node.node(), Node::Binary(Binary::Minimum | Binary::Maximum, ..));
        ordered && level == Level::Element
    })
}

/// The inputs of an expression, checked and broadcast to `shape`, all of one dtype.
pub(crate) fn operands<'a>(
    verb: &'static str,
    expression: &Expression,
    inputs: &[View<'a>],
    shape: &[usize],
    dtype: DType,
) -> Result<Vec<Operand<'a>>> {
    check_expression(verb, expression, inputs.len(), dtype, &|_| false)?;
    let operand = |(number, view): (usize, &View<'a>)| {
        let argument = OperandName::Input(number);
        check::dtype(verb, argument, dtype, view.dtype())?;
        broadcast(verb, argument, view, shape)
    };
    inputs.iter().enumerate().map(operand).collect()
}
