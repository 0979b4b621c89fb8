//! `y ← alpha · F x + beta · y` with a long filter along an axis: a group for a part of some lines, whose transforms stay in local memory
//! or, where they fit, in what threads hold.

mod held;
mod kernel;
mod signature;
mod tables;

use arrayspan_bridge::devices::{DeviceKind, Grid};
use arrayspan_bridge::iteration::{Arguments, address};

pub(super) use held::{Held, upload as upload_held};
pub(super) use kernel::Variant;
pub(super) use tables::upload;

use super::element::Element;
use super::fft::numbers;
use super::formula::Formula;
use super::table_key::Key;
use super::{Gpu, constants};
use crate::Result;
use crate::fourier::{LOCAL, complex};
use crate::verb::FilterCall;

/// Local memory of a group on a device of that kind with so much of it.
pub(super) fn room(kind: DeviceKind, most: usize) -> usize {
    if kind == DeviceKind::Cuda && most >= LARGE { LARGE } else { LOCAL }
}

/// Local memory of a group where a processor has room for several of that size, if they ask: a power of two, and what keeps lines at odd
/// distances.
const LARGE: usize = 65 << 10;

/// More groups take the same parts one after the other.
const MOST_GROUPS: usize = 1 << 20;

pub(super) fn run(gpu: &Gpu, call: &FilterCall<'_>) -> Result<()> {
    let dtype = call.y.dtype();
    gpu.expect_float64("filter", dtype)?;
    if call.y.layout().is_empty() {
        return Ok(());
    }
    gpu.expect_factors("filter", &call.factors)?;
    let element = Element(complex(dtype));
    let (formula, constants) = Formula::update(&call.factors, element);
    let (lines, device) = (call.lines()?, gpu.stream.device());
    let room = room(device.kind(), device.info().most_local_bytes);
    let memories = [call.y.memory(), call.x.memory()];
    let (extent, count) = (call.extent(), lines.count());
    let formula = (formula, constants::count(&constants));
    let (of, at) = ((&call.filter, dtype, extent), (&lines, memories.map(address)));
    let filter = call.filter.clone();
    let (kernel, tables, takes_numbers, [parts, groups, threads]) =
        if let Some(held) = Held::new(of, at, formula.clone()) {
            let Some(kernel) = gpu.built(&held)? else { return Ok(()) };
            let tables = gpu.tables(Key::HeldFilter(filter, held.points(), dtype))?;
            let [parts, groups] = held.groups(count, extent);
            (kernel, tables, held.takes_numbers(), [parts, groups, held::THREADS])
        } else {
            let variant = Variant::new(of, at, room, formula);
            let Some(kernel) = gpu.built(&variant)? else { return Ok(()) };
            let tables = gpu.tables(Key::Filter(filter, variant.samples(), dtype))?;
            (kernel, tables, variant.takes_numbers(), variant.groups(count, extent))
        };
    let mut arguments = Arguments::new(lines.wide);
    arguments.write(memories[0], lines.starts[0]);
    arguments.read(memories[1], lines.starts[1]);
    arguments.read(tables.1.memory(), 0);
    let before = call.filter.before();
    arguments.indices([before, extent, count, parts].map(|number| number as isize));
    if takes_numbers {
        arguments.indices(numbers(&lines));
    }
    constants::push(&mut arguments, &constants, element);
    let grid = Grid { groups: [groups.min(MOST_GROUPS), 1, 1], threads: [threads, 1, 1] };
    // SAFETY: the arguments are those of `Signature::define`, in its order. Layouts lie within their memories, and the kernel loads and
    // stores elements within the extents of the axis and of the other axes alone. The table is that of the filter, in blocks
    // of as many samples.
    unsafe { gpu.enqueue(&kernel, grid, &arguments) }
}
