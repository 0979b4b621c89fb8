//! Kernels of users: for each kind, what is compiled for a checked call, and its arguments.

mod catalogue;
mod elementwise;
mod instance;
mod numbers;
mod raw;
mod reduction;
mod text;

pub(super) use catalogue::catalogue;

use super::Gpu;
use crate::Result;
use crate::verb::{LaunchCall, Work};

pub(super) fn run(gpu: &Gpu, call: &LaunchCall<'_>) -> Result<()> {
    for dtype in call.dtypes() {
        gpu.expect_float64(call.definition.verb(), dtype)?;
    }
    match &call.work {
        Work::Elements => elementwise::run(gpu, call),
        Work::Axes(shape, axes) => reduction::run(gpu, call, shape, axes),
        Work::Geometry(geometry) => raw::run(gpu, call, *geometry),
    }
}
