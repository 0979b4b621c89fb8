//! `y ← alpha · band(x) + beta · y` for one band: a group loads what its results
//! need into local memory, and a thread makes several results of each value. For long rows of taps along every axis, and for
//! short ones along rows that begin at odd places, where runs of several elements are no single accesses. Along columns,
//! rows of taps that are not very long need no local memory.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::{Grid, KernelSource, Specialisation};
use arrayspan_bridge::iteration::{
    IterationForm, IterationSpace, MOST_GROUPS, Runs, Text, address,
};

use super::common_row::{CommonRow, MOST_GAPPED};
use super::dots::Dots;
use super::element::{Element, PRELUDE};
use super::formula::Formula;
use super::stencil_norm::{self, Done};
use super::stencil_tile_width::{LINES, STRAIGHT, Setting, Width, most_chunk, room};
use super::{Gpu, bands, constants, map, stencil_ends, tables};
use crate::verb::StencilCall;
use crate::{Band, Result, Stencil};

const TEXT: &str = include_str!("../source/stencil_tile.cl.h");

/// Threads that a processor is to hold at once, with elements of up to eight bytes and of sixteen.
const RESIDENT: usize = 1024;

/// Threads of a group at most.
pub(super) const MOST_THREADS: usize = 256;

/// Of more, a thread takes so many at once, if it can hold the values they need.
const BLOCK: usize = 8;

/// Tables of more weights would not fit what devices keep for constants.
const MOST_TAPS: usize = 2048;

/// From so many places on a tile is better than what each thread holds alone.
const LONG: usize = 10;

/// The same along rows that begin at odd places.
const ODD: usize = 2;

/// A kernel for a band, by tiles.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    dtype: DType,
    form: IterationForm,
    formula: Formula,
    stencil: Stencil,
    /// Whether the band goes along axis 0, else along axis 1.
    along: bool,
    width: Width,
    /// Places of a chunk.
    chunk: usize,
    /// Whether groups take more than one part, because the grid would be too large.
    looped: bool,
    /// What it adds up of its results.
    norm: Option<Dots>,
}

/// Enqueues a call over the space that `stencil` has found for it, if it is one for tiles; whether it was. `axes` are the
/// axes of the bands there.
pub(super) fn run(
    gpu: &Gpu,
    call: &StencilCall<'_>,
    space: &IterationSpace,
    axes: &[usize],
) -> Result<Done> {
    if candidate(&call.stencil, *axes == [0]).is_none() {
        return Ok(Done::Nothing);
    }
    let memories = [call.y.memory(), call.x.memory()];
    let taken = if call.norm.is_some() { stencil_norm::room(MOST_THREADS) } else { 0 };
    let room = room(gpu.stream.device().kind()) - taken;
    let dtype = call.y.dtype();
    let (formula, constants) = Formula::update(&call.factors, Element(dtype));
    let form = space.form(dtype.bytes(), &memories.map(address), constants::count(&constants));
    let setting = Setting { space, axes, units: gpu.units(), room };
    let Some(variant) = Variant::new(&call.stencil, dtype, form, formula, &setting) else {
        return Ok(Done::Nothing);
    };
    let grid = variant.grid(space);
    let arguments = map::arguments(Element(dtype), space, &variant.form, &memories, &constants);
    let norm = Dots::of_norm(gpu, call, grid, arguments.list().len());
    let variant = variant.with_norm(norm);
    // SAFETY: the arguments are those of `map::declare`, in its order. A layout lies within its memory; the kernel loads
    // and stores places within the extents of the space alone, and takes zeros beyond the band's axis. Nothing
    // here depends on blocks but by their alignment.
    unsafe { gpu.launch_with_norm(call, &variant, variant.norm.as_ref(), grid, arguments) }
}

/// How many places the common row of a stencil's only band spans, if tiles may be better than what each thread does alone.
fn candidate(stencil: &Stencil, along: bool) -> Option<usize> {
    let [(_, band)] = stencil.terms() else { return None };
    let edges = band.edges()?;
    let row = CommonRow::of(edges);
    let (span, dense) = (row.taps, !row.has_gaps());
    let least = if along { ODD } else { LONG };
    let most = match dense {
        true => MOST_TAPS,
        false if !along && 2 * edges.interior.len() >= span => MOST_GAPPED,
        false => STRAIGHT,
    };
    let common = band.len() > edges.head.len() + edges.tail.len();
    (common && (least..=most).contains(&span)).then_some(span)
}

/// How many groups there are along each axis of the grid.
fn groups(space: &IterationSpace, bands_along: bool, width: Width) -> [usize; 3] {
    let along = |axis: usize| space.extents.get(axis).copied().unwrap_or(1);
    let outer: usize = space.extents.iter().skip(2).product();
    let parts = |len: usize| len.div_ceil(width.places());
    if bands_along {
        let lines = along(1).saturating_mul(outer).saturating_mul(parts(along(0)));
        return [lines.div_ceil(LINES), 1, 1];
    }
    [along(0).div_ceil(width.lines()), parts(along(1)), outer]
}

/// No more than a grid can have.
fn capped([x, y, z]: [usize; 3]) -> [usize; 3] {
    [x.min(i32::MAX as usize), y.min(MOST_GROUPS), z.min(MOST_GROUPS)]
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let mut text = Text::default();
        let element = Element(self.dtype);
        let norm = self.norm.as_ref();
        map::declare(element, &self.form, &self.formula, &stencil_norm::declare(norm), &mut text);
        stencil_norm::define(norm, &mut text);
        text.add(PRELUDE);
        stencil_norm::add(norm, &mut text);
        self.define(&mut text);
        text.add(TEXT);
        element.kernel("stencil_tile", text)
    }
}

impl Variant {
    /// Threads of a group.
    pub(super) fn threads(&self) -> usize {
        self.width.lines() * self.width.warps
    }

    /// The same with sums of its results.
    pub(super) fn with_norm(self, norm: Option<Dots>) -> Self {
        Self { norm, ..self }
    }

    /// The kernel for a call whose operands have this form; `None` for what each thread does better alone.
    pub(super) fn new(
        stencil: &Stencil,
        dtype: DType,
        form: IterationForm,
        formula: Formula,
        setting: &Setting<'_>,
    ) -> Option<Self> {
        let Setting { space, axes, .. } = setting;
        let along = **axes == [0];
        let span = candidate(stencil, along)?;
        let single_access = form.runs().len * dtype.bytes() == 16;
        if single_access && span < LONG {
            return None;
        }
        let near = space.strides.iter().all(|strides| strides[0] == 1);
        if !near || (!along && space.extents[0] < LINES / 2) {
            return None;
        }
        if tables::in_memory(stencil, dtype, form.is_wide(), 2) {
            return None;
        }
        let most_chunk = most_chunk(setting.room, dtype.bytes());
        let chunk = span.div_ceil(span.div_ceil(most_chunk));
        let width = Width::cheapest(setting, along, chunk, dtype.bytes())?;
        let form = form.with_runs(Runs::single);
        let groups = groups(space, along, width);
        // Without a tile loops cost nothing.
        let looped = width.direct || groups != capped(groups);
        let stencil = stencil.clone();
        Some(Self { dtype, form, formula, stencil, along, width, chunk, looped, norm: None })
    }

    fn grid(&self, space: &IterationSpace) -> Grid {
        let groups = capped(groups(space, self.along, self.width));
        Grid { groups, threads: [self.width.lines(), self.width.warps, 1] }
    }

    /// What stands between the prelude and the kernel.
    fn define(&self, text: &mut Text) {
        let axis = usize::from(!self.along);
        let axes = [axis];
        let bands = bands::Bands::alone(&self.stencil, &axes, self.dtype, 1);
        bands::weights(bands.complex, text);
        let band = self.stencil.terms().first().map(|(_, band)| band);
        let (Some(band), Some(edges)) = (band, band.and_then(Band::edges)) else { return };
        let row = CommonRow::of(edges);
        let taps = row.taps;
        let last = taps - (taps.div_ceil(self.chunk) - 1) * self.chunk;
        let resident = RESIDENT / self.threads() / (self.dtype.bytes() / 8).max(1);
        text.flag("ALONG", self.along);
        text.flag("LOOPED", self.looped);
        text.flag("DIRECT", self.width.direct);
        text.define("LINES", self.width.lines());
        text.define("WARPS", self.width.warps);
        text.define("RESULTS", self.width.results);
        row.define(&bands, text);
        text.define("CHUNK", self.chunk);
        text.define("REST", last);
        text.define("RESIDENT", resident);
        let gaps = row.has_gaps();
        let block = if self.dtype.bytes() == 4 && !self.along { BLOCK } else { 0 };
        text.flag("STRAIGHT", taps <= STRAIGHT || (gaps && block == 0));
        text.define("BLOCK", block);
        text.flag("GAPS", gaps);
        let whole = taps <= self.chunk && !self.width.direct;
        stencil_ends::define(band, edges, &bands, whole, text);
    }
}
