//! Blocks of vectors `[len, count]` on a device.

use arrayspan_bridge::{Array, DType, Relayout, View};
use arrayspan_kernels::{Executor, Update, constant, input, previous, widest_real};
use num_complex::Complex64;

use super::small::Small;
use crate::laws::values::numbers;
use crate::{Lift, LinearMap, LinearOperator, Operator, Result};

/// `A X`, or `Aᴴ X`, of a block.
pub(super) fn applied(
    operator: &Operator,
    adjoint: bool,
    on: &dyn Executor,
    x: &Array,
) -> Result<Array> {
    let lifted = operator.lifted(Lift::Trailing(x.shape()[1]))?;
    let mut y = on.empty(x.shape(), x.dtype())?;
    let shape = lifted.domain().shape();
    let from = x.view().reshaped(shape)?;
    let to = y.view_mut().reshaped(shape)?;
    if adjoint {
        lifted.apply_adjoint(on, from, to, Update::set())?;
    } else {
        lifted.apply(on, from, to, Update::set())?;
    }
    Ok(y)
}

/// `tr(Xᴴ Y)`, in the widest numbers of the device. Waits for it.
pub(super) fn dot(on: &dyn Executor, x: &Array, y: &Array) -> Result<Complex64> {
    let product = || input(0).conj() * input(1);
    let mut parts = on.empty(&[2], widest_real(on.device()))?;
    for (at, part) in [product().re(), product().im()].into_iter().enumerate() {
        on.sum(&part, &[x.view(), y.view()], parts.view_mut().selected(0, at)?)?;
    }
    let parts = numbers(&parts.view())?;
    Ok(Complex64::new(parts[0].re, parts[1].re))
}

/// `Xᴴ Y`, on the host. Waits for the device.
pub(super) fn product(on: &dyn Executor, x: &Array, y: &Array) -> Result<Small> {
    let (rows, columns) = (x.shape()[1], y.shape()[1]);
    let mut small = on.empty(&[rows, columns], x.dtype())?;
    on.gemm(x.view().permuted(&[1, 0])?, true, y.view(), small.view_mut(), Update::set())?;
    Ok(Small::new(rows, columns, numbers(&small.view())?))
}

/// `X - Q (Qᴴ X)`: what is orthogonal to the columns of `Q`, which are so to each other. Enqueued; does not wait.
pub(super) fn deflated(on: &dyn Executor, q: &Array, x: &mut Array) -> Result<()> {
    let mut small = on.empty(&[q.shape()[1], x.shape()[1]], x.dtype())?;
    on.gemm(q.view().permuted(&[1, 0])?, true, x.view(), small.view_mut(), Update::set())?;
    Ok(on.gemm(q.view(), false, small.view(), x.view_mut(), Update::new(-1.0, 1.0))?)
}

/// Makes the columns orthonormal, each against those before it, twice (Giraud, Langou, Rozložník and van den Eshof, Numerische
/// Mathematik 101, 2005). One that depends on those before it up to rounding becomes zero. Waits for each.
pub(super) fn orthonormalise(on: &dyn Executor, q: &mut Array) -> Result<()> {
    let single = q.dtype().real() == DType::Float32;
    let epsilon = if single { f64::from(f32::EPSILON) } else { f64::EPSILON };
    scale_to_one(on, q)?;
    for column in 0..q.shape()[1] {
        let (before, rest) = q.view_mut().split_at(1, column)?;
        let mut own = rest.sliced(1, 0, 1)?;
        let start = norm(on, own.view())?;
        let mut left = start;
        for _ in 0..2 {
            if column > 0 {
                let mut parts = on.empty(&[column, 1], own.dtype())?;
                let (known, turned) = (before.view(), before.view().permuted(&[1, 0])?);
                on.gemm(turned, true, own.view(), parts.view_mut(), Update::set())?;
                on.gemm(known, false, parts.view(), own.reborrow(), Update::new(-1.0, 1.0))?;
                left = norm(on, own.view())?;
            }
        }
        if !left.is_finite() {
            // What is not a number stays so, and tells.
            continue;
        }
        let lost = left <= 64.0 * epsilon * start || start < TINY;
        let factor = if lost { constant(0.0) } else { constant(1.0 / left) * previous() };
        on.map(&factor, &[], own)?;
    }
    Ok(())
}

/// Columns that are so much smaller than the largest count as zero: their reciprocals are numbers of every dtype.
const TINY: f64 = 1e-30;

/// Multiplies so that the sum of all elements is near 1 in size, and squares are numbers.
fn scale_to_one(on: &dyn Executor, q: &mut Array) -> Result<()> {
    let factor = to_one(on, q)?;
    multiply(on, q, factor)
}

/// What makes the sum of all elements near 1 in size, if anything does. Waits for it.
pub(super) fn to_one(on: &dyn Executor, q: &Array) -> Result<f64> {
    let size = input(0).re().abs() + input(0).im().abs();
    let mut sum = on.empty(&[], widest_real(on.device()))?;
    on.sum(&size, &[q.view()], sum.view_mut())?;
    let sum = numbers(&sum.view())?[0].re;
    if sum.is_nan() || sum <= 0.0 || sum.is_infinite() {
        return Ok(1.0);
    }
    let single = q.dtype().real() == DType::Float32;
    let most = if single { f64::from(f32::MAX) } else { f64::MAX };
    let least = if single { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
    Ok((1.0 / sum).clamp(least, most))
}

pub(super) fn multiply(on: &dyn Executor, q: &mut Array, factor: f64) -> Result<()> {
    Ok(on.map(&(constant(factor) * previous()), &[], q.view_mut())?)
}

fn norm(on: &dyn Executor, x: View<'_>) -> Result<f64> {
    let mut square = on.empty(&[], widest_real(on.device()))?;
    on.sum(&input(0).abs2(), &[x], square.view_mut())?;
    Ok(numbers(&square.view())?[0].re.sqrt())
}
