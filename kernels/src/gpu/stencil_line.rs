//! `y ← alpha · band(x) + beta · y` for one short band along an axis other than the innermost, where rows lie without gaps and
//! begin at odd places: all rows are one line, in aligned runs, whatever the band's axis.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::{KernelSource, Memory, Specialisation};
use arrayspan_bridge::iteration::{
    IterationForm, IterationSpace, Runs, THREADS, Text, WIDEST, address, wide_grid,
};

use super::element::{Element, PRELUDE};
use super::formula::Formula;
use super::stencil_window::{EACH, is_covered};
use super::{Gpu, bands, constants, map, map_flat};
use crate::band::{Edges, reach};
use crate::verb::StencilCall;
use crate::{Result, Stencil};

const TEXT: &str = include_str!("../source/stencil_line.cl.h");

/// Lines of a thread.
const ROWS: usize = 4;

/// The longest reach to either side: a thread holds all lines that its taps reach.
const MOST_REACH: usize = 2;

/// Taps of all special rows, which are straight code.
const MOST_SPECIAL: usize = 16;

/// Threads for each processor at least; fewer are better off with single elements, of which there are more.
const BUSY: usize = 32;

/// A kernel for a band along axis 1 of rows without gaps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    dtype: DType,
    form: IterationForm,
    formula: Formula,
    stencil: Stencil,
    /// By how many elements a row is longer than a line of whole runs.
    shift: isize,
    /// Whether there is a thread for each item.
    covered: bool,
}

/// Enqueues a call over the space that `stencil` has found for it, if its operands are such rows; whether it was. `axes` are
/// the axes of the bands there.
pub(super) fn run(
    gpu: &Gpu,
    call: &StencilCall<'_>,
    space: &IterationSpace,
    axes: &[usize],
) -> Result<bool> {
    let Some(edges) = candidate(&call.stencil, space, axes) else { return Ok(false) };
    let memories: [&Memory; 2] = [call.y.memory(), call.x.memory()];
    let dtype = call.y.dtype();
    let Some((runs, shift)) = runs(space, edges, &memories.map(address), dtype) else {
        return Ok(false);
    };
    let step = space.extents[0].wrapping_add_signed(-shift);
    let items = items(space, step, runs.len);
    if items.iter().product::<usize>() < gpu.units() * BUSY {
        return Ok(false);
    }
    let (formula, constants) = Formula::update(&call.factors, Element(dtype));
    let form = space.form_with(runs, constants::count(&constants) + 2);
    let mut arguments = map::arguments(Element(dtype), space, &form, &memories, &constants);
    arguments.indices([step, items[1]].map(|number| number as isize));
    let grid = wide_grid(items, THREADS);
    let covered = is_covered(&grid, items);
    let stencil = call.stencil.clone();
    let variant = Variant { dtype, form, formula, stencil, shift, covered };
    // SAFETY: the arguments are those of `Variant::source`, in its order. The kernel loads and stores places of the line
    // alone, which is as long as the extents of the space together: without gaps these are the places of the layouts, which
    // lie within their memories. Nothing here depends on blocks but by their alignment.
    unsafe { gpu.launch(&variant, grid, &arguments)? };
    Ok(true)
}

/// Runs of a line, lines of a block by as many as a thread takes, blocks. A block begins within the first run of its first line.
fn items(space: &IterationSpace, step: usize, run: usize) -> [usize; 3] {
    let along = |axis: usize| space.extents.get(axis).copied().unwrap_or(1);
    let lines = (along(0) * along(1) + run - 1).div_ceil(step);
    [step / run, lines.div_ceil(ROWS), along(2)]
}

/// The rows of the only band, if it goes across rows without gaps.
fn candidate<'s>(
    stencil: &'s Stencil,
    space: &IterationSpace,
    axes: &[usize],
) -> Option<&'s Edges> {
    let ([(_, band)], [1]) = (stencil.terms(), axes) else { return None };
    let IterationSpace { extents, strides, .. } = space;
    let without_gaps = strides.iter().all(|strides| map_flat::is_line(strides, extents));
    (without_gaps && extents.len() <= 3 && !space.is_wide()).then(|| band.edges())?
}

/// Aligned runs of the line, as wide as an access can be, and by how many elements a row is longer than whole runs (or, if it
/// is less than 0, shorter); `None` if there are none of several elements, where rows begin with a run anyway, and if a
/// thread cannot hold what its rows take.
fn runs(
    space: &IterationSpace,
    edges: &Edges,
    addresses: &[usize; 2],
    dtype: DType,
) -> Option<(Runs, isize)> {
    let (bytes, row) = (dtype.bytes(), space.extents[0]);
    let runs = map_flat::runs(space, *addresses, bytes)?;
    let over = row % runs.len;
    let shift =
        if 2 * over <= runs.len { over as isize } else { over as isize - runs.len as isize };
    let near = shift.unsigned_abs() * MOST_REACH <= runs.len;
    (over > 0 && near && row >= 4 * WIDEST && is_short(edges)).then_some((runs, shift))
}

/// Whether a thread can hold what its rows take, and special rows are few enough for straight code.
fn is_short(edges: &Edges) -> bool {
    let (left, right) = reach(&edges.interior);
    left.max(right) <= MOST_REACH
        && !edges.interior.is_empty()
        && edges.special_places() <= MOST_SPECIAL
}

impl Variant {
    /// The kernel for a call whose operands have this form.
    pub(super) fn new(
        stencil: &Stencil,
        dtype: DType,
        formula: Formula,
        space: &IterationSpace,
        axes: &[usize],
    ) -> Option<Self> {
        let edges = candidate(stencil, space, axes)?;
        let (runs, shift) = runs(space, edges, &[0, 0], dtype)?;
        let form = space.form_with(runs, 6);
        let covered = space.extents.len() < 3;
        Some(Self { dtype, form, formula, stencil: stencil.clone(), shift, covered })
    }
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let mut text = Text::default();
        let element = Element(self.dtype);
        map::declare(element, &self.form, &self.formula, ", idx step, idx items", &mut text);
        text.define("ROWS", ROWS);
        text.define("SHIFT", format_args!("({})", self.shift));
        text.flag("COVERED", self.covered);
        text.add(PRELUDE);
        let bands = bands::Bands::alone(&self.stencil, &[1], self.dtype, self.form.runs().len);
        bands::weights(bands.complex, &mut text);
        bands.define(&mut text);
        for edges in self.stencil.terms().iter().filter_map(|(_, band)| band.edges()) {
            let (left, right) = reach(&edges.interior);
            text.define("FIRST", left.max(edges.head.len()));
            text.define("LAST", right.max(edges.tail.len()));
        }
        text.add(EACH);
        text.add(TEXT);
        element.kernel("stencil_line", text)
    }
}
