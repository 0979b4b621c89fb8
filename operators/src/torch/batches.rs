//! An operator and those that do the same to batches.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use arrayspan_bridge::devices::Stream;
use arrayspan_bridge::torch::LinearFunction;
use arrayspan_bridge::{Array, Relayout, View};
use arrayspan_kernels::Update;

use super::executors::executor;
use crate::arguments::Side;
use crate::operator::new;
use crate::{Error, Lift, LinearMap, LinearOperator, Operator, Result};

/// Batches of more sizes than these are lifted anew. Loops have two: a full batch and the last one.
const KEPT: usize = 8;

/// An operator, for arrays with any number of axes in front of its own.
pub(super) struct Batches {
    pub(super) operator: Operator,
    /// The operators for batches, those used last in front.
    lifted: Mutex<Vec<(Vec<usize>, Operator)>>,
}

impl Batches {
    pub(super) fn new(operator: Operator) -> Self {
        Self { operator, lifted: Mutex::default() }
    }

    fn apply(&self, from: Side, x: View<'_>, on: &Stream) -> Result<Array> {
        let (own, to) = match from {
            Side::Model => (self.operator.domain(), self.operator.range()),
            Side::Data => (self.operator.range(), self.operator.domain()),
        };
        let Some(batch) = x.shape().strip_suffix(own.shape()) else {
            let (expected, found) = (own.shape().to_vec(), x.shape().to_vec());
            let (operator, argument) = (self.operator.name().to_owned(), from.name());
            return Err(Error::Shape { operator, argument, expected, found });
        };
        if batch.is_empty() {
            return applied(&self.operator, from, x, on);
        }
        let whole = [batch, to.shape()].concat();
        let batch = batch.to_vec();
        // As one axis where the strides allow it: then operators for all shapes of a batch are one.
        let count = batch.iter().try_fold(1_usize, |count, &extent| count.checked_mul(extent));
        let merged = count.and_then(|count| {
            let shape = [&[count], own.shape()].concat();
            Some((vec![count], x.clone().reshaped(&shape).ok()?))
        });
        let (axes, x) = merged.unwrap_or((batch, x));
        let y = applied(&self.lifted(&axes)?, from, x, on)?;
        Ok(y.reshaped(&whole)?)
    }

    /// The operator that does the same for each index of further axes.
    fn lifted(&self, axes: &[usize]) -> Result<Operator> {
        {
            let mut kept = self.lifted.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(at) = kept.iter().position(|(of, _)| of == axes) {
                kept[..=at].rotate_right(1);
                return Ok(kept[0].1.clone());
            }
        }
        let lift = |inner: Operator, &count: &usize| inner.lifted(Lift::Leading(count));
        let lifted = axes.iter().rev().try_fold(self.operator.clone(), lift)?;
        let mut kept = self.lifted.lock().unwrap_or_else(PoisonError::into_inner);
        kept.truncate(KEPT - 1);
        kept.insert(0, (axes.to_vec(), lifted.clone()));
        Ok(lifted)
    }
}

fn applied(operator: &Operator, from: Side, x: View<'_>, on: &Stream) -> Result<Array> {
    let (on, devices) = (executor(on)?, operator.devices());
    if from == Side::Model {
        let mut y = new(operator.range(), &*on, devices.map(|devices| devices.range))?;
        operator.apply(&*on, x, y.view_mut(), Update::set())?;
        Ok(y)
    } else {
        let mut y = new(operator.domain(), &*on, devices.map(|devices| devices.domain))?;
        operator.apply_adjoint(&*on, x, y.view_mut(), Update::set())?;
        Ok(y)
    }
}

impl LinearFunction for Batches {
    type Error = Error;

    fn name(&self) -> &str {
        self.operator.name()
    }

    fn forward(&self, x: View<'_>, on: &Stream) -> Result<Array> {
        self.apply(Side::Model, x, on)
    }

    fn adjoint(&self, y: View<'_>, on: &Stream) -> Result<Array> {
        self.apply(Side::Data, y, on)
    }
}

impl fmt::Debug for Batches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.operator.fmt(f)
    }
}
