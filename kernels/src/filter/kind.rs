//! What lines are filtered with.

use num_complex::Complex64;

/// What lines are filtered with.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Taps {
        taps: Vec<Complex64>,
        offset: usize,
    },
    /// Of lines of so many points: all bins, or those up to half the points, of which the others are the conjugates.
    Spectrum {
        points: usize,
        bins: Vec<Complex64>,
        half: bool,
    },
}

impl Kind {
    /// All bins of a spectrum; none of taps.
    pub(super) fn bins(&self) -> Vec<Complex64> {
        let Self::Spectrum { points, bins, half } = self else { return Vec::new() };
        let others = if *half { bins.len()..*points } else { 0..0 };
        let others = others.map(|bin| bins[points - bin].conj());
        bins.iter().copied().chain(others).collect()
    }
}
