//! What the next column of scalars is computed by.

use arrayspan_bridge::{Array, DType, Relayout, Transfer, View, ViewMut};
use arrayspan_kernels::{Executor, Expression, constant, input};

use crate::Result;

/// The most arrays of one launch, which takes 64 arguments: two for each array, and one for each constant.
const ARRAYS: usize = 27;

/// What fills the state.
#[derive(Clone, Debug)]
pub(crate) enum State {
    /// One expression for all rows, made by [`column`].
    Picked(Expression),
    /// One for each row, in one launch where it takes them all. Parts that they share are computed once in each.
    Each(Vec<Expression>),
}

/// The expressions of the rows of the state, of so many inputs, as one: their sum, each times a row of the identity matrix.
pub(crate) fn column(state: impl IntoIterator<Item = Expression>, inputs: usize) -> State {
    let rows = state.into_iter().enumerate();
    let picked = rows.map(|(row, value)| input(inputs + row) * value);
    State::Picked(picked.reduce(|sum, row| sum + row).unwrap_or_else(|| constant(0.0)))
}

/// The rows of an identity matrix.
pub(super) fn identity(on: &dyn Executor, dtype: DType, len: usize) -> Result<Array> {
    let one = |at: usize| if at.is_multiple_of(len + 1) { 1.0 } else { 0.0 };
    let shape = [len, len];
    let picks = match dtype {
        DType::Float32 => Array::from_vec((0..len * len).map(|at| one(at) as f32).collect(), shape),
        _ => Array::from_vec((0..len * len).map(one).collect::<Vec<f64>>(), shape),
    };
    let stream = on.stream();
    Ok(picks?.into_device_with(stream.device(), Transfer::CopyIfNeeded, stream)?.0)
}

/// Fills a column of the state in one launch.
pub(super) fn fill<'a>(
    on: &dyn Executor,
    picks: Option<&'a Array>,
    mut inputs: Vec<View<'a>>,
    state: &State,
    column: ViewMut<'a>,
) -> Result<()> {
    match state {
        State::Picked(expression) => {
            let column = column.selected(0, 0)?;
            // A row of the identity beside each right-hand side.
            let several = column.shape().len() > 1;
            for row in 0..picks.map_or(0, |picks| picks.shape()[0]) {
                let Some(pick) = picks.map(|picks| picks.view().selected(0, row)).transpose()?
                else {
                    break;
                };
                let len = pick.layout().len();
                inputs.push(if several { pick.reshaped(&[len, 1])? } else { pick });
            }
            Ok(on.map(expression, &inputs, column)?)
        }
        State::Each(expressions) => {
            let mut rest = column.selected(0, 0)?;
            for part in expressions.chunks(ARRAYS.saturating_sub(inputs.len()).max(1)) {
                let mut rows = Vec::with_capacity(part.len());
                for expression in part {
                    let (row, left) = rest.split_at(0, 1)?;
                    rows.push((expression.clone(), row.selected(0, 0)?));
                    rest = left;
                }
                on.map_many(&inputs, rows)?;
            }
            Ok(())
        }
    }
}
