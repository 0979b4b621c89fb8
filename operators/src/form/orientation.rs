//! An operator, its adjoint, its conjugate or its transpose.

use num_complex::Complex64;

/// Which of `A`, `Aᴴ`, `conj(A)` and `Aᵀ` (both at once) an operator is applied as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Orientation {
    pub(crate) adjoint: bool,
    pub(crate) conj: bool,
}

impl Orientation {
    pub(crate) const ADJOINT: Self = Self { adjoint: true, conj: false };
    pub(crate) const CONJ: Self = Self { adjoint: false, conj: true };

    /// This one of what is in an orientation already.
    pub(crate) fn of(self, inner: Self) -> Self {
        Self { adjoint: self.adjoint != inner.adjoint, conj: self.conj != inner.conj }
    }

    /// What becomes of a factor of the operator.
    pub(crate) fn factor(self, factor: Complex64) -> Complex64 {
        if self.adjoint == self.conj { factor } else { factor.conj() }
    }

    /// 0 to 3.
    pub(crate) fn index(self) -> usize {
        usize::from(self.adjoint) + 2 * usize::from(self.conj)
    }

    /// How it is written behind an operator.
    pub(crate) fn mark(self) -> &'static str {
        match (self.adjoint, self.conj) {
            (false, false) => "",
            (true, false) => "ᴴ",
            (false, true) => "*",
            (true, true) => "ᵀ",
        }
    }
}
