//! What a search with restarts looks for, and how it ends.

use super::which::Which;

/// What is looked for, and how far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    pub(super) count: usize,
    pub(super) which: Which,
    /// How many vectors there are at once.
    pub(super) basis: usize,
    /// Of residuals, relative to the largest value.
    pub(super) tolerance: f64,
    /// The sweeps after the first.
    pub(super) restarts: usize,
    /// Below this share of the operator's norm a vector is rounding errors.
    pub(super) lost: f64,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Converged,
    Restarts,
    NotFinite,
}

/// A vector drawn once all that is wanted was found: of a multiple eigenvalue only one vector is in what grows from another.
pub(super) struct Drawn {
    /// The first sweep that it takes part in.
    pub(super) sweep: usize,
    /// What was known before.
    pub(super) wanted: Vec<f64>,
}

impl Drawn {
    /// Whether nothing new has come since.
    pub(super) fn same(&self, wanted: &[f64], most: f64) -> bool {
        self.wanted.iter().zip(wanted).all(|(before, now)| (before - now).abs() <= 2.0 * most)
    }
}
