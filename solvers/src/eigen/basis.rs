//! Orthonormal vectors on the device, row by row, and what small matrices of the host make of them.

use arrayspan_bridge::{Array, DType, Relayout, View, ViewMut};
use arrayspan_kernels::{Executor, Update};
use num_complex::Complex64;

use super::applied::Applied;
use super::random::Random;
use crate::Result;
use crate::dense::{Small, upload};

/// Vectors that are orthonormal as far as they are made, with room for those to come.
#[derive(Debug)]
pub(super) struct Basis {
    /// `[room, n]`
    pub(super) rows: Array,
    /// `[kept, n]`, where combinations are made.
    spare: Array,
    /// `[room, 1]`: coefficients of a vector in those before it.
    parts: Array,
}

impl Basis {
    /// Room for `room` vectors of `n` elements, of which `kept` are combined at once.
    pub(super) fn new(
        on: &dyn Executor,
        dtype: DType,
        n: usize,
        [room, kept]: [usize; 2],
    ) -> Result<Self> {
        Ok(Self {
            rows: on.empty(&[room, n], dtype)?,
            spare: on.empty(&[kept, n], dtype)?,
            parts: on.empty(&[room, 1], dtype)?,
        })
    }

    /// The elements that a basis takes.
    pub(super) fn elements(n: usize, [room, kept]: [usize; 2]) -> usize {
        n.saturating_mul(room.saturating_add(kept)).saturating_add(room)
    }

    /// The elements that a combination of `m` vectors takes on the way, at most: on the host, and on the device of `on`.
    pub(super) fn combination(on: &dyn Executor, m: usize) -> usize {
        m.saturating_mul(m).saturating_mul(if on.device().is_cpu() { 2 } else { 1 })
    }

    pub(super) fn row(&self, at: usize) -> Result<View<'_>> {
        Ok(self.rows.view().selected(0, at)?)
    }

    pub(super) fn row_mut(&mut self, at: usize) -> Result<ViewMut<'_>> {
        Ok(self.rows.view_mut().selected(0, at)?)
    }

    /// A row to read and the one behind it to write.
    pub(super) fn pair(&mut self, at: usize) -> Result<(View<'_>, ViewMut<'_>)> {
        let (_, rest) = self.rows.view_mut().split_at(0, at)?;
        let (own, next) = rest.split_at(0, 1)?;
        // What is only read is lent for as long as the rows are.
        Ok((View::from(own).selected(0, 0)?, next.sliced(0, 0, 1)?.selected(0, 0)?))
    }

    /// Takes out of row `at` what lies along the rows before it, twice (Giraud, Langou, Rozložník and van den Eshof, Numer.
    /// Math. 101 (2005) 87). Enqueued; does not wait.
    pub(super) fn orthogonalise(&mut self, on: &dyn Executor, at: usize) -> Result<()> {
        if at == 0 {
            return Ok(());
        }
        let (before, rest) = self.rows.view_mut().split_at(0, at)?;
        let mut own = rest.sliced(0, 0, 1)?;
        let mut parts = self.parts.view_mut().sliced(0, 0, at)?;
        for _ in 0..2 {
            let column = own.view().permuted(&[1, 0])?;
            on.gemm(before.view(), true, column, parts.reborrow(), Update::set())?;
            let along = before.view().permuted(&[1, 0])?;
            let column = own.reborrow().permuted(&[1, 0])?;
            on.gemm(along, false, parts.view(), column, Update::new(-1.0, 1.0))?;
        }
        Ok(())
    }

    /// Makes row `at` a random vector of length 1 that is orthogonal to the rows before it. There has to be room for one.
    pub(super) fn draw(
        &mut self,
        a: &mut Applied<'_>,
        random: &mut Random,
        at: usize,
    ) -> Result<()> {
        random.fill(a.on, self.row_mut(at)?)?;
        for _ in 0..2 {
            a.normalise(self.row_mut(at)?)?;
            self.orthogonalise(a.on, at)?;
        }
        a.normalise(self.row_mut(at)?)
    }

    /// Row `i` becomes `Σ combination[j, i] · row j`, for as many rows as the combination has columns; the rows behind those
    /// that are combined stay. Enqueued.
    pub(super) fn combine(
        &mut self,
        on: &dyn Executor,
        combination: &Small<Complex64>,
    ) -> Result<()> {
        let (from, to) = combination.shape();
        if to == 0 {
            return Ok(());
        }
        let turned = upload(on, &combination.transpose(), self.rows.dtype())?;
        let mut spare = self.spare.view_mut().sliced(0, 0, to)?;
        let old = self.rows.view().sliced(0, 0, from)?;
        on.gemm(turned.view(), false, old, spare.reborrow(), Update::set())?;
        let new = self.rows.view_mut().sliced(0, 0, to)?;
        Ok(on.copy(spare.view(), new, Update::set())?)
    }

    /// Copies a row to one before it.
    pub(super) fn bring(&mut self, on: &dyn Executor, from: usize, to: usize) -> Result<()> {
        if from == to {
            return Ok(());
        }
        let (before, rest) = self.rows.view_mut().split_at(0, from)?;
        let (from, to) = (rest.selected(0, 0)?, before.selected(0, to)?);
        Ok(on.copy(from.view(), to, Update::set())?)
    }

    /// These rows, in this order.
    pub(super) fn ordered(&self, on: &dyn Executor, order: &[usize]) -> Result<Array> {
        let mut ordered = on.empty(&[order.len(), self.rows.shape()[1]], self.rows.dtype())?;
        for (to, from) in order.iter().enumerate() {
            on.copy(self.row(*from)?, ordered.view_mut().selected(0, to)?, Update::set())?;
        }
        Ok(ordered)
    }

    /// The first rows, as an array of that shape.
    pub(super) fn take(&self, on: &dyn Executor, count: usize, shape: &[usize]) -> Result<Array> {
        let shape = [&[count], shape].concat();
        let mut all = on.empty(&shape, self.rows.dtype())?;
        let flat = all.view_mut().reshaped(&[count, self.rows.shape()[1]])?;
        on.copy(self.rows.view().sliced(0, 0, count)?, flat, Update::set())?;
        Ok(all)
    }
}

/// A real matrix as a complex one.
pub(super) fn complex(real: &Small<f64>) -> Small<Complex64> {
    real.map(Complex64::from)
}
