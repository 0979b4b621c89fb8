//! `y[t] ← alpha · bandₜ(x) + beta · y[t]` in one pass: threads take what those of a stencil with all of these bands take, and keep
//! the sums apart.

use arrayspan_bridge::devices::{Argument, KernelSource, Specialisation};
use arrayspan_bridge::iteration::{Text, address};

use super::element::Element;
use super::stencil_window::EACH;
use super::{Gpu, band_row, map, stencil, stencil_apart, tables};
use crate::Result;
use crate::verb::StencilEachCall;

const TEXT: &str = include_str!("../source/stencil_each.cl.h");

/// A kernel for several bands of one array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant(pub(super) stencil::Variant);

pub(super) fn run(gpu: &Gpu, call: &mut StencilEachCall<'_>) -> Result<()> {
    let dtype = call.y.dtype();
    gpu.expect_float64("stencil_each", dtype)?;
    gpu.expect_factors("stencil_each", &call.factors)?;
    if call.y.layout().is_empty() {
        return Ok(());
    }
    let step = call.y.layout().strides()[0];
    let first = call.y.layout().selected(0, 0)?;
    let around = stencil::space(&call.stencil, [&first, call.x.layout()]);
    let alone = call.stencil.terms().len() == 1;
    if alone || tables::in_memory(&call.stencil, dtype, around.0.is_wide(), 1) {
        return call.each(|call| stencil::run(gpu, call));
    }
    if !Element(dtype).is_half() && stencil_apart::run(gpu, call, (&around.0, &around.1), step)? {
        return Ok(());
    }
    let memories = [call.y.memory(), call.x.memory()];
    // All of them are as aligned as each.
    let apart = step.unsigned_abs() * dtype.bytes();
    let addresses = [address(memories[0]) | apart, address(memories[1])];
    let units = gpu.units();
    let plan = stencil::Plan::new(&call.stencil, dtype, around, addresses, &call.factors, units);
    let stencil::Plan { variant, space, grid, constants } = plan;
    let mut arguments =
        map::arguments(Element(dtype), &space, &variant.form, &memories, &constants);
    arguments.push(Argument::I64(step as i64));
    // SAFETY: as in `stencil::run`; there are as many indices along the first axis of `y` as terms, and the kernel adds as many
    // steps to places of the first.
    unsafe { gpu.launch(&Variant(variant), grid, &arguments) }
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let Self(of_all) = self;
        let mut text = Text::default();
        of_all.define(", i64 y_step", &mut text);
        let each = |windowed: bool| -> String {
            let bands = of_all.stencil.terms().iter().zip(&of_all.axes).enumerate();
            let sum = |(number, ((_, band), axis)): (usize, (&(usize, crate::Band), &usize))| {
                let add = match axis {
                    1 if windowed => "WINDOW_SUM ".into(),
                    _ => band_row::add(band, "", *axis, &format!("x0_s{axis}")),
                };
                format!("{{ run sum = run_zero(); {add}STORE({number}) }} ")
            };
            bands.map(sum).collect()
        };
        text.define("EACH_ALONE", each(false));
        text.define("EACH_IN_WINDOW", each(true));
        Element(of_all.dtype).prelude(&mut text);
        of_all.bands(&mut text);
        text.add(EACH);
        text.add(TEXT);
        Element(of_all.dtype).kernel("stencil_each", text)
    }
}
