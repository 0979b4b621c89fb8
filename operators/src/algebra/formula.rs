//! Expressions of operators, in which the first error is kept to the end.

use std::ops::{Add, Mul, Neg, Sub};

use arrayspan_bridge::{Array, AsView};
use num_complex::Complex64;

use super::product::product;
use super::scaled::scaled;
use super::sum::sum;
use crate::{Error, LinearOperator, Operator, Result};

/// Operators combined by `+`, `-`, `*`, [`after`](Operator::after) and [`pow`](Operator::pow), or the first error of that:
/// what expressions of operators give, so that an error need not be looked for after each step.
///
/// [`build`](Self::build) gives the operator; functions that take operators take formulas, too. To be
/// applied once it need not be built: `(&a + &b).forward(&x)?`.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::DType;
/// use arrayspan_operators::prelude::*;
/// let space = Space::new([50, 40], DType::Float64)?;
/// let [a, b] = [0, 1].map(|axis| {
///     FirstDerivative::new(space.clone(), axis, 1.0, Scheme::Forward, Edge::Zero)
/// });
/// let (a, b) = (a?, b?);
/// let mixed = (adjoint(&a).after(&a) + 0.5 * adjoint(&b).after(&b) + &Identity::new(space)?).build()?;
/// assert!(mixed.is_self_adjoint());
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
#[must_use = "it says nothing of errors until it is built"]
pub struct Formula(Result<Operator>);

impl Formula {
    /// The operator.
    ///
    /// # Errors
    /// The first one of the expression: [`Error::Spaces`](crate::Error::Spaces) when operators do not fit together,
    /// [`Error::Devices`](crate::Error::Devices) when they live on different devices,
    /// [`Error::Parameter`](crate::Error::Parameter) for factors that their dtype cannot hold.
    pub fn build(self) -> Result<Operator> {
        self.0
    }

    /// What the operator gives for `x`. See [`LinearOperator::forward`](crate::LinearOperator::forward).
    ///
    /// # Errors
    /// As [`build`](Self::build) and [`forward`](crate::LinearOperator::forward).
    #[track_caller]
    pub fn forward(&self, x: impl AsView) -> Result<Array> {
        self.built()?.forward(x)
    }

    /// What its adjoint gives for `y`. See [`LinearOperator::adjoint`](crate::LinearOperator::adjoint).
    ///
    /// # Errors
    /// As [`build`](Self::build) and [`adjoint`](crate::LinearOperator::adjoint).
    #[track_caller]
    pub fn adjoint(&self, y: impl AsView) -> Result<Array> {
        self.built()?.adjoint(y)
    }

    fn built(&self) -> Result<&Operator> {
        self.0.as_ref().map_err(Error::clone)
    }

    /// The product: first `inner`, then this. See [`Operator::after`].
    pub fn after(self, inner: impl Into<Self>) -> Self {
        self.with(inner.into(), product)
    }

    /// The power. See [`Operator::pow`].
    pub fn pow(self, exponent: usize) -> Self {
        Self(self.0.and_then(|operator| operator.pow(exponent).0))
    }

    fn with(
        self,
        other: Self,
        combine: impl FnOnce(&Operator, &Operator) -> Result<Operator>,
    ) -> Self {
        Self(self.0.and_then(|this| combine(&this, &other.0?)))
    }
}

impl Operator {
    /// The product `A B`: first `inner`, then this. Its parts run one after the other, with their results in a workspace of
    /// at most two arrays, unless they become one.
    ///
    /// The formula fails with [`Error::Spaces`](crate::Error::Spaces) unless the range of `inner` is the domain of this, and
    /// with [`Error::Devices`](crate::Error::Devices) when they live on different devices.
    pub fn after(&self, inner: impl Into<Formula>) -> Formula {
        Formula::from(self).after(inner)
    }
}

impl From<Operator> for Formula {
    fn from(operator: Operator) -> Self {
        Self(Ok(operator))
    }
}

impl From<&Operator> for Formula {
    fn from(operator: &Operator) -> Self {
        Self(Ok(operator.clone()))
    }
}

impl From<Result<Operator>> for Formula {
    fn from(operator: Result<Operator>) -> Self {
        Self(operator)
    }
}

impl From<Formula> for Result<Operator> {
    fn from(formula: Formula) -> Self {
        formula.0
    }
}

/// `A + B` and `A - B`; fails with [`Error::Spaces`](crate::Error::Spaces) unless both have the same domain and range.
impl<B: Into<Self>> Add<B> for Formula {
    type Output = Self;

    fn add(self, other: B) -> Self {
        self.with(other.into(), |a, b| sum("+", a, b))
    }
}

impl<B: Into<Self>> Sub<B> for Formula {
    type Output = Self;

    fn sub(self, other: B) -> Self {
        self.with(other.into(), |a, b| sum("-", a, &b.negated()))
    }
}

impl Neg for Formula {
    type Output = Self;

    fn neg(self) -> Self {
        Self(self.0.map(|operator| operator.negated()))
    }
}

/// `a A`; fails with [`Error::Parameter`] for a factor that the dtype of a space cannot hold: not
/// finite, or, by itself or times a factor that is there already, beyond its largest or below its normal numbers;
/// complex when a space is real.
impl Mul<Formula> for f64 {
    type Output = Formula;

    fn mul(self, formula: Formula) -> Formula {
        Complex64::from(self) * formula
    }
}

impl Mul<Formula> for Complex64 {
    type Output = Formula;

    fn mul(self, formula: Formula) -> Formula {
        Formula(formula.0.and_then(|operator| scaled(self, &operator)))
    }
}

impl<B: Into<Formula>> Add<B> for &Operator {
    type Output = Formula;

    fn add(self, other: B) -> Formula {
        Formula::from(self) + other
    }
}

impl<B: Into<Formula>> Add<B> for Operator {
    type Output = Formula;

    fn add(self, other: B) -> Formula {
        Formula::from(self) + other
    }
}

impl<B: Into<Formula>> Sub<B> for &Operator {
    type Output = Formula;

    fn sub(self, other: B) -> Formula {
        Formula::from(self) - other
    }
}

impl<B: Into<Formula>> Sub<B> for Operator {
    type Output = Formula;

    fn sub(self, other: B) -> Formula {
        Formula::from(self) - other
    }
}

impl Mul<&Operator> for f64 {
    type Output = Formula;

    fn mul(self, operator: &Operator) -> Formula {
        self * Formula::from(operator)
    }
}

impl Mul<Operator> for f64 {
    type Output = Formula;

    fn mul(self, operator: Operator) -> Formula {
        self * Formula::from(operator)
    }
}

impl Mul<&Operator> for Complex64 {
    type Output = Formula;

    fn mul(self, operator: &Operator) -> Formula {
        self * Formula::from(operator)
    }
}

impl Mul<Operator> for Complex64 {
    type Output = Formula;

    fn mul(self, operator: Operator) -> Formula {
        self * Formula::from(operator)
    }
}

/// `-A`
impl Neg for &Operator {
    type Output = Operator;

    fn neg(self) -> Operator {
        self.negated()
    }
}

/// `-A`
impl Neg for Operator {
    type Output = Self;

    fn neg(self) -> Self {
        self.negated()
    }
}
