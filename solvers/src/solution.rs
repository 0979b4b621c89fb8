//! What a solver returns.

use arrayspan_bridge::Array;

use crate::{Launched, Stopped};

/// What a solver returns.
#[derive(Debug)]
pub struct Solution {
    /// The solution, on the device of the data.
    pub x: Array,
    /// Iterations done.
    pub iterations: usize,
    /// `‖y - A x‖` before the first iteration and after each one, as the solver updates it: one number more than
    /// iterations.
    pub residuals: Vec<f64>,
    /// Why it stopped.
    pub stopped: Stopped,
    /// How its iterations were launched: several at once, or why not.
    pub launched: Launched,
}
