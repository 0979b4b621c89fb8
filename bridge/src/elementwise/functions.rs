//! Functions of elements that no operator of the language says.

use super::Elementwise;
use crate::expression::Expression;

impl<'a> Elementwise<'a> {
    /// The complex conjugate.
    pub fn conj(self) -> Self {
        self.then(Expression::conj)
    }

    /// The real part.
    pub fn re(self) -> Self {
        self.then(Expression::re)
    }

    /// The imaginary part.
    pub fn im(self) -> Self {
        self.then(Expression::im)
    }

    /// The absolute value.
    pub fn abs(self) -> Self {
        self.then(Expression::abs)
    }

    /// The square of the absolute value.
    pub fn abs2(self) -> Self {
        self.then(Expression::abs2)
    }

    /// The principal square root.
    pub fn sqrt(self) -> Self {
        self.then(Expression::sqrt)
    }

    /// `self / other`, and 0 where `other` is 0: lets an iteration that has finished go on without effect.
    pub fn div_or_zero(self, other: impl Into<Elementwise<'a>>) -> Self {
        self.with(other.into(), Expression::div_or_zero)
    }

    /// The smaller one of two elements; NaN if either is. Real dtypes only.
    pub fn minimum(self, other: impl Into<Elementwise<'a>>) -> Self {
        self.with(other.into(), Expression::min)
    }

    /// The larger one of two elements; NaN if either is. Real dtypes only.
    pub fn maximum(self, other: impl Into<Elementwise<'a>>) -> Self {
        self.with(other.into(), Expression::max)
    }
}
