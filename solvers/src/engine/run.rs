//! What a method is, and one run of it.

use std::fmt::Debug;

use arrayspan_bridge::{Array, DType, View};
use arrayspan_kernels::{Executor, Expression, constant, input};
use arrayspan_operators::{LinearMap, Operator};

use super::history::{GRADIENT, Norms, State};
use super::recorded::Replay;
use super::scale::Scale;
use super::workspace::{Make, SolverWorkspace};
use crate::parameters::wrong;
use crate::{Result, Stop, Stopped};

/// A method: parameters, vectors and the recurrence. What all methods do is the engine's.
///
/// Recurrences enqueue; nothing comes to the host. Scalars of an iteration are a column of the workspace's
/// [`History`](super::history::History): `first` fills column 0, and `iterate` column `step + 1` of column `step`. A step of zero
/// freezes an iteration, which then changes no vector any more.
pub trait Method: Debug + Sized {
    /// The vectors of the recurrence.
    type Vectors: Debug;
    /// What errors call it.
    const NAME: &'static str;
    /// The scalars of an iteration, and the row from which on one call fills them.
    const ROWS: [usize; 2];
    /// The row of the squared norm of what is minimised.
    const OBJECTIVE: usize;

    /// Whether its gradient is `Aᴴ r`, by which the operator is measured, and which has its scale.
    const DESCENDS: bool;

    /// The same numbers, where parameters add rows.
    fn rows(&self) -> [usize; 2] {
        Self::ROWS
    }

    /// What saved runs of it are called: what one run leaves, another one with the same name goes on from.
    fn saved_as(&self) -> &'static str {
        Self::NAME
    }

    /// When it stops.
    fn stop(&self) -> &Stop;

    /// How many iterations are enqueued before the host looks.
    fn check_every(&self) -> usize;

    /// The weight of `‖x‖` beside the misfit.
    fn damping(&self) -> f64 {
        0.0
    }

    /// The same method for so many right-hand sides at once: vectors have one axis more, the last one, and scalars one for each
    /// (see [`History`](super::history::History)).
    ///
    /// # Errors
    /// That it solves one at a time.
    fn lifted(&self, _columns: usize) -> Result<Self> {
        wrong(Self::NAME, "it solves one right-hand side at a time")
    }

    /// What is applied to residuals, if anything is.
    fn preconditioner(&self) -> Option<&Operator> {
        None
    }

    /// Another operator that the recurrence applies, where there is one.
    fn beside(&self) -> Option<&Operator> {
        None
    }

    /// The row of the squared norm of the gradient.
    fn gradient(&self) -> usize {
        GRADIENT
    }

    /// Fails if a parameter of its own is out of its range, or the operator of a kind that it does not solve.
    ///
    /// # Errors
    /// Names the parameter.
    fn check(&self, a: &dyn LinearMap) -> Result<()>;

    /// Fails if it cannot begin at a start vector.
    ///
    /// # Errors
    /// Says why, and what can.
    fn check_start(&self) -> Result<()> {
        Ok(())
    }

    /// The vectors of the recurrence.
    ///
    /// # Errors
    /// Out of memory.
    fn vectors(&self, make: &mut Make<'_>) -> Result<Self::Vectors>;

    /// The vector that the engine fills with `y - A x` before `first`.
    fn residual(vectors: &mut Self::Vectors) -> &mut Array;

    /// The arrays that an iteration has from the one before, beside the model and the scalars: what a saved run is.
    fn kept(vectors: &mut Self::Vectors) -> Vec<&mut Array>;

    /// Whether so many iterations enqueue the same after each check, whatever their numbers, and leave all vectors where they
    /// were: then they may be recorded once and replayed. (But for those that are made [alone](Self::alone).)
    fn replays(&self, _iterations: usize) -> bool {
        false
    }

    /// How many iterations are made alone, after so many, before others are replayed: because they do something else, or begin where
    /// vectors have changed places. At most one but for the first ones.
    fn alone(&self, _done: usize) -> usize {
        0
    }

    /// What iterations that were recorded depend on beside operators, scale, damping and places: bits of numbers. `None`: on something
    /// else, so that no other run may replay them.
    fn recorded_for(&self, _vectors: &Self::Vectors) -> Option<Vec<u64>> {
        None
    }

    /// All arrays of the recurrence that iterations write, where there are more than are [kept](Self::kept). Of one that never
    /// [replays](Self::replays) nobody asks.
    fn arrays(vectors: &mut Self::Vectors) -> Vec<&mut Array> {
        Self::kept(vectors)
    }

    /// After how many iterations it begins anew, if it does: a saved run goes on only with the same number.
    fn cycle(&self, _vectors: &Self::Vectors) -> Option<usize> {
        None
    }

    /// Enqueues the gradient at the start, and fills column 0 of the history.
    ///
    /// # Errors
    /// When the device fails.
    fn first(run: &mut Run<'_, Self>) -> Result<()>;

    /// Finds numbers that iterations need on the host, once the scale is known. Not rehearsed.
    ///
    /// # Errors
    /// When the device fails or is out of memory.
    fn measure(_run: &mut Run<'_, Self>) -> Result<()> {
        Ok(())
    }

    /// Makes ready what iterations need, once the first column is known on the host: expressions, and vectors that are
    /// [kept](Self::kept).
    ///
    /// # Errors
    /// When the device fails.
    fn turn(run: &mut Run<'_, Self>) -> Result<()>;

    /// Enqueues one iteration.
    ///
    /// # Errors
    /// When the device fails.
    fn iterate(run: &mut Run<'_, Self>, step: usize) -> Result<()>;

    /// Makes the model what the last column of the history stands for, after so many iterations that were enqueued together, and
    /// brings vectors that change places from one iteration to the next to where the run looks for them. Not rehearsed.
    ///
    /// # Errors
    /// When the device fails.
    fn settle(_run: &mut Run<'_, Self>, _iterations: usize) -> Result<()> {
        Ok(())
    }

    /// Why an iteration froze with these scalars, in arrays of that dtype.
    fn frozen(_column: &[f64], _dtype: DType) -> Stopped {
        Stopped::Precision
    }
}

/// One solution under way.
///
/// With `σ` and `μ` the scales of data and operator, this is the recurrence for the data `σ y`, the operator `μ A`, the
/// damping `μ damping` and the model `(σ/μ) x`; vectors and scalars are those of that problem.
#[derive(Debug)]
pub struct Run<'a, M: Method> {
    pub(crate) method: &'a M,
    pub(crate) w: &'a mut SolverWorkspace<M::Vectors>,
    pub(crate) on: &'a dyn Executor,
    pub(crate) a: &'a dyn LinearMap,
    pub(crate) y: View<'a>,
    pub(crate) x: Array,
    pub(crate) started: bool,
    pub(crate) scale: Scale,
    /// Of several right-hand sides, the exponents of what their data have been scaled by beside `σ`.
    pub(crate) own: Vec<i32>,
    /// `μ damping`
    pub(crate) damping: f64,
    /// The squared norm of the data, of each right-hand side.
    pub(crate) data: Vec<f64>,
    /// The squared norm of what is to be explained: the data, or more with a start vector. Of several right-hand sides the
    /// largest.
    pub(crate) whole: f64,
    /// Of each right-hand side, whether there is a gradient whose square is less than any number, however it is scaled.
    pub(crate) lost: Vec<bool>,
    /// Whether damping is so large beside the operator that one step leads to the solution. The squared norm of `μ A`,
    /// which tells where the rounding level is, may be less than any number then.
    pub(crate) damped_alone: bool,
    /// The iterations before column 0 of the history.
    pub(crate) done: usize,
    /// The scalars of the next column, the same expressions for all iterations.
    pub(crate) next: Option<State>,
    /// The iterations from one check to the next.
    pub(crate) replay: Replay,
    /// How many iterations were launched with others.
    pub(crate) together: usize,
}

impl<'a, M: Method> Run<'a, M> {
    /// A run that has computed nothing yet; `x` is where it starts, or where its model goes.
    pub(crate) fn new(
        method: &'a M,
        w: &'a mut SolverWorkspace<M::Vectors>,
        on: &'a dyn Executor,
        a: &'a dyn LinearMap,
        y: View<'a>,
        (x, started): (Array, bool),
    ) -> Self {
        let (scale, damping, next) = (Scale::default(), method.damping(), None);
        let (data, whole, lost, damped_alone) = (Vec::new(), 0.0, Vec::new(), false);
        Self {
            method,
            w,
            on,
            a,
            y,
            x,
            started,
            scale,
            own: Vec::new(),
            damping,
            data,
            whole,
            lost,
            damped_alone,
            done: 0,
            next,
            replay: Replay::New,
            together: 0,
        }
    }

    /// Adds what the last `ahead` iterations left to `seen`. Waits for it.
    pub(crate) fn read(&self, ahead: usize, seen: &mut [Norms]) -> Result<()> {
        let Scale { data, operator } = self.scale;
        let gradient = if M::DESCENDS { data + operator } else { data };
        self.w.history.read(ahead, self.method.gradient(), [data, gradient], seen)
    }

    /// The first gradient and the scalars that belong to it, on the host, too.
    pub(crate) fn descend_first(&mut self) -> Result<Vec<Norms>> {
        M::first(self)?;
        let own = |number| self.own.get(number).copied().unwrap_or(0);
        let columns = 0..self.w.history.columns().unwrap_or(1);
        let mut seen: Vec<Norms> =
            columns.map(|number| Norms { own: own(number), ..Norms::default() }).collect();
        self.read(0, &mut seen)?;
        Ok(seen)
    }
}

/// `share` of the squared norm of what is to be explained, in a state of so many inputs, behind which that norm is one more.
pub(crate) fn explained(share: f64, inputs: usize) -> Expression {
    constant(share) * input(inputs)
}

/// 1 if `a > b`, else 0.
pub(crate) fn above(a: Expression, b: Expression) -> Expression {
    let excess = (a - b).max(constant(0.0));
    excess.clone().div_or_zero(excess)
}
