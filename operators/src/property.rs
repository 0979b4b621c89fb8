//! What is known of an operator beside what it does.

use crate::LinearMap;

/// What holds for an operator, as its author says: [`laws::check`](crate::laws::check) tries what is said.
///
/// **Complex-linear**: `A (c x) = c A x` for complex `c`. An operator that is not is linear over the real numbers, as the
/// conjugate `y = conj(x)` is and whatever goes between real and complex spaces. Its adjoint is that with respect to the real
/// part of the inner product, `Re ⟨A x, y⟩ = Re ⟨x, Aᴴ y⟩`, which for a complex-linear operator is the same as the usual one.
/// Complex factors stay where they are written: `c A` and `A c` differ, and `(c A)ᴴ = Aᴴ conj(c)`. `conj(A) x` is
/// `conj(A conj(x))` as ever, and `Aᵀ` the conjugate of the adjoint. Such an operator on a complex domain has no matrix.
///
/// **Self-adjoint**: `A = Aᴴ`. **Positive** (semi-definite): self-adjoint, and `Re ⟨A x, x⟩ ≥ 0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Properties {
    /// Whether complex factors commute with it.
    pub complex_linear: bool,
    /// Whether it is its own adjoint.
    pub self_adjoint: bool,
    /// Whether it is self-adjoint and `Re ⟨A x, x⟩ ≥ 0` for all `x`.
    pub positive: bool,
}

impl Properties {
    /// Those of an operator of which nothing is known: complex-linear between spaces that are both real or both complex.
    #[must_use]
    pub fn of(operator: &(impl LinearMap + ?Sized)) -> Self {
        let [domain, range] = [operator.domain(), operator.range()];
        let complex_linear = domain.dtype().is_complex() == range.dtype().is_complex();
        Self { complex_linear, self_adjoint: false, positive: false }
    }

    /// The same, of an operator that is linear over the real numbers only.
    #[must_use]
    pub fn real_linear(self) -> Self {
        Self { complex_linear: false, ..self }
    }

    /// The same, of an operator that is its own adjoint.
    #[must_use]
    pub fn self_adjoint(self) -> Self {
        Self { self_adjoint: true, ..self }
    }

    /// The same, of an operator that is its own adjoint and positive semi-definite.
    #[must_use]
    pub fn positive(self) -> Self {
        Self { self_adjoint: true, positive: true, ..self }
    }
}
