//! What [`Cgls`](super::Cgls) works in.

use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::Executor;
use arrayspan_operators::{LinearMap, Space, Workspace};

use crate::fit::Fit;
use crate::history::History;
use crate::{Error, Result};

/// The vectors of [`Cgls`](super::Cgls), for one operator on one device; usable for many right-hand sides.
#[derive(Debug)]
pub struct CglsWorkspace {
    /// `y - A x`
    pub(super) residual: Array,
    /// `A c`
    pub(super) image: Array,
    /// `Aᴴ (y - A x) - damping² x`
    pub(super) gradient: Array,
    /// The conjugate direction, `c`.
    pub(super) direction: Array,
    pub(super) history: History,
    /// `‖A c‖²`, then `damping² ‖c‖²`.
    pub(super) curvature: [Array; 2],
    pub(super) operator: Workspace,
    /// For which runs the kernels are known to be built: with damping or without, from a start vector or from zero.
    pub(super) built_for: Option<[bool; 2]>,
}

impl CglsWorkspace {
    /// For `a` on `on`, `check_every` iterations from one check to the next, with scalars of that dtype.
    pub(super) fn new(
        a: &(impl LinearMap + ?Sized),
        on: &dyn Executor,
        check_every: usize,
        scalars: DType,
    ) -> Result<Self> {
        let array = |space: &Space| on.empty(space.shape(), space.dtype());
        let (model, data) = (a.domain(), a.range());
        let scalar = || on.empty(&[], scalars);
        Ok(Self {
            residual: array(data)?,
            image: array(data)?,
            gradient: array(model)?,
            direction: array(model)?,
            history: History::new(on, scalars, check_every)?,
            curvature: [scalar()?, scalar()?],
            operator: Workspace::of(a, on)?,
            built_for: None,
        })
    }

    /// Fails unless it is one for `a` on the device.
    pub(super) fn check(
        &self,
        fit: Fit,
        a: &(impl LinearMap + ?Sized),
        on: &dyn Executor,
    ) -> Result<()> {
        fit.array("the workspace's residual", a.range(), &self.residual.view())?;
        fit.array("the workspace's gradient", a.domain(), &self.gradient.view())?;
        fit.device("the workspace's history", self.history.view().device())?;
        let elsewhere = a.elsewhere().into_iter().map(|(_, bytes)| bytes);
        let expected = elsewhere.fold(a.workspace(), usize::saturating_add);
        let found = self.operator.bytes();
        if found < expected {
            let (solver, operator) = (fit.solver, a.name().to_owned());
            return Err(Error::Workspace { solver, operator, expected, found });
        }
        // Enough, and on the devices where it is needed.
        Ok(self.operator.check(a, on)?)
    }
}
