//! `y ← alpha · P x + beta · y` with sums along curves, in one launch: a thread for each result.

mod kernel;
mod tables;

use arrayspan_bridge::View;
use arrayspan_bridge::devices::Grid;
use arrayspan_bridge::iteration::Arguments;
use num_complex::Complex64;

pub(super) use kernel::{Kind, Variant};
pub(super) use tables::upload;

use super::element::Element;
use super::formula::Formula;
use super::table_key::Key;
use super::{Gpu, constants, map};
use crate::Result;
use crate::projection::Paths;
use crate::verb::{MapCall, ProjectCall, rows_and_lines as axes};
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
        let (nothing, factor) = call.factors.cleared();
        let inputs: Vec<View<'_>> = factor.iter().map(|factor| factor.view()).collect();
        return map::run(gpu, &MapCall::new(&nothing, &inputs, call.y.view_mut())?);
    }
    let element = Element(dtype);
    let (formula, constants) = Formula::update(&call.factors, element);
    let layouts = [call.y.layout(), call.x.layout()];
    let variant = Variant::new(dtype, formula, &call.projection, layouts);
    let tables = if gpu.planned.is_some() {
        None
    } else {
        Some(gpu.tables(Key::Projection(call.projection.forward(), dtype.real()))?)
    };
    let mut arguments = Arguments::new(variant.wide);
    arguments.write(call.y.memory(), call.y.layout().offset());
    arguments.read(call.x.memory(), call.x.layout().offset());
    if let Some(tables) = &tables {
        arguments.read(tables.0.memory(), 0);
        arguments.read(tables.1.memory(), 0);
    }
    let both = layouts.map(axes);
    arguments.indices(both.iter().flatten().map(|(extent, _)| *extent as isize));
    arguments.indices(both.iter().flatten().map(|(_, stride)| *stride));
    let margin = match &call.projection.curves().paths {
        Paths::Straight { margin, .. } => *margin,
        _ => 0.0,
    };
    arguments.numbers(&[Complex64::from(margin)], dtype.real());
    constants::push(&mut arguments, &constants, element);
    let [outer, inner, along] = both[0].map(|(extent, _)| extent);
    let groups = [along.div_ceil(THREADS), outer * inner].map(|groups| groups.min(MOST_GROUPS));
    let grid = Grid { groups: [groups[0], groups[1], 1], threads: [THREADS, 1, 1] };
    // SAFETY: the arguments are those of `Variant::define`, in its order. Layouts lie within their memories, and the kernel stays within
    // their extents, wherever positions lead; the tables have as many numbers as the projection's rows and lines, which are those extents, say.
    unsafe { gpu.launch(&variant, grid, &arguments) }
}
