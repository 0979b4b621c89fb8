//! `y ← alpha · F x + beta · y` with a long filter along an axis: a group for a part of some lines, whose transforms stay in local memory
//! or, where they fit, in what threads hold.

mod held;
mod kernel;
mod tables;

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::Grid;
use arrayspan_bridge::iteration::{Arguments, address};

pub(super) use held::{Held, upload as upload_held};
pub(super) use kernel::Variant;
pub(super) use tables::upload;

use super::element::Element;
use super::fft::{aligned, limits};
use super::formula::Formula;
use super::line_arrays::{LineArrays, Parameters, numbers};
use super::table_key::Key;
use super::{Gpu, constants};
use crate::Result;
use crate::fourier::{Lines, MORE, complex};
use crate::verb::FilterCall;

/// Bytes of arrays that stay in a device's cache, whose parts may be moved again: a million elements take 0.031 ms in what threads hold, and
/// 0.040 by lines beside each other (1001 taps, H200).
const CACHED: usize = 16 << 20;

/// More groups take the same parts one after the other.
const MOST_GROUPS: usize = 1 << 20;

/// What is added to results, and with how many arguments for constants.
pub(super) type Written = (Formula, usize);

/// Those of both kernels behind the arrays.
const PARAMETERS: Parameters<'_> =
    Parameters { indices: &["before", "extent", "count", "blocks"], table: true, numbers: &[] };

/// The arrays of such lines, of blocks of memory at these addresses.
fn arrays(
    dtype: DType,
    (lines, addresses): (&Lines, [usize; 2]),
    (formula, constants): &Written,
) -> LineArrays {
    let aligned =
        |operand: usize| aligned(addresses[operand], lines.starts[operand], dtype.bytes());
    let (real, align) = ([!dtype.is_complex(); 2], [aligned(0), aligned(1)]);
    let written = (formula.clone(), 4 + 2 + 4 + 2 + constants);
    LineArrays::new(complex(dtype), (lines, lines.wide), (real, align), written)
}

pub(super) fn run(gpu: &Gpu, call: &FilterCall<'_>) -> Result<()> {
    let dtype = call.y.dtype();
    gpu.expect_float64("filter", dtype)?;
    if call.y.layout().is_empty() {
        return Ok(());
    }
    gpu.expect_factors("filter", &call.factors)?;
    let element = Element(complex(dtype));
    let (formula, constants) = Formula::update(&call.factors, element);
    let (lines, room) = (call.lines()?, limits(gpu).local);
    let memories = [call.y.memory(), call.x.memory()];
    let (extent, count) = (call.extent(), lines.count());
    let written = (formula, constants::count(&constants));
    let (of, at) = ((&call.filter, dtype, extent), (&lines, memories.map(address)));
    // Lines side by side of large arrays are taken by as many as memory moves at once, where there is local memory for them.
    let bytes = count.saturating_mul(extent).saturating_mul(dtype.bytes());
    let beside = lines.across.contains(&true) && room > MORE && bytes > CACHED;
    let (kernel, key, takes_numbers, [parts, groups, threads]) =
        if let Some(held) = Held::new(of, at, &written).filter(|_| !beside) {
            let [parts, groups] = held.parts.groups(count, extent);
            let key = Key::HeldFilter(call.filter.clone(), held.parts.points(), dtype);
            let takes_numbers = held.arrays.takes_numbers();
            (gpu.built(&held)?, key, takes_numbers, [parts, groups, held::THREADS])
        } else {
            let variant = Variant::new(of, at, room, &written);
            let key = Key::Filter(call.filter.clone(), variant.samples(), dtype);
            let takes_numbers = variant.arrays.takes_numbers();
            (gpu.built(&variant)?, key, takes_numbers, variant.groups(count, extent))
        };
    let Some(kernel) = kernel else { return Ok(()) };
    let tables = gpu.tables(key)?;
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
    // SAFETY: the arguments are those of `LineArrays::define`, in its order. Layouts lie within their memories, and the kernel loads and
    // stores elements within the extents of the axis and of the other axes alone. The table is that of the filter, in blocks
    // of as many samples.
    unsafe { gpu.enqueue(&kernel, grid, &arguments) }
}
