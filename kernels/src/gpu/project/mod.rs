//! `y ← alpha · P x + beta · y` with sums along curves, in one launch: a thread for each result.

mod kernel;
mod tables;

use arrayspan_bridge::devices::Grid;
use arrayspan_bridge::iteration::{Arguments, IterationSpace};
use num_complex::Complex64;

pub(super) use kernel::Variant;
pub(super) use tables::upload;

use super::element::Element;
use super::formula::Formula;
use super::table_key::Key;
use super::walk::Walk;
use super::{Gpu, constants, map};
use crate::Result;
use crate::projection::Paths;
use crate::verb::{ProjectCall, Split, others, own};
use kernel::THREADS;

/// More groups along an axis take the same results one after the other.
const MOST_GROUPS: usize = 65_535;

pub(super) fn run(gpu: &Gpu, call: &mut ProjectCall<'_>) -> Result<()> {
    let dtype = call.y.dtype();
    gpu.expect_float64("project", dtype)?;
    if call.y.layout().is_empty() {
        return Ok(());
    }
    gpu.expect_factors("project", &call.factors)?;
    if call.is_cleared() {
        return map::run(gpu, &call.factors.clearing(call.y.view_mut())?);
    }
    let element = Element(dtype);
    let (formula, constants) = Formula::update(&call.factors, element);
    let layouts = [call.y.layout(), call.x.layout()];
    let axes = others(&call.projection, layouts[0].rank());
    let along = [Split::along(layouts[0], &axes)?, Split::along(layouts[1], &axes)?];
    let others = IterationSpace::new(&[&along[0], &along[1]]);
    let both = layouts.map(|layout| own(&call.projection, layout));
    let numbers = both.iter().flatten().map(|(extent, _)| *extent as isize);
    let numbers = numbers.chain(both.iter().flatten().map(|(_, stride)| *stride));
    let numbers: Vec<isize> = numbers.chain(Walk::numbers(&others)).collect();
    let count = constants::count(&constants);
    let shape = (others.extents.len(), &numbers[..], count);
    let variant = Variant::new(dtype, formula, &call.projection, layouts, shape);
    let tables = if gpu.planned.is_some() {
        None
    } else {
        Some(gpu.tables(Key::Projection(call.projection.forward(), dtype.real()))?)
    };
    let mut arguments = Arguments::new(variant.wide);
    arguments.write(call.y.memory(), others.offsets[0]);
    arguments.read(call.x.memory(), others.offsets[1]);
    if let Some(tables) = &tables {
        arguments.read(tables.0.memory(), 0);
        arguments.read(tables.1.memory(), 0);
    }
    if variant.baked.is_empty() {
        arguments.indices(numbers);
    }
    let (bits, margin) = match call.projection.curves().paths {
        Paths::Straight { bits, margin, .. } => (bits, margin),
        _ => (0, 0.0),
    };
    arguments.index(bits as isize);
    arguments.numbers(&[Complex64::from(margin)], dtype.real());
    constants::push(&mut arguments, &constants, element);
    let [outer, inner, along] = both[0].map(|(extent, _)| extent);
    let all = others.extents.iter().product();
    let groups = [along.div_ceil(THREADS), outer * inner, all];
    let groups = groups.map(|groups: usize| groups.min(MOST_GROUPS));
    let grid = Grid { groups, threads: [THREADS, 1, 1] };
    // SAFETY: the arguments are those of `Variant::define`, in its order. Layouts lie within their memories, and the kernel stays within
    // their extents, wherever positions lead; the tables have as many numbers as the projection's rows and lines, which are those extents, say.
    unsafe { gpu.launch(&variant, grid, &arguments) }
}
