//! Least squares as a function.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, SharedArray, View, ViewMut};
use arrayspan_kernels::{Executor, Update, Vector, VectorMut};
use arrayspan_operators::{Devices, LinearMap, LinearOperator, Operator, Space};

use super::arithmetic::{bound, fits, write};
use super::functional::{Misfit, NUMBER};
use super::quadratic::{self, Square, descend};
use super::{Proximal, Scratch, Smooth};
use crate::parameters::{not_negative, wrong};
use crate::{Result, bytes};

/// `f(x) = w/2 ‖A x - b‖²`, `w ≥ 0`: the misfit of data; without an operator `A` is the identity, without data `b` is zero.
///
/// `prox` is `(x + step w b) / (1 + step w)` without an operator. With one it is the solution of
/// `(I + step w AᴴA) z = x + step w Aᴴb`, found by [`iterations`](Self::with_iterations) of conjugate gradients from what the output
/// holds, enqueued without waiting; methods hand in their last result, so that few are enough. It is smooth, too: its gradient is
/// `w Aᴴ(A x - b)`. Golden: pyproximal 0.13 `L2`.
///
/// ```
/// use arrayspan_bridge::Array;
/// use arrayspan_solvers::proximal::{Proximal, SquaredL2};
///
/// let b = Array::from_slice(&[1.0, 2.0], [2])?;
/// let f = SquaredL2::new(3.0)?.target(b);
/// let x = Array::from_slice(&[3.0, 2.0], [2])?;
/// assert_eq!(f.at(&x)?, 6.0);
/// assert_eq!(f.proximal(&x, 1.0)?.to_vec::<f64>()?, [1.5, 2.0]);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SquaredL2 {
    weight: f64,
    operator: Option<Operator>,
    target: Option<SharedArray>,
    iterations: usize,
}

impl SquaredL2 {
    const NAME: &'static str = "SquaredL2";

    /// `w/2 ‖x‖²`
    ///
    /// # Errors
    /// A weight that is not a finite number of at least 0.
    pub fn new(weight: f64) -> Result<Self> {
        let weight = not_negative(Self::NAME, "weight", weight)?;
        Ok(Self { weight, operator: None, target: None, iterations: 10 })
    }

    /// With the data `b`.
    #[must_use]
    pub fn target(mut self, b: impl Into<SharedArray>) -> Self {
        self.target = Some(b.into());
        self
    }

    /// With the operator `A`.
    #[must_use]
    pub fn operator(mut self, a: Operator) -> Self {
        self.operator = Some(a);
        self
    }

    /// With so many conjugate gradient steps in each proximal operator; 10 unless it is said. Only with an operator.
    #[must_use]
    pub fn with_iterations(mut self, iterations: usize) -> Self {
        self.iterations = iterations;
        self
    }

    fn parts(&self) -> Misfit<'_> {
        let a = self.operator.as_ref().map(|a| a as &dyn LinearMap);
        Misfit { weight: self.weight, a, b: self.target.as_ref().map(SharedArray::view) }
    }

    fn fits(&self, space: &Space, device: Device) -> Result<()> {
        let mut range = space;
        if let Some(a) = &self.operator {
            if a.domain() != space {
                let why = format!("{} has models {}, the arrays are {space}", a.name(), a.domain());
                return wrong(Self::NAME, why);
            }
            if a.devices().is_some_and(|devices| devices != Devices::both(device)) {
                let why = format!("{} is on another device than the run, {device}", a.name());
                return wrong(Self::NAME, why);
            }
            range = a.range();
        }
        match &self.target {
            Some(b) if b.shape() != range.shape() => {
                let (found, expected) = (b.shape(), range.shape());
                wrong(Self::NAME, format!("the data have shape {found:?}, expected {expected:?}"))
            }
            Some(b) => fits(Self::NAME, "data", &b.view(), (range, &[range.dtype()]), device),
            None => Ok(()),
        }
    }

    /// `A x - b`, in an array of the scratch.
    fn misfit(&self, on: &dyn Executor, scratch: &mut Scratch, x: &View<'_>) -> Result<Array> {
        let Some(a) = &self.operator else {
            let mut misfit = scratch.take(on, x.shape(), x.dtype())?;
            match &self.target {
                Some(b) => misfit.assign_on(on, x - b)?,
                None => misfit.assign_on(on, x)?,
            }
            return Ok(misfit);
        };
        let mut misfit = scratch.take(on, a.range().shape(), a.range().dtype())?;
        let mut workspace = scratch.workspace(a, on)?;
        if let Some(b) = &self.target {
            on.copy(b.view(), misfit.view_mut(), Update::set())?;
        }
        let update = Update::new(1.0, if self.target.is_some() { -1.0 } else { 0.0 });
        a.apply_with(&mut workspace, on, x.clone(), misfit.view_mut(), update)?;
        scratch.give_workspace(workspace);
        Ok(misfit)
    }

    /// `w/2 ‖misfit‖²`
    fn size(&self, on: &dyn Executor, misfit: &Array, mut value: ViewMut<'_>) -> Result<()> {
        misfit.norm_squared_into(on, value.reborrow())?;
        Ok(value.update_on(on, |square| 0.5 * self.weight * square)?)
    }

    fn range_bytes(&self, space: &Space) -> usize {
        let (range, work) =
            self.operator.as_ref().map_or((space, 0), |a| (a.range(), a.workspace()));
        bytes::of(range).saturating_add(work)
    }
}

impl Proximal for SquaredL2 {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn check(&self, space: &Space, device: Device) -> Result<()> {
        self.fits(space, device)
    }

    fn value(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        out: ViewMut<'_>,
    ) -> Result<()> {
        let misfit = self.misfit(on, scratch, &x)?;
        self.size(on, &misfit, out)?;
        scratch.give(misfit);
        Ok(())
    }

    fn prox(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        step: View<'_>,
        mut out: ViewMut<'_>,
    ) -> Result<()> {
        if self.operator.is_none() {
            let factor = 1.0 + self.weight * &step;
            return match &self.target {
                Some(b) => write(on, out, (&x + self.weight * &step * b) / factor),
                None => write(on, out, &x / factor),
            };
        }
        let mut factor = scratch.number(on, 1.0)?;
        let one = scratch.number(on, 1.0)?;
        factor.assign_on(on, self.weight * &step)?;
        let near = Square { a: None, target: Some(x), weight: one.view() };
        let squares = [Square::of(self.parts(), factor.view()), near];
        descend(on, scratch, &squares, &mut out, self.iterations)?;
        scratch.give(factor);
        scratch.give(one);
        Ok(())
    }

    fn memory(&self, space: &Space) -> usize {
        let own = self.range_bytes(space);
        match &self.operator {
            Some(a) => quadratic::memory(space, &[Some(a), None]).saturating_add(2 * NUMBER),
            None => own,
        }
    }

    fn as_misfit(&self) -> Option<Misfit<'_>> {
        Some(self.parts())
    }
}

impl Smooth for SquaredL2 {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn check(&self, space: &Space, device: Device) -> Result<()> {
        self.fits(space, device)
    }

    fn value(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        value: ViewMut<'_>,
    ) -> Result<()> {
        Proximal::value(self, on, scratch, x, value)
    }

    fn gradient(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        out: ViewMut<'_>,
        value: ViewMut<'_>,
    ) -> Result<()> {
        let misfit = self.misfit(on, scratch, &x)?;
        self.size(on, &misfit, value)?;
        let update = Update::new(self.weight, 0.0);
        match &self.operator {
            Some(a) => {
                let mut workspace = scratch.workspace(a, on)?;
                a.apply_adjoint_with(&mut workspace, on, misfit.view(), out, update)?;
                scratch.give_workspace(workspace);
            }
            None => on.copy(misfit.view(), out, update)?,
        }
        scratch.give(misfit);
        Ok(())
    }

    fn lipschitz(&self, on: &dyn Executor, _: &Space) -> Result<Option<f64>> {
        let norm = self.operator.as_ref().map_or(Ok(1.0), |a| bound(on, a))?;
        Ok(Some(self.weight * norm * norm))
    }

    fn memory(&self, space: &Space) -> usize {
        self.range_bytes(space)
    }
}
