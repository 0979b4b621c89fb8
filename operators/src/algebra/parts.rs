//! Real and imaginary parts of matrices.

use crate::{Imag, LinearMap, Operator, Real, Result, adjoint};

impl Operator {
    /// `Re A`: from the real numbers of its domain to those of its range, the operator whose matrix is the real part of that of
    /// `A`. `Re (A x)` of real `x`; its adjoint is `Re (Aᴴ y)` of real `y`.
    ///
    /// Between real spaces it is the operator itself. Of complex models too the real part is
    /// `Real::new(a.range().clone())?.after(a)`.
    ///
    /// # Errors
    /// None that an operator which could be made has: each complex space has a real one.
    pub fn to_real(&self) -> Result<Self> {
        self.part(Real::new)
    }

    /// `Im A`: from the real numbers of its domain to those of its range, the operator whose matrix is the imaginary part of
    /// that of `A`. `Im (A x)` of real `x`; its adjoint is `-Im (Aᴴ y)` of real `y`.
    ///
    /// Between real spaces it is zero.
    ///
    /// # Errors
    /// As [`to_real`](Self::to_real).
    pub fn to_imag(&self) -> Result<Self> {
        self.part(Imag::new)
    }

    fn part(&self, of: impl Fn(crate::Space) -> Result<Self>) -> Result<Self> {
        let complex = adjoint(Real::new(self.domain().clone())?);
        of(self.range().clone())?.after(self.after(complex)).build()
    }
}
