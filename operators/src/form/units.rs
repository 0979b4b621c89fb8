//! Columns of matrices, many at once.

use std::sync::Arc;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, Relayout, ViewMut};
use arrayspan_kernels::{Executor, Update, constant};

use crate::{Devices, Lift, LinearMap, LinearOperator, Operator, Result, Space, Workspace};

/// The bytes of models, data and what is between them that columns are found with at once.
const MOST_BYTES: usize = 1 << 24;

/// What applies an operator to unit vectors: to many of them at once, of which it has as few launches as of one.
#[derive(Debug)]
pub(crate) struct Units {
    lifted: Operator,
    workspace: Workspace,
    /// `[columns, count]`, zeros between two uses.
    models: Array,
    columns: usize,
    count: usize,
}

impl Units {
    /// Those of an operator, on the device of its models, which `on` computes on.
    pub(crate) fn of(operator: &Operator, on: &dyn Executor) -> Result<Self> {
        let (domain, range) = (operator.domain(), operator.range());
        let bytes = |space: &Space| space.len().saturating_mul(space.dtype().bytes());
        // What is between models and data may be much larger than both.
        let between = operator.elsewhere().into_iter().map(|(_, bytes)| bytes);
        let between = between.fold(LinearMap::workspace(operator), usize::saturating_add);
        let ends = bytes(domain).saturating_add(bytes(range));
        let each = ends.saturating_add(between).max(1);
        let columns = domain.len();
        let count = (MOST_BYTES / each).clamp(columns.min(1), columns);
        let lifted = operator.lifted(Lift::Trailing(count))?;
        let workspace = Workspace::of(&lifted, on)?;
        let mut models = on.empty(&[columns, count], domain.dtype())?;
        on.map(&constant(0.0), &[], models.view_mut())?;
        Ok(Self { lifted, workspace, models, columns, count })
    }

    /// Where blocks of columns begin. The last one begins where it ends with the last column, so that columns may be in two.
    pub(crate) fn starts(&self) -> impl Iterator<Item = usize> + use<> {
        let last = self.columns - self.count;
        (0..self.columns).step_by(self.count.max(1)).map(move |at| at.min(last))
    }

    /// How many columns there are in a block.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The block that begins at a column, into `data`, `[rows, count]` with any strides. Enqueued; does not wait.
    pub(crate) fn block(
        &mut self,
        on: &dyn Executor,
        start: usize,
        data: ViewMut<'_>,
    ) -> Result<()> {
        self.ones(on, start, 1.0)?;
        let x = self.models.view().reshaped(self.lifted.domain().shape())?;
        let y = data.reshaped(self.lifted.range().shape())?;
        self.lifted.apply_with(&mut self.workspace, on, x, y, Update::set())?;
        self.ones(on, start, 0.0)
    }

    /// Writes to element `start + k` of each model `k`.
    fn ones(&mut self, on: &dyn Executor, start: usize, value: f64) -> Result<()> {
        let (columns, count) = (self.columns, self.count);
        let all = self.models.view_mut().reshaped(&[columns * count])?;
        // From one to the next it is a row and an element.
        let diagonal = all.sliced(0, start * count, count * count)?.stepped(0, count + 1)?;
        Ok(on.map(&constant(value), &[], diagonal)?)
    }
}

impl Operator {
    /// What computes on the device of its models, or on the CPU if it is not bound to one.
    pub(crate) fn executor(&self) -> Result<Arc<dyn Executor>> {
        let devices = self.devices().unwrap_or(Devices::both(Device::cpu()));
        Ok(arrayspan_kernels::on(devices.domain)?)
    }
}
