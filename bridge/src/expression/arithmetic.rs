//! Expressions of expressions.

use std::ops;

use super::{Binary, Expression, Node, Unary};

impl Expression {
    /// The complex conjugate.
    #[must_use]
    pub fn conj(self) -> Self {
        self.unary(Unary::Conjugate)
    }

    /// The real part.
    #[must_use]
    pub fn re(self) -> Self {
        self.unary(Unary::Real)
    }

    /// The imaginary part.
    #[must_use]
    pub fn im(self) -> Self {
        self.unary(Unary::Imaginary)
    }

    /// The absolute value.
    #[must_use]
    pub fn abs(self) -> Self {
        self.unary(Unary::Absolute)
    }

    /// The square of the absolute value.
    #[must_use]
    pub fn abs2(self) -> Self {
        self.unary(Unary::AbsoluteSquare)
    }

    /// The principal square root.
    #[must_use]
    pub fn sqrt(self) -> Self {
        self.unary(Unary::SquareRoot)
    }

    /// `self / other`, and 0 where `other` is 0.
    #[must_use]
    pub fn div_or_zero(self, other: Self) -> Self {
        self.binary(Binary::DivideOrZero, other)
    }

    /// `self · other`, and 0 where `other` is 0, whatever `self` is.
    #[must_use]
    pub fn mul_or_zero(self, other: Self) -> Self {
        self.binary(Binary::MultiplyOrZero, other)
    }

    /// The smaller one.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        self.binary(Binary::Minimum, other)
    }

    /// The larger one.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        self.binary(Binary::Maximum, other)
    }

    fn unary(self, function: Unary) -> Self {
        Node::Unary(function, self).into()
    }

    fn binary(self, function: Binary, other: Self) -> Self {
        Node::Binary(function, self, other).into()
    }
}

impl ops::Add for Expression {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.binary(Binary::Add, other)
    }
}

impl ops::Sub for Expression {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.binary(Binary::Subtract, other)
    }
}

impl ops::Mul for Expression {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        self.binary(Binary::Multiply, other)
    }
}

impl ops::Div for Expression {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        self.binary(Binary::Divide, other)
    }
}

impl ops::Neg for Expression {
    type Output = Self;
    fn neg(self) -> Self {
        self.unary(Unary::Negate)
    }
}
