//! Expressions of expressions.

use std::ops;

use num_complex::Complex64;

use super::{Binary, Expression, Node, Unary, constant};

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

/// Of another expression, or of a number, which is a [`constant`].
impl<E: Into<Self>> ops::Add<E> for Expression {
    type Output = Self;
    fn add(self, other: E) -> Self {
        self.binary(Binary::Add, other.into())
    }
}

/// Of another expression, or of a number, which is a [`constant`].
impl<E: Into<Self>> ops::Sub<E> for Expression {
    type Output = Self;
    fn sub(self, other: E) -> Self {
        self.binary(Binary::Subtract, other.into())
    }
}

/// By another expression, or by a number, which is a [`constant`].
impl<E: Into<Self>> ops::Mul<E> for Expression {
    type Output = Self;
    fn mul(self, other: E) -> Self {
        self.binary(Binary::Multiply, other.into())
    }
}

/// By another expression, or by a number, which is a [`constant`].
impl<E: Into<Self>> ops::Div<E> for Expression {
    type Output = Self;
    fn div(self, other: E) -> Self {
        self.binary(Binary::Divide, other.into())
    }
}

impl ops::Add<Expression> for f64 {
    type Output = Expression;
    fn add(self, other: Expression) -> Expression {
        constant(self) + other
    }
}

impl ops::Sub<Expression> for f64 {
    type Output = Expression;
    fn sub(self, other: Expression) -> Expression {
        constant(self) - other
    }
}

impl ops::Mul<Expression> for f64 {
    type Output = Expression;
    fn mul(self, other: Expression) -> Expression {
        constant(self) * other
    }
}

impl ops::Div<Expression> for f64 {
    type Output = Expression;
    fn div(self, other: Expression) -> Expression {
        constant(self) / other
    }
}

/// A [`constant`].
impl From<f64> for Expression {
    fn from(value: f64) -> Self {
        constant(value)
    }
}

/// A [`constant`].
impl From<Complex64> for Expression {
    fn from(value: Complex64) -> Self {
        constant(value)
    }
}

impl ops::Neg for Expression {
    type Output = Self;
    fn neg(self) -> Self {
        self.unary(Unary::Negate)
    }
}
