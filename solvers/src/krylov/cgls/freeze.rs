//! When a recurrence of conjugate gradients has reached the rounding level of its dtype.
//!
//! Beyond that level the computed gradient holds nothing but rounding errors, and conjugate gradients, which take it
//! for orthogonal to all earlier directions, multiply them from step to step. So the step is made zero there, on the
//! device, which leaves every vector as it is: an iteration too many changes nothing.
//!
//! With `ε` the epsilon of the data's dtype, `r = y - A x`, `γ` the squared norm of the gradient `Aᴴ r - damping² x` and
//! `a` the largest `‖A c‖²/γ` of a direction `c` so far, which in exact arithmetic is a lower bound of `‖A‖²`, and in
//! general soon near it, no step is taken where
//! * `γ ≤ (4 ε)² a ‖r‖²`: the gradient is within the rounding error of its own computation, `ε ‖A‖ ‖r‖`. At the solution
//!   `damping² x` is `Aᴴ r`, so damping adds no more to it, however large it is;
//! * `γ` has been below `(12 ε)² a ‖r‖²` and has risen to 16 times its smallest value: long sums (dense matrices with
//!   thousands of rows) may round more than that. A wider band would take for rounding what is the nature of problems
//!   with a condition of `1/(100 ε)`, whose gradients fall and rise by themselves;
//! * `‖r‖² + damping² ‖x‖² ≤ (ε / 4)² · max(‖y‖², the same at the start)`: the data are explained to the last bit.

use arrayspan_bridge::DType;
use arrayspan_kernels::{Expression, constant};

use crate::engine::run::above;
use crate::krylov::breakdown::epsilon;

/// The gradient's rounding error, in `ε ‖A‖ ‖y - A x‖`.
const LEVEL: f64 = 4.0;
/// The same where long sums are rounded.
const BAND: f64 = 12.0;
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
    /// The squared residual.
    pub(crate) residual: Expression,
    /// The objective: with damping, more than the squared residual.
    pub(crate) objective: Expression,
}

impl Scalars {
    /// 1 as long as there is something to gain, 0 then and for ever after. `explained` is a share of the squared norm of what
    /// is to be explained.
    pub(crate) fn go(self, dtype: DType, explained: impl FnOnce(f64) -> Expression) -> Expression {
        let epsilon = epsilon(dtype);
        // Few constants: each is an argument of the kernel wherever it stands.
        let times = |factor: f64| {
            constant((factor * epsilon).powi(2)) * self.residual.clone() * self.bound.clone()
        };
        let level = above(self.gradient.clone(), times(LEVEL));
        let in_band = above(times(BAND), self.lowest.clone());
        let risen = above(self.gradient.clone(), constant(GROWTH) * self.lowest.clone());
        let left = above(self.objective, explained((EXPLAINED * epsilon).powi(2)));
        level * left * (constant(1.0) - in_band * risen)
    }
}
