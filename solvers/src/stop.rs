//! When a solver stops, and why it did.

use std::time::Duration;

use crate::engine::history::Norms;
use crate::parameters::is_not_negative;

/// When a solver stops: at the first check at which one of these holds.
///
/// Rules of one's own, and those of which several have to hold together, are a [`Condition`](crate::Condition); any closure that
/// takes a [`Progress`](crate::Progress) is an [`Observer`](crate::Observer), which may end a run, too.
///
/// ```
/// use std::time::Duration;
///
/// use arrayspan_solvers::{Stagnation, Stop};
///
/// let stop = Stop {
///     iterations: 1000,
///     residual: 1e-6,
///     time: Some(Duration::from_secs(60)),
///     stagnation: Some(Stagnation { iterations: 50, decrease: 1e-3 }),
///     ..Stop::default()
/// };
/// # assert_eq!(stop.absolute, 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// At most this many iterations.
    pub iterations: usize,
    /// `‖y - A x‖ ≤ residual · ‖y‖`: the data are explained. Finite and at least 0; zero turns this off, so that even a
    /// residual of exactly zero does not count.
    pub residual: f64,
    /// `‖y - A x‖ ≤ absolute`, in the units of the data. Finite and at least 0; zero turns this off.
    pub absolute: f64,
    /// `‖gradient‖ ≤ gradient · ‖gradient at the start‖`: no descent is left, whether or not the data are
    /// explained. Finite and at least 0; zero turns this off, but for a gradient of exactly zero, which always ends a run.
    /// Each solver says what its gradient is.
    pub gradient: f64,
    /// The residual hardly decreases any more. `None` turns this off.
    pub stagnation: Option<Stagnation>,
    /// At most this long, from the first application of the operator on. `None` turns this off.
    pub time: Option<Duration>,
}

/// When a residual counts as stagnant: it decreases by less than the share `decrease` within so many iterations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stagnation {
    /// The iterations that are compared: the least residual of these with the least one before. At least 1.
    pub iterations: usize,
    /// The share of the residual that has to go in them, from 0 (any decrease will do) to less than 1.
    pub decrease: f64,
}

impl Default for Stop {
    /// 100 iterations; `1e-8` of residual or gradient.
    fn default() -> Self {
        Self { residual: 1e-8, gradient: 1e-8, ..Self::after(100) }
    }
}

impl Stop {
    /// This many iterations, whatever residual and gradient are. A solver does fewer only where more would not make the
    /// solution better in its dtype.
    #[must_use]
    pub fn after(iterations: usize) -> Self {
        let (residual, absolute, gradient) = (0.0, 0.0, 0.0);
        Self { iterations, residual, absolute, gradient, stagnation: None, time: None }
    }

    /// What is wrong with a parameter, if anything is.
    pub(crate) fn check(&self) -> Result<(), String> {
        let tolerances =
            [("residual", self.residual), ("absolute", self.absolute), ("gradient", self.gradient)];
        if let Some((name, tolerance)) = tolerances.into_iter().find(|&(_, t)| !is_not_negative(t))
        {
            let why = "is not a finite number ≥ 0 (0 turns it off)";
            return Err(format!("the tolerance stop.{name} = {tolerance} {why}"));
        }
        self.stagnation.map_or(Ok(()), |rule| rule.check("stop.stagnation"))
    }

    /// Whether what was seen is enough, given `‖y‖`, scaled as the residual is, why the iteration froze, if it did, and the
    /// time since it began.
    pub(crate) fn judge(
        &self,
        seen: &Norms,
        data: f64,
        frozen: Option<Stopped>,
        elapsed: Duration,
    ) -> Option<Stopped> {
        let (residual, gradient) = (seen.scaled_residual, seen.scaled_gradient());
        if !(residual.is_finite() && gradient.is_finite()) {
            Some(Stopped::NotFinite)
        } else if self.residual > 0.0 && residual <= self.residual * data
            || self.absolute > 0.0 && seen.last().0 <= self.absolute
        {
            Some(Stopped::Residual)
        } else if gradient <= self.gradient * seen.first_scaled_gradient() {
            Some(Stopped::Gradient)
        } else if frozen.is_some() {
            frozen
        } else if self.stagnation.is_some_and(|rule| rule.holds(&seen.residuals)) {
            Some(Stopped::Stagnation)
        } else if seen.iterations() >= self.iterations {
            Some(Stopped::Iterations)
        } else if self.time.is_some_and(|most| elapsed >= most) {
            Some(Stopped::Time)
        } else {
            None
        }
    }
}

impl Stagnation {
    /// What is wrong with what the caller knows by that name, if anything is.
    pub(crate) fn check(self, name: &str) -> Result<(), String> {
        let Self { iterations, decrease } = self;
        if iterations == 0 {
            return Err(format!("{name}.iterations is 0: nothing decreases in no iterations"));
        }
        if !(0.0..1.0).contains(&decrease) {
            return Err(format!("{name}.decrease = {decrease} is not a number in 0 ≤ … < 1"));
        }
        Ok(())
    }

    pub(crate) fn holds(self, residuals: &[f64]) -> bool {
        let least = |part: &[f64]| part.iter().copied().fold(f64::INFINITY, f64::min);
        let before = residuals.len().saturating_sub(self.iterations);
        let (before, last) = residuals.split_at(before);
        !before.is_empty() && least(last) >= (1.0 - self.decrease) * least(before)
    }
}

/// Why a solver stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stopped {
    /// [`Stop::residual`] or [`Stop::absolute`] was reached.
    Residual,
    /// [`Stop::gradient`] was reached, or the gradient became exactly zero.
    Gradient,
    /// The gradient is at the rounding level of the dtype: it consists of rounding errors, and following it further
    /// would make the solution worse. The documentation of each solver says which level that is.
    Precision,
    /// [`Stop::stagnation`] held.
    Stagnation,
    /// [`Stop::iterations`] was reached.
    Iterations,
    /// [`Stop::time`] was over.
    Time,
    /// A closure in a [`Condition`](crate::Condition) held.
    Condition,
    /// The observer returned `Break`, or the caller, who leads the run step by step, finished it.
    Observer,
    /// A norm or an element of the solution is not a finite number: the data, the start or the operator hold NaN or
    /// infinity, or what is computed is beyond the largest number of the dtype. The solution is not to be used.
    NotFinite,
    /// The operator, which has to be positive, is not: a direction `p` with `<p, A p> < 0` was met. The solution is the one
    /// before that step. Or the preconditioner is not: a residual `r` with `<r, M r> ≤ 0` was.
    Indefinite,
    /// The operator maps the direction of the next step to nothing but rounding errors, though it is not zero. The solution
    /// is the one before that step.
    Singular,
    /// The recurrence would divide by what is nothing but rounding errors, though the residual is not: the Krylov spaces of
    /// this start give no next step. The solution is the one before; the same method may go on from there, or another one.
    Breakdown,
    /// The solution is not zero, but all its elements are less than the smallest normal number of the dtype, so that
    /// they are rounded to zero or to few digits. It is not to be used.
    Underflow,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residuals_stagnate_when_the_last_ones_are_hardly_less_than_those_before() {
        let rule = Stagnation { iterations: 2, decrease: 0.1 };
        for (residuals, expected) in [
            (&[1.0][..], false),
            (&[1.0, 1.0], false),
            (&[1.0, 1.0, 1.0], true),
            (&[1.0, 0.95, 0.89], false),
            (&[1.0, 0.95, 0.91], true),
            // The best one before counts, though the last two are better than their own predecessor.
            (&[0.5, 2.0, 1.0, 0.49], true),
            (&[0.5, 2.0, 1.0, 0.44], false),
        ] {
            assert_eq!(rule.holds(residuals), expected, "{residuals:?}");
        }
        assert!(Stagnation { iterations: 1, decrease: 0.0 }.holds(&[1.0, 1.0]));
        assert!(!Stagnation { iterations: 1, decrease: 0.0 }.holds(&[1.0, 0.999_999]));
    }
}
