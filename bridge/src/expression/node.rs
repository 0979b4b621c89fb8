//! What an expression is made of.

use std::sync::Arc;

use num_complex::Complex64;

use super::{Expression, Inner};

/// What an [`Expression`] is made of.
#[derive(Clone, Debug)]
pub enum Node {
    /// The element of the input with this number.
    Input(usize),
    /// What the output holds before the pass.
    Previous,
    /// The same number for all elements. Its value is an argument of a kernel, not part of its source.
    Constant(Complex64),
    /// A function of one expression.
    Unary(Unary, Expression),
    /// A function of two expressions.
    Binary(Binary, Expression, Expression),
}

/// A function of one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// `-a`
    Negate,
    /// The complex conjugate; `a` itself if real.
    Conjugate,
    /// The real part, with no imaginary part; `a` itself if real.
    Real,
    /// The imaginary part as a real number; zero if `a` is real.
    Imaginary,
    /// `|a|`
    Absolute,
    /// `|a|²`
    AbsoluteSquare,
    /// The principal square root.
    SquareRoot,
}

/// A function of two elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a · b`
    Multiply,
    /// `a / b`. Complex quotients are scaled: they overflow and underflow only where the result does.
    Divide,
    /// `a / b`, and 0 where `b` is 0: lets an iteration that has finished go on without effect.
    DivideOrZero,
    /// `a · b`, and 0 where `b` is 0, whatever `a` is: a factor of 0 makes nothing of what may be anything.
    MultiplyOrZero,
    /// The smaller one. Real dtypes only; NaN if either is.
    Minimum,
    /// The larger one. Real dtypes only; NaN if either is.
    Maximum,
}

impl Unary {
    /// Whether its values have no imaginary part, if those it is taken of have none (`real`) or may have one.
    pub(super) fn is_real(self, real: bool) -> bool {
        match self {
            Self::Real | Self::Imaginary | Self::Absolute | Self::AbsoluteSquare => true,
            Self::Negate | Self::Conjugate => real,
            // Of a negative number it is imaginary.
            Self::SquareRoot => false,
        }
    }
}

impl Binary {
    /// Whether it needs numbers that have an order.
    pub(super) fn is_ordered(self) -> bool {
        matches!(self, Self::Minimum | Self::Maximum)
    }
}

impl Node {
    /// The expressions it is an operation on.
    pub(super) fn operands(&self) -> [Option<&Expression>; 2] {
        match self {
            Self::Input(_) | Self::Previous | Self::Constant(_) => [None, None],
            Self::Unary(_, a) => [Some(a), None],
            Self::Binary(_, a, b) => [Some(a), Some(b)],
        }
    }

    fn into_operands(self) -> [Option<Expression>; 2] {
        match self {
            Self::Input(_) | Self::Previous | Self::Constant(_) => [None, None],
            Self::Unary(_, a) => [Some(a), None],
            Self::Binary(_, a, b) => [Some(a), Some(b)],
        }
    }
}

/// Drops what nobody else holds one node after the other: a chain of a hundred thousand operations would need more stack
/// than there is if each dropped the next.
impl Drop for Inner {
    fn drop(&mut self) {
        let mut rest = Vec::new();
        let take = |inner: &mut Self, rest: &mut Vec<Expression>| {
            let node = std::mem::replace(&mut inner.node, Node::Previous);
            rest.extend(node.into_operands().into_iter().flatten());
        };
        take(self, &mut rest);
        while let Some(Expression(handle)) = rest.pop() {
            // Where several threads drop their handles at once, exactly one of them is given the node.
            if let Some(mut inner) = Arc::into_inner(handle) {
                take(&mut inner, &mut rest);
            }
        }
    }
}
