//! Conditions to stop that are put together from others.

use std::fmt;
use std::ops::{BitAnd, BitOr, ControlFlow};
use std::time::Duration;

use crate::parameters::is_not_negative;
use crate::{Observer, Progress, Stagnation, Stopped};

/// When to stop, put together from others by `&` and `|`, with closures among them. It is an [`Observer`], and looked at where
/// these are: before the first iteration and at each check.
///
/// [`Stop`](crate::Stop) is the usual list, of which any one ends a run. What is to be met together with something else is
/// turned off there, as by [`Stop::after`](crate::Stop::after), and stands here. A run that a condition ends has the name of
/// the first part that held ([`Stopped`]): of `a & b` that is `a`'s.
///
/// ```
/// use arrayspan_bridge::{Array, DType};
/// use arrayspan_operators::{Edge, FirstDerivative, Scheme, Space};
/// use arrayspan_solvers::{Cgls, Condition, Solver, Stop, Stopped};
///
/// let space = Space::new([64], DType::Float64)?;
/// let a = FirstDerivative::new(space, 0, 1.0, Scheme::Centered3, Edge::Reduced)?;
/// let y = Array::from_slice(&[1.0; 64], [64])?;
/// // The data are explained, but not before 20 iterations; or the residual is what is known of the noise.
/// let noise = 1e-9;
/// let mut until = Condition::residual(1e-3) & Condition::iterations(20)
///     | Condition::when(|progress| progress.residual < noise);
/// let solver = Cgls { stop: Stop::after(1000), check_every: 1, ..Cgls::default() };
/// let solution = solver.solve_from(&a, &y, None, &mut until)?;
/// assert_eq!(solution.stopped, Stopped::Residual);
/// assert!(solution.iterations >= 20);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
///
/// # Errors
/// Who solves with a tolerance that is no finite number ≥ 0, or stagnation that makes no sense, is told before anything is
/// computed.
#[derive(Debug)]
pub struct Condition<'a> {
    part: Part<'a>,
    /// Why it ended the run, if it did when it last observed.
    met: Option<Stopped>,
}

enum Part<'a> {
    Residual(f64),
    Absolute(f64),
    Gradient(f64),
    Iterations(usize),
    Stagnation(Stagnation),
    Time(Duration),
    When(Box<dyn FnMut(&Progress<'_>) -> bool + 'a>),
    Both(Box<[Self; 2]>),
    Either(Box<[Self; 2]>),
}

impl<'a> Condition<'a> {
    fn of(part: Part<'a>) -> Self {
        Self { part, met: None }
    }

    /// `‖y - A x‖ ≤ tolerance · ‖y‖`, as [`Stop::residual`](crate::Stop::residual); zero is an exact fit.
    #[must_use]
    pub fn residual(tolerance: f64) -> Self {
        Self::of(Part::Residual(tolerance))
    }

    /// `‖y - A x‖ ≤ tolerance`, in the units of the data, as [`Stop::absolute`](crate::Stop::absolute).
    #[must_use]
    pub fn absolute(tolerance: f64) -> Self {
        Self::of(Part::Absolute(tolerance))
    }

    /// `‖gradient‖ ≤ tolerance · ‖gradient at the start‖`, as [`Stop::gradient`](crate::Stop::gradient).
    #[must_use]
    pub fn gradient(tolerance: f64) -> Self {
        Self::of(Part::Gradient(tolerance))
    }

    /// So many iterations or more are done.
    #[must_use]
    pub fn iterations(iterations: usize) -> Self {
        Self::of(Part::Iterations(iterations))
    }

    /// The residual hardly decreases any more.
    #[must_use]
    pub fn stagnation(stagnation: Stagnation) -> Self {
        Self::of(Part::Stagnation(stagnation))
    }

    /// The run has taken so long or longer.
    #[must_use]
    pub fn time(time: Duration) -> Self {
        Self::of(Part::Time(time))
    }

    /// The closure says so: [`Stopped::Condition`]. It is asked at every check, whatever else holds.
    #[must_use]
    pub fn when(holds: impl FnMut(&Progress<'_>) -> bool + 'a) -> Self {
        Self::of(Part::When(Box::new(holds)))
    }

    /// By what name it holds now, if it does: for who leads a run [step by step](crate::Running).
    pub fn holds(&mut self, progress: &Progress<'_>) -> Option<Stopped> {
        self.part.holds(progress)
    }
}

/// Both have to hold.
impl BitAnd for Condition<'_> {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self::of(Part::Both(Box::new([self.part, other.part])))
    }
}

/// One of both has to hold.
impl BitOr for Condition<'_> {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self::of(Part::Either(Box::new([self.part, other.part])))
    }
}

impl Part<'_> {
    fn holds(&mut self, progress: &Progress<'_>) -> Option<Stopped> {
        let (holds, name) = match self {
            Self::Residual(most) => (progress.relative_residual <= *most, Stopped::Residual),
            Self::Absolute(most) => (progress.residual <= *most, Stopped::Residual),
            Self::Gradient(most) => (progress.relative_gradient <= *most, Stopped::Gradient),
            Self::Iterations(least) => (progress.iteration >= *least, Stopped::Iterations),
            Self::Stagnation(rule) => (rule.holds(progress.residuals), Stopped::Stagnation),
            Self::Time(most) => (progress.elapsed >= *most, Stopped::Time),
            Self::When(holds) => (holds(progress), Stopped::Condition),
            // Both are asked, always: a closure may count.
            Self::Both(parts) => {
                let [first, second] = parts.each_mut().map(|part| part.holds(progress));
                return first.filter(|_| second.is_some());
            }
            Self::Either(parts) => {
                let [first, second] = parts.each_mut().map(|part| part.holds(progress));
                return first.or(second);
            }
        };
        holds.then_some(name)
    }

    /// What is wrong with a number, if anything is.
    fn check(&self) -> Result<(), String> {
        match self {
            Self::Residual(tolerance) | Self::Absolute(tolerance) | Self::Gradient(tolerance) => {
                if is_not_negative(*tolerance) {
                    return Ok(());
                }
                Err(format!("the tolerance of {self:?} is not a finite number ≥ 0"))
            }
            Self::Stagnation(rule) => rule.check("Condition::stagnation"),
            Self::Both(parts) | Self::Either(parts) => parts.iter().try_for_each(Self::check),
            Self::Iterations(_) | Self::Time(_) | Self::When(_) => Ok(()),
        }
    }
}

impl Observer for Condition<'_> {
    fn observe(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        self.met = self.part.holds(progress);
        if self.met.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn reason(&self) -> Option<Stopped> {
        self.met
    }

    fn check(&self) -> Result<(), String> {
        self.part.check()
    }
}

impl fmt::Debug for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Residual(tolerance) => write!(f, "residual({tolerance:e})"),
            Self::Absolute(tolerance) => write!(f, "absolute({tolerance:e})"),
            Self::Gradient(tolerance) => write!(f, "gradient({tolerance:e})"),
            Self::Iterations(least) => write!(f, "iterations({least})"),
            Self::Stagnation(rule) => rule.fmt(f),
            Self::Time(most) => write!(f, "time({most:?})"),
            Self::When(_) => write!(f, "when(…)"),
            Self::Both(parts) => write!(f, "({:?} & {:?})", parts[0], parts[1]),
            Self::Either(parts) => write!(f, "({:?} | {:?})", parts[0], parts[1]),
        }
    }
}
