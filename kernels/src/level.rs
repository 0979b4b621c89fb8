//! What the parts of an expression are computed with.

use arrayspan_bridge::expression::{Expression, Node};

/// What a part of an expression is computed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// A constant, which takes the dtype of the other operand.
    Constant,
    /// Single numbers of a wider real dtype.
    Number,
    /// The elements' dtype.
    Element,
}

impl Level {
    /// That of a node, if the inputs that `wide` names are numbers of a wider real dtype, and its last operands have the
    /// last levels of `operands`, which it takes.
    pub(crate) fn of(
        node: &Expression,
        wide: &impl Fn(usize) -> bool,
        operands: &mut Vec<Self>,
    ) -> Self {
        let mut operand = || operands.pop().unwrap_or(Self::Element);
        match node.node() {
            Node::Input(number) if wide(*number) => Self::Number,
            Node::Constant(value) if value.im == 0.0 => Self::Constant,
            Node::Input(_) | Node::Previous | Node::Constant(_) => Self::Element,
            Node::Unary(..) => operand().of_unary(),
            Node::Binary(..) => operand().of_binary(operand()),
        }
    }

    /// What a function of one operand of this level is computed with.
    pub(crate) fn of_unary(self) -> Self {
        if self == Self::Number { Self::Number } else { Self::Element }
    }

    /// What a function of two operands, one of this level, is computed with.
    pub(crate) fn of_binary(self, other: Self) -> Self {
        match (self, other) {
            (Self::Number, Self::Number | Self::Constant) | (Self::Constant, Self::Number) => {
                Self::Number
            }
            _ => Self::Element,
        }
    }
}
