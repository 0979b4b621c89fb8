//! How a result is combined with the old content of its output.

use num_complex::Complex64;

/// `y ← alpha · result + beta · y`. With `beta = 0` the old `y` is never read, so it may be anything.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Update {
    /// Multiplies the result. Real for real dtypes.
    pub alpha: Complex64,
    /// Multiplies what was there. Real for real dtypes.
    pub beta: Complex64,
}

impl Update {
    const ZERO: Complex64 = Complex64::new(0.0, 0.0);
    const ONE: Complex64 = Complex64::new(1.0, 0.0);

    /// `y ← result`.
    #[must_use]
    pub fn set() -> Self {
        Self { alpha: Self::ONE, beta: Self::ZERO }
    }

    /// `y ← y + result`.
    #[must_use]
    pub fn add() -> Self {
        Self { alpha: Self::ONE, beta: Self::ONE }
    }

    /// `y ← alpha · result + beta · y`.
    pub fn new(alpha: impl Into<Complex64>, beta: impl Into<Complex64>) -> Self {
        Self { alpha: alpha.into(), beta: beta.into() }
    }

    /// The same with the result multiplied by `factor` first.
    #[must_use]
    pub fn scaled(self, factor: Complex64) -> Self {
        Self { alpha: self.alpha * factor, ..self }
    }

    /// The update for a further term of a sum whose first term used `self`.
    #[must_use]
    pub fn then_add(self) -> Self {
        Self { beta: Self::ONE, ..self }
    }

    /// Whether the old content is read.
    #[must_use]
    pub fn reads(self) -> bool {
        self.beta != Self::ZERO
    }

    /// Whether a real dtype can hold both factors.
    #[must_use]
    pub fn is_real(self) -> bool {
        self.alpha.im == 0.0 && self.beta.im == 0.0
    }
}
