//! Elementwise expressions: what `map` computes and what `reduce` sums.

use std::ops;

use num_complex::Complex64;

/// An elementwise expression over the inputs of a verb, evaluated in the dtype of its elements.
///
/// Inputs of a wider real dtype are single numbers. What is computed of them and of constants alone is computed
/// in their dtype, once, and rounded where it is combined with an element: `input(1) / input(2) * input(0)` with two
/// Float64 numbers and Float32 elements divides in Float64 and multiplies in Float32.
///
/// ```
/// use arrayspan_kernels::{Expression, constant, input, previous};
/// // y ← 2 x₀ conj(x₁) + y
/// let expression = constant(2.0) * input(0) * input(1).conj() + previous();
/// assert_eq!(expression.inputs(), 2);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// The element of the input with this number.
    Input(usize),
    /// What the output holds before the verb.
    Previous,
    /// The same number for all elements. Its value is an argument of the kernel, not part of its source.
    Constant(Complex64),
    /// A function of one expression.
    Unary(Unary, Box<Expression>),
    /// A function of two expressions.
    Binary(Binary, Box<Expression>, Box<Expression>),
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
    /// The smaller one. Real dtypes only; NaN if either is.
    Minimum,
    /// The larger one. Real dtypes only; NaN if either is.
    Maximum,
}

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

/// The element of the input with this number.
#[must_use]
pub fn input(number: usize) -> Expression {
    Expression::Input(number)
}

/// What the output holds before the verb.
#[must_use]
pub fn previous() -> Expression {
    Expression::Previous
}

/// The same number for all elements.
pub fn constant(value: impl Into<Complex64>) -> Expression {
    Expression::Constant(value.into())
}

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

    /// The number of inputs it takes: one more than the highest it names.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.fold(0, &mut |count, node| match node {
            Self::Input(number) => count.max(number + 1),
            _ => count,
        })
    }

    /// Whether it reads what the output held.
    #[must_use]
    pub fn reads_previous(&self) -> bool {
        self.fold(false, &mut |reads, node| reads || matches!(node, Self::Previous))
    }

    /// Its constants, in the order they are met from left to right.
    #[must_use]
    pub fn constants(&self) -> Vec<Complex64> {
        self.fold(Vec::new(), &mut |mut found, node| {
            if let Self::Constant(value) = node {
                found.push(*value);
            }
            found
        })
    }

    /// Arithmetic operations per element, a complex one counted as one.
    #[must_use]
    pub fn operations(&self) -> usize {
        self.fold(0, &mut |count, node| {
            count + usize::from(matches!(node, Self::Unary(..) | Self::Binary(..)))
        })
    }

    /// What it is computed with, if the inputs that `wide` names are numbers of a wider real dtype.
    pub(crate) fn level(&self, wide: &impl Fn(usize) -> bool) -> Level {
        match self {
            Self::Input(number) if wide(*number) => Level::Number,
            Self::Constant(value) if value.im == 0.0 => Level::Constant,
            Self::Input(_) | Self::Previous | Self::Constant(_) => Level::Element,
            Self::Unary(_, a) => a.level(wide).of_unary(),
            Self::Binary(_, a, b) => a.level(wide).of_binary(b.level(wide)),
        }
    }

    /// Whether its values have no imaginary part, whatever complex numbers its inputs are.
    pub(crate) fn is_real(&self) -> bool {
        match self {
            Self::Input(_) | Self::Previous => false,
            Self::Constant(value) => value.im == 0.0,
            Self::Unary(function, a) => match function {
                Unary::Real | Unary::Imaginary | Unary::Absolute | Unary::AbsoluteSquare => true,
                Unary::Negate | Unary::Conjugate => a.is_real(),
                // Of a negative number it is imaginary.
                Unary::SquareRoot => false,
            },
            Self::Binary(_, a, b) => a.is_real() && b.is_real(),
        }
    }

    /// The input whose squared absolute value it is, if it is nothing else.
    pub(crate) fn as_square(&self) -> Option<usize> {
        match self {
            Self::Unary(Unary::AbsoluteSquare, a) => match **a {
                Self::Input(number) => Some(number),
                _ => None,
            },
            _ => None,
        }
    }

    /// Visits every node, operands before their operation, from left to right.
    pub fn fold<T>(&self, start: T, visit: &mut impl FnMut(T, &Self) -> T) -> T {
        let inner = match self {
            Self::Input(_) | Self::Previous | Self::Constant(_) => start,
            Self::Unary(_, a) => a.fold(start, visit),
            Self::Binary(_, a, b) => {
                let left = a.fold(start, visit);
                b.fold(left, visit)
            }
        };
        visit(inner, self)
    }

    fn unary(self, function: Unary) -> Self {
        Self::Unary(function, Box::new(self))
    }

    fn binary(self, function: Binary, other: Self) -> Self {
        Self::Binary(function, Box::new(self), Box::new(other))
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
