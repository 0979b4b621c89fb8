//! What every proximal method can be asked.

use std::fmt::Debug;

use arrayspan_bridge::Array;
use arrayspan_kernels::Executor;
use arrayspan_operators::{Devices, LinearMap, Space};

use super::{Minimizing, Proximal, SavedMinimizing, Scratch, Smooth};
use crate::parameters::wrong;
use crate::{Error, Observer, Result, Solution, Stop};

/// `min f(x) + g(x)`, with a smooth `f`.
#[derive(Clone, Copy, Debug)]
pub struct Composite<'a> {
    /// Which has a gradient.
    pub f: &'a dyn Smooth,
    /// Which has a proximal operator.
    pub g: &'a dyn Proximal,
}

/// `min f(x) + g(A x)`, with proximal operators of both.
///
/// Several terms behind operators, `Σ gₖ(Aₖ x)`, are one: [`Blocks`](super::Blocks) behind a `vstack`.
#[derive(Clone, Copy, Debug)]
pub struct Split<'a> {
    /// A function of models.
    pub f: &'a dyn Proximal,
    /// A function of data.
    pub g: &'a dyn Proximal,
    /// Any linear operator; `None` is the identity.
    pub a: Option<&'a dyn LinearMap>,
}

/// A proximal method: parameters that minimise functions, in the way that the documentation of each says.
///
/// Shape, dtype and device of a run are those of `start`, the array where it begins. Runs end when *both* residuals that the method
/// names are small: the primal one against [`Stop::residual`], the dual one against [`Stop::gradient`], each times the size that it is
/// compared with, plus [`Stop::absolute`]. A tolerance of zero asks nothing of its residual. Residuals that are at most `4 ε` of
/// their sizes end with [`Stopped::Precision`](crate::Stopped::Precision); NaN and infinity with
/// [`Stopped::NotFinite`](crate::Stopped::NotFinite). [`Solution::residuals`] are the primal ones; the first is infinite, since nothing is known
/// before the first iteration.
///
/// Proximal operators are nonexpansive (two results are no farther apart than the two arguments), and so are these methods: later iterations do
/// not multiply a rounding error, and an iteration too many changes nothing but last digits.
///
/// Runs can be [saved](Minimizing::save) and [taken up](Self::resume) later. Other than with a [`Solver`](crate::Solver) there is one problem at a time.
///
/// Squares of residuals have to be within the widest real dtype of the device: where there is no Float64 data beyond 1e±15 are to be scaled.
pub trait Minimizer: Debug {
    /// What it minimises.
    type Problem<'p>;

    /// Begins a run that the caller leads: see [`Minimizing`]. Vectors come from `scratch`, and go back to it in the end.
    ///
    /// # Errors
    /// When functions, operator and `start` do not fit each other, a parameter is out of its range, or the device fails or is
    /// out of memory.
    fn start<'a, 'p: 'a>(
        &'a self,
        scratch: &'a mut Scratch,
        on: &'a dyn Executor,
        problem: Self::Problem<'p>,
        start: Array,
    ) -> Result<Minimizing<'a>>;

    /// Goes on with a run that was [saved](Minimizing::save), for the same problem: with the same results bit for bit as if it had gone on then, on the device
    /// where it was saved. The method may have another [`Stop`] and `check_every`, and its first steps are not looked at. (Methods
    /// that balance steps do so whenever the host looks, so that a pause between two looks is one look more.)
    ///
    /// # Errors
    /// As [`start`](Self::start); [`Error::Saved`] for a run of another method or with other parameters; when the saved run is on another device or of other
    /// shapes. (That a function or an operator is another one cannot be told.)
    fn resume<'a, 'p: 'a>(
        &'a self,
        scratch: &'a mut Scratch,
        on: &'a dyn Executor,
        problem: Self::Problem<'p>,
        saved: &SavedMinimizing,
    ) -> Result<Minimizing<'a>> {
        let mut run = self.start(scratch, on, problem, saved.start(on)?)?;
        run.take_up(saved)?;
        Ok(run)
    }

    /// The bytes that a run takes beside `start`, at most: vectors, scalars, what operators need between their parts and
    /// functions beside their results. Nothing is allocated for it.
    ///
    /// # Errors
    /// A parameter that is out of its range.
    fn memory(&self, problem: Self::Problem<'_>, space: &Space) -> Result<usize>;

    /// Minimises from `start` on.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    fn solve(&self, problem: Self::Problem<'_>, start: Array) -> Result<Solution> {
        let on = arrayspan_kernels::on(start.device())?;
        self.solve_in(&mut Scratch::default(), &*on, problem, start, &mut ())
    }

    /// Minimises on `on`, with vectors from `scratch`; `observer` is called at the start and at every look (`&mut ()` does nothing). A
    /// second run of the same kind allocates nothing.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    fn solve_in(
        &self,
        scratch: &mut Scratch,
        on: &dyn Executor,
        problem: Self::Problem<'_>,
        start: Array,
        observer: &mut dyn Observer,
    ) -> Result<Solution> {
        self.start(scratch, on, problem, start)?.drive(observer)
    }
}

/// Where a run is and what its arrays are.
#[derive(Debug)]
pub(super) struct Place<'a> {
    pub(super) name: &'static str,
    pub(super) on: &'a dyn Executor,
    pub(super) domain: Space,
}

impl<'a> Place<'a> {
    /// That of a start.
    pub(super) fn of(name: &'static str, on: &'a dyn Executor, start: &Array) -> Result<Self> {
        let domain = Space::new(start.shape(), start.dtype())?;
        domain.computable(name)?;
        if start.device() != on.device() {
            let (argument, expected, found) = ("start", on.device(), start.device());
            return Err(Error::WrongDevice { solver: name, argument, expected, found });
        }
        Ok(Self { name, on, domain })
    }

    /// Fails unless the terms fit. The space of data.
    pub(super) fn split(&self, problem: &Split<'_>) -> Result<Space> {
        let device = self.on.device();
        problem.f.check(&self.domain, device)?;
        let Some(a) = problem.a else {
            problem.g.check(&self.domain, device)?;
            return Ok(self.domain.clone());
        };
        if *a.domain() != self.domain {
            let (expected, found) = (a.domain(), &self.domain);
            let why = format!("{} has models {expected}, the start is {found}", a.name());
            return wrong(self.name, why);
        }
        if let Some(devices) = a.devices().filter(|devices| *devices != Devices::both(device)) {
            let (solver, operator) = (self.name, a.name().to_owned());
            return Err(Error::OperatorDevices { solver, operator, devices, expected: device });
        }
        problem.g.check(a.range(), device)?;
        Ok(a.range().clone())
    }
}

/// When these methods stop, unless it is said: after 1000 iterations, or at 1e-6 of both residuals.
pub(super) fn default_stop() -> Stop {
    Stop { residual: 1e-6, gradient: 1e-6, ..Stop::after(1000) }
}
