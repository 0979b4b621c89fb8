//! The orthonormal basis of a Krylov space, and how it grows.

use arrayspan_bridge::{Array, Elementwise, Relayout, View};
use arrayspan_kernels::{Executor, Update, Vector, VectorMut};
use num_complex::Complex64;

use crate::Result;
use crate::engine::Make;

/// How many vectors one pass adds up: a launch takes 64 arguments, of which each takes 8.
const TOGETHER: usize = 6;

/// Vectors side by side, and what a new one has in common with them.
#[derive(Debug)]
pub(super) struct Basis {
    /// One vector a row.
    vectors: Array,
    /// `<vᵢ, w>`, of the first time and of the second, columns.
    shares: [Array; 2],
}

impl Basis {
    /// Room for so many vectors, or as many as there are unknowns.
    pub(super) fn new(make: &mut Make<'_>, most: usize) -> Result<Self> {
        let (vectors, column) = (make.rows(most)?, make.column(most)?);
        Ok(Self { vectors, shares: [column, make.column(most)?] })
    }

    /// What an iteration has from the one before.
    pub(super) fn kept(&mut self) -> &mut Array {
        &mut self.vectors
    }

    /// How many vectors it has room for.
    pub(super) fn room(&self) -> usize {
        self.vectors.shape()[0]
    }

    /// A vector.
    pub(super) fn vector(&self, at: usize, shape: &[usize]) -> Result<View<'_>> {
        Ok(self.vectors.view().selected(0, at)?.reshaped(shape)?)
    }

    /// Makes `first`, the square of whose length is given, the first vector.
    pub(super) fn begin(
        &mut self,
        on: &dyn Executor,
        first: &Array,
        square: &View<'_>,
    ) -> Result<()> {
        let mut place = self.vectors.view_mut().selected(0, 0)?.reshaped(first.shape())?;
        Ok(place.assign_on(on, first.div_or_zero(square.sqrt()))?)
    }

    /// Makes `new`, of that length, the vector of this number.
    pub(super) fn push(
        &mut self,
        on: &dyn Executor,
        at: usize,
        new: &Array,
        length: &View<'_>,
    ) -> Result<()> {
        let mut place = self.vectors.view_mut().selected(0, at)?.reshaped(new.shape())?;
        Ok(place.assign_on(on, new.div_or_zero(length))?)
    }

    /// Takes all that `new` has in common with the vectors to number `last` off it, twice: what the first time leaves is as large
    /// as rounding errors of what it took, which may be all there is.
    pub(super) fn orthogonalise(
        &mut self,
        on: &dyn Executor,
        last: usize,
        new: &mut Array,
        real: bool,
    ) -> Result<()> {
        let (count, len) = (last + 1, self.vectors.shape()[1]);
        let vectors = self.vectors.view().sliced(0, 0, count)?;
        let columns = vectors.clone().permuted(&[1, 0])?;
        for shares in &mut self.shares {
            let mut shares = shares.view_mut().sliced(0, 0, count)?;
            let column = new.view().reshaped(&[len, 1])?;
            on.gemm(vectors.clone(), true, column, shares.reborrow(), Update::set())?;
            if real && shares.dtype().is_complex() {
                shares.update_on(on, Elementwise::re)?;
            }
            let new = new.view_mut().reshaped(&[len, 1])?;
            on.gemm(columns.clone(), false, shares.view(), new, Update::new(-1.0, 1.0))?;
        }
        Ok(())
    }

    /// What was taken off, the first time and the second.
    pub(super) fn shares(&self, count: usize) -> Result<[View<'_>; 2]> {
        let [first, second] = &self.shares;
        let first = first.view().sliced(0, 0, count)?.reshaped(&[count])?;
        Ok([first, second.view().sliced(0, 0, count)?.reshaped(&[count])?])
    }

    /// `x ← start + Σ yᵢ vᵢ` of the first `count` vectors, of which there is at least one, with the parts of `y`.
    pub(super) fn add_to<'a>(
        &'a self,
        on: &dyn Executor,
        x: &mut Array,
        start: impl Into<Elementwise<'a>>,
        [re, im]: &'a [Array; 2],
        count: usize,
    ) -> Result<()> {
        let shape = x.shape().to_vec();
        let complex = self.vectors.dtype().is_complex();
        let mut start = Some(start.into());
        for first in (0..count).step_by(TOGETHER) {
            let mut sum = start.take().unwrap_or_else(Elementwise::previous);
            for at in first..count.min(first + TOGETHER) {
                let mut number = Elementwise::from(re.view().selected(0, at)?);
                if complex {
                    number = number + Complex64::I * Elementwise::from(im.view().selected(0, at)?);
                }
                sum = sum + number * self.vector(at, &shape)?;
            }
            x.update_on(on, |_| sum)?;
        }
        Ok(())
    }
}
