//! Dense matrices along an axis.

use arrayspan_bridge::{Layout, Relayout, SharedArray, View, ViewMut};
use arrayspan_kernels::Update;

use super::same::same_array;
use crate::{Context, Result};

/// A dense matrix as it is applied.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    /// `[rows, columns]`
    pub(crate) array: SharedArray,
    pub(crate) axis: usize,
    pub(crate) transposed: bool,
    pub(crate) conjugated: bool,
}

impl Matrix {
    pub(super) fn same(&self, other: &Self) -> bool {
        let how = |matrix: &Self| (matrix.axis, matrix.transposed, matrix.conjugated);
        how(self) == how(other) && same_array(&self.array, &other.array)
    }

    pub(super) fn run(
        &self,
        on: &Context<'_>,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        let array = self.array.view();
        let array = if self.transposed { array.permuted(&[1, 0])? } else { array };
        let a = (array, self.conjugated);
        match (x.shape().len(), self.axis) {
            // As they are, and as most are.
            (2, 0) => Ok(on.gemm(a.0, a.1, x, y, update)?),
            (2, _) => {
                let (x, y) = (x.permuted(&[1, 0])?, y.permuted(&[1, 0])?);
                Ok(on.gemm(a.0, a.1, x, y, update)?)
            }
            (_, 0) => multiply(on, a, x, y, update),
            (rank, axis) => {
                let others = (0..rank).filter(|other| *other != axis);
                let order: Vec<usize> = std::iter::once(axis).chain(others).collect();
                multiply(on, a, x.permuted(&order)?, y.permuted(&order)?, update)
            }
        }
    }
}

/// `y ← alpha · a x + beta · y`, or with `conj(a)`, over the first axis of `x` and `y`. What is no batch goes slice by slice, each
/// with an axis less.
fn multiply(
    on: &Context<'_>,
    (a, conjugate): (View<'_>, bool),
    x: View<'_>,
    y: ViewMut<'_>,
    update: Update,
) -> Result<()> {
    if x.shape().len() == 2 {
        return Ok(on.gemm(a, conjugate, x, y, update)?);
    }
    if let Some((x_shape, y_shape, order)) = as_batch(x.layout(), y.layout()) {
        let x = x.permuted(&order)?.reshaped(&x_shape)?;
        let y = y.permuted(&order)?.reshaped(&y_shape)?;
        let a = a.broadcast(&[x_shape[0], y_shape[1], x_shape[1]])?;
        return Ok(on.gemm(a, conjugate, x, y, update)?);
    }
    let mut rest = y;
    for index in 0..x.shape()[1] {
        let (slice, after) = rest.split_at(1, 1)?;
        let (x, y) = (x.clone().selected(1, index)?, slice.selected(1, 0)?);
        multiply(on, (a.clone(), conjugate), x, y, update)?;
        rest = after;
    }
    Ok(())
}

/// How both arrays are a batch of matrices without moving an element: the shapes `[batch, rows, columns]`
/// after the axes are put in this order. The first axes behind the rows become the batch, as few as possible;
/// the last ones the columns.
fn as_batch(x: &Layout, y: &Layout) -> Option<([usize; 3], [usize; 3], Vec<usize>)> {
    (1..=x.rank()).find_map(|split| {
        let order: Vec<usize> = (1..split).chain([0]).chain(split..x.rank()).collect();
        let batch = x.shape()[1..split].iter().product();
        let columns = x.shape()[split..].iter().product();
        let shapes = [x, y].map(|layout| [batch, layout.shape()[0], columns]);
        let fits = |layout: &Layout, shape: &[usize]| {
            layout.permuted(&order).and_then(|layout| layout.reshaped(shape)).is_ok()
        };
        (fits(x, &shapes[0]) && fits(y, &shapes[1])).then_some((shapes[0], shapes[1], order))
    })
}
