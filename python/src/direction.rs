//! Which way an operator is applied, and how its work runs beside other threads of Python.

use arrayspan::devices::Device;
use arrayspan::operators::{LinearMap, Operator};
use pyo3::prelude::*;

use crate::error::Result;
use crate::lock::Held;

/// What is done to an argument.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Forward,
    Adjoint,
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
