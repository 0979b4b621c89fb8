//! `out ← expression(inputs, out)`, element by element, in one pass.

use arrayspan_bridge::{View, ViewMut};

use super::check;
use crate::cost::distinct_bytes;
use crate::expression::{Binary, Expression};
use crate::{Cost, Result};

pub(crate) const NAME: &str = "map";

/// `out ← expression(inputs, out)`, element by element, in one pass.
#[derive(Debug)]
pub struct MapCall<'a> {
    /// What is computed.
    pub(crate) expression: &'a Expression,
    /// Its inputs, broadcast to the shape of `out`.
    pub(crate) inputs: Vec<View<'a>>,
    /// Where the result goes.
    pub(crate) out: ViewMut<'a>,
}

impl<'a> MapCall<'a> {
    /// Checks the arguments. Inputs broadcast to the shape of `out`; a 0-d input is a scalar on the device.
    ///
    /// # Errors
    /// When an input is missing, does not broadcast, or has another dtype than `out`.
    pub fn new(expression: &'a Expression, inputs: &[View<'a>], out: ViewMut<'a>) -> Result<Self> {
        check::computable(NAME, out.dtype())?;
        let inputs = operands(NAME, expression, inputs, out.shape(), out.dtype())?;
        Ok(Self { expression, inputs, out })
    }

    pub(crate) fn cost(&self) -> Cost {
        let len = self.out.layout().len();
        let written = len * self.out.dtype().bytes();
        let previous = if self.expression.reads_previous() { written } else { 0 };
        Cost {
            launches: usize::from(len > 0),
            bytes_read: self.inputs.iter().map(distinct_bytes).sum::<usize>() + previous,
            bytes_written: written,
            flops: len * self.expression.operations(),
        }
    }
}

/// The inputs of an expression, checked and broadcast to `shape`.
pub(crate) fn operands<'a>(
    verb: &'static str,
    expression: &Expression,
    inputs: &[View<'a>],
    shape: &[usize],
    dtype: arrayspan_bridge::DType,
) -> Result<Vec<View<'a>>> {
    if expression.inputs() > inputs.len() {
        let (needed, given) = (expression.inputs(), inputs.len());
        return check::argument(verb, format!("the expression takes {needed} inputs, not {given}"));
    }
    if !dtype.is_complex() && expression.constants().iter().any(|value| value.im != 0.0) {
        return check::argument(verb, format!("a constant is complex, the arrays are {dtype}"));
    }
    let ordered = |node: &Expression| {
        matches!(node, Expression::Binary(Binary::Minimum | Binary::Maximum, ..))
    };
    if dtype.is_complex() && expression.fold(false, &mut |found, node| found || ordered(node)) {
        return check::argument(verb, "complex numbers have no order");
    }
    let operand = |(number, view): (usize, &View<'a>)| {
        let argument = format!("input {number}");
        check::dtype(verb, &argument, dtype, view.dtype())?;
        view.clone().broadcast(shape).map_err(|_| crate::Error::Shape {
            verb,
            argument,
            expected: shape.to_vec(),
            found: view.shape().to_vec(),
        })
    };
    inputs.iter().enumerate().map(operand).collect()
}
