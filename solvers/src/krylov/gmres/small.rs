//! The least-squares problem of a cycle, `min ‖β e₁ - H y‖` with an upper Hessenberg matrix `H` that grows by a column an
//! iteration, on the device.
//!
//! `Q H = R` with plane rotations. Their product is kept, so that a new column is rotated by one product with it, and
//! so is the inverse of the triangle `R`, whose new column is one product with it, too.

use arrayspan_bridge::{Array, Relayout, View, ViewMut};
use arrayspan_kernels::{
    Executor, Expression, Reduction, Update, Vector, VectorMut, constant, input, previous,
};
use num_complex::Complex64;

use super::arnoldi::Basis;
use crate::Result;
use crate::engine::Make;

/// Small arrays in the widest dtype of the device, complex where vectors are.
#[derive(Debug)]
pub(super) struct Small {
    /// The square of the length of a new vector, and of the residual at the start of a cycle.
    pub(super) size: Array,
    /// The rows of an identity matrix.
    identity: Array,
    /// The product of all rotations.
    rotations: Array,
    /// `R⁻¹`, each column in a row.
    inverse: Array,
    /// The new column of `H`, then of `R`, and what `R⁻¹` makes of it.
    columns: [Array; 3],
    /// Real and imaginary parts of the new column of `H`.
    parts: [Array; 2],
    /// What rotations make of `β e₁`.
    rest: Array,
    /// The parts of `y`.
    pub(super) solution: [Array; 2],
}

impl Small {
    pub(super) fn new(make: &mut Make<'_>, most: usize) -> Result<Self> {
        let most = make.independent(most);
        let [square, next] = [[most, most], [most + 1, most + 1]];
        Ok(Self {
            size: make.scalar()?,
            identity: make.numbers(&next, true)?,
            rotations: make.numbers(&next, true)?,
            inverse: make.numbers(&square, true)?,
            columns: [
                make.numbers(&[most], true)?,
                make.numbers(&[most], true)?,
                make.numbers(&[most], true)?,
            ],
            parts: [make.numbers(&[most], false)?, make.numbers(&[most], false)?],
            rest: make.numbers(&[most + 1], true)?,
            solution: [make.numbers(&[most], false)?, make.numbers(&[most], false)?],
        })
    }

    /// What is the same in all cycles.
    pub(super) fn begin(&mut self, on: &dyn Executor) -> Result<()> {
        self.identity.assign_on(on, 0.0)?;
        let rows = self.identity.shape()[0];
        let mut flat = self.identity.view_mut().reshaped(&[rows * rows])?;
        let last = rows * rows - 1;
        flat.reborrow().selected(0, last)?.assign_on(on, 1.0)?;
        // All of the diagonal before its end, from one to the next.
        let diagonal = flat.sliced(0, 0, last)?.reshaped(&[rows - 1, rows + 1])?;
        Ok(diagonal.selected(1, 0)?.assign_on(on, 1.0)?)
    }

    /// Begins a cycle with the residual whose squared length is there.
    pub(super) fn clear(&mut self, on: &dyn Executor) -> Result<()> {
        self.inverse.assign_on(on, 0.0)?;
        on.copy(self.identity.view(), self.rotations.view_mut(), Update::set())?;
        self.rest.view_mut().selected(0, 0)?.assign_on(on, self.size.sqrt())?;
        for part in &mut self.solution {
            part.assign_on(on, 0.0)?;
        }
        Ok(())
    }

    /// What an iteration has from the one before.
    pub(super) fn kept(&mut self) -> [&mut Array; 5] {
        let Self { rotations, inverse, rest, solution: [re, im], .. } = self;
        [rotations, inverse, rest, re, im]
    }

    /// What rotations so far have made of the last element of the new column.
    pub(super) fn corner(&self, at: usize) -> Result<View<'_>> {
        Ok(self.columns[1].view().selected(0, at)?)
    }

    /// The new column, number `at`, and what the rotations so far make of it.
    pub(super) fn rotate(&mut self, on: &dyn Executor, at: usize, basis: &Basis) -> Result<()> {
        let count = at + 1;
        let shares = basis.shares(count)?;
        let [column, rotated, _] = &mut self.columns;
        let sum = input(0) + input(1);
        let add = |sum: &Expression, out: ViewMut<'_>| {
            on.reduce(Reduction::Sum, sum, &shares, &[], out.sliced(0, 0, count)?)
        };
        if shares[0].dtype().is_complex() {
            let [re, im] = &mut self.parts;
            add(&sum.clone().re(), re.view_mut())?;
            add(&sum.im(), im.view_mut())?;
            let parts = [re.view().sliced(0, 0, count)?, im.view().sliced(0, 0, count)?];
            let both = input(0) + constant(Complex64::I) * input(1);
            on.map(&both, &parts, column.view_mut().sliced(0, 0, count)?)?;
        } else {
            add(&sum, column.view_mut())?;
        }
        let rotations = self.rotations.view().sliced(0, 0, count)?.sliced(1, 0, count)?;
        let column = column.view().sliced(0, 0, count)?;
        let out = rotated.view_mut().sliced(0, 0, count)?;
        Ok(on.reduce(Reduction::Sum, &(input(0) * input(1)), &[rotations, column], &[1], out)?)
    }

    /// Takes in the column that was rotated, with what is 0 once nothing is to change, 1 over the new diagonal, and the length of
    /// the next vector.
    pub(super) fn extend(
        &mut self,
        on: &dyn Executor,
        at: usize,
        [go, inverse, length]: [&View<'_>; 3],
    ) -> Result<()> {
        let (count, next) = (at + 1, at + 2);
        let [_, rotated, product] = &mut self.columns;
        let corner = rotated.view().selected(0, at)?;
        let row = |row: usize, len: usize| -> Result<View<'_>> {
            Ok(self.identity.view().selected(0, row)?.sliced(0, 0, len)?)
        };
        // The new rotation, of what is left, and of the rotations so far.
        let (old, new) = self.rest.view_mut().split_at(0, count)?;
        let old = old.view().selected(0, at)?;
        let cross = || constant(-1.0) * input(1) * input(2);
        let known = [old.clone(), length.clone(), inverse.clone()];
        on.map(&(cross() * input(0)), &known, new.selected(0, 0)?)?;
        let (above, below) = self.rotations.view_mut().split_at(0, count)?;
        let upper = above.selected(0, at)?.sliced(0, 0, next)?;
        let lower = below.selected(0, 0)?.sliced(0, 0, next)?;
        let known =
            [upper.view(), length.clone(), inverse.clone(), corner.clone(), row(count, next)?];
        on.map(&(cross() * input(0) + input(3) * input(2) * input(4)), &known, lower)?;
        let known = [row(count, next)?, length.clone(), inverse.clone(), corner.clone()];
        let turned = input(3).conj() * input(2) * previous() + input(1) * input(2) * input(0);
        on.map(&turned, &known, upper)?;

        // The new column of the inverse, and the solution along it.
        let columns = self.inverse.view().sliced(0, 0, count)?.sliced(1, 0, count)?;
        let shares = rotated.view().sliced(0, 0, count)?.reshaped(&[count, 1])?;
        let out = product.view_mut().sliced(0, 0, count)?;
        on.reduce(Reduction::Sum, &(input(0) * input(1)), &[columns, shares], &[0], out)?;
        let known = [
            row(at, count)?,
            product.view().sliced(0, 0, count)?,
            inverse.clone(),
            corner,
            old,
            go.clone(),
        ];
        let column = input(2) * (input(0) - input(1));
        let along = input(5) * (input(3).conj() * input(2) * input(4));
        let added = column.clone() * along;
        let place = self.inverse.view_mut().selected(0, at)?.sliced(0, 0, count)?;
        let mut outputs = vec![(column, place)];
        let [re, im] = &mut self.solution;
        let complex = rotated.dtype().is_complex();
        outputs.push((previous() + added.clone().re(), re.view_mut().sliced(0, 0, count)?));
        if complex {
            outputs.push((previous() + added.im(), im.view_mut().sliced(0, 0, count)?));
        }
        Ok(on.map_many(&known, outputs)?)
    }
}
