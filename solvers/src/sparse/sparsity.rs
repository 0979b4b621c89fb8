//! What is known of models that are sparse.

use std::f64::consts::SQRT_2;

use arrayspan_bridge::DType;
use arrayspan_operators::{LinearMap, Operator};

use super::Threshold;
use super::threshold::Shape;
use crate::Result;
use crate::engine::scale::{Scale, power};
use crate::parameters::{not_negative, wrong};

/// That a model is sparse, and how: the term `weight · ‖x‖ₚᵖ`, or `weight · ‖Sᴴ x‖ₚᵖ`.
#[derive(Clone, Debug)]
pub struct Sparsity {
    /// The weight of that term beside `‖y - A x‖²` (PyLops: `eps`; there is no factor 1/2 at either). Finite and at least 0.
    pub weight: f64,
    /// The norm, as its threshold. Those that keep a share do not look at the weight.
    pub threshold: Threshold,
    /// `S`, which makes models of the coefficients that are sparse (PyLops: `SOp`); without it the model itself is. `x = S T(Sᴴ x)` is taken
    /// for the proximity operator, which it is where `S` is orthogonal, `S Sᴴ = I = Sᴴ S`.
    pub basis: Option<Operator>,
    /// What the threshold is multiplied by in each iteration; the last one holds for all that follow. Empty: 1. Thresholds that keep a
    /// share do not look at it.
    pub decay: Vec<f64>,
}

impl Default for Sparsity {
    /// The weight 0.1, a soft threshold, no basis, no decay.
    fn default() -> Self {
        Self { weight: 0.1, threshold: Threshold::Soft, basis: None, decay: Vec::new() }
    }
}

impl Sparsity {
    /// Fails unless it makes sense for models of `a`.
    pub(super) fn check(&self, solver: &'static str, a: &dyn LinearMap) -> Result<()> {
        not_negative(solver, "weight", self.weight)?;
        self.threshold.check(solver)?;
        for (at, factor) in self.decay.iter().enumerate() {
            not_negative(solver, format_args!("decay[{at}] ="), *factor)?;
        }
        match &self.basis {
            Some(basis) if basis.range() != a.domain() => {
                let (name, found, expected) = (basis.name(), basis.range(), a.domain());
                wrong(
                    solver,
                    format!("the basis, {name}, makes {found}, and models are {expected}"),
                )
            }
            _ => Ok(()),
        }
    }

    /// Its level in iteration number `done`, for steps of this length, with models that are scaled by `2^exponent`.
    pub(super) fn level(&self, step: f64, done: usize, exponent: i32) -> f64 {
        let decay = self.decay_at(done);
        power(exponent, self.threshold.level(0.5 * self.weight * step * decay))
    }

    /// The weight of the penalty beside the misfit of scaled data, which is what the threshold's level stands for.
    pub(super) fn scaled_weight(&self, step: f64, exponent: i32, scaled_step: f64) -> f64 {
        let level = self.threshold.level(0.5 * self.weight * step);
        2.0 * self.threshold.tau(power(exponent, level)) / scaled_step
    }

    /// Its weight beside the misfit of a run with scaled data, operator and models.
    pub(super) fn weight_in(&self, scale: Scale) -> f64 {
        let Scale { data, operator } = scale;
        match self.threshold.shape() {
            Shape::Soft => power(data + operator, self.weight),
            Shape::Hard => power(2 * data, self.weight),
            // `σ^(3/2) μ^(1/2)`
            Shape::Half => {
                let twice = 3 * data + operator;
                let odd = if twice.rem_euclid(2) == 1 { SQRT_2 } else { 1.0 };
                power(twice.div_euclid(2), self.weight) * odd
            }
        }
    }

    /// What its level is multiplied by in iteration number `done`.
    pub(super) fn decayed(&self, done: usize) -> f64 {
        self.threshold.level(self.decay_at(done)) / self.threshold.level(1.0)
    }

    fn decay_at(&self, done: usize) -> f64 {
        self.decay.get(done).or(self.decay.last()).copied().unwrap_or(1.0)
    }

    /// What its thresholds are of.
    pub(super) fn coefficients(&self, a: &dyn LinearMap) -> (DType, usize) {
        let space = self.basis.as_ref().map_or(a.domain(), |basis| basis.domain());
        (space.dtype(), space.len())
    }
}
