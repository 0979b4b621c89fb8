//! A run that is laid aside, and taken up later.

mod bytes;

use std::time::Duration;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType, View};
use arrayspan_kernels::{Executor, Update};
use arrayspan_operators::LinearMap;

use super::fit::Fit;
use super::history::{History, Norms};
use super::run::{Method, Run};
use super::scale::{Scale, power};
use crate::{Error, Result, Running};

/// A run as it was when [`Running::save`] was called: all that its next iteration needs but operator, data and workspace.
/// [`Solver::resume`](crate::Solver::resume) goes on from there, with the same results bit for bit as if it had never stopped.
///
/// It lives on the device of the run, and can be kept on the host ([`to`](Self::to)) or in a file
/// ([`write_to`](Self::write_to), [`read_from`](Self::read_from)).
///
/// ```
/// use arrayspan_bridge::{Array, DType};
/// use arrayspan_operators::{Edge, FirstDerivative, Scheme, Space};
/// use arrayspan_solvers::{Cgls, Saved, Solver, Stop};
///
/// let space = Space::new([64], DType::Float64)?;
/// let a = FirstDerivative::new(space, 0, 1.0, Scheme::Centered3, Edge::Reduced)?;
/// let y = Array::from_slice(&[1.0; 64], [64])?;
/// let on = arrayspan_kernels::on(y.device())?;
/// let solver = Cgls { stop: Stop::after(20), ..Cgls::default() };
/// let mut workspace = solver.workspace(&a, &*on)?;
///
/// let mut run = solver.start(&mut workspace, &*on, &a, y.view(), None)?;
/// let _ = run.advance(8)?;
/// let mut file = Vec::new();
/// run.save()?.to("cpu".parse()?)?.write_to(&mut file)?;
/// drop(run);
///
/// let saved = Saved::read_from(&*file)?;
/// let solution = solver.resume(&mut workspace, &*on, &a, y.view(), &saved)?.drive(&mut ())?;
/// assert_eq!(solution.residuals, solver.solve(&a, &y)?.residuals);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Saved {
    facts: Facts,
    seen: Norms,
    x: Array,
    /// The scalars of the last iteration.
    column: Array,
    /// What the method [keeps](Method::kept).
    vectors: Vec<Array>,
}

/// What a run knows of its problem.
#[allow(clippy::struct_excessive_bools, reason = "they have nothing to do with each other")]
#[derive(Debug)]
struct Facts {
    solver: String,
    preconditioned: bool,
    started: bool,
    lost: bool,
    damped_alone: bool,
    /// See [`Method::cycle`].
    cycle: Option<usize>,
    scale: Scale,
    /// The method's.
    damping: f64,
    /// That of the run: scaled, or none where it is too small to matter.
    scaled_damping: f64,
    data: f64,
    whole: f64,
    elapsed: Duration,
}

impl Saved {
    /// The solver whose run it is, with what sets its runs apart: `Fista with backtracking`.
    #[must_use]
    pub fn solver(&self) -> &str {
        &self.facts.solver
    }

    /// Iterations done.
    #[must_use]
    pub fn iterations(&self) -> usize {
        self.seen.iterations()
    }

    /// `‖y - A x‖` at the start and after each iteration.
    #[must_use]
    pub fn residuals(&self) -> &[f64] {
        &self.seen.residuals
    }

    /// Where it lives.
    #[must_use]
    pub fn device(&self) -> Device {
        self.x.device()
    }

    /// A copy on another device, or on this one. Waits where a copy to the host does.
    ///
    /// # Errors
    /// Out of memory; when a device fails.
    pub fn to(&self, device: Device) -> Result<Self> {
        let Self { facts, seen, x, column, vectors } = self;
        let moved = |array: &Array| moved(array, device);
        let vectors = vectors.iter().map(moved).collect::<Result<_>>()?;
        let facts = Facts { solver: facts.solver.clone(), ..*facts };
        Ok(Self { facts, seen: seen.clone(), x: moved(x)?, column: moved(column)?, vectors })
    }

    /// Fails unless it is one of this method, with these parameters, for this operator and this workspace.
    pub(super) fn check<M: Method>(
        &self,
        method: &M,
        a: &dyn LinearMap,
        (vectors, history): (&mut M::Vectors, &History),
        on: &dyn Executor,
    ) -> Result<()> {
        let wrong = |why| Err(Error::Saved { solver: M::NAME, why });
        let Facts { solver, damping, preconditioned, .. } = &self.facts;
        if solver != method.saved_as() {
            return wrong(format!("it is one of {solver}"));
        }
        if damping.to_bits() != method.damping().to_bits() {
            let now = method.damping();
            return wrong(format!(
                "its damping was {damping:e}, and that of the solver is {now:e}"
            ));
        }
        // What a file says may be anything.
        let scaled = power(self.facts.scale.operator, *damping);
        let most =
            if a.range().dtype().real() == DType::Float32 { f32::MAX.into() } else { f64::MAX };
        let own = self.facts.scaled_damping;
        if own != 0.0 && own.to_bits() != scaled.to_bits() || scaled * scaled > most {
            return wrong(format!("its damping {damping:e} is {own:e} in its own scale"));
        }
        match (*preconditioned, method.preconditioner().is_some()) {
            (true, false) => {
                return wrong("it had a preconditioner, and the solver has none".into());
            }
            (false, true) => {
                return wrong("it had no preconditioner, and the solver has one".into());
            }
            _ => {}
        }
        let fit = Fit { solver: M::NAME, device: on.device() };
        fit.array("the saved model", a.domain(), &self.x.view())?;
        let state = history.column(0)?;
        fit.like("the saved scalars", &state, &self.column.view())?;
        let cycle = method.cycle(vectors);
        if let (Some(was), Some(is)) = (self.facts.cycle, cycle)
            && was != is
        {
            return wrong(format!(
                "its cycles had {was} iterations, and those of the solver have {is}"
            ));
        }
        if self.facts.cycle.is_some() != cycle.is_some() {
            return wrong("it does not say of how many iterations its cycles were".into());
        }
        let kept = M::kept(vectors);
        if kept.len() != self.vectors.len() {
            let (found, expected) = (self.vectors.len(), kept.len());
            return wrong(format!("it has {found} vectors, and the solver keeps {expected}"));
        }
        for (own, saved) in kept.iter().zip(&self.vectors) {
            fit.like("a saved vector", &own.view(), &saved.view())?;
        }
        Ok(())
    }
}

impl<M: Method> Running<'_, M> {
    /// The run as it is, in memory of its own. The run may go on. Enqueued; does not wait.
    ///
    /// # Errors
    /// Out of memory.
    pub fn save(&mut self) -> Result<Saved> {
        let elapsed = self.elapsed();
        let Self { run, seen, ahead, .. } = self;
        let (on, preconditioned) = (run.on, run.method.preconditioner().is_some());
        let copied = |view: View<'_>| copied(on, view);
        let cycle = run.method.cycle(&run.w.vectors);
        let kept = M::kept(&mut run.w.vectors);
        let vectors = kept.iter().map(|vector| copied(vector.view())).collect::<Result<_>>()?;
        let facts = Facts {
            solver: run.method.saved_as().into(),
            preconditioned,
            started: run.started,
            lost: run.lost[0],
            damped_alone: run.damped_alone,
            cycle,
            scale: run.scale,
            damping: run.method.damping(),
            scaled_damping: run.damping,
            data: run.data[0],
            whole: run.whole,
            elapsed,
        };
        let column = copied(run.w.history.column(*ahead)?)?;
        Ok(Saved { facts, seen: seen.clone(), x: copied(run.x.view())?, column, vectors })
    }
}

impl<M: Method> Run<'_, M> {
    /// Takes up a saved run, which fits: all but the model is copied, and the model is there. Fails for other data than that
    /// run had. Waits for their norm.
    pub(super) fn take_up(&mut self, saved: &Saved) -> Result<Norms> {
        let Facts { scale, data, whole, lost, damped_alone, scaled_damping, .. } = saved.facts;
        (self.scale, self.data, self.whole) = (scale, vec![data], whole);
        (self.lost, self.damped_alone, self.damping) = (vec![lost], damped_alone, scaled_damping);
        let found = self.squared_data()?[0];
        // Sums of another device are rounded otherwise.
        let rounding = if self.y.dtype().real() == DType::Float32 { 1e-4 } else { 1e-9 };
        let same = (found - data).abs() <= rounding * data;
        if !same && data.is_finite() {
            let [found, expected] = [found, data].map(|square| self.unscaled_data(square.sqrt()));
            let why = format!("‖y‖ was {expected:e}, and that of the data is {found:e}");
            return Err(Error::Saved { solver: M::NAME, why });
        }
        self.w.history.explain(self.on, &[whole])?;
        M::measure(self)?;
        // Makes the expressions of iterations ready. What it writes, from the first gradient, is written over.
        M::turn(self)?;
        let on = self.on;
        for (own, saved) in M::kept(&mut self.w.vectors).into_iter().zip(&saved.vectors) {
            on.copy(saved.view(), own.view_mut(), Update::set())?;
        }
        on.copy(saved.column.view(), self.w.history.column_mut(0)?, Update::set())?;
        Ok(saved.seen.clone())
    }
}

impl Saved {
    /// Its model, in memory of its own, and whether there was a start vector.
    pub(super) fn model(&self, on: &dyn Executor) -> Result<(Array, bool)> {
        Ok((copied(on, self.x.view())?, self.facts.started))
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.facts.elapsed
    }
}

/// The elements in an array of its own. Enqueued.
pub(crate) fn copied(on: &dyn Executor, view: View<'_>) -> Result<Array> {
    let mut copy = on.empty(view.shape(), view.dtype())?;
    on.copy(view, copy.view_mut(), Update::set())?;
    Ok(copy)
}

/// A copy on a device. Waits where a copy to the host does.
pub(crate) fn moved(array: &Array, device: Device) -> Result<Array> {
    let on_its_own = array.device() == device;
    Ok(if on_its_own { array.try_clone()? } else { array.view().to(device)?.0 })
}
