//! Operators for tensors of torch with any axes in front.

use std::sync::{Mutex, PoisonError};

use arrayspan::bridge::{Array, Relayout};
use arrayspan::operators::{Lift, LinearMap, Operator};
use pyo3::prelude::*;

use crate::direct::borrowed::{Borrowed, applied};
use crate::direct::objects::Extents;
use crate::direct::torch;
use crate::direction::{self, Direction};
use crate::error::Result;
use crate::operator::PyOperator;

/// Batches of more sizes than these are lifted anew. Loops have two: a full batch and the last one.
const KEPT: usize = 8;

/// An operator for tensors with any axes in front of its own.
#[pyclass(frozen, name = "_Layer", module = "arrayspan")]
pub(crate) struct Layer {
    operator: Operator,
    /// The operators for batches, those used last in front.
    lifted: Mutex<Vec<(usize, Operator)>>,
}

#[pymethods]
impl Layer {
    #[new]
    fn new(operator: &PyOperator) -> Self {
        Self { operator: operator.0.clone(), lifted: Mutex::default() }
    }

    /// ``A x``, or ``Aᴴ x``, of a tensor that is there, whether it is a part of a graph or not; ``None`` of any other, or if it does not fit.
    #[pyo3(signature = (x, adjoint, /))]
    fn apply<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        adjoint: bool,
    ) -> Result<Option<Bound<'py, PyAny>>> {
        if self.operator.devices().is_some() {
            return Ok(None);
        }
        let Some(torch) = torch::of(x) else { return Ok(None) };
        let Some(borrowed) = torch.read(x, true)? else { return Ok(None) };
        let (mut from, mut to) = (self.operator.domain(), self.operator.range());
        let mut direction = Direction::Forward;
        if adjoint {
            std::mem::swap(&mut from, &mut to);
            direction = Direction::Adjoint;
        }
        let view = borrowed.view();
        let Some(batch) = view.shape().strip_suffix(from.shape()) else { return Ok(None) };
        if view.dtype() != from.dtype() {
            return Ok(None);
        }
        let batch: Extents = batch.into();
        drop(view);
        let result = direction::run(x.py(), &self.operator, borrowed.on.device(), || {
            self.run(&batch, direction, &borrowed, to.shape())
        })?;
        let on = borrowed.hand_back()?;
        result.map(|result| torch.give(x.py(), result, &*on)).transpose()
    }
}

impl Layer {
    fn run(
        &self,
        batch: &[usize],
        direction: Direction,
        x: &Borrowed,
        to: &[usize],
    ) -> Result<Option<Array>> {
        if batch.is_empty() {
            return applied(&self.operator, direction, x.view(), &*x.on).map(Some);
        }
        let count = batch.iter().product();
        let from = x.view();
        let own = &from.shape()[batch.len()..];
        let whole: Extents = [count].iter().chain(own).copied().collect();
        // Where strides do not allow the axes in front to become one, torch copies.
        let Ok(from) = x.view().reshaped(&whole) else { return Ok(None) };
        let y = applied(&self.lifted(count)?, direction, from, &*x.on)?;
        let whole: Extents = batch.iter().chain(to).copied().collect();
        Ok(Some(y.reshaped(&whole)?))
    }

    /// The operator that does the same for each index of a first axis.
    fn lifted(&self, count: usize) -> Result<Operator> {
        {
            let mut kept = self.lifted.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(at) = kept.iter().position(|(of, _)| *of == count) {
                kept[..=at].rotate_right(1);
                return Ok(kept[0].1.clone());
            }
        }
        let lifted = self.operator.lifted(Lift::Leading(count))?;
        let mut kept = self.lifted.lock().unwrap_or_else(PoisonError::into_inner);
        kept.truncate(KEPT - 1);
        kept.insert(0, (count, lifted.clone()));
        Ok(lifted)
    }
}
