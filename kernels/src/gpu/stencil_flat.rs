//! `y ← alpha · band(x) + beta · y` for one short band along rows that lie one behind the other:
//! all rows as one line, whose runs are aligned wherever rows begin. Accesses are as wide as they get, and no row leaves a
//! part of a group without work.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::{KernelSource, Memory, Specialisation};
use arrayspan_bridge::iteration::{
    IterationForm, IterationSpace, Runs, THREADS, Text, address, grid_of,
};

use super::element::{Element, PRELUDE};
use super::formula::Formula;
use super::{Gpu, bands, constants, map, map_flat};
use crate::band::{Edges, reach};
use crate::verb::StencilCall;
use crate::{Result, Stencil};

const TEXT: &str = include_str!("../source/stencil_flat.cl.h");

/// The longest reach to either side: a thread holds the runs that far around its own.
const MOST_REACH: usize = 4;

/// Taps of all special rows, which are straight code.
const MOST_SPECIAL: usize = 16;

/// A kernel for a band along rows without gaps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    dtype: DType,
    form: IterationForm,
    formula: Formula,
    stencil: Stencil,
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
    let Some(runs) = runs(space, edges, &memories.map(address), dtype) else { return Ok(false) };
    let (formula, constants) = Formula::update(&call.factors, Element(dtype));
    let items = space.extents.iter().product::<usize>().div_ceil(runs.len);
    let form = space.form_with(runs, constants::count(&constants));
    let arguments = map::arguments(Element(dtype), space, &form, &memories, &constants);
    let variant = Variant { dtype, form, formula, stencil: call.stencil.clone() };
    // Along one axis alone: threads along another would do the same once more, and update what is updated already.
    let grid = grid_of([items, 1, 1], [THREADS, 1, 1]);
    // SAFETY: the arguments are those of `map::declare`, in its order. The kernel loads and stores places of the line alone,
    // which is as long as the extents of the space together: without gaps these are the places of the layouts, which lie
    // within their memories. Nothing here depends on blocks but by their alignment.
    unsafe { gpu.launch(&variant, grid, &arguments)? };
    Ok(true)
}

/// The rows of the only band, if it goes along rows without gaps.
fn candidate<'s>(
    stencil: &'s Stencil,
    space: &IterationSpace,
    axes: &[usize],
) -> Option<&'s Edges> {
    let ([(_, band)], [0]) = (stencil.terms(), axes) else { return None };
    let row = space.extents[0];
    let without_gaps = |strides| map_flat::is_line(strides, &space.extents);
    let fits = space.extents.len() <= 2 && space.strides.iter().all(without_gaps);
    (fits && !space.is_wide() && row > 2 * MOST_REACH).then(|| band.edges())?
}

/// Aligned runs of the line, as wide as an access can be; `None` if there are none of several elements, if a thread cannot
/// hold what they take, and where rows begin with a run anyway.
fn runs(
    space: &IterationSpace,
    edges: &Edges,
    addresses: &[usize; 2],
    dtype: DType,
) -> Option<Runs> {
    let (bytes, row) = (dtype.bytes(), space.extents[0]);
    let runs = map_flat::runs(space, *addresses, bytes)?;
    let odd = !row.is_multiple_of(runs.len);
    (odd && is_short(edges, runs.len)).then_some(runs)
}

/// Whether a thread can hold what a run's rows take, and special rows are few enough for straight code.
fn is_short(edges: &Edges, run: usize) -> bool {
    let (left, right) = edges.reach();
    left.max(right) <= MOST_REACH
        && !edges.interior.is_empty()
        && edges.head.len().max(edges.tail.len()) <= run
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
        let runs = runs(space, edges, &[0, 0], dtype)?;
        let form = space.form_with(runs, 4);
        Some(Self { dtype, form, formula, stencil: stencil.clone() })
    }
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let mut text = Text::default();
        let element = Element(self.dtype);
        map::declare(element, &self.form, &self.formula, "", &mut text);
        text.add(PRELUDE);
        let bands = bands::Bands::alone(&self.stencil, &[0], self.dtype, self.form.runs().len);
        bands::weights(bands.complex, &mut text);
        bands.define(&mut text);
        for edges in self.stencil.terms().iter().filter_map(|(_, band)| band.edges()) {
            // Runs between hold no special row and no tap beyond the row.
            let (left, right) = reach(&edges.interior);
            text.define("INNER_FIRST", left.max(edges.head.len()));
            text.define("INNER_LAST", right.max(edges.tail.len()));
        }
        text.add(TEXT);
        element.kernel("stencil_flat", text)
    }
}
