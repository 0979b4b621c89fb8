//! What the next column of scalars is computed by.

use arrayspan_bridge::{Relayout, View, ViewMut};
use arrayspan_kernels::{Executor, Expression};

use crate::Result;

/// The most arrays of one launch, which takes 64 arguments: two for each array, and one for each constant.
const ARRAYS: usize = 27;

/// An expression for each row of the state.
pub(crate) type State = Vec<Expression>;

/// Fills a column of the state, in one launch where that takes all arrays. Parts that rows share are computed once in each.
pub(super) fn fill<'a>(
    on: &dyn Executor,
    inputs: &[View<'a>],
    state: &[Expression],
    column: ViewMut<'a>,
) -> Result<()> {
    let mut rest = column.selected(0, 0)?;
    for part in state.chunks(ARRAYS.saturating_sub(inputs.len()).max(1)) {
        let mut rows = Vec::with_capacity(part.len());
        for expression in part {
            let (row, left) = rest.split_at(0, 1)?;
            rows.push((expression.clone(), row.selected(0, 0)?));
            rest = left;
        }
        on.map_many(inputs, rows)?;
    }
    Ok(())
}
