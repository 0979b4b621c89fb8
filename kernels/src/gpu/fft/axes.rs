//! `y ← alpha · Fₙ … F₁ x + beta · y` with Fourier transforms along several axes: all at once by the vendor's library, else one after the
//! other.

use super::super::Gpu;
use super::library;
use super::own::Own;
use crate::Result;
use crate::fourier::{Lines, Schedule, complex, joined};
use crate::verb::FftAxesCall;

pub(in crate::gpu) fn run(gpu: &Gpu, call: &mut FftAxesCall<'_>) -> Result<()> {
    gpu.expect_float64("fft_axes", call.y.dtype())?;
    gpu.expect_factors("fft_axes", &call.factors)?;
    match at_once(gpu, call)? {
        Some(done) => done,
        None => call.each(|one| super::run(gpu, one)),
    }
}

/// By the library, if it takes them; or `None`.
fn at_once(gpu: &Gpu, call: &FftAxesCall<'_>) -> Result<Option<Result<()>>> {
    let layouts = [call.y.layout(), call.x.layout()];
    if !library::is_there(gpu) || layouts.iter().any(|layout| layout.is_empty()) {
        return Ok(None);
    }
    let dtype = complex(call.y.dtype());
    let Some((fourier, outer)) = joined(&call.transforms, layouts, dtype) else { return Ok(None) };
    let lines = Lines::new(&fourier, layouts)?;
    let (across, limits) = (lines.across.contains(&true), super::limits(gpu));
    let own = Own {
        fourier: &fourier,
        dtype,
        lines: &lines,
        schedule: &Schedule::new(limits, &fourier, dtype, lines.count(), across),
        users: [call.y.memory(), call.x.memory()],
    };
    Ok(library::run_with(gpu, &own, &call.factors, (outer, call.passes(limits))))
}
