//! What a transform and another one after it are together.

use super::Fourier;

impl Fourier {
    /// The number that this and then `next` multiply by, if that is all they do together.
    #[must_use]
    pub fn cancels(&self, next: &Self) -> Option<f64> {
        let Self { inverse, positive, scale, inner, .. } = *next;
        let alike = Self { inverse, positive, scale, inner, ..*self };
        let turned = self.inverse != next.inverse && self.positive != next.positive;
        // Signals go there and back whole where all of them is transformed, spectra where all of what they come to is kept.
        let whole = if self.inverse {
            self.is_complex_linear() && self.extent >= self.points
        } else {
            self.extent <= self.points
        };
        // Bins that stand for two are halved, together.
        let halved = !self.is_weighted() || (self.inner * next.inner - 2.0).abs() < 1e-15;
        let number = self.scale * next.scale * self.points as f64;
        // The square of a root is a rounding off.
        let number = if (number - 1.0).abs() < 1e-15 { 1.0 } else { number };
        (alike == *next && turned && whole && halved).then_some(number)
    }

    /// What brings back every input from its transform; `None` where a part of it is lost. Of half a spectrum, and of real samples,
    /// that takes what is the transform of a signal.
    #[must_use]
    pub fn inverse(&self) -> Option<Self> {
        let lost = if self.inverse {
            !self.is_complex_linear() || self.extent < self.points
        } else {
            self.extent > self.points
        };
        let weighted = self.is_weighted();
        let scale = 1.0 / (self.scale * self.points as f64);
        if lost || !scale.is_finite() || (weighted && self.inner == 0.0) {
            return None;
        }
        let inner = if weighted { 2.0 / self.inner } else { 1.0 };
        Some(Self { scale, inner, ..self.adjoint() })
    }
}
