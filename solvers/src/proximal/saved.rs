//! Runs of proximal methods that are laid aside, and taken up later.

mod bytes;

use std::time::Duration;

use arrayspan_bridge::Array;
use arrayspan_bridge::devices::Device;
use arrayspan_kernels::{Executor, Update};

use super::Minimizing;
use super::minimizing::ROWS;
use crate::engine::{Fit, copied, moved};
use crate::{Error, Result};

/// A run as it was when [`Minimizing::save`] was called: all that its next iteration needs but functions, operator and scratch.
/// [`Minimizer::resume`](super::Minimizer::resume) goes on from there.
///
/// It lives on the device of the run, and can be kept on the host ([`to`](Self::to)) or in a file
/// ([`write_to`](Self::write_to), [`read_from`](Self::read_from)).
///
/// ```
/// use arrayspan_bridge::Array;
/// use arrayspan_solvers::Stop;
/// use arrayspan_solvers::proximal::{
///     Composite, L1, Minimizer, ProximalGradient, SavedMinimizing, Scratch, SquaredL2,
/// };
///
/// let near = SquaredL2::new(1.0)?.target(Array::from_slice(&[3.0, 0.5], [2])?);
/// let problem = Composite { f: &near, g: &L1::new(1.0)? };
/// let start = || Array::from_slice(&[0.0, 0.0], [2]);
/// let on = arrayspan_kernels::on(start()?.device())?;
/// let method = ProximalGradient { step: Some(0.5), stop: Stop::after(20), ..ProximalGradient::default() };
/// let mut scratch = Scratch::default();
///
/// let mut run = method.start(&mut scratch, &*on, problem, start()?)?;
/// let _ = run.advance(10)?;
/// let mut file = Vec::new();
/// run.save()?.to("cpu".parse()?)?.write_to(&mut file)?;
/// drop(run);
///
/// let saved = SavedMinimizing::read_from(&*file)?;
/// let mut run = method.resume(&mut scratch, &*on, problem, &saved)?;
/// while run.advance(10)?.is_continue() {}
/// assert_eq!(run.finish()?.residuals, method.solve(problem, start()?)?.residuals);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SavedMinimizing {
    solver: String,
    /// Parameters that have to be the same.
    fixed: Vec<f64>,
    /// Numbers of the method's own.
    numbers: Vec<f64>,
    residuals: Vec<f64>,
    seen: [f64; ROWS],
    elapsed: Duration,
    /// Whether the run was over, so that steps have not been changed by what was seen last.
    over: bool,
    /// The solution, and what else an iteration has from the one before.
    arrays: Vec<Array>,
}

impl SavedMinimizing {
    /// The method whose run it is.
    #[must_use]
    pub fn solver(&self) -> &str {
        &self.solver
    }

    /// Iterations done.
    #[must_use]
    pub fn iterations(&self) -> usize {
        self.residuals.len().saturating_sub(1)
    }

    /// The primal residuals, of which the first is infinite.
    #[must_use]
    pub fn residuals(&self) -> &[f64] {
        &self.residuals
    }

    /// Where it lives.
    #[must_use]
    pub fn device(&self) -> Device {
        self.arrays.first().map_or(Device::cpu(), Array::device)
    }

    /// A copy on another device, or on this one. Waits where a copy to the host does.
    ///
    /// # Errors
    /// Out of memory; when a device fails.
    pub fn to(&self, device: Device) -> Result<Self> {
        let arrays = self.arrays.iter().map(|array| moved(array, device)).collect::<Result<_>>()?;
        let Self { solver, fixed, numbers, residuals, seen, elapsed, over, .. } = self;
        Ok(Self {
            solver: solver.clone(),
            fixed: fixed.clone(),
            numbers: numbers.clone(),
            residuals: residuals.clone(),
            seen: *seen,
            elapsed: *elapsed,
            over: *over,
            arrays,
        })
    }

    /// Its solution, in memory of its own.
    pub(super) fn start(&self, on: &dyn Executor) -> Result<Array> {
        match self.arrays.first() {
            Some(x) if x.device() == on.device() => copied(on, x.view()),
            // The method says what is wrong.
            Some(x) => Ok(x.try_clone()?),
            None => Err(Error::Saved { solver: "Minimizer", why: "it has no solution".into() }),
        }
    }
}

impl Minimizing<'_> {
    /// The run as it is, in memory of its own. The run may go on. Enqueued; does not wait.
    ///
    /// # Errors
    /// Out of memory.
    pub fn save(&mut self) -> Result<SavedMinimizing> {
        let (on, elapsed, over) = (self.on, self.elapsed(), self.stopped.is_some());
        let kept = self.recurrence.kept();
        let arrays =
            kept.into_iter().map(|array| copied(on, array.view())).collect::<Result<_>>()?;
        Ok(SavedMinimizing {
            solver: self.solver.into(),
            fixed: self.recurrence.fixed().into_iter().map(|(_, number)| number).collect(),
            numbers: self.recurrence.numbers(),
            residuals: self.residuals.clone(),
            seen: self.seen,
            elapsed,
            over,
            arrays,
        })
    }

    /// Goes on from a saved run, if it is one of this method with these parameters.
    pub(super) fn take_up(&mut self, saved: &SavedMinimizing) -> Result<()> {
        let (solver, on) = (self.solver, self.on);
        let wrong = |why: String| Err(Error::Saved { solver, why });
        if saved.solver != solver {
            return wrong(format!("it is one of {}", saved.solver));
        }
        let fixed = self.recurrence.fixed();
        if fixed.len() != saved.fixed.len() {
            return wrong("it has other parameters".into());
        }
        for ((name, now), was) in fixed.into_iter().zip(&saved.fixed) {
            if now.to_bits() != was.to_bits() {
                return wrong(format!("its {name} was {was}, and that of the method is {now}"));
            }
        }
        if saved.residuals.is_empty() || !self.recurrence.renumber(&saved.numbers) {
            return wrong("its numbers make no sense".into());
        }
        let fit = Fit { solver, device: on.device() };
        let kept = self.recurrence.kept();
        if kept.len() != saved.arrays.len() {
            let (found, expected) = (saved.arrays.len(), kept.len());
            return wrong(format!("it has {found} arrays, and the method keeps {expected}"));
        }
        for (own, saved) in kept.iter().zip(&saved.arrays) {
            fit.like("a saved array", &own.view(), &saved.view())?;
        }
        for (own, saved) in kept.into_iter().zip(&saved.arrays) {
            on.copy(saved.view(), own.view_mut(), Update::set())?;
        }
        self.residuals.clone_from(&saved.residuals);
        (self.seen, self.before) = (saved.seen, saved.elapsed);
        self.look_again(saved.over)
    }
}
