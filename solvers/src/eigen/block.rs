//! Blocks of vectors, row by row: what operators and small matrices make of them.

use arrayspan_bridge::{Array, Relayout, View, ViewMut};
use arrayspan_kernels::{Executor, Update, Vector, VectorMut, input, previous};
use arrayspan_operators::{Lift, LinearMap, LinearOperator, Operator};
use num_complex::Complex64;

use super::applied::Applied;
use super::basis::Basis;
use crate::Result;
use crate::dense::{Small, download};
use crate::engine::read::reals;
use crate::engine::scale::times;

/// An operator for many vectors at once, scaled to be near 1.
#[derive(Debug)]
pub(super) struct Block<'a> {
    pub(super) operator: &'a Operator,
    pub(super) on: &'a dyn Executor,
    scale: i32,
    /// `‖x‖²` before and after something was taken out of it, whether it is more than rounding errors, and the reciprocal of its length.
    numbers: [Array; 3],
}

impl<'a> Block<'a> {
    /// With the scale that `a` has measured.
    pub(super) fn new(a: &Applied<'a>, operator: &'a Operator) -> Result<Self> {
        let numbers = [a.scalars(&[])?, a.scalars(&[])?, a.scalars(&[])?];
        Ok(Self { operator, on: a.on, scale: a.scale(), numbers })
    }

    /// `A x` of each row of `x`, or `Aᴴ x`, scaled. Enqueued.
    pub(super) fn apply(&self, adjoint: bool, x: View<'_>, y: ViewMut<'_>) -> Result<()> {
        let mut y = y;
        applied(self.operator, self.on, adjoint, x, y.reborrow())?;
        if self.scale != 0 {
            let dtype = y.dtype();
            y.update_on(self.on, |y| times(self.scale, dtype, y))?;
        }
        Ok(())
    }

    /// Makes rows `from..to` orthonormal, each against all before it; those that are no more than rounding errors of what they
    /// were become zero, and 0 in `going`, which the others are 1 in. Enqueued.
    pub(super) fn orthonormalise(
        &mut self,
        basis: &mut Basis,
        (from, to): (usize, usize),
        lost: f64,
        going: &mut Array,
    ) -> Result<()> {
        let on = self.on;
        let [before, after, inverse] = &mut self.numbers;
        for at in from..to {
            basis.row(at)?.norm_squared_into(on, &mut *before)?;
            basis.orthogonalise(on, at)?;
            basis.row(at)?.norm_squared_into(on, &mut *after)?;
            let goes = || super::applied::more_than(lost);
            let going = going.view_mut().selected(0, at)?;
            let length = goes() * arrayspan_kernels::constant(1.0).div_or_zero(input(0).sqrt());
            on.map_many(
                &[after.view(), before.view()],
                [(goes(), going), (length, inverse.view_mut())],
            )?;
            on.map(&(previous() * input(0)), &[inverse.view()], basis.row_mut(at)?)?;
        }
        Ok(())
    }

    /// The squares of the lengths of rows. Waits for them.
    pub(super) fn lengths(&self, x: &View<'_>, squares: &mut Array) -> Result<Vec<f64>> {
        let count = x.shape()[0];
        for at in 0..count {
            let out = squares.view_mut().selected(0, at)?;
            x.clone().selected(0, at)?.norm_squared_into(self.on, out)?;
        }
        let all = reals(&squares.view().sliced(0, 0, count)?)?;
        Ok(all.into_iter().map(f64::sqrt).collect())
    }
}

/// What an operator needs between its parts, of so many vectors at once.
pub(super) fn workspace(operator: &Operator, count: usize) -> Result<usize> {
    Ok(LinearMap::workspace(&operator.lifted(Lift::Leading(count))?))
}

/// `A x` of each row of `x`, or `Aᴴ x`. Enqueued.
pub(crate) fn applied(
    operator: &Operator,
    on: &dyn Executor,
    adjoint: bool,
    x: View<'_>,
    y: ViewMut<'_>,
) -> Result<()> {
    if x.shape()[0] == 0 {
        return Ok(());
    }
    let many = operator.lifted(Lift::Leading(x.shape()[0]))?;
    let (from, to) =
        if adjoint { (many.range(), many.domain()) } else { (many.domain(), many.range()) };
    let (x, y) = (x.reshaped(from.shape())?, y.reshaped(to.shape())?);
    if adjoint {
        many.apply_adjoint(on, x, y, Update::set())?;
    } else {
        many.apply(on, x, y, Update::set())?;
    }
    Ok(())
}

/// `<xᵢ, yⱼ>` of rows, on the host. Waits for it.
pub(super) fn products(on: &dyn Executor, x: View<'_>, y: View<'_>) -> Result<Small<Complex64>> {
    let (rows, columns) = (x.shape()[0], y.shape()[0]);
    let mut small = on.empty(&[rows, columns], x.dtype())?;
    on.gemm(x, true, y.permuted(&[1, 0])?, small.view_mut(), Update::set())?;
    download(&small.view())
}
