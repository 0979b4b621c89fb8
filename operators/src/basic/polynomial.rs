//! Polynomials along an axis, from their coefficients.

use std::sync::Arc;

use arrayspan_bridge::{Array, DType, Relayout, SharedArray, View, ViewMut};
use arrayspan_kernels::{Executor, Expression, Update, input};

use crate::{Context, Devices, Error, LinearMap, Operator, Result, Space, scratch_bytes};

/// Coefficients that one pass takes: moments of one call.
const AT_ONCE: usize = 8;

/// The highest order. Powers of higher ones leave every dtype, and a kernel names each multiplication.
const MOST_ORDER: usize = 255;

/// `y[…, j, …] = Σₖ tⱼᵏ x[…, k, …]` along one axis.
#[derive(Debug)]
pub(super) struct Polynomial {
    name: &'static str,
    domain: Space,
    range: Space,
    axis: usize,
    /// The positions, of extent 1 along other axes.
    positions: SharedArray,
    passes: Vec<Pass>,
    /// All moments at once, their axis first.
    moments: Space,
}

/// What some of the coefficients do.
#[derive(Clone, Debug)]
struct Pass {
    first: usize,
    count: usize,
    /// Of the coefficients and, behind these, the positions.
    forward: Expression,
    /// Of data and positions: what is multiplied by powers from 0 on.
    adjoint: Expression,
}

impl Polynomial {
    /// The operator `name` to arrays of `range`, with positions along `axis` of it.
    pub(super) fn operator(
        name: &'static str,
        range: Space,
        axis: isize,
        positions: SharedArray,
        order: usize,
    ) -> Result<Operator> {
        range.computable(name)?;
        let axis = range.axis(name, axis)?;
        let extent = range.shape()[axis];
        if positions.shape() != [extent] {
            let shape = positions.shape();
            let why = format!(
                "positions of shape {shape:?}, expected [{extent}] along axis {axis} of {range}"
            );
            return Error::parameter(name, why);
        }
        let positions = converted(name, positions, range.dtype())?;
        if order > MOST_ORDER {
            return Error::parameter(name, format!("order {order}, more than {MOST_ORDER}"));
        }
        let mut shape = range.shape().to_vec();
        shape[axis] = order + 1;
        let domain = Space::of(name, shape.clone(), range.dtype())?;
        shape[..=axis].rotate_right(1);
        let moments = Space::of(name, shape, range.dtype())?;
        let mut extents = vec![1; range.shape().len()];
        extents[axis] = extent;
        let positions = positions.reshaped(&extents)?;
        let passes = (0..=order).step_by(AT_ONCE);
        let passes = passes.map(|first| Pass::new(first, AT_ONCE.min(order + 1 - first)));
        let passes = passes.collect();
        Ok(Operator::new(Self { name, domain, range, axis, positions, passes, moments }))
    }

    /// The same for each index of axes before and behind its own.
    fn lifted(&self, before: &[usize], behind: &[usize]) -> Result<Self> {
        let space =
            |own: &Space| Space::of(self.name, [before, own.shape(), behind].concat(), own.dtype());
        let (domain, range) = (space(&self.domain)?, space(&self.range)?);
        let axis = before.len() + self.axis;
        let mut moments = domain.shape().to_vec();
        moments[..=axis].rotate_right(1);
        let mut extents = vec![1; range.shape().len()];
        extents[axis] = range.shape()[axis];
        Ok(Self {
            name: self.name,
            moments: Space::of(self.name, moments, domain.dtype())?,
            positions: self.positions.clone().reshaped(&extents)?,
            passes: self.passes.clone(),
            domain,
            range,
            axis,
        })
    }

    /// Writes sums, whose axis of coefficients is the first.
    fn sums(&self, on: &dyn Executor, y: &View<'_>, mut sums: ViewMut<'_>) -> Result<()> {
        for pass in &self.passes {
            let inputs = [y.clone(), self.positions.view()];
            let out = sums.reborrow().sliced(0, pass.first, pass.count)?;
            on.moments(&pass.adjoint, &inputs[..pass.inputs(1)], &[self.axis], out)?;
        }
        Ok(())
    }

    /// An array with the axis of coefficients in front.
    fn turned<V: Relayout>(&self, array: V) -> Result<V> {
        let others = (0..self.domain.shape().len()).filter(|axis| *axis != self.axis);
        let order: Vec<usize> = std::iter::once(self.axis).chain(others).collect();
        Ok(array.permuted(&order)?)
    }
}

impl Pass {
    fn new(first: usize, count: usize) -> Self {
        let power =
            |value, place| (0..first).fold(value, |value: Expression, _| value * input(place));
        // From the highest coefficient down, by Horner's rule.
        let lower = (0..count - 1).rev();
        let sum = lower.fold(input(count - 1), |sum, place| sum * input(count) + input(place));
        Self { first, count, forward: power(sum, count), adjoint: power(input(0), 1) }
    }

    /// So many arrays and the positions, unless it is the constant alone, which does not read them.
    fn inputs(&self, arrays: usize) -> usize {
        arrays + usize::from(self.first + self.count > 1)
    }
}

/// Positions in the dtype of a space: as they are, or real ones beside complex numbers.
fn converted(name: &str, positions: SharedArray, dtype: DType) -> Result<SharedArray> {
    if positions.dtype() == dtype && !dtype.is_complex() {
        return Ok(positions);
    }
    if positions.dtype() != dtype.real() {
        let (found, expected) = (positions.dtype(), dtype.real());
        let why = format!("positions of dtype {found} for data of {dtype}, expected {expected}");
        return Error::parameter(name, why);
    }
    let on = arrayspan_kernels::on(positions.device())?;
    let mut complex = Array::empty(positions.shape(), dtype, on.stream())?;
    on.map(&input(0), &[positions.view()], complex.view_mut())?;
    Ok(complex.into_shared())
}

impl LinearMap for Polynomial {
    fn name(&self) -> &str {
        self.name
    }

    fn domain(&self) -> &Space {
        &self.domain
    }

    fn range(&self) -> &Space {
        &self.range
    }

    fn enqueue(
        &self,
        on: Context<'_>,
        x: View<'_>,
        mut y: ViewMut<'_>,
        mut update: Update,
    ) -> Result<()> {
        for pass in &self.passes {
            let coefficients = pass.first..pass.first + pass.count;
            let coefficient = |number| Ok(x.clone().sliced(self.axis, number, 1)?);
            let mut inputs = coefficients.map(coefficient).collect::<Result<Vec<_>>>()?;
            inputs.push(self.positions.view());
            inputs.truncate(pass.inputs(pass.count));
            on.map_updated(&pass.forward, &inputs, y.reborrow(), update)?;
            update = update.then_add();
        }
        Ok(())
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        let x = self.turned(x)?;
        if update == Update::set() {
            return self.sums(&*on, &y, x);
        }
        let (mut sums, on) = on.scratch(&self.moments)?;
        self.sums(&*on, &y, sums.reborrow())?;
        Ok(on.map_updated(&input(0), &[sums.view()], x, update)?)
    }

    fn workspace(&self) -> usize {
        scratch_bytes(&self.moments)
    }

    fn only_enqueues(&self) -> bool {
        true
    }

    fn batched(&self, before: &[usize], behind: &[usize]) -> Option<Result<Arc<dyn LinearMap>>> {
        Some(self.lifted(before, behind).map(|lifted| Arc::new(lifted) as Arc<dyn LinearMap>))
    }

    fn devices(&self) -> Option<Devices> {
        Some(Devices::both(self.positions.device()))
    }
}
