//! Sums of squares behind operators, minimised by conjugate gradients.

use arrayspan_bridge::{Array, View, ViewMut};
use arrayspan_kernels::{Executor, Update, Vector, VectorMut, widest_real};
use arrayspan_operators::{LinearMap, LinearOperator, Workspace};

use super::Scratch;
use super::functional::Misfit;
use crate::engine::scale::epsilon;
use crate::{Result, bytes};

/// `w/2 ‖A x - b‖²`; without `A` it is the identity, without `b` zero.
#[derive(Debug)]
pub(super) struct Square<'a> {
    pub(super) a: Option<&'a dyn LinearMap>,
    pub(super) target: Option<View<'a>>,
    /// On the device.
    pub(super) weight: View<'a>,
}

impl<'a> Square<'a> {
    /// A misfit, with a weight on the device that takes the place of its own.
    pub(super) fn of(misfit: Misfit<'a>, weight: View<'a>) -> Self {
        Self { a: misfit.a, target: misfit.b, weight }
    }
}

/// What conjugate gradients keep of a square.
struct Part {
    /// `b - A x`
    residual: Array,
    /// `A p`
    image: Array,
    /// `‖A p‖²`
    size: Array,
    workspace: Option<Workspace>,
}

/// Makes the sum of squares less, by so many steps from `x` on: conjugate gradients on the normal equations, which are not formed.
///
/// All of it is enqueued; nothing waits. Steps are zero once the gradient is no more than the rounding
/// errors of its own computation, so that an iteration too many changes nothing.
pub(super) fn descend(
    on: &dyn Executor,
    scratch: &mut Scratch,
    squares: &[Square<'_>],
    x: &mut ViewMut<'_>,
    iterations: usize,
) -> Result<()> {
    let (shape, dtype) = (x.shape().to_vec(), x.dtype());
    let mut parts = Vec::with_capacity(squares.len());
    for square in squares {
        parts.push(Part::new(on, scratch, square, x)?);
    }
    let mut gradient = scratch.take(on, &shape, dtype)?;
    let mut direction = scratch.take(on, &shape, dtype)?;
    let mut numbers = Numbers::new(on, scratch)?;

    descent(on, squares, &mut parts, &mut gradient)?;
    gradient.norm_squared_into(on, &mut numbers.old)?;
    direction.assign_on(on, &gradient)?;
    numbers.begin(on, squares, &mut parts)?;
    for _ in 0..iterations {
        for (square, part) in squares.iter().zip(&mut parts) {
            part.look(on, square, &direction)?;
        }
        numbers.step(on, squares, &parts, epsilon(dtype))?;
        let length = &numbers.length;
        x.add_scaled_on(on, length, &direction)?;
        for Part { residual, image, .. } in &mut parts {
            residual.update_on(on, |residual| residual - length * &*image)?;
        }
        descent(on, squares, &mut parts, &mut gradient)?;
        gradient.norm_squared_into(on, &mut numbers.new)?;
        let ratio = numbers.new.div_or_zero(&numbers.old);
        direction.update_on(on, |direction| &gradient + ratio * direction)?;
        numbers.turn(on)?;
    }

    for Part { residual, image, size, workspace } in parts {
        scratch.give_all([residual, image, size]);
        scratch.give_workspace(workspace);
    }
    scratch.give_all([gradient, direction]);
    numbers.give(scratch);
    Ok(())
}

/// The bytes that [`descend`] takes for squares behind these operators.
pub(super) fn memory(
    space: &arrayspan_operators::Space,
    operators: &[Option<&dyn LinearMap>],
) -> usize {
    use super::functional::NUMBER;
    let own = bytes::of(space).saturating_mul(2).saturating_add(7 * NUMBER);
    let part = |a: Option<&dyn LinearMap>| {
        let (range, work) = a.map_or((space, 0), |a| (a.range(), a.workspace()));
        bytes::of(range).saturating_mul(2).saturating_add(work).saturating_add(NUMBER)
    };
    bytes::total(operators.iter().copied().map(part).chain([own]))
}

/// The numbers of conjugate gradients, on the device.
struct Numbers {
    /// The squared gradient, before a step and after it.
    old: Array,
    new: Array,
    /// `Σ w ‖A p‖²`, and the length of the step.
    curvature: Array,
    length: Array,
    /// `‖p‖²`
    size: Array,
    /// The largest `Σ w ‖A p‖² / ‖p‖²` so far.
    bound: Array,
    /// `Σ w ‖b - A x‖²` at the start.
    whole: Array,
}

/// The gradient's rounding error, in `ε √(bound · whole)`.
const LEVEL: f64 = 4.0;

impl Numbers {
    fn new(on: &dyn Executor, scratch: &mut Scratch) -> Result<Self> {
        let mut number = || scratch.number(on, 0.0);
        Ok(Self {
            old: number()?,
            new: number()?,
            curvature: number()?,
            length: number()?,
            size: number()?,
            bound: number()?,
            whole: number()?,
        })
    }

    fn begin(
        &mut self,
        on: &dyn Executor,
        squares: &[Square<'_>],
        parts: &mut [Part],
    ) -> Result<()> {
        for (square, Part { residual, size, .. }) in squares.iter().zip(parts) {
            residual.norm_squared_into(on, &mut *size)?;
            self.whole.add_scaled_on(on, &square.weight, &*size)?;
        }
        Ok(self.size.assign_on(on, &self.old)?)
    }

    /// The length of the step.
    fn step(
        &mut self,
        on: &dyn Executor,
        squares: &[Square<'_>],
        parts: &[Part],
        epsilon: f64,
    ) -> Result<()> {
        let Self { old, curvature, length, size, bound, whole, .. } = self;
        curvature.assign_on(on, 0.0)?;
        for (square, part) in squares.iter().zip(parts) {
            curvature.add_scaled_on(on, &square.weight, &part.size)?;
        }
        bound.update_on(on, |bound| bound.maximum(curvature.div_or_zero(&*size)))?;
        let level = (LEVEL * epsilon).powi(2) * &*whole * &*bound;
        let excess = (&*old - level).maximum(0.0);
        let go = excess.clone().div_or_zero(excess);
        Ok(length.assign_on(on, go * old.div_or_zero(&*curvature))?)
    }

    /// To the next step, whose direction is the gradient and a share of the last one, which is orthogonal to it.
    fn turn(&mut self, on: &dyn Executor) -> Result<()> {
        let Self { old, new, size, .. } = self;
        let ratio = new.div_or_zero(&*old);
        size.update_on(on, |size| &*new + ratio.abs2() * size)?;
        std::mem::swap(old, new);
        Ok(())
    }

    fn give(self, scratch: &mut Scratch) {
        let Self { old, new, curvature, length, size, bound, whole } = self;
        scratch.give_all([old, new, curvature, length, size, bound, whole]);
    }
}

impl Part {
    /// With `b - A x` as it is.
    fn new(
        on: &dyn Executor,
        scratch: &mut Scratch,
        square: &Square<'_>,
        x: &ViewMut<'_>,
    ) -> Result<Self> {
        let (shape, dtype) =
            square.a.map_or((x.shape(), x.dtype()), |a| (a.range().shape(), a.range().dtype()));
        let mut residual = scratch.take(on, shape, dtype)?;
        let image = scratch.take(on, shape, dtype)?;
        let size = scratch.take(on, &[], widest_real(on.device()))?;
        let mut workspace = square.a.map(|a| scratch.workspace(a, on)).transpose()?;
        match &square.target {
            Some(target) => on.copy(target.clone(), residual.view_mut(), Update::set())?,
            None => residual.assign_on(on, 0.0)?,
        }
        let subtract = Update::new(-1.0, 1.0);
        match (square.a, &mut workspace) {
            (Some(a), Some(workspace)) => {
                a.apply_with(workspace, on, x.view(), residual.view_mut(), subtract)?;
            }
            _ => on.copy(x.view(), residual.view_mut(), subtract)?,
        }
        Ok(Self { residual, image, size, workspace })
    }

    /// `A p` and its size.
    fn look(&mut self, on: &dyn Executor, square: &Square<'_>, direction: &Array) -> Result<()> {
        let Self { image, size, workspace, .. } = self;
        match (square.a, workspace) {
            (Some(a), Some(workspace)) => {
                a.apply_with(workspace, on, direction.view(), image.view_mut(), Update::set())?;
            }
            _ => on.copy(direction.view(), image.view_mut(), Update::set())?,
        }
        Ok(image.norm_squared_into(on, size)?)
    }
}

/// `Σ w Aᴴ (b - A x)`
fn descent(
    on: &dyn Executor,
    squares: &[Square<'_>],
    parts: &mut [Part],
    gradient: &mut Array,
) -> Result<()> {
    for (number, (square, part)) in squares.iter().zip(parts).enumerate() {
        let update = Update::new(&square.weight, if number == 0 { 0.0 } else { 1.0 });
        let Part { residual, workspace, .. } = part;
        let out = gradient.view_mut();
        match (square.a, workspace) {
            (Some(a), Some(workspace)) => {
                a.apply_adjoint_with(workspace, on, residual.view(), out, update)?;
            }
            _ => on.copy(residual.view(), out, update)?,
        }
    }
    Ok(())
}
