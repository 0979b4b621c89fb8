//! What can be told of an operator from what it is made of.

use arrayspan_kernels::Cost;

use super::cost::cost;
use crate::{Error, LinearMap, Operator, Result};

impl Operator {
    /// Whether it is complex-linear (see [`Properties`](crate::Properties)), as far as its form tells: `false` says that it may
    /// not be. Between real spaces it is.
    #[must_use]
    pub fn is_complex_linear(&self) -> bool {
        self.is_linear() || self.has_real_spaces()
    }

    fn has_real_spaces(&self) -> bool {
        [self.domain(), self.range()].iter().all(|space| !space.dtype().is_complex())
    }

    /// Whether its matrix is real, as far as its form tells: `false` says that it may not be. Of real spaces it is; one that is
    /// linear over the real numbers only has no matrix.
    #[must_use]
    pub fn is_real(&self) -> bool {
        self.has_real_spaces()
            || (self.is_linear() && self.factor().im == 0.0 && self.program(false).is_real())
    }

    /// Whether it is its own adjoint, as far as its form tells: `false` says that it may not be. See
    /// [`Properties`](crate::Properties) for operators that are linear over the real numbers only.
    #[must_use]
    pub fn is_self_adjoint(&self) -> bool {
        self.factor().im == 0.0
            && self.domain() == self.range()
            && self.devices().is_none_or(|devices| devices.one().is_some())
            && self.program(false).same(self.program(true))
    }

    /// Fails unless it has a matrix: of one that is linear over the real numbers only, complex unit vectors do not tell all.
    pub(crate) fn expect_matrix(&self, operation: &str) -> Result<()> {
        if self.is_complex_linear() || !self.domain().dtype().is_complex() {
            return Ok(());
        }
        let why =
            format!("it has no matrix over complex numbers, only over real ones ({operation})");
        Error::parameter(self.name(), why)
    }

    /// Fails unless it can be applied to unit vectors, which are computed.
    pub(crate) fn expect_units(&self, operation: &str) -> Result<()> {
        self.expect_matrix(operation)?;
        self.domain().computable(self.name())?;
        self.range().computable(self.name())
    }

    /// What `y ← A x`, or `x ← Aᴴ y`, costs for contiguous arrays; `None` if it has opaque parts, which do not tell. That of
    /// all devices together: what is moved from one to another is read and written, by no launch.
    #[must_use]
    pub fn cost(&self, adjoint: bool) -> Option<Cost> {
        let program = self.program(adjoint);
        if self.factor() == 1.0.into() {
            return program.cost();
        }
        let spaces = (self.domain(), self.range());
        let (from, to, factor) = if adjoint {
            (spaces.1, spaces.0, self.factor().conj())
        } else {
            (spaces.0, spaces.1, self.factor())
        };
        cost(program.steps(), from, to, factor)
    }
}
