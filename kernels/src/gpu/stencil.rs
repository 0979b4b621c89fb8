//! `y ← alpha · Σ bands(x) + beta · y` in one pass: a thread for a run of consecutive elements, and for several
//! rows along the axis whose taps it can hold.

use arrayspan_bridge::devices::{KernelSource, Specialisation};
use arrayspan_bridge::iteration::{
    Axes, IterationForm, IterationSpace, Runs, THREADS, Text, WIDEST, address, grid_of, wide_grid,
};
use arrayspan_bridge::{DType, Layout};

use super::element::{Element, PRELUDE};
use super::formula::Formula;
use super::{Gpu, bands, constants, map, stencil_march, stencil_tile, tables};
use crate::band::{Edges, reach};
use crate::factors::{FactorOf, Factors};
use crate::verb::StencilCall;
use crate::{Band, Result, Stencil};

const TEXT: &str = include_str!("../source/stencil.cl.h");

/// A kernel for a sum of bands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    pub(super) dtype: DType,
    pub(super) form: IterationForm,
    pub(super) formula: Formula,
    pub(super) stencil: Stencil,
    /// For each term its axis in the kernel. A term along axis 1 may have a window.
    pub(super) axes: Axes<usize>,
    /// The rows of a window, 0 without one.
    pub(super) rows: usize,
}

/// What a thread can hold in a window and still leave registers for others.
const MOST_WINDOW_BYTES: usize = 576;
/// Rows of a thread at most: where its accesses are as wide as they get, and where more rows would leave too few on their way
/// for each processor.
const WIDE_ROWS: usize = 16;
const NARROW_ROWS: usize = 8;
/// The same of a star along three axes or more.
const STAR_ROWS: usize = 4;
/// Bytes that a thread asks for before it stores the first, of rows without a band.
const AHEAD: usize = 32;
/// A window for fewer rows than these loads most elements more than a few times.
const WORTHWHILE: usize = 8;
/// A window wider than this leaves room for few threads in a processor.
const WIDE_WINDOW: usize = 8;
/// Threads per multiprocessor that saturate memory bandwidth.
const BUSY_THREADS: usize = 192;

/// The parameters of tables in memory.
const TABLE_PARAMETERS: &str = ", const GLOBAL int* RESTRICT places, i64 places_at\
     , const GLOBAL weight* RESTRICT factors, i64 factors_at";

/// A kernel, and what it runs over.
#[derive(Debug)]
pub(super) struct Plan<'f> {
    pub(super) variant: Variant,
    space: IterationSpace,
    items: [usize; 3],
    constants: Vec<FactorOf<'f>>,
}

pub(super) fn run(gpu: &Gpu, call: &StencilCall<'_>) -> Result<()> {
    let (x, y, dtype) = (&call.x, &call.y, call.y.dtype());
    gpu.expect_float64("stencil", dtype)?;
    gpu.expect_factors("stencil", &call.factors)?;
    if y.layout().is_empty() {
        return Ok(());
    }
    let memories = [y.memory(), x.memory()];
    let layouts = [y.layout(), x.layout()];
    let (space, axes) = space(&call.stencil, layouts);
    if stencil_tile::run(gpu, call, &space, &axes)? || stencil_march::run(gpu, call, &space, &axes)?
    {
        return Ok(());
    }
    let addresses = memories.map(address);
    let around = (space, axes);
    let plan = Plan::new(&call.stencil, dtype, around, addresses, &call.factors, gpu.units());
    let Plan { variant, space, items, constants } = plan;
    let element = Element(dtype);
    let mut arguments = map::arguments(element, &space, &variant.form, &memories, &constants);
    let uploaded;
    let wide = variant.form.is_wide();
    if tables::in_memory(&call.stencil, dtype, wide, 1) {
        uploaded = gpu.tables(&call.stencil, dtype, variant.complex(), wide)?;
        arguments.read(uploaded.0.memory(), 0);
        arguments.read(uploaded.1.memory(), 0);
    }
    let grid = if variant.axes.len() > 2 && items.iter().zip(DEEP).all(|(all, one)| *all >= one) {
        grid_of(items, DEEP)
    } else {
        wide_grid(items, threads(items, gpu.units()))
    };
    // SAFETY: as in `map::launch`; the kernel touches taps only where they fall on their axis, and tables
    // only where a line of theirs begins and ends.
    unsafe { gpu.launch(&variant, grid, &arguments) }
}

impl<'f> Plan<'f> {
    /// For a device of `units` processors, over a space and the axes of the bands there, and blocks of `y` and `x` at these
    /// addresses.
    pub(super) fn new(
        stencil: &Stencil,
        dtype: DType,
        (space, axes): (IterationSpace, Axes<usize>),
        addresses: [usize; 2],
        factors: &'f Factors<'_>,
        units: usize,
    ) -> Self {
        let (formula, constants) = Formula::update(factors, Element(dtype));
        let others = constants::count(&constants) + 4;
        let mut form = space.form(dtype.bytes(), &addresses, others).dividing(space.extents[0]);
        let marched = axes.iter().position(|axis| *axis == 1).map(|term| &stencil.terms()[term].1);
        let marched = marched.and_then(Band::edges);
        if let Some(band) = marched {
            form = form.with_runs(|runs| holdable(band, runs, dtype.bytes()));
        }
        let access = form.runs().len * dtype.bytes();
        let room = window_room(form.runs().len, dtype.bytes());
        let most = if access < WIDEST { NARROW_ROWS } else { WIDE_ROWS };
        let [runs, lines, outer] = space.items(&form);
        let rows = match marched {
            Some(band) if axes.len() > 2 => {
                rows(band, lines, [room, STAR_ROWS], runs * outer, units)
            }
            Some(band) => rows(band, lines, [room, most], runs * outer, units),
            // Rows side by side, so that as many bytes are on their way as with wide accesses.
            None if !axes.contains(&1) && access < WIDEST => {
                let fitting = [AHEAD / access, 1].into_iter().filter(|rows| 2 * rows <= lines);
                busy(fitting, lines, runs * outer, units)
            }
            None => 0,
        };
        let along = marched.map_or_else(|| alone(lines, rows), |band| items(band, lines, rows));
        let items = [runs, along, outer];
        let variant = Variant { dtype, form, formula, stencil: stencil.clone(), axes, rows };
        Self { variant, space, items, constants }
    }
}

/// The space of a stencil, and for each of its bands its axis there. The nearest of these but axis 0 is axis 1.
pub(super) fn space(stencil: &Stencil, layouts: [&Layout; 2]) -> (IterationSpace, Axes<usize>) {
    let apart: Axes<usize> = stencil.terms().iter().map(|(axis, _)| *axis).collect();
    let (mut space, mut axes) = IterationSpace::around(&layouts, &apart);
    if let Some(march) = axes.iter().copied().filter(|axis| *axis > 0).min() {
        space.swap(1, march);
        axes.iter_mut().filter(|axis| **axis == march).for_each(|axis| *axis = 1);
    }
    (space, axes)
}

/// Rows from the first to the last tap of a band's common row.
pub(super) fn span(band: &Edges) -> usize {
    let (left, right) = reach(&band.interior);
    left.saturating_add(right).saturating_add(1)
}

/// The longest runs, no longer than these, of which a thread can hold a window for `WORTHWHILE` rows of the
/// band; the same runs if not even single elements fit.
pub(super) fn holdable(band: &Edges, runs: Runs, bytes: usize) -> Runs {
    let span = span(band);
    let fits = |len: usize| span.saturating_add(WORTHWHILE - 1) <= window_room(len, bytes);
    let mut held = runs.clone();
    while held.len > 1 && !fits(held.len) {
        held = held.halved();
    }
    if fits(held.len) { held } else { runs }
}

/// Runs of `len` elements of `bytes` bytes that a thread can hold and still leave room for others.
pub(super) fn window_room(len: usize, bytes: usize) -> usize {
    MOST_WINDOW_BYTES / (len * bytes)
}

/// The rows a thread takes along a band's axis, no more than `most`, when there is room for a window of `room` runs and there
/// are so many `columns`; 0 if the taps of a row are too many or too far apart to be held.
fn rows(band: &Edges, len: usize, [room, most]: [usize; 2], columns: usize, units: usize) -> usize {
    let span = span(band);
    let common = len - band.head.len() - band.tail.len();
    if common == 0 || !is_dense(band) {
        return 0;
    }
    let fitting = [16, 8, 4, 2].into_iter().filter(|rows| *rows <= most && span - 1 + rows <= room);
    busy(fitting, common, columns, units)
}

/// Whether the taps of a band's common row are so near to each other that a window holds little else.
pub(super) fn is_dense(band: &Edges) -> bool {
    let span = span(band);
    span <= WIDE_WINDOW || 2 * band.interior.len() >= span
}

/// The first of the `fitting` numbers of rows a thread, which descend, that leaves enough threads for all processors; else
/// the last; 0 of none.
pub(super) fn busy(
    fitting: impl DoubleEndedIterator<Item = usize> + Clone,
    common: usize,
    columns: usize,
    units: usize,
) -> usize {
    let is_busy = |rows: &usize| columns * common.div_ceil(*rows) >= units * BUSY_THREADS;
    let smallest = fitting.clone().next_back().unwrap_or(0);
    fitting.into_iter().find(is_busy).unwrap_or(smallest)
}

/// The items along an axis without a band.
fn alone(len: usize, rows: usize) -> usize {
    if rows == 0 { len } else { len.div_ceil(rows) }
}

/// The items along the band's axis: its rows, or its special rows and its windows.
fn items(band: &Edges, len: usize, rows: usize) -> usize {
    let special = band.head.len() + band.tail.len();
    if rows == 0 { len } else { special + (len - special).div_ceil(rows) }
}

/// The threads of a group for a star along three axes: neighbours along all of them share what the first cache holds.
const DEEP: [usize; 3] = [32, 2, 4];

/// Threads of a group: fewer where that gives every processor some.
pub(super) fn threads(items: [usize; 3], units: usize) -> usize {
    let all: usize = items.iter().product();
    if all < 4 * THREADS * units { THREADS / 4 } else { THREADS }
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let mut text = Text::default();
        self.define(&mut text);
        text.add(PRELUDE);
        self.bands(&mut text);
        text.add(TEXT);
        Element(self.dtype).kernel("stencil", text)
    }
}

impl Variant {
    /// The macros before the prelude.
    fn define(&self, text: &mut Text) {
        let tables = if self.uploaded() { TABLE_PARAMETERS } else { "" };
        let element = Element(self.dtype);
        map::declare(element, &self.form, &self.formula, tables, text);
        let add = |axis: &usize| match axis {
            0 => "sum = band0_add(sum, at, x0_s0, center, c, n0 TABLE_ARGUMENTS); ".to_owned(),
            n => format!("sum = band{n}_add(sum, at, x0_s{n}, i{n}, n{n} TABLE_ARGUMENTS); "),
        };
        let (marched, others): (Vec<usize>, Vec<usize>) =
            self.axes.iter().partition(|axis| **axis == 1);
        text.define("ROWS", self.rows);
        if self.rows > 0 && marched.is_empty() {
            for name in ["HEAD", "TAIL", "LEFT", "RIGHT", "TAPS"] {
                text.define(format_args!("BAND1_{name}"), 0);
            }
            text.define("band1_weight(t)", "R(0.0)");
            text.define("band1_offset(t)", 0);
        }
        text.define("ADD_BAND1", marched.iter().map(add).collect::<Vec<_>>().concat());
        text.define("ADD_OTHERS", others.iter().map(add).collect::<Vec<_>>().concat());
    }

    /// Whether weights are complex numbers.
    fn complex(&self) -> bool {
        self.dtype.is_complex() && !self.stencil.is_real()
    }

    /// Whether its tables are in memory.
    fn uploaded(&self) -> bool {
        tables::in_memory(&self.stencil, self.dtype, self.form.is_wide(), 1)
    }

    /// What stands between the prelude and the kernel.
    fn bands(&self, text: &mut Text) {
        bands::weights(self.complex(), text);
        let bands = bands::Bands {
            stencil: &self.stencil,
            axes: &self.axes,
            dtype: self.dtype,
            complex: self.complex(),
            run: self.form.runs().len,
            uploaded: self.uploaded(),
            tag: String::new(),
            loads: bands::Loads::plain("x0"),
        };
        bands.define(text);
    }
}
