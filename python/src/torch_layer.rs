//! Operators for tensors of torch with any axes in front.

use arrayspan::bridge::{Array, Relayout};
use arrayspan::operators::LinearMap;
use pyo3::prelude::*;

use crate::batches::Batches;
use crate::direct::borrowed::{Borrowed, applied};
use crate::direct::objects::Extents;
use crate::direct::torch;
use crate::direction::{self, Direction};
use crate::error::Result;
use crate::operator::PyOperator;

/// An operator for tensors with any axes in front of its own.
#[pyclass(frozen, name = "_Layer", module = "arrayspan")]
pub(crate) struct Layer(Batches);

#[pymethods]
impl Layer {
    #[new]
    fn new(operator: &PyOperator) -> Self {
        Self(Batches::new(operator.0.clone()))
    }

    /// ``A x``, or ``Aᴴ x``, of a tensor that is there, whether it is a part of a graph or not; ``None`` of any other, or if it does not fit.
    #[pyo3(signature = (x, adjoint, /))]
    fn apply<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        adjoint: bool,
    ) -> Result<Option<Bound<'py, PyAny>>> {
        if self.0.operator.devices().is_some() {
            return Ok(None);
        }
        let Some(torch) = torch::of(x) else { return Ok(None) };
        let Some(borrowed) = torch.read(x, true)? else { return Ok(None) };
        let direction = Direction::of(adjoint);
        let [from, to] = direction.spaces(&self.0.operator);
        let view = borrowed.view();
        let Some(batch) = view.shape().strip_suffix(from.shape()) else { return Ok(None) };
        if view.dtype() != from.dtype() {
            return Ok(None);
        }
        let batch: Extents = batch.into();
        drop(view);
        let result = direction::run(x.py(), &self.0.operator, borrowed.on.device(), || {
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
            return applied(&self.0.operator, direction, x.view(), &*x.on).map(Some);
        }
        let count = batch.iter().product();
        let from = x.view();
        let own = &from.shape()[batch.len()..];
        let whole: Extents = [count].iter().chain(own).copied().collect();
        // Where strides do not allow the axes in front to become one, torch copies.
        let Ok(from) = x.view().reshaped(&whole) else { return Ok(None) };
        let y = applied(&self.0.of(count)?, direction, from, &*x.on)?;
        let whole: Extents = batch.iter().chain(to).copied().collect();
        Ok(Some(y.reshaped(&whole)?))
    }
}
