//! Several right-hand sides at once, each with its own scalars and its own end.

use std::time::Instant;

use arrayspan_bridge::{Array, Axes, Relayout, View};
use arrayspan_kernels::{Executor, Reduction, Update, Vector, VectorMut};
use arrayspan_operators::{Lift, LinearMap, LinearOperator, Operator};

use super::arguments::{check, check_damping, empty, fit, workspace_with};
use super::begin::least_normal;
use super::fit::Fit;
use super::history::Norms;
use super::read::reals;
use super::run::{Method, Run};
use super::scale::{exponent, times};
use super::workspace::{Scalars, SolverWorkspace};
use crate::{Launched, Result, Singly, Stopped};

/// What [`Solver::solve_columns`](crate::Solver::solve_columns) returns.
#[derive(Debug)]
pub struct Columns {
    /// The solutions, `[domain…, right-hand sides]`, on the device of the data.
    pub x: Array,
    /// How each of them came about.
    pub columns: Vec<Column>,
    /// How iterations, which are those of all at once, were launched.
    pub launched: Launched,
}

/// How the solution for one of several right-hand sides came about: what a [`Solution`](crate::Solution) says beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Iterations done until it stopped.
    pub iterations: usize,
    /// `‖y - A x‖` of this one, before the first iteration and after each.
    pub residuals: Vec<f64>,
    /// Why it stopped.
    pub stopped: Stopped,
}

/// Solves for all of them.
pub(super) fn solve<M: Method>(
    method: &M,
    on: &dyn Executor,
    a: &Operator,
    y: View<'_>,
    start: Option<Array>,
) -> Result<Columns> {
    let began = Instant::now();
    let count = y.shape().last().copied().unwrap_or(1);
    let a = a.lifted(Lift::Trailing(count))?;
    let own_fit = Fit { solver: M::NAME, device: on.device() };
    own_fit.array("data", a.range(), &y)?;
    own_fit.operator(&a)?;
    let method = &method.lifted(count)?;
    check(method, &a)?;
    check_damping(method, y.dtype())?;
    if count == 0 {
        let launched = Launched::Singly(Singly::Few);
        return Ok(Columns { x: empty(a.domain(), on)?, columns: Vec::new(), launched });
    }
    let scalars = Scalars { dtype: y.dtype().real(), columns: Some(count) };
    let mut workspace = workspace_with(method, &a, on, scalars)?;
    fit(method, &workspace, on, &a, &y, start.as_ref())?;

    let own = exponents(method, &mut workspace, on, &a, &y, start.as_ref())?;
    let started = start.is_some();
    let mut x = start.map_or_else(|| empty(a.domain(), on), Ok)?;
    let mut scaled = None;
    if own.iter().any(|exponent| *exponent != Some(0)) {
        let scaled = scaled.insert(on.empty(y.shape(), y.dtype())?);
        for (from, len) in alike(&own, |_| true) {
            let axis = y.shape().len() - 1;
            let mut place = scaled.view_mut().sliced(axis, from, len)?;
            let part = y.clone().sliced(axis, from, len)?;
            let Some(exponent) = own[from] else {
                // What is not finite would be in sums over all of them.
                place.assign_on(on, 0.0)?;
                if started {
                    let axis = x.shape().len() - 1;
                    x.view_mut().sliced(axis, from, len)?.assign_on(on, 0.0)?;
                }
                continue;
            };
            place.assign_on(on, times(exponent, y.dtype(), part))?;
            if started {
                let (axis, dtype) = (x.shape().len() - 1, x.dtype());
                let mut part = x.view_mut().sliced(axis, from, len)?;
                part.update_on(on, |x| times(exponent, dtype, x))?;
            }
        }
    }
    let y = scaled.as_ref().map_or(y, Array::view);
    let mut run = Run::new(method, &mut workspace, on, &a, y, (x, started));
    run.own = own.iter().map(|exponent| exponent.unwrap_or(0)).collect();
    let mut seen = run.begin()?;
    for (seen, _) in seen.iter_mut().zip(&own).filter(|(_, exponent)| exponent.is_none()) {
        seen.scaled_residual = f64::NAN;
        seen.residuals = vec![f64::NAN];
    }
    let stopped = vec![None; count];
    Solving { run, seen, stopped, found: None, began }.run_to_the_end()
}

/// The exponents of the powers of two that bring each right-hand side near 1, because beside what one of them is the others may be
/// nothing, and scalars are as narrow as vectors. `None` where something is not finite.
fn exponents<M: Method>(
    method: &M,
    workspace: &mut SolverWorkspace<M::Vectors>,
    on: &dyn Executor,
    a: &Operator,
    y: &View<'_>,
    start: Option<&Array>,
) -> Result<Vec<Option<i32>>> {
    let data = largest(on, y)?;
    let mut sizes: Vec<_> = data.iter().map(|size| exponent(*size)).collect();
    let mut finite: Vec<_> = data.iter().map(|size| *size < f64::INFINITY).collect();
    if let Some(start) = start {
        let residual = M::residual(&mut workspace.vectors);
        on.copy(y.clone(), residual.view_mut(), Update::set())?;
        let subtract = Update::new(-1.0, 1.0);
        a.apply_with(&mut workspace.operator, on, start.view(), residual.view_mut(), subtract)?;
        let residuals = largest(on, &residual.view())?;
        let damping = exponent(method.damping());
        let models = largest(on, &start.view())?;
        let each = sizes.iter_mut().zip(&mut finite).zip(residuals.into_iter().zip(models));
        for ((size, finite), (residual, model)) in each {
            let damped = exponent(model).zip(damping).map(|(model, damping)| model + damping);
            *size = (*size).max(exponent(residual)).max(damped);
            *finite &= residual < f64::INFINITY && model < f64::INFINITY;
        }
    }
    let each = sizes.into_iter().zip(finite);
    Ok(each.map(|(size, finite)| finite.then(|| -size.unwrap_or(0))).collect())
}

/// The largest absolute value for each right-hand side; NaN if any is. Waits for it.
fn largest(on: &dyn Executor, x: &View<'_>) -> Result<Vec<f64>> {
    let axis = x.shape().len() - 1;
    let mut sizes = on.empty(&x.shape()[axis..], x.dtype().real())?;
    let axes: Axes = (0..axis).collect();
    x.abs().reduce_into(on, Reduction::Maximum, axes, &mut sizes)?;
    reals(&sizes.view())
}

/// Neighbours with one exponent, of those that are meant: where they begin and how many they are.
fn alike<E: PartialEq>(exponents: &[E], meant: impl Fn(usize) -> bool) -> Vec<(usize, usize)> {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for number in (0..exponents.len()).filter(|number| meant(*number)) {
        match parts.last_mut() {
            Some((from, len))
                if *from + *len == number && exponents[*from] == exponents[number] =>
            {
                *len += 1;
            }
            _ => parts.push((number, 1)),
        }
    }
    parts
}

/// The iterations of all, until the last one is done.
struct Solving<'a, M: Method> {
    run: Run<'a, M>,
    seen: Vec<Norms>,
    stopped: Vec<Option<Stopped>>,
    /// The solutions of those that are done, without their scales. What iterations do to them later is nobody's.
    found: Option<Array>,
    began: Instant,
}

impl<M: Method> Solving<'_, M> {
    fn run_to_the_end(mut self) -> Result<Columns> {
        let check_every = self.run.method.check_every().min(self.run.w.history.room());
        let (mut ahead, mut done) = (0, 0);
        loop {
            let ended = self.judge();
            if self.stopped.iter().all(Option::is_some) {
                return self.finish(&ended);
            }
            self.keep(&ended)?;
            let run = &mut self.run;
            run.w.history.restart(run.on, ahead)?;
            let left = run.method.stop().iterations.saturating_sub(done);
            ahead = check_every.min(left);
            if run.damped_alone {
                ahead = ahead.min(1);
            }
            run.done = done;
            run.enqueue(ahead, left)?;
            done += ahead;
            run.read(ahead, &mut self.seen)?;
        }
    }

    /// Which of them have just ended.
    fn judge(&mut self) -> Vec<bool> {
        let elapsed = self.began.elapsed();
        let Self { run, seen, stopped, .. } = self;
        let each = seen.iter_mut().zip(stopped).enumerate();
        each.map(|(column, (seen, stopped))| {
            if stopped.is_none() {
                *stopped = run.judge(seen, run.scaled_data(column), elapsed);
                seen.over = stopped.is_some();
                seen.over
            } else {
                false
            }
        })
        .collect()
    }

    /// Keeps the solutions of those that have just ended.
    fn keep(&mut self, ended: &[bool]) -> Result<()> {
        if !ended.contains(&true) {
            return Ok(());
        }
        let (on, x) = (self.run.on, &self.run.x);
        let found = match self.found.take() {
            Some(found) => found,
            None => on.empty(x.shape(), x.dtype())?,
        };
        let found = self.found.insert(found);
        let axis = x.shape().len() - 1;
        for (from, len) in alike(&self.run.own, |column| ended[column]) {
            let unscaling = unscaling(&self.run, from);
            let part = times(unscaling, x.dtype(), x.view().sliced(axis, from, len)?);
            found.view_mut().sliced(axis, from, len)?.assign_on(on, part)?;
        }
        Ok(())
    }

    fn finish(mut self, ended: &[bool]) -> Result<Columns> {
        let count = ended.len();
        let scaled = (0..count).any(|column| unscaling(&self.run, column) != 0);
        // All at once, and as they are.
        let plain = !scaled && ended.iter().all(|ended| *ended);
        if !plain {
            self.keep(ended)?;
        }
        // As of one right-hand side.
        let (x, some) = (&self.run.x, !self.run.x.layout().is_empty());
        let sizes = |of: &Array| largest(self.run.on, &of.view());
        let model = self.found.as_ref().unwrap_or(x);
        let found = (some && (scaled || !M::DESCENDS)).then(|| sizes(model)).transpose()?;
        let before = (some && scaled).then(|| sizes(x)).transpose()?;
        let outcome = |column: usize, stopped: Stopped| {
            let mut lost = self.run.lost[column];
            if let Some(found) = &found {
                let size = found[column];
                if !size.is_finite() {
                    return Stopped::NotFinite;
                }
                let before = before.as_ref().map_or(0.0, |before| before[column]);
                lost |= size < least_normal(x.dtype()) && before > 0.0;
            }
            if lost && stopped != Stopped::NotFinite { Stopped::Underflow } else { stopped }
        };
        let stopped = self.stopped.iter().enumerate();
        let stopped: Vec<Stopped> = stopped
            .map(|(column, stopped)| outcome(column, stopped.unwrap_or(Stopped::Iterations)))
            .collect();
        let columns = self.seen.into_iter().zip(stopped).map(|(seen, stopped)| {
            let iterations = seen.iterations();
            Column { iterations, residuals: seen.residuals, stopped }
        });
        let columns: Vec<Column> = columns.collect();
        let most = columns.iter().map(|column| column.iterations).max();
        let launched = self.run.launched(most.unwrap_or(0));
        Ok(Columns { x: self.found.unwrap_or(self.run.x), columns, launched })
    }
}

/// The exponent that takes its scale from the model of a right-hand side.
fn unscaling<M: Method>(run: &Run<'_, M>, column: usize) -> i32 {
    -(run.scale.model() + run.own[column])
}
