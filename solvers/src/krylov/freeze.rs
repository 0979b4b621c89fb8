//! When a recurrence of conjugate gradients has reached the rounding level of its dtype.
//!
//! Beyond that level the computed gradient holds nothing but rounding errors, and conjugate gradients, which take it
//! for orthogonal to all earlier directions, multiply them from step to step. So the step is made zero there, on the
//! device, which leaves every vector as it is: an iteration too many changes nothing.
//!
//! With `ε` the epsilon of the data's dtype, `J` the objective (`‖y - A x‖² + damping² ‖x‖²`), `γ` the squared norm
//! of the gradient and `a` the largest `1/step` so far, which in exact arithmetic is a lower bound of `‖A‖²`, and in
//! general soon near it:
//! * `γ ≤ (4 ε)² a J`: the gradient is within the rounding error of its own computation, `ε ‖A‖ ‖y - A x‖`;
//! * `γ` has been below `(32 ε)² a J` and has risen to 16 times its smallest value: long sums (dense matrices with
//!   thousands of rows) round more than that;
//! * `J ≤ (ε / 4)² · max(‖y‖², J at the start)`: the data are explained to the last bit.

use arrayspan_bridge::DType;
use arrayspan_kernels::{Expression, constant};

/// The gradient's rounding error, in `ε ‖A‖ ‖y - A x‖`.
const LEVEL: f64 = 4.0;
/// The same where long sums are rounded.
const BAND: f64 = 32.0;
/// In the band, the growth of the squared gradient that rounding errors alone explain.
const GROWTH: f64 = 16.0;
/// The residual's rounding error, in `ε ‖y‖`.
const EXPLAINED: f64 = 0.25;

/// The scalars that decide whether a step is taken.
#[derive(Clone, Debug)]
pub(crate) struct Scalars {
    /// The squared gradient.
    pub(crate) gradient: Expression,
    /// The smallest one so far.
    pub(crate) lowest: Expression,
    /// The lower bound of `‖A‖²`.
    pub(crate) bound: Expression,
    /// The objective.
    pub(crate) objective: Expression,
}

impl Scalars {
    /// 1 as long as there is something to gain, 0 then and for ever after. `data` is the squared norm of what is to
    /// be explained.
    pub(crate) fn go(self, dtype: DType, data: f64) -> Expression {
        let epsilon = match dtype.real() {
            DType::Float32 => f64::from(f32::EPSILON),
            _ => f64::EPSILON,
        };
        // Few constants: each is an argument of the kernel wherever it stands.
        let times = |factor: f64| {
            constant((factor * epsilon).powi(2)) * self.objective.clone() * self.bound.clone()
        };
        let level = above(self.gradient.clone(), times(LEVEL));
        let in_band = above(times(BAND), self.lowest.clone());
        let risen = above(self.gradient.clone(), constant(GROWTH) * self.lowest.clone());
        let explained = (EXPLAINED * epsilon).powi(2) * data;
        let left = above(self.objective.clone(), constant(explained));
        level * left * (constant(1.0) - in_band * risen)
    }
}

/// 1 if `a > b`, else 0.
fn above(a: Expression, b: Expression) -> Expression {
    let excess = (a - b).max(constant(0.0));
    excess.clone().div_or_zero(excess)
}
