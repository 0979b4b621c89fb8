//! The vectors of iterations with thresholds.

use arrayspan_bridge::Array;
use arrayspan_operators::Workspace;

use super::tried::Tried;
use crate::sparse::percentile::Percentile;

/// The vectors of [`IterativeThresholding`](crate::IterativeThresholding).
#[derive(Debug)]
pub struct Vectors {
    /// `y - A x`
    pub(super) residual: Array,
    /// The model one iteration earlier, or the next one.
    pub(super) other: Array,
    /// `Aᴴ (y - A x)`, and with momentum that of one iteration earlier.
    pub(super) gradients: Vec<Array>,
    /// `Sᴴ x`, and what `S` needs between its parts.
    pub(super) coefficients: Option<Array>,
    pub(super) work: Option<Workspace>,
    pub(super) percentile: Option<Percentile>,
    /// `‖x‖ₚᵖ`
    pub(super) penalty: Array,
    /// The length of steps, for the operator as the run has it; with backtracking that of the first one.
    pub(super) step: f64,
    /// What backtracking needs.
    pub(super) tried: Option<Tried>,
}
