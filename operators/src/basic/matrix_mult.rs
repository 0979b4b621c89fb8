//! Multiplication by a dense matrix along the first axis.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Layout, Relayout, SharedArray, View, ViewMut};
use arrayspan_kernels::Update;

use crate::{Context, Error, LinearMap, Result, Space};

/// `y[i, …] = Σⱼ A[i, j] x[j, …]`; domain `[columns, others…]`, range `[rows, others…]`.
///
/// Any strides of the matrix, of `x` and of `y` are taken as they are. Units: those of `A x`. Complex: linear.
/// Cost: 1 launch (one per slice where the other axes of `x` or `y` do not follow each other in memory);
/// each element of `A`, `x` and `y` once (test `bytes::matrix_mult`).
///
/// Golden: PyLops 2.8.0 `MatrixMult`.
#[derive(Clone, Debug)]
pub struct MatrixMult {
    matrix: SharedArray,
    domain: Space,
    range: Space,
}

impl MatrixMult {
    const NAME: &str = "MatrixMult";

    /// Multiplies by `matrix`, `[rows, columns]`, for each index of the `others` axes alike.
    ///
    /// # Errors
    /// [`Error::Parameter`] when the matrix is not two-dimensional or its dtype not one to compute with;
    /// [`Error::TooLarge`] when a space cannot be addressed.
    pub fn new(matrix: SharedArray, others: &[usize]) -> Result<Self> {
        let &[rows, columns] = matrix.shape() else {
            let why = format!("a matrix of shape {:?}, not [rows, columns]", matrix.shape());
            return Error::parameter(Self::NAME, why);
        };
        let space = |extent| Space::of(Self::NAME, [&[extent], others].concat(), matrix.dtype());
        let (domain, range) = (space(columns)?, space(rows)?);
        domain.computable(Self::NAME)?;
        range.computable(Self::NAME)?;
        Ok(Self { matrix, domain, range })
    }
}

/// `y ← alpha · a x + beta · y`, or with `conj(a)`, over the first axis of `x` and `y`.
fn multiply(
    on: &Context<'_>,
    (a, conjugate): (View<'_>, bool),
    x: View<'_>,
    y: ViewMut<'_>,
    update: Update,
) -> Result<()> {
    if let Some((x_shape, y_shape, order)) = as_batch(x.layout(), y.layout()) {
        let x = x.permuted(&order)?.reshaped(&x_shape)?;
        let y = y.permuted(&order)?.reshaped(&y_shape)?;
        let a = a.broadcast(&[x_shape[0], y_shape[1], x_shape[1]])?;
        return Ok(on.gemm(a, conjugate, x, y, update)?);
    }
    let mut rest = y;
    for index in 0..x.shape()[1] {
        let (slice, after) = rest.split_at(1, 1)?;
        multiply(on, (a.clone(), conjugate), x.clone().sliced(1, index, 1)?, slice, update)?;
        rest = after;
    }
    Ok(())
}

/// How both arrays are a batch of matrices without moving an element: the shapes `[batch, rows, columns]`
/// after the axes are put in this order. The first axes but the rows become the batch, as few as possible;
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

impl LinearMap for MatrixMult {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn domain(&self) -> &Space {
        &self.domain
    }

    fn range(&self) -> &Space {
        &self.range
    }

    fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        multiply(&on, (self.matrix.view(), false), x, y, update)
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        multiply(&on, (self.matrix.view().permuted(&[1, 0])?, true), y, x, update)
    }

    fn device(&self) -> Option<Device> {
        Some(self.matrix.device())
    }
}
