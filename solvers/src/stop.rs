//! When a solver stops, and why it did.

use crate::history::Norms;

/// When a solver stops: at the first check at which one of these holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// At most this many iterations.
    pub iterations: usize,
    /// `‖y - A x‖ ≤ residual · ‖y‖`: the data are explained. Finite and at least 0; zero turns this off, so that even a
    /// residual of exactly zero does not count.
    pub residual: f64,
    /// `‖gradient‖ ≤ gradient · ‖gradient at the start‖`: no descent is left, whether or not the data are
    /// explained. Finite and at least 0; zero turns this off, but for a gradient of exactly zero, which always ends a run.
    pub gradient: f64,
}

impl Default for Stop {
    /// 100 iterations; `1e-8` of residual or gradient.
    fn default() -> Self {
        Self { iterations: 100, residual: 1e-8, gradient: 1e-8 }
    }
}

impl Stop {
    /// This many iterations, whatever residual and gradient are. A solver does fewer only where more would not make the
    /// solution better in its dtype.
    #[must_use]
    pub fn after(iterations: usize) -> Self {
        Self { iterations, residual: 0.0, gradient: 0.0 }
    }

    /// Whether what was seen is enough, given `‖y‖`, scaled as the residual is.
    pub(crate) fn judge(&self, seen: &Norms, data: f64) -> Option<Stopped> {
        let (residual, gradient) = (seen.scaled_residual, seen.scaled_gradient());
        if !(residual.is_finite() && gradient.is_finite()) {
            Some(Stopped::NotFinite)
        } else if self.residual > 0.0 && residual <= self.residual * data {
            Some(Stopped::Residual)
        } else if gradient <= self.gradient * seen.first_scaled_gradient() {
            Some(Stopped::Gradient)
        } else if seen.frozen {
            Some(Stopped::Precision)
        } else if seen.iterations() >= self.iterations {
            Some(Stopped::Iterations)
        } else {
            None
        }
    }
}

/// Why a solver stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stopped {
    /// [`Stop::residual`] was reached.
    Residual,
    /// [`Stop::gradient`] was reached, or the gradient became exactly zero.
    Gradient,
    /// The gradient is at the rounding level of the dtype: it consists of rounding errors, and following it further
    /// would make the solution worse. The documentation of each solver says which level that is.
    Precision,
    /// [`Stop::iterations`] was reached.
    Iterations,
    /// The observer returned `Break`.
    Observer,
    /// A norm or an element of the solution is not a finite number: the data, the start or the operator hold NaN or
    /// infinity, or what is computed is beyond the largest number of the dtype. The solution is not to be used.
    NotFinite,
    /// The solution is not zero, but all its elements are less than the smallest normal number of the dtype, so that
    /// they are rounded to zero or to few digits. It is not to be used.
    Underflow,
}
