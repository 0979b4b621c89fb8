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
