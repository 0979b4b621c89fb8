//! Updates, as elementwise verbs.

use arrayspan_bridge::{Array, DType, ViewMut};
use arrayspan_kernels::{Executor, Expression, Factor, Update, computed, constant, previous};

use crate::Result;

/// The operations of an update of what an expression computes.
pub(crate) fn operations(result: &Expression, update: Update<'_>) -> usize {
    update.expression(result.clone(), &mut Vec::new()).operations()
}

/// The elements that [`scale`] reads beside those that it scales: of a dtype of which nothing is computed it copies a zero.
pub(crate) fn zeros_read(dtype: DType) -> usize {
    usize::from(!computed(dtype).is_computable())
}

/// `y ← beta · y`: the update where an operator has no entries.
pub(crate) fn scale(on: &dyn Executor, y: ViewMut<'_>, update: Update<'_>) -> Result<()> {
    if y.layout().is_empty() || update.beta == Factor::ONE {
        return Ok(());
    }
    if !computed(y.dtype()).is_computable() {
        // What is only moved is only set.
        let zero = Array::zeros([], y.dtype(), on.stream())?;
        let zeros = zero.view().broadcast(y.shape())?;
        return Ok(on.copy(zeros, y, Update::set())?);
    }
    let Some(beta) = update.beta.known() else {
        let update = Update { alpha: Factor::ONE, ..update };
        return Ok(on.map_updated(&constant(0.0), &[], y, update)?);
    };
    let scaled = constant(beta);
    let scaled = if update.reads() { scaled * previous() } else { scaled };
    Ok(on.map(&scaled, &[], y)?)
}
