//! Squared norms, one pair an iteration, that stay on the device until the host looks.

use arrayspan_bridge::{Array, DType, Relayout, View, ViewMut};
use arrayspan_kernels::{Executor, Update};

use crate::Result;

/// Squared norms of residual and gradient, one pair an iteration, that stay on the device until the host
/// looks.
///
/// Iterations read and write single slots, so the recurrence's scalars live here and nowhere else.
#[derive(Debug)]
pub(crate) struct History {
    /// Residuals, then gradients: `[2, look + 1]`.
    slots: Array,
}

/// The norms that the host has seen, from the start on.
#[derive(Debug, Default)]
pub(crate) struct Norms {
    pub(crate) residuals: Vec<f64>,
    pub(crate) gradients: Vec<f64>,
}

const RESIDUAL: usize = 0;
const GRADIENT: usize = 1;

impl History {
    /// Room for the state at a look and `look` iterations after it.
    pub(crate) fn new(on: &dyn Executor, dtype: DType, look: usize) -> Result<Self> {
        Ok(Self { slots: on.empty(&[2, look + 1], dtype)? })
    }

    /// The squared gradient `step` iterations after the last look, as a 0-d array.
    pub(crate) fn gradient(&self, step: usize) -> Result<View<'_>> {
        slot(self.slots.view(), GRADIENT, step)
    }

    /// The same, to be written.
    pub(crate) fn gradient_mut(&mut self, step: usize) -> Result<ViewMut<'_>> {
        slot(self.slots.view_mut(), GRADIENT, step)
    }

    /// The squared residual `step` iterations after the last look, as a 0-d array to be written.
    pub(crate) fn residual_mut(&mut self, step: usize) -> Result<ViewMut<'_>> {
        slot(self.slots.view_mut(), RESIDUAL, step)
    }

    /// Adds what the last `ahead` iterations left, and at first the state before them, to `seen`. Waits for
    /// them; one transfer.
    pub(crate) fn read(&self, ahead: usize, seen: &mut Norms) -> Result<()> {
        let norms = crate::read::reals(&self.slots.view())?.into_iter().map(f64::sqrt);
        let norms: Vec<f64> = norms.collect();
        let (residuals, gradients) = norms.split_at(norms.len() / 2);
        let new = usize::from(!seen.residuals.is_empty())..=ahead;
        seen.residuals.extend_from_slice(&residuals[new.clone()]);
        seen.gradients.extend_from_slice(&gradients[new]);
        Ok(())
    }

    /// Makes the state `ahead` iterations after the last look the state at this one.
    pub(crate) fn restart(&mut self, on: &dyn Executor, ahead: usize) -> Result<()> {
        if ahead == 0 {
            return Ok(());
        }
        let (first, rest) = self.slots.view_mut().split_at(1, 1)?;
        let last = rest.view().sliced(1, ahead - 1, 1)?;
        Ok(on.copy(last, first, Update::set())?)
    }
}

/// One number of the slots, as a 0-d array.
fn slot<V: Relayout>(slots: V, row: usize, step: usize) -> Result<V> {
    Ok(slots.sliced(0, row, 1)?.sliced(1, step, 1)?.reshaped(&[])?)
}

impl Norms {
    /// Iterations done.
    pub(crate) fn iterations(&self) -> usize {
        self.residuals.len() - 1
    }

    /// Residual and gradient now.
    pub(crate) fn last(&self) -> (f64, f64) {
        let now = self.iterations();
        (self.residuals[now], self.gradients[now])
    }
}
