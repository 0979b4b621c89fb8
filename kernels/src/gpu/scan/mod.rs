//! `y ← alpha · S x + beta · y` with running sums along an axis, in one launch: groups go along lines tile by tile, or, where
//! lines are few, take one tile each and look back at those before.

mod kernel;
mod spaces;
mod states;
mod tiling;

use arrayspan_bridge::devices::Argument;
use arrayspan_bridge::iteration::{Arguments, address};
use num_complex::Complex64;

pub(super) use kernel::Variant;
pub(super) use spaces::Spaces;
pub(super) use tiling::{Limits, Tiling};

use super::element::Element;
use super::formula::Formula;
use super::{Gpu, constants, map};
use crate::Result;
use crate::number::computed;
use crate::verb::ScanCall;
use states::States;

pub(super) fn run(gpu: &Gpu, call: &mut ScanCall<'_>) -> Result<()> {
    let dtype = call.y.dtype();
    let computed = computed(dtype);
    gpu.expect_float64("scan", computed)?;
    if call.y.layout().is_empty() {
        return Ok(());
    }
    gpu.expect_factors("scan", &call.factors)?;
    if call.is_cleared() {
        return map::run(gpu, &call.factors.clearing(call.y.view_mut())?);
    }
    let (element, memories) = (Element(computed), [call.y.memory(), call.x.memory()]);
    let layouts = [call.y.layout(), call.x.layout()];
    let spaces = Spaces::new(&call.scan, layouts, memories.map(address), dtype)?;
    let (formula, constants) = Formula::update(&call.factors, element);
    let limits = Limits::of(gpu.stream.device().info());
    let tiling = Tiling::new(&spaces, computed, &Limits { fence: gpu.device_fence, ..limits });
    let count = constants::count(&constants);
    let variant = Variant::new(dtype, formula, &spaces, tiling, &call.scan, count);
    let states = match tiling.states(&spaces, computed) {
        Some(words) if gpu.planned.is_none() => Some(States::of(gpu, words)?),
        _ => None,
    };
    let mut arguments = Arguments::new(variant.wide);
    arguments.write(memories[0], spaces.starts[0]);
    arguments.read(memories[1], spaces.starts[1]);
    let [rows, columns] = call.scan.left_out();
    arguments.indices([call.scan.extent(), columns, rows].map(|extent| extent as isize));
    if variant.baked.is_empty() {
        arguments.indices(spaces.numbers());
    }
    constants::push(&mut arguments, &constants, element);
    arguments.numbers(&call.scan.weights().map(Complex64::from), computed.real());
    if let Some(states) = &states {
        arguments.push(Argument::Write(states.memory()));
        arguments.push(Argument::I64(states.half as i64));
    }
    // SAFETY: the arguments are those of `Variant::define`, in its order; layouts lie within their memories, and the kernel
    // stays within their extents: those of the scan, less what is left out, and those of the other axes. The states are the
    // executor's, have room for two times the words that this kernel leaves, and are used by one kernel after the other, in the
    // order of the stream.
    unsafe { gpu.launch(&variant, tiling.grid(&spaces), &arguments) }
}
