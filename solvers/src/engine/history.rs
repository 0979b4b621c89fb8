//! The scalars of a recurrence, a column an iteration, that stay on the device until the host reads them.
//!
//! Of several right-hand sides at once each scalar is an array of one number for each, which broadcasts over vectors whose last
//! axis counts the right-hand sides. So a recurrence is written once.

use arrayspan_bridge::{Array, DType, Relayout, Transfer, View, ViewMut};
use arrayspan_kernels::{Arrays, Executor, Expression, Update, VectorMut as _};

use super::scale::power;
use super::state::fill;
use crate::Result;

pub(crate) use super::state::State;

/// The row of the squared norm of the residual, in every method's history.
pub(crate) const RESIDUAL: usize = 0;
/// The row of the squared norm of the gradient.
pub(crate) const GRADIENT: usize = 1;
/// The row of a number that is zero once the iteration is frozen: mostly the length of the step that led here. At the start it
/// is not looked at.
pub(crate) const STEP: usize = 2;

/// How many iterations are recorded together, at most: few by the first run of a workspace, because recording them takes as long as
/// making them, and more by the next one like it. Even numbers, after which vectors that change places are where they were.
const RECORDED: [usize; 2] = [4, 10];

/// Scalars, one column an iteration, that stay on the device until the host reads them.
///
/// Iterations read and write single columns, so the recurrence's scalars live here and nowhere else.
#[derive(Debug)]
pub(crate) struct History {
    /// `[room + 1, rows]`, or `[room + 1, rows, right-hand sides]`: each column of the recurrence is a row of memory, which
    /// verbs take as it lies.
    slots: Array,
    /// The row from which on they are the state, which one call fills. Those before are written one by one.
    state: usize,
    /// The squared norms of what is to be explained, of each right-hand side: the last input of each state that reads it.
    /// Without axes for one that is solved alone.
    wholes: Array,
    /// Slots of the few iterations that are recorded, where such are replayed.
    recorded: Option<Array>,
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

impl Arrays for History {
    fn show<'a>(&'a mut self, show: &mut dyn FnMut(&'a mut Array)) {
        show(&mut self.slots);
        show(&mut self.wholes);
        self.recorded.show(show);
    }
}

impl History {
    /// Room for `rows` scalars at a check and at `check_every` iterations after it, in the dtype of the scalars. Those
    /// from row `state` on are filled by one call.
    pub(crate) fn new(
        on: &dyn Executor,
        dtype: DType,
        check_every: usize,
        rows: usize,
        state: usize,
        columns: Option<usize>,
    ) -> Result<Self> {
        let slots = |iterations: usize| {
            let shape = [iterations.saturating_add(1), rows, columns.unwrap_or(1)];
            on.empty(if columns.is_some() { &shape } else { &shape[..2] }, dtype)
        };
        let recorded = Self::recorded(on, check_every).map(|[_, most]| slots(most)).transpose()?;
        let wholes = on.empty(columns.as_slice(), dtype)?;
        Ok(Self { slots: slots(check_every)?, state, wholes, recorded })
    }

    /// How many iterations may be recorded together, by the first run of a workspace and by others, where such are replayed.
    pub(crate) fn recorded(on: &dyn Executor, check_every: usize) -> Option<[usize; 2]> {
        let even = RECORDED.map(|most| most.min(check_every) & !1);
        (on.has_graphs() && even[0] > 0).then_some(even)
    }

    /// Keeps the squared norms of what is to be explained, of each right-hand side.
    pub(crate) fn explain(&mut self, on: &dyn Executor, wholes: &[f64]) -> Result<()> {
        if let ([whole], None) = (wholes, self.columns()) {
            return Ok(self.wholes.assign_on(on, *whole)?);
        }
        let wholes = match self.wholes.dtype() {
            DType::Float32 => Array::from(wholes.iter().map(|v| *v as f32).collect::<Vec<_>>()),
            _ => Array::from(wholes.to_vec()),
        };
        let stream = on.stream();
        let wholes = wholes.into_device_with(stream.device(), Transfer::CopyIfNeeded, stream)?.0;
        Ok(on.copy(wholes.view(), self.wholes.view_mut(), Update::set())?)
    }

    /// The number of right-hand sides, of those that are solved at once.
    pub(crate) fn columns(&self) -> Option<usize> {
        self.wholes.shape().first().copied()
    }

    /// How many iterations there may be between two checks.
    pub(crate) fn room(&self) -> usize {
        self.slots.shape()[0] - 1
    }

    /// Whether it has room for so many iterations and so many rows, of which those from that one on are the state.
    pub(crate) fn is_for(&self, [check_every, rows, state]: [usize; 3]) -> bool {
        [self.room(), self.slots.shape()[1], self.state] == [check_every, rows, state]
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
        if state.iter().any(|row| row.inputs() > inputs.len()) {
            inputs.push(self.wholes.view());
        }
        let (_, next) = after.sliced(0, 0, 1)?.split_at(1, self.state)?;
        fill(on, &inputs, state, next)
    }

    /// Writes some rows of column `step + 1`, in one launch. Inputs are scalars of column `step`, scalars of the column itself that are not
    /// written, and `others`, in this order.
    pub(crate) fn revise(
        &mut self,
        on: &dyn Executor,
        step: usize,
        [known, own]: [&[usize]; 2],
        others: &[View<'_>],
        rows: &[(usize, Expression)],
    ) -> Result<()> {
        let count = self.slots.shape()[1];
        let (before, after) = self.slots.view_mut().split_at(0, step + 1)?;
        let known = known.iter().map(|&scalar| slot(before.view(), scalar, step));
        let mut inputs = known.collect::<Result<Vec<_>>>()?;
        let (mut read, mut outputs) = (vec![None; own.len()], Vec::with_capacity(rows.len()));
        let mut rest = after.selected(0, 0)?;
        for row in 0..count {
            let (one, left) = rest.split_at(0, 1)?;
            let one = one.selected(0, 0)?;
            rest = left;
            if let Some(at) = own.iter().position(|scalar| *scalar == row) {
                read[at] = Some(View::from(one));
            } else if let Some((_, value)) = rows.iter().find(|(written, _)| *written == row) {
                outputs.push((value.clone(), one));
            }
        }
        inputs.extend(read.into_iter().flatten());
        inputs.extend_from_slice(others);
        Ok(on.map_many(&inputs, outputs)?)
    }

    /// Fills the state of the first column from the scalars before it in that column and `others`.
    pub(crate) fn begin(
        &mut self,
        on: &dyn Executor,
        others: &[View<'_>],
        state: &[Expression],
    ) -> Result<()> {
        let (known, rest) = self.slots.view_mut().split_at(1, self.state)?;
        let known = (0..self.state).map(|scalar| slot(known.view(), scalar, 0));
        let mut inputs = known.collect::<Result<Vec<_>>>()?;
        inputs.extend_from_slice(others);
        fill(on, &inputs, state, rest.sliced(0, 0, 1)?)
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

    /// Exchanges the slots for those of the iterations that are recorded, or back.
    pub(crate) fn exchange(&mut self) {
        if let Some(recorded) = &mut self.recorded {
            std::mem::swap(&mut self.slots, recorded);
        }
    }

    /// Makes the state `step` iterations after the last check the one that those that are recorded begin at.
    pub(crate) fn begin_recorded(&mut self, on: &dyn Executor, step: usize) -> Result<()> {
        let Some(recorded) = &mut self.recorded else { return Ok(()) };
        let from = self.slots.view().sliced(0, step, 1)?;
        Ok(on.copy(from, recorded.view_mut().sliced(0, 0, 1)?, Update::set())?)
    }

    /// Takes what so many recorded iterations have left for that of those after `step`.
    pub(crate) fn keep_recorded(
        &mut self,
        on: &dyn Executor,
        step: usize,
        len: usize,
    ) -> Result<()> {
        let Some(recorded) = &self.recorded else { return Ok(()) };
        let from = recorded.view().sliced(0, 1, len)?;
        Ok(on.copy(from, self.slots.view_mut().sliced(0, step + 1, len)?, Update::set())?)
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
