//! Which way an operator is applied, and how its work runs beside other threads of Python.

use arrayspan::bridge::{View, ViewMut};
use arrayspan::devices::Device;
use arrayspan::kernels::{Executor, Update};
use arrayspan::operators::{LinearMap, LinearOperator, Operator, Space};
use pyo3::prelude::*;

use crate::error::Result;
use crate::lock::Held;

/// What is done to an argument.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Forward,
    Adjoint,
}

impl Direction {
    /// That of an operator, or of its adjoint.
    pub(crate) fn of(adjoint: bool) -> Self {
        if adjoint { Self::Adjoint } else { Self::Forward }
    }

    /// Where arguments and results live.
    pub(crate) fn spaces(self, operator: &Operator) -> [&Space; 2] {
        match self {
            Self::Forward => [operator.domain(), operator.range()],
            Self::Adjoint => [operator.range(), operator.domain()],
        }
    }

    /// Writes what comes of `x` to `y`. Enqueued.
    pub(crate) fn apply(
        self,
        operator: &Operator,
        on: &dyn Executor,
        x: View<'_>,
        y: ViewMut<'_>,
    ) -> Result<()> {
        match self {
            Self::Forward => operator.apply(on, x, y, Update::set())?,
            Self::Adjoint => operator.apply_adjoint(on, x, y, Update::set())?,
        }
        Ok(())
    }
}

/// Elements of an application that take less time than to let other threads run meanwhile.
const QUICK: usize = 4096;

/// Runs something, without the interpreter's lock unless it is over before other threads could use it.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    operator: &Operator,
    device: Device,
    work: impl FnOnce() -> Result<T> + Send,
) -> Result<T> {
    let small = operator.domain().len() + operator.range().len() <= QUICK;
    let quick = small && device.is_cpu() && operator.devices().is_none();
    if !quick {
        return py.detach(|| {
            let _held = Held::set(false);
            work()
        });
    }
    let _held = Held::set(true);
    work()
}
