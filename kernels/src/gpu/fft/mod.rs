//! `y ← alpha · F x + beta · y` with Fourier transforms along an axis, or several: by the vendor's library where lines are many and there is one,
//! else by kernels of our own.

mod apart;
mod axes;
mod ends;
mod kernel;
mod library;
mod own;
mod part;
mod rooms;
mod stand_in;
mod steps;
mod tables;

pub(super) use axes::run as along_axes;
pub(super) use ends::{Call, Ends};
pub(super) use kernel::Common;
pub(super) use own::{aligned, variants};
pub(super) use steps::{BUTTERFLY, CELLS, FACTOR, Steps};
pub(super) use tables::{Table, root};

use super::{Gpu, map};
use crate::Result;
use arrayspan_bridge::devices::DeviceKind;

use crate::fourier::{LOCAL, Limits, MORE, complex};
use crate::verb::FftCall;
use own::Own;

/// What a group has on an executor's device.
pub(super) fn limits(gpu: &Gpu) -> Limits {
    let device = gpu.stream.device();
    let most = match device.kind() {
        DeviceKind::Cuda => Limits::CUDA.local,
        // A processor's local memory is as any other.
        _ if device.info().accelerator => MORE,
        _ => LOCAL,
    };
    let local = device.info().most_local_bytes.min(most).max(LOCAL);
    Limits { local, threads: device.info().group_threads }
}

pub(super) fn run(gpu: &Gpu, call: &mut FftCall<'_>) -> Result<()> {
    gpu.expect_float64("fft", call.y.dtype())?;
    if call.y.layout().is_empty() {
        return Ok(());
    }
    gpu.expect_factors("fft", &call.factors)?;
    if call.is_cleared() {
        return map::run(gpu, &call.factors.clearing(call.y.view_mut())?);
    }
    let lines = call.lines()?;
    let own = Own {
        fourier: &call.fourier,
        dtype: complex(call.y.dtype()),
        lines: &lines,
        schedule: &call.schedule(&lines, limits(gpu)),
        users: [call.y.memory(), call.x.memory()],
    };
    if let Some(done) = library::run(gpu, &own, &call.factors) {
        return done;
    }
    own::run(gpu, &own, &call.factors)
}
