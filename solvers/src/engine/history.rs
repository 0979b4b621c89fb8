//! The scalars of a recurrence, a column an iteration, that stay on the device until the host reads them.
//!
//! Of several right-hand sides at once each scalar is an array of one number for each, which broadcasts over vectors whose last
//! axis counts the right-hand sides. So a recurrence is written once.

use arrayspan_bridge::{Array, DType, Relayout, Transfer, View, ViewMut};
use arrayspan_kernels::{Executor, Expression, Update, constant, input};

use super::scale::power;
use crate::Result;

/// The row of the squared norm of the residual, in every method's history.
pub(crate) const RESIDUAL: usize = 0;
/// The row of the squared norm of the gradient.
pub(crate) const GRADIENT: usize = 1;
/// The row of a number that is zero once the iteration is frozen: mostly the length of the step that led here. At the start it
/// is not looked at.
pub(crate) const STEP: usize = 2;

/// The most arrays of one launch, which takes 64 arguments: two for each array, and one for each constant.
const ARRAYS: usize = 27;

/// Scalars, one column an iteration, that stay on the device until the host reads them.
///
/// Iterations read and write single columns, so the recurrence's scalars live here and nowhere else.
#[derive(Debug)]
pub(crate) struct History {
    /// `[room + 1, rows]`, or `[room + 1, rows, right-hand sides]`: each column of the recurrence is a row of memory, which
    /// verbs take as it lies.
    slots: Array,
    /// The rows of the identity matrix: each picks a row of the state. None where each row has an expression of its own.
    picks: Option<Array>,
    /// The row from which on they are the state, which one call fills. Those before are written one by one.
    state: usize,
    /// Of several right-hand sides, the squared norms of what is to be explained: the last input of each state.
    wholes: Option<Array>,
}

/// The scalars that the host has seen, from the start on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Norms {
    pub(crate) residuals: Vec<f64>,
    /// The exponent of what its data are scaled by beside the scale that the run has.
    pub(crate) own: i32,
    /// Whether nothing is added any more.
    pub(crate) over: bool,
    /// The residual now, scaled.
    pub(crate) scaled_residual: f64,
    /// Scaled: those of small data and a small operator are less than any number.
    pub(crate) gradients: Vec<f64>,
    /// The exponent of the scale of gradients.
    pub(crate) scale: i32,
    /// Whether the last of them is the one at which the iteration froze.
    pub(crate) frozen: bool,
    /// The last column, from which a method tells why it froze.
    pub(crate) column: Vec<f64>,
}

impl History {
    /// Room for `rows` scalars at a check and at `check_every` iterations after it, in the dtype of the scalars. Those
    /// from row `state` on are filled by one call, which is one expression if they are picked.
    pub(crate) fn new(
        on: &dyn Executor,
        dtype: DType,
        check_every: usize,
        rows: usize,
        state: usize,
        picked: bool,
        columns: Option<usize>,
    ) -> Result<Self> {
        let picks = if picked { Some(identity(on, dtype, rows - state)?) } else { None };
        let shape = [check_every.saturating_add(1), rows, columns.unwrap_or(1)];
        let slots = on.empty(if columns.is_some() { &shape } else { &shape[..2] }, dtype)?;
        let wholes = columns.map(|columns| on.empty(&[columns], dtype)).transpose()?;
        Ok(Self { slots, picks, state, wholes })
    }

    /// The squared norms of what is to be explained, of several right-hand sides.
    pub(crate) fn wholes_mut(&mut self) -> Option<&mut Array> {
        self.wholes.as_mut()
    }

    /// The number of right-hand sides, of those that are solved at once.
    pub(crate) fn columns(&self) -> Option<usize> {
        self.wholes.as_ref().map(|wholes| wholes.layout().len())
    }

    /// How many iterations there may be between two checks.
    pub(crate) fn room(&self) -> usize {
        self.slots.shape()[0] - 1
    }

    /// The scalars' dtype.
    pub(crate) fn dtype(&self) -> DType {
        self.slots.dtype()
    }

    /// All that is kept, for checks.
    pub(crate) fn view(&self) -> View<'_> {
        self.slots.view()
    }

    /// All scalars `step` iterations after the last check.
    pub(crate) fn column(&self, step: usize) -> Result<View<'_>> {
        Ok(self.slots.view().selected(0, step)?)
    }

    /// The same, to be written.
    pub(crate) fn column_mut(&mut self, step: usize) -> Result<ViewMut<'_>> {
        Ok(self.slots.view_mut().selected(0, step)?)
    }

    /// A scalar `step` iterations after the last check, as a 0-d array, or one of several right-hand sides.
    pub(crate) fn get(&self, scalar: usize, step: usize) -> Result<View<'_>> {
        slot(self.slots.view(), scalar, step)
    }

    /// The same, to be written.
    pub(crate) fn get_mut(&mut self, scalar: usize, step: usize) -> Result<ViewMut<'_>> {
        slot(self.slots.view_mut(), scalar, step)
    }

    /// A scalar `step` iterations after the last check, to be written, and a later one of its column, to be read.
    pub(crate) fn get_mut_before(
        &mut self,
        written: usize,
        read: usize,
        step: usize,
    ) -> Result<(ViewMut<'_>, ViewMut<'_>)> {
        let column = self.slots.view_mut().selected(0, step)?;
        let (before, rest) = column.split_at(0, read)?;
        Ok((before.selected(0, written)?, rest.selected(0, 0)?))
    }

    /// Fills the state of column `step + 1` from scalars of column `step`, which are the inputs of [`column`] first, and
    /// `others`, which follow. Mostly one launch. (Nothing, where nobody has said what it is filled by.)
    pub(crate) fn advance(
        &mut self,
        on: &dyn Executor,
        step: usize,
        scalars: &[usize],
        others: &[View<'_>],
        state: Option<&State>,
    ) -> Result<()> {
        let Some(state) = state else { return Ok(()) };
        let (before, after) = self.slots.view_mut().split_at(0, step + 1)?;
        let known = scalars.iter().map(|&scalar| slot(before.view(), scalar, step));
        let mut inputs = known.collect::<Result<Vec<_>>>()?;
        inputs.extend_from_slice(others);
        inputs.extend(self.wholes.as_ref().map(Array::view));
        let (_, next) = after.sliced(0, 0, 1)?.split_at(1, self.state)?;
        fill(on, self.picks.as_ref(), inputs, state, next)
    }

    /// Fills the state of the first column from the scalars before it in that column and `others`.
    pub(crate) fn begin(
        &mut self,
        on: &dyn Executor,
        others: &[View<'_>],
        state: &State,
    ) -> Result<()> {
        let (known, rest) = self.slots.view_mut().split_at(1, self.state)?;
        let known = (0..self.state).map(|scalar| slot(known.view(), scalar, 0));
        let mut inputs = known.collect::<Result<Vec<_>>>()?;
        inputs.extend_from_slice(others);
        fill(on, self.picks.as_ref(), inputs, state, rest.sliced(0, 0, 1)?)
    }

    /// Adds what the last `ahead` iterations left, and at first the state before them, to `seen`, for each right-hand side up
    /// to where its iteration froze; `gradient` is the row of the gradient, `scales` the exponents of the scales of residual and
    /// gradient. Waits for them; one transfer.
    pub(crate) fn read(
        &self,
        ahead: usize,
        gradient: usize,
        scales: [i32; 2],
        seen: &mut [Norms],
    ) -> Result<()> {
        let all = super::read::reals(&self.slots.view())?;
        let (rows, columns) = (self.slots.shape()[1], self.columns().unwrap_or(1));
        for (number, seen) in seen.iter_mut().enumerate().filter(|(_, seen)| !seen.over) {
            let row = |scalar: usize| {
                all.chunks_exact(rows * columns).map(move |all| all[scalar * columns + number])
            };
            let first = usize::from(!seen.residuals.is_empty());
            let frozen = row(STEP).take(ahead + 1).skip(1).position(|step| step == 0.0);
            let new = frozen.unwrap_or(ahead) + 1;
            let norms = |scalar: usize| row(scalar).take(new).skip(first).map(f64::sqrt);
            let [residual, gradients] = scales.map(|scale| scale + seen.own);
            seen.frozen = frozen.is_some();
            seen.column.clear();
            // The column whose step is zero is not of an iteration, but says why.
            let last = if seen.frozen { new } else { new - 1 };
            seen.column.extend((0..rows).filter_map(|scalar| row(scalar).nth(last)));
            seen.scaled_residual = norms(RESIDUAL).next_back().unwrap_or(seen.scaled_residual);
            seen.residuals.extend(norms(RESIDUAL).map(|norm| power(-residual, norm)));
            seen.gradients.extend(norms(gradient));
            seen.scale = gradients;
        }
        Ok(())
    }

    /// Makes the state `ahead` iterations after the last check the state at this one.
    pub(crate) fn restart(&mut self, on: &dyn Executor, ahead: usize) -> Result<()> {
        if ahead == 0 {
            return Ok(());
        }
        let (first, rest) = self.slots.view_mut().split_at(0, 1)?;
        let last = rest.view().sliced(0, ahead - 1, 1)?;
        Ok(on.copy(last, first, Update::set())?)
    }
}

/// What fills the state.
#[derive(Clone, Debug)]
pub(crate) enum State {
    /// One expression for all rows, made by [`column`].
    Picked(Expression),
    /// One for each row, in one launch where it takes them all. Parts that they share are computed once in each.
    Each(Vec<Expression>),
}

/// The expressions of the rows of the state, of so many inputs, as one: their sum, each times a row of the identity matrix.
pub(crate) fn column(state: impl IntoIterator<Item = Expression>, inputs: usize) -> State {
    let rows = state.into_iter().enumerate();
    let picked = rows.map(|(row, value)| input(inputs + row) * value);
    State::Picked(picked.reduce(|sum, row| sum + row).unwrap_or_else(|| constant(0.0)))
}

/// The rows of an identity matrix.
fn identity(on: &dyn Executor, dtype: DType, len: usize) -> Result<Array> {
    let one = |at: usize| if at.is_multiple_of(len + 1) { 1.0 } else { 0.0 };
    let shape = [len, len];
    let picks = match dtype {
        DType::Float32 => Array::from_vec((0..len * len).map(|at| one(at) as f32).collect(), shape),
        _ => Array::from_vec((0..len * len).map(one).collect::<Vec<f64>>(), shape),
    };
    let stream = on.stream();
    Ok(picks?.into_device_with(stream.device(), Transfer::CopyIfNeeded, stream)?.0)
}

/// Fills a column of the state in one launch.
fn fill<'a>(
    on: &dyn Executor,
    picks: Option<&'a Array>,
    mut inputs: Vec<View<'a>>,
    state: &State,
    column: ViewMut<'a>,
) -> Result<()> {
    match state {
        State::Picked(expression) => {
            let column = column.selected(0, 0)?;
            // A row of the identity beside each right-hand side.
            let several = column.shape().len() > 1;
            for row in 0..picks.map_or(0, |picks| picks.shape()[0]) {
                let Some(pick) = picks.map(|picks| picks.view().selected(0, row)).transpose()?
                else {
                    break;
                };
                let len = pick.layout().len();
                inputs.push(if several { pick.reshaped(&[len, 1])? } else { pick });
            }
            Ok(on.map(expression, &inputs, column)?)
        }
        State::Each(expressions) => {
            let mut rest = column.selected(0, 0)?;
            for part in expressions.chunks(ARRAYS.saturating_sub(inputs.len()).max(1)) {
                let mut rows = Vec::with_capacity(part.len());
                for expression in part {
                    let (row, left) = rest.split_at(0, 1)?;
                    rows.push((expression.clone(), row.selected(0, 0)?));
                    rest = left;
                }
                on.map_many(&inputs, rows)?;
            }
            Ok(())
        }
    }
}

/// One number of the slots, as a 0-d array.
fn slot<V: Relayout>(slots: V, scalar: usize, step: usize) -> Result<V> {
    Ok(slots.selected(0, step)?.selected(0, scalar)?)
}

impl Norms {
    /// Iterations done.
    pub(crate) fn iterations(&self) -> usize {
        self.residuals.len() - 1
    }

    /// Residual and gradient now.
    pub(crate) fn last(&self) -> (f64, f64) {
        let gradient = power(-self.scale, self.scaled_gradient());
        (self.residuals[self.iterations()], gradient)
    }

    /// The gradient now, scaled.
    pub(crate) fn scaled_gradient(&self) -> f64 {
        self.gradients[self.iterations()]
    }

    /// The gradient at the start, scaled.
    pub(crate) fn first_scaled_gradient(&self) -> f64 {
        self.gradients[0]
    }
}
