//! Whether two pieces read the same index.

use super::Piece;

/// The input indices of a piece in rising order: `low`, `low + step`, …, `high`.
#[derive(Clone, Copy)]
pub(super) struct Progression {
    pub(super) low: usize,
    pub(super) high: usize,
    /// At least 1.
    pub(super) step: usize,
}

impl Progression {
    pub(super) fn of(piece: &Piece) -> Option<Self> {
        let (low, high) = piece.reach()?;
        Some(Self { low, high, step: piece.source?.step.unsigned_abs().max(1) })
    }

    /// Whether some index is in both: a solution of two congruences in the part that both reach.
    pub(super) fn meets(&self, other: &Self) -> bool {
        let (a, s) = (self.low as i128, self.step as i128);
        let (b, t) = (other.low as i128, other.step as i128);
        let (divisor, inverse) = divided(s, t);
        if (b - a) % divisor != 0 {
            return false;
        }
        // a + s k is b modulo t for this k. All factors are below 2⁶³.
        let rest = t / divisor;
        let k = ((b - a) / divisor).rem_euclid(rest) * inverse.rem_euclid(rest) % rest;
        let (least, period) = (a + s * k, s * rest);
        let missing = (b - least).max(0);
        least + (missing + period - 1) / period * period <= self.high.min(other.high) as i128
    }
}

/// The greatest common divisor of `a` and `b`, and the inverse of `a / divisor` modulo `b / divisor`.
fn divided(a: i128, b: i128) -> (i128, i128) {
    let (mut old, mut new) = ((a, 1), (b, 0));
    while new.0 != 0 {
        let quotient = old.0 / new.0;
        (old, new) = (new, (old.0 - quotient * new.0, old.1 - quotient * new.1));
    }
    old
}
