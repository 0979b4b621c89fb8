//! Calls that can be joined, as seen by who joins them.

use arrayspan_bridge::expression::{Expression, Node};
use arrayspan_bridge::{DType, Operand, OperandMut};

use crate::program::Kind;
use crate::verb::{Call, DotOf, Terms, is_single};

/// An elementwise call, or a sum of products, as it stands in either.
pub(super) struct Parts<'c> {
    pub(super) element: DType,
    /// The dtype of its single numbers that are wider, if there are any.
    pub(super) numbers: Option<DType>,
    pub(super) inputs: Vec<(&'c Operand<'c>, Kind)>,
    pub(super) outs: Vec<&'c Operand<'c>>,
    pub(super) expressions: Vec<&'c Expression>,
    pub(super) dots: Vec<([DotOf; 2], Terms, &'c Operand<'c>)>,
}

impl<'c> Parts<'c> {
    /// `None` for any other call, and for 16-bit floats: what one call makes of them is rounded before the next reads it.
    pub(super) fn of(call: &'c Call<'static>) -> Option<Self> {
        Some(match call {
            Call::Map(call) if call.out.dtype().is_computable() => {
                let element = call.out.dtype();
                let kind = |of: &Operand<'_>| {
                    if of.dtype() == element { Kind::Element } else { Kind::Number }
                };
                let inputs: Vec<_> = call.inputs.iter().map(|of| (of, kind(of))).collect();
                let wide = inputs.iter().find(|(_, kind)| *kind == Kind::Number);
                Self {
                    element,
                    numbers: wide.map(|(of, _)| of.dtype()),
                    inputs,
                    outs: vec![call.out.as_operand()],
                    expressions: vec![&call.expression],
                    dots: Vec::new(),
                }
            }
            // What is computed of its sums comes after them.
            Call::MapMany(call) if call.epilogue.is_none() => Self {
                element: call.element,
                numbers: call.numbers,
                inputs: call.inputs.iter().zip(call.kinds.iter().copied()).collect(),
                outs: call.outs.iter().map(OperandMut::as_operand).collect(),
                expressions: call.expressions.iter().collect(),
                dots: {
                    let dots = call.dots.iter();
                    dots.map(|dot| (dot.of, dot.terms, dot.out.as_operand())).collect()
                },
            },
            Call::Reduce(call) if call.dtype().is_computable() && call.epilogue.is_none() => {
                let (of, terms) = call.terms()?;
                Self {
                    element: call.dtype(),
                    numbers: None,
                    inputs: call.inputs.iter().map(|of| (of, Kind::Element)).collect(),
                    outs: Vec::new(),
                    expressions: Vec::new(),
                    dots: vec![(of.map(DotOf::Input), terms, call.out.as_operand())],
                }
            }
            _ => return None,
        })
    }

    /// Whether all arrays are lines without gaps of one dtype, beside single numbers.
    pub(super) fn is_lines(&self) -> bool {
        let line = |of: &Operand<'_>| of.dtype() == self.element && of.layout().is_contiguous();
        let input = |(of, kind): &(&Operand<'_>, Kind)| {
            *kind == Kind::Number || line(of) || is_single(of.layout())
        };
        let dot = |of: &DotOf| match of {
            DotOf::Input(at) => line(self.inputs[*at].0),
            DotOf::Output(_) => true,
        };
        self.outs.iter().all(|of| line(of))
            && self.inputs.iter().all(input)
            && self.dots.iter().all(|(of, ..)| of.iter().all(dot))
    }

    /// The shape of its arrays.
    pub(super) fn shape(&self) -> Option<&'c [usize]> {
        let array = || Some(self.inputs.first()?.0);
        self.outs.first().copied().or_else(array).map(Operand::shape)
    }

    /// Whether an expression reads elements: else its values are numbers, which are rounded where they are written.
    pub(super) fn reads_elements(&self, expression: &Expression) -> bool {
        expression.nodes().any(|node| match node.node() {
            Node::Input(at) => self.inputs.get(*at).is_none_or(|(_, kind)| *kind != Kind::Number),
            Node::Previous => true,
            _ => false,
        })
    }
}
