//! Elements, or groups of them, made shorter: what the proximal operators of norms do.

use arrayspan_bridge::{Relayout, View, ViewMut};
use arrayspan_kernels::{Executor, Expression, Reduction, Vector, VectorMut, constant, input};

use super::Scratch;
use super::arithmetic::{sum, write};
use crate::Result;

/// Groups of at most so many elements are one pass over memory.
pub(super) const FEW: usize = 8;

/// What becomes of the length of a group.
#[derive(Clone, Copy, Debug)]
pub(super) enum Radial {
    /// `max(length - level, 0)`
    Shrink,
    /// `min(length, level)`
    Clip,
}

/// The level: an expression of numbers and arrays that broadcast to an array of groups, its own inputs from 0 on.
#[derive(Clone, Debug)]
pub(super) struct Level<'a> {
    pub(super) expression: fn(usize, f64) -> Expression,
    pub(super) factor: f64,
    pub(super) inputs: &'a [View<'a>],
}

impl<'a> Level<'a> {
    /// A number of the host.
    pub(super) fn fixed(factor: f64) -> Self {
        Self { expression: |_, factor| constant(factor), factor, inputs: &[] }
    }

    /// The only input times a number of the host.
    pub(super) fn times(factor: f64, inputs: &'a [View<'a>]) -> Self {
        let expression = |first, factor| input(first) * constant(factor);
        Self { expression, factor, inputs }
    }

    /// The first input times the second one.
    pub(super) fn product(inputs: &'a [View<'a>]) -> Self {
        Self { expression: |first, _| input(first) * input(first + 1), factor: 1.0, inputs }
    }

    /// The only input.
    pub(super) fn alone(inputs: &'a [View<'a>]) -> Self {
        Self { expression: |first, _| input(first), factor: 1.0, inputs }
    }

    fn at(&self, first: usize) -> Expression {
        (self.expression)(first, self.factor)
    }
}

impl Radial {
    fn of(self, length: Expression, level: Expression) -> Expression {
        match self {
            Self::Shrink => (length - level).max(constant(0.0)),
            Self::Clip => length.min(level),
        }
    }

    /// Each element by itself.
    pub(super) fn each(
        self,
        on: &dyn Executor,
        x: View<'_>,
        level: &Level<'_>,
        out: ViewMut<'_>,
    ) -> Result<()> {
        let length = input(0).abs();
        let unit = input(0).div_or_zero(length.clone());
        let mut inputs = vec![x];
        inputs.extend(level.inputs.iter().cloned());
        Ok(on.map_many(&inputs, [(self.of(length, level.at(1)) * unit, out)])?)
    }

    /// Groups along `axis`.
    pub(super) fn groups(
        self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        (x, axis): (View<'_>, usize),
        level: &Level<'_>,
        out: ViewMut<'_>,
    ) -> Result<()> {
        match x.shape()[axis] {
            0 => Ok(()),
            1 => self.each(on, x, level, out),
            len if len <= FEW => self.few(on, (x, axis), level, out),
            _ => self.many(on, scratch, (x, axis), level, out),
        }
    }

    /// All elements of a group at once, in one pass.
    fn few(
        self,
        on: &dyn Executor,
        (x, axis): (View<'_>, usize),
        level: &Level<'_>,
        out: ViewMut<'_>,
    ) -> Result<()> {
        let len = x.shape()[axis];
        let part = |at| x.clone().sliced(axis, at, 1);
        let mut inputs = (0..len).map(part).collect::<Result<Vec<_>, _>>()?;
        inputs.extend(level.inputs.iter().cloned());
        let length = length((0..len).map(input));
        let size = self.of(length.clone(), level.at(len));
        let (mut rest, mut outputs) = (out, Vec::with_capacity(len));
        for at in 0..len {
            let (one, left) = rest.split_at(axis, 1)?;
            outputs.push((size.clone() * input(at).div_or_zero(length.clone()), one));
            rest = left;
        }
        Ok(on.map_many(&inputs, outputs)?)
    }

    /// The lengths first, then the elements.
    fn many(
        self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        (x, axis): (View<'_>, usize),
        level: &Level<'_>,
        out: ViewMut<'_>,
    ) -> Result<()> {
        let lengths = lengths(on, scratch, (x.clone(), axis))?;
        let mut inputs = vec![x, lengths.view()];
        inputs.extend(level.inputs.iter().cloned());
        let size = self.of(input(1), level.at(2));
        on.map_many(&inputs, [(size * input(0).div_or_zero(input(1)), out)])?;
        scratch.give(lengths);
        Ok(())
    }
}

/// `√Σ |x|²` of groups along `axis`, which stays with extent 1. No square leaves the dtype.
pub(super) fn lengths(
    on: &dyn Executor,
    scratch: &mut Scratch,
    (x, axis): (View<'_>, usize),
) -> Result<arrayspan_bridge::Array> {
    let real = x.dtype().real();
    let mut shape = x.shape().to_vec();
    shape[axis] = 1;
    let mut absolute = scratch.take(on, x.shape(), real)?;
    let mut largest = scratch.take(on, &shape, real)?;
    let mut sums = scratch.take(on, &shape, real)?;
    write(on, absolute.view_mut(), x.abs())?;
    let view = largest.view_mut().selected(axis, 0)?;
    on.reduce(Reduction::Maximum, &input(0), &[absolute.view()], &[axis], view)?;
    let share = input(0).div_or_zero(input(1)).abs2();
    let view = sums.view_mut().selected(axis, 0)?;
    on.reduce(Reduction::Sum, &share, &[absolute.view(), largest.view()], &[axis], view)?;
    sums.update_on(on, |sums| &largest * sums.sqrt())?;
    scratch.give(absolute);
    scratch.give(largest);
    Ok(sums)
}

/// `√Σ |x|²`, of which no square leaves the dtype.
pub(super) fn length(elements: impl Iterator<Item = Expression>) -> Expression {
    let absolute: Vec<Expression> = elements.map(Expression::abs).collect();
    let largest = absolute.iter().cloned().reduce(Expression::max);
    let largest = largest.unwrap_or_else(|| constant(0.0));
    let share = |a: &Expression| a.clone().div_or_zero(largest.clone()).abs2();
    let shares = sum(absolute.iter().map(share));
    largest * shares.sqrt()
}
