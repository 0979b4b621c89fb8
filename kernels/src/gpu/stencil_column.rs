//! `y ← alpha · band(x) + beta · y` for one band, neither short nor very long, along columns: a thread goes along one, or a
//! part of one, and holds what its next results need.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::{Grid, KernelSource, Memory, Specialisation};
use arrayspan_bridge::iteration::{
    IterationForm, IterationSpace, MOST_GROUPS, Runs, Text, address,
};

use super::common_row::{CommonRow, FIRST_PLACES, MOST_GAPPED};
use super::dots::Dots;
use super::element::{Element, PRELUDE};
use super::formula::Formula;
use super::stencil_norm::{self, Done};
use super::{Gpu, bands, constants, map, stencil_ends, tables};
use crate::verb::StencilCall;
use crate::{Result, Stencil};

const TEXT: &str = include_str!("../source/stencil_column.cl.h");

/// Shorter columns have too few places for parts, and far from them none that does not fit the numbers of places.
const SHORTEST: usize = 64;

/// More parts are not looked at.
const MOST_PARTS: usize = 256;

/// What a place costs beside its taps, and what a thread loads before its first one, in multiply-adds.
const PLACE: usize = 4;
const LOAD: usize = 15;

/// A kernel for a band along columns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    dtype: DType,
    form: IterationForm,
    formula: Formula,
    stencil: Stencil,
    shape: Shape,
    /// What it adds up of its results.
    norm: Option<Dots>,
}

/// What a thread takes at once, and how many groups a processor holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Shape {
    results: usize,
    /// Threads of a group.
    threads: usize,
    resident: usize,
}

/// Enqueues a call over the space that `stencil` has found for it, if it is one for columns; whether it was. `axes` are the
/// axes of the bands there.
pub(super) fn run(
    gpu: &Gpu,
    call: &StencilCall<'_>,
    space: &IterationSpace,
    axes: &[usize],
) -> Result<Done> {
    let dtype = call.y.dtype();
    if candidate(&call.stencil, dtype, space, axes).is_none() {
        return Ok(Done::Nothing);
    }
    let memories: [&Memory; 2] = [call.y.memory(), call.x.memory()];
    let (formula, constants) = Formula::update(&call.factors, Element(dtype));
    let form = space.form(dtype.bytes(), &memories.map(address), constants::count(&constants) + 1);
    let Some(variant) = Variant::new(&call.stencil, dtype, form, formula, (space, axes)) else {
        return Ok(Done::Nothing);
    };
    let Some((grid, part)) = variant.grid(space, gpu.units()) else { return Ok(Done::Nothing) };
    let mut arguments = map::arguments(Element(dtype), space, &variant.form, &memories, &constants);
    arguments.index(part as isize);
    let norm = Dots::of_norm(gpu, call, grid, arguments.list().len());
    let variant = variant.with_norm(norm);
    // SAFETY: the arguments are those of `map::declare`, in its order, and the places of a part. A layout lies within its
    // memory; the kernel loads and stores places within the extents of the space alone, and takes zeros beyond the band's
    // axis. Nothing here depends on blocks but by their alignment.
    unsafe { gpu.launch_with_norm(call, &variant, variant.norm.as_ref(), grid, arguments) }
}

/// The common row of the only band, if it goes along columns that are long enough.
fn candidate<'s>(
    stencil: &'s Stencil,
    dtype: DType,
    space: &IterationSpace,
    axes: &[usize],
) -> Option<(CommonRow<'s>, Shape)> {
    let ([(_, band)], [1]) = (stencil.terms(), axes) else { return None };
    let edges = band.edges()?;
    let row = CommonRow::of(edges);
    let shape = Shape::of(row.taps, dtype)?;
    let near = space.strides.iter().all(|strides| strides[0] == 1);
    let len = *space.extents.get(1)?;
    let [before, after] = row.reach();
    let dense =
        !row.has_gaps() || (row.taps <= MOST_GAPPED && 2 * edges.interior.len() >= row.taps);
    let common = len > edges.head.len() + edges.tail.len();
    let fits = near && dense && common && len >= SHORTEST && before.max(after) <= len / 2;
    fits.then_some((row, shape))
}

impl Shape {
    /// The best that was measured for so many taps: for others, and for numbers of 64 bits, tiles are as good.
    fn of(taps: usize, dtype: DType) -> Option<Self> {
        let (results, threads, resident) = match (dtype, taps) {
            (DType::Float32, 25..=64) => (16, 256, 2),
            (DType::Float32, 65..=128) => (16, 128, 3),
            (DType::Complex64, 25..=64) => (8, 128, 3),
            (DType::Complex64, 65..=128) => (8, 128, 2),
            _ => return None,
        };
        Some(Self { results, threads, resident })
    }

    /// Into how many parts, and of how many places, columns of `len` places are divided, of which groups take so many: those
    /// that all processors together are done with first. `None` if parts would be so short that most of what threads load
    /// is what their neighbours have.
    fn parts(self, taps: usize, len: usize, groups: usize, units: usize) -> Option<(usize, usize)> {
        let at_once = units * self.resident;
        let part = |parts: usize| len.div_ceil(parts).next_multiple_of(self.results);
        let cost = |parts: &usize| {
            // In halves: the last groups of many leave half of the processors idle, few all that have none.
            let all = 2 * groups * len.div_ceil(part(*parts));
            let turns = (all.div_ceil(at_once) + 1).max(2);
            turns * (part(*parts) * (taps + PLACE) + (taps - 1) * LOAD)
        };
        let parts = (1..=len.div_ceil(2 * taps).min(MOST_PARTS)).min_by_key(cost)?;
        let part = part(parts);
        let parts = len.div_ceil(part);
        (2 * groups * parts >= at_once).then_some((parts, part))
    }
}

impl Variant {
    /// Threads of a group.
    pub(super) fn threads(&self) -> usize {
        self.shape.threads
    }

    /// The same with sums of its results.
    pub(super) fn with_norm(self, norm: Option<Dots>) -> Self {
        Self { norm, ..self }
    }

    /// The kernel for a call whose operands have this form; `None` for what tiles do better.
    pub(super) fn new(
        stencil: &Stencil,
        dtype: DType,
        form: IterationForm,
        formula: Formula,
        (space, axes): (&IterationSpace, &[usize]),
    ) -> Option<Self> {
        let (_, shape) = candidate(stencil, dtype, space, axes)?;
        if tables::in_memory(stencil, dtype, form.is_wide(), 2) {
            return None;
        }
        let form = form.with_runs(Runs::single);
        Some(Self { dtype, form, formula, stencil: stencil.clone(), shape, norm: None })
    }

    /// The grid for a device of `units` processors, and how many places a part has.
    fn grid(&self, space: &IterationSpace, units: usize) -> Option<(Grid, usize)> {
        let (row, _) = candidate(&self.stencil, self.dtype, space, &[1])?;
        let columns = space.extents.iter().product::<usize>() / space.extents[1];
        let groups = columns.div_ceil(self.shape.threads);
        let (parts, part) = self.shape.parts(row.taps, space.extents[1], groups, units)?;
        let fits = i32::try_from(groups).is_ok() && parts <= MOST_GROUPS;
        let grid = Grid { groups: [groups, parts, 1], threads: [self.shape.threads, 1, 1] };
        fits.then_some((grid, part))
    }

    fn define(&self, text: &mut Text) {
        let bands = bands::Bands::alone(&self.stencil, &[1], self.dtype, 1);
        bands::weights(bands.complex, text);
        for (_, band) in self.stencil.terms() {
            let Some(edges) = band.edges() else { continue };
            CommonRow::of(edges).define(&bands, text);
            stencil_ends::define(band, edges, &bands, false, text);
        }
        text.define("THREADS", self.shape.threads);
        text.define("RESULTS", self.shape.results);
        text.define("RESIDENT", self.shape.resident);
    }
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let mut text = Text::default();
        let element = Element(self.dtype);
        let norm = self.norm.as_ref();
        let others = ", idx part".to_owned() + &stencil_norm::declare(norm);
        map::declare(element, &self.form, &self.formula, &others, &mut text);
        stencil_norm::define(norm, &mut text);
        text.add(PRELUDE);
        stencil_norm::add(norm, &mut text);
        self.define(&mut text);
        text.add(FIRST_PLACES);
        text.add(TEXT);
        element.kernel("stencil_column", text)
    }
}
