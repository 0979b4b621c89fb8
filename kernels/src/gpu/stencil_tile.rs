//! `y ← alpha · band(x) + beta · y` for one band: a group loads what its results
//! need into local memory, and a thread makes several results of each value. For long rows of taps along every axis, and for
//! short ones along rows that begin at odd places, where runs of several elements are no single accesses.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::{DeviceKind, Grid, KernelSource, Specialisation};
use arrayspan_bridge::iteration::{
    IterationForm, IterationSpace, MOST_GROUPS, Runs, Text, address,
};

use super::element::{Element, PRELUDE};
use super::formula::Formula;
use super::{Gpu, bands, constants, map, tables};
use crate::band::Edges;
use crate::verb::StencilCall;
use crate::{Result, Stencil, Tap};

const TEXT: &str = include_str!("../source/stencil_tile.cl.h");

/// Lines of a group; also in the source.
const LINES: usize = 32;

/// Results of a thread along a short axis, and what may be chosen from along one that several groups share.
const RESULTS: usize = 16;
const SOME_RESULTS: std::ops::RangeInclusive<usize> = 11..=18;

/// Threads of a group along the band's axis: those that share the lines of a group evenly.
const WARPS: [usize; 4] = [8, 4, 2, 1];

/// More places from the first to the last tap are taken in chunks.
const MOST_CHUNK: usize = 128;

/// Threads that a processor is to hold at once, with elements of up to eight bytes and of sixteen.
const RESIDENT: usize = 1024;

/// Up to so many places are straight code.
const STRAIGHT: usize = 24;

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
}

/// Enqueues a call over the space that `stencil` has found for it, if it is one for tiles; whether it was. `axes` are the
/// axes of the bands there.
pub(super) fn run(
    gpu: &Gpu,
    call: &StencilCall<'_>,
    space: &IterationSpace,
    axes: &[usize],
) -> Result<bool> {
    if candidate(&call.stencil, *axes == [0]).is_none() {
        return Ok(false);
    }
    let memories = [call.y.memory(), call.x.memory()];
    let room = room(gpu.stream.device().kind());
    let dtype = call.y.dtype();
    let (formula, constants) = Formula::update(&call.factors, Element(dtype));
    let form = space.form(dtype.bytes(), &memories.map(address), constants::count(&constants));
    let setting = Setting { space, axes, units: gpu.units(), room };
    let Some(variant) = Variant::new(&call.stencil, dtype, form, formula, &setting) else {
        return Ok(false);
    };
    let arguments = map::arguments(Element(dtype), space, &variant.form, &memories, &constants);
    let grid = variant.grid(space);
    // SAFETY: the arguments are those of `map::declare`, in its order. A layout lies within its memory; the kernel loads
    // and stores places within the extents of the space alone, and takes zeros beyond the band's axis. Nothing
    // here depends on blocks but by their alignment.
    unsafe { gpu.launch_stencil(call, &variant, grid, &arguments)? };
    Ok(true)
}

/// The local memory that a kernel may take without asking.
pub(super) fn room(kind: DeviceKind) -> usize {
    if kind == DeviceKind::Cuda { 48 << 10 } else { 32 << 10 }
}

/// What a kernel is for beside its band.
pub(super) struct Setting<'s> {
    pub(super) space: &'s IterationSpace,
    /// The axes of the bands in the space.
    pub(super) axes: &'s [usize],
    /// Processors of the device.
    pub(super) units: usize,
    /// Bytes of local memory.
    pub(super) room: usize,
}

/// Places from the first to the last tap of the common row, and whether no tap is missing between; 0 without taps.
fn extent(band: &Edges) -> (usize, bool) {
    let taps = &band.interior;
    let (Some(first), Some(last)) = (taps.first(), taps.last()) else { return (0, true) };
    let span = last.offset.abs_diff(first.offset).saturating_add(1);
    (span, span == taps.len())
}

/// How many places the common row of a stencil's only band spans, if tiles may be better than what each thread does alone.
fn candidate(stencil: &Stencil, along: bool) -> Option<usize> {
    let [(_, band)] = stencil.terms() else { return None };
    let edges = band.edges()?;
    let (span, dense) = extent(edges);
    let least = if along { ODD } else { LONG };
    let most = if dense { MOST_TAPS } else { STRAIGHT };
    let common = band.len() > edges.head.len() + edges.tail.len();
    (common && (least..=most).contains(&span)).then_some(span)
}

/// The most places of a chunk: half of the local memory is for what neighbouring tiles load, too.
fn most_chunk(room: usize, bytes: usize) -> usize {
    (room / (2 * LINES * bytes)).min(MOST_CHUNK)
}

/// What a group makes along the band's axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Width {
    warps: usize,
    /// Of each thread.
    results: usize,
}

impl Width {
    /// The cheapest for chunks of so many places; `None` if not even the narrowest fits into local memory.
    fn cheapest(setting: &Setting<'_>, along: bool, chunk: usize, bytes: usize) -> Option<Self> {
        let Setting { space, units, room, .. } = setting;
        let len = space.extents[usize::from(!along)];
        let others: usize = space.extents.iter().product::<usize>() / len.max(1);
        let shared = len > WARPS[0] * RESULTS;
        let results = if shared { SOME_RESULTS } else { RESULTS..=RESULTS };
        let widths = || {
            let all = results.clone().rev();
            let all = all.flat_map(|results| WARPS.map(|warps| Self { warps, results }));
            all.filter(|width| LINES * ((width.places() + chunk - 1) | 1) * bytes <= *room)
        };
        let busy = |width: &Self| {
            let lines = others.saturating_mul(len.div_ceil(width.places()));
            width.warps <= 2 || lines.div_ceil(LINES) * width.warps >= 2 * units
        };
        let cost = |width: &Self| width.cost(len, chunk);
        let cheapest = widths().filter(busy).min_by(|a, b| cost(a).total_cmp(&cost(b)));
        cheapest.or_else(|| widths().next_back())
    }

    fn places(self) -> usize {
        self.warps * self.results
    }

    /// Of a place of the axis, in multiply-adds: the taps, loads from local memory and into it, by how many places groups
    /// have beyond the axis.
    fn cost(self, len: usize, chunk: usize) -> f64 {
        let [places, results] = [self.places(), self.results].map(|count| count as f64);
        let chunk = chunk as f64;
        let loads = 4.0 * (results + chunk - 1.0) / results + 8.0 * (places + chunk - 1.0) / places;
        let padded = (len.div_ceil(self.places()) * self.places()) as f64;
        (chunk + loads + 16.0) * padded / len.max(1) as f64
    }
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let mut text = Text::default();
        let element = Element(self.dtype);
        map::declare(element, &self.form, &self.formula, "", &mut text);
        text.add(PRELUDE);
        self.define(&mut text);
        text.add(TEXT);
        element.kernel("stencil_tile", text)
    }
}

impl Variant {
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
        Some(Self { dtype, form, formula, stencil: stencil.clone(), along, width, chunk })
    }

    fn grid(&self, space: &IterationSpace) -> Grid {
        let along = |axis: usize| space.extents.get(axis).copied().unwrap_or(1);
        let outer: usize = space.extents.iter().skip(2).product();
        let parts = |len: usize| len.div_ceil(self.width.places());
        let groups = if self.along {
            let lines = along(1).saturating_mul(outer).saturating_mul(parts(along(0)));
            [lines.div_ceil(LINES).min(i32::MAX as usize), 1, 1]
        } else {
            [along(0).div_ceil(LINES), parts(along(1)).min(MOST_GROUPS), outer.min(MOST_GROUPS)]
        };
        Grid { groups, threads: [LINES, self.width.warps, 1] }
    }

    /// Whether weights are complex numbers.
    fn complex(&self) -> bool {
        self.dtype.is_complex() && !self.stencil.is_real()
    }

    /// What stands between the prelude and the kernel.
    fn define(&self, text: &mut Text) {
        let axis = usize::from(!self.along);
        bands::weights(self.complex(), text);
        let bands = bands::Bands {
            stencil: &self.stencil,
            axes: &[axis],
            dtype: self.dtype,
            complex: self.complex(),
            run: 1,
            uploaded: false,
            tag: String::new(),
            loads: bands::Loads::plain("x0"),
        };
        let Some(edges) = self.stencil.terms().first().and_then(|(_, band)| band.edges()) else {
            return;
        };
        let first = edges.interior.first().map_or(0, |tap| tap.offset);
        let taps = extent(edges).0;
        let place = |tap: &Tap| tap.offset.abs_diff(first);
        let last = taps - (taps.div_ceil(self.chunk) - 1) * self.chunk;
        let resident = RESIDENT / (LINES * self.width.warps) / (self.dtype.bytes() / 8).max(1);
        text.flag("ALONG", self.along);
        text.define("WARPS", self.width.warps);
        text.define("RESULTS", self.width.results);
        text.define("FIRST_TAP", format_args!("({first})"));
        text.define("TAPS", taps);
        text.define("CHUNK", self.chunk);
        text.define("REST", last);
        text.define("RESIDENT", resident);
        text.flag("STRAIGHT", taps <= STRAIGHT);
        text.define("SPECIAL_FIRST", edges.head.len());
        text.define("SPECIAL_LAST", edges.tail.len());
        if edges.special().next().is_some() {
            bands.define(text);
            let far = |tap: &Tap| tap.offset < first || place(tap) >= taps;
            let near = taps <= self.chunk && !edges.special().flatten().any(far);
            text.flag("SPECIAL_NEAR", near && bands.has_tables());
            text.define("BAND_START(line)", format_args!("band{axis}_start(line)"));
            text.define("BAND_OFFSET(k)", format_args!("band{axis}_offsets(k)"));
            text.define("BAND_WEIGHT(k)", format_args!("band{axis}_weights(k)"));
            let here = if self.along { "center, i, n0" } else { "i, n1" };
            text.define(
                "SPECIAL(sum, at, i)",
                format_args!("sum = band{axis}_add(sum, at, x0_s{axis}, {here} TABLE_ARGUMENTS);"),
            );
        }
        if taps <= STRAIGHT {
            let weights =
                edges.interior.iter().map(|tap| (place(tap), bands.expression(tap.weight)));
            let zero = if self.complex() { "e_zero()" } else { "R(0.0)" };
            text.switch("weight tap_weight(int t)", "t", weights, zero);
            let there = edges.interior.iter().map(|tap| (place(tap), "1".to_owned()));
            text.switch("int tap_is(int t)", "t", there, "0");
        } else {
            let weights: Vec<_> =
                edges.interior.iter().map(|tap| bands.initializer(tap.weight)).collect();
            text.add(format_args!("CONSTANT weight tap_weights[] = {{{}}};", weights.join(", ")));
            text.define("tap_weight(t)", "tap_weights[t]");
            text.define("tap_is(t)", 1);
        }
    }
}
