//! `y ← alpha · Σ bands(x) + beta · y` in one pass: a thread for a run of consecutive elements, and for several
//! rows along the axis whose taps it can hold.

use arrayspan_bridge::devices::{Grid, KernelSource, Specialisation};
use arrayspan_bridge::iteration::{
    Axes, IterationForm, IterationSpace, Text, WIDEST, address, grid_of, wide_grid,
};
use arrayspan_bridge::{DType, Layout};

use super::dots::Dots;
use super::element::Element;
use super::formula::Formula;
use super::stencil_norm::Done;
use super::stencil_term::{Arrays, Term};
use super::stencil_window::{
    EACH, Ends, WIDE_WINDOW, around, busy, holdable, is_covered, is_dense, span, threads,
    window_room,
};
use super::{
    Gpu, band_row, bands, constants, map, map_many, reduce, stencil_column, stencil_filter,
    stencil_flat, stencil_line, stencil_march, stencil_norm, stencil_tile, tables,
};
use crate::band::Edges;
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
    ends: Ends,
    /// Whether there is a thread for each item.
    covered: bool,
    /// The sums of its results.
    norm: Option<Dots>,
}

/// Rows of a thread at most: of a short band, of one with accesses of so many bytes, and of a long one where accesses are as wide
/// as they get and where they are not. More would leave too few threads for each processor, fewer load too much again.
const SHORT_ROWS: usize = 8;
const SHORT_ROWS_OF: (usize, usize) = (8, 4);
const LONG_ROWS: [usize; 2] = [16, 8];
/// The same of a star along three axes or more.
const STAR_ROWS: usize = 4;
/// Bytes that a thread asks for before it stores the first, of rows without a band.
const AHEAD: usize = 32;
/// The parameters of tables in memory.
const TABLE_PARAMETERS: &str = ", const GLOBAL int* RESTRICT places, i64 places_at\
     , const GLOBAL weight* RESTRICT factors, i64 factors_at";

/// A kernel, and what it runs over.
#[derive(Debug)]
pub(super) struct Plan<'f> {
    pub(super) variant: Variant,
    pub(super) space: IterationSpace,
    pub(super) grid: Grid,
    pub(super) constants: Vec<FactorOf<'f>>,
}

pub(super) fn run(gpu: &Gpu, call: &mut StencilCall<'_>) -> Result<()> {
    if let Some(norm) = &call.norm {
        gpu.expect_float64("stencil", norm.out.dtype())?;
    }
    match fill(gpu, call)? {
        Done::All => return Ok(()),
        Done::Norm => {}
        _ => call.norm_alone(|norm| reduce::run(gpu, norm))?,
    }
    map_many::epilogue(gpu, &mut call.epilogue)
}

/// Fills the output, and adds up the norm where the kernel does.
fn fill(gpu: &Gpu, call: &StencilCall<'_>) -> Result<Done> {
    let (x, y, dtype) = (&call.x, &call.y, call.y.dtype());
    gpu.expect_float64("stencil", dtype)?;
    gpu.expect_factors("stencil", &call.factors)?;
    if y.layout().is_empty() {
        return Ok(Done::Stencil);
    }
    let memories = [y.memory(), x.memory()];
    let layouts = [y.layout(), x.layout()];
    let (space, axes) = space(&call.stencil, layouts);
    let element = Element(dtype);
    // The kernels for one band are those of elements as arrays hold them.
    if !element.is_half() {
        let filled = stencil_flat::run(gpu, call, &space, &axes)?
            || stencil_line::run(gpu, call, &space, &axes)?
            || stencil_filter::run(gpu, call, &space, &axes)?;
        let mut done = Done::without_norm(filled);
        for run in [stencil_column::run, stencil_tile::run] {
            if done == Done::Nothing {
                done = run(gpu, call, &space, &axes)?;
            }
        }
        if done != Done::Nothing {
            return Ok(done);
        }
    }
    if axes.contains(&2) && !element.is_half() {
        let arrays = Arrays { x: 1, before: None, after: None };
        let star = [Term::new(&call.stencil, axes.to_vec(), arrays)];
        if stencil_march::run(gpu, &star, &space, &memories, dtype, &call.factors)? {
            return Ok(Done::Stencil);
        }
    }
    let addresses = memories.map(address);
    let around = (space, axes);
    let plan = Plan::new(&call.stencil, dtype, around, addresses, &call.factors, gpu.units());
    let Plan { variant, space, grid, constants } = plan;
    let mut arguments = map::arguments(element, &space, &variant.form, &memories, &constants);
    let uploaded;
    let wide = variant.form.is_wide();
    if tables::in_memory(&call.stencil, dtype, wide, 1) {
        uploaded = gpu.stencil_tables(
            &call.stencil,
            dtype,
            bands::is_complex(dtype, [&call.stencil]),
            wide,
        )?;
        arguments.read(uploaded.0.memory(), 0);
        arguments.read(uploaded.1.memory(), 0);
    }
    // Norms of 16-bit floats are of what was rounded.
    let others = arguments.list().len();
    let norm = if element.is_half() { None } else { Dots::of_norm(gpu, call, grid, others) };
    let variant = variant.with_norm(norm);
    // SAFETY: as in `map::launch`; the kernel touches taps only where they fall on their axis, and tables
    // only where a line of theirs begins and ends. Nothing here depends on blocks but by their alignment.
    unsafe { gpu.launch_with_norm(call, &variant, variant.norm.as_ref(), grid, arguments) }
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
        let element = Element(dtype);
        let (formula, constants) = Formula::update(factors, element);
        // What a thread holds of an element.
        let held = element.computed().bytes();
        let others = constants::count(&constants) + 4;
        let mut form = space.form(dtype.bytes(), &addresses, others).dividing(space.extents[0]);
        let marched = axes.iter().position(|axis| *axis == 1).map(|term| &stencil.terms()[term].1);
        let marched = marched.and_then(Band::edges);
        if let Some(band) = marched {
            form = form.with_runs(|runs| holdable(band, runs, held));
        }
        let access = form.runs().len * dtype.bytes();
        let room = window_room(form.runs().len, held);
        let [runs, lines, outer] = space.items(&form);
        let ends = Ends::of(marched);
        let common = lines.saturating_sub(ends.first + ends.last);
        let most = match marched {
            _ if axes.len() > 2 => STAR_ROWS,
            Some(band) if span(band) > WIDE_WINDOW => LONG_ROWS[usize::from(access < WIDEST)],
            _ if access == SHORT_ROWS_OF.0 => SHORT_ROWS_OF.1,
            _ => SHORT_ROWS,
        };
        let rows = match marched {
            Some(band) => rows(band, common, [room, most], runs * outer, units),
            // Rows side by side.
            None if !axes.contains(&1) && access < WIDEST => {
                let fitting = [AHEAD / access, 1].into_iter().filter(|rows| 2 * rows <= lines);
                busy(fitting, lines, runs * outer, units)
            }
            None => 0,
        };
        let items = [runs, ends.items(lines, rows), outer];
        let deep = axes.len() > 2 && items.iter().zip(DEEP).all(|(all, one)| *all >= one);
        let grid =
            if deep { grid_of(items, DEEP) } else { wide_grid(items, threads(items, units)) };
        let stencil = stencil.clone();
        let covered = is_covered(&grid, items);
        let norm = None;
        let variant = Variant { dtype, form, formula, stencil, axes, rows, ends, covered, norm };
        Self { variant, space, grid, constants }
    }
}

/// The space of a stencil, and for each of its bands its axis there.
pub(super) fn space(stencil: &Stencil, layouts: [&Layout; 2]) -> (IterationSpace, Axes<usize>) {
    let apart: Axes<usize> = stencil.terms().iter().map(|(axis, _)| *axis).collect();
    around(&layouts, &apart)
}

/// The rows a thread takes along a band's axis, no more than `most` and than there are `common` ones, when there is room for a
/// window of `room` runs and there are so many `columns`; 0 if the taps of a row are too many or too far apart to be held.
fn rows(
    band: &Edges,
    common: usize,
    [room, most]: [usize; 2],
    columns: usize,
    units: usize,
) -> usize {
    if !is_dense(band) {
        return 0;
    }
    let most = most.min(common);
    let span = span(band);
    let fitting = [16, 8, 4, 2].into_iter().filter(|rows| *rows <= most && span - 1 + rows <= room);
    busy(fitting, common, columns, units)
}

/// The threads of a group for a star along three axes: neighbours along all of them share what the first cache holds.
const DEEP: [usize; 3] = [32, 2, 4];

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let mut text = Text::default();
        self.define(if self.uploaded() { TABLE_PARAMETERS } else { "" }, &mut text);
        Element(self.dtype).prelude(&mut text);
        stencil_norm::add(self.norm.as_ref(), &mut text);
        self.bands(&mut text);
        text.add(EACH);
        text.add(TEXT);
        Element(self.dtype).kernel("stencil", text)
    }
}

impl Variant {
    /// The macros before the prelude; `others` are the parameters behind those of the space and the formula.
    pub(super) fn define(&self, others: &str, text: &mut Text) {
        let element = Element(self.dtype);
        let norm = self.norm.as_ref();
        let others = others.to_owned() + &stencil_norm::declare(norm);
        map::declare(element, &self.form, &self.formula, &others, text);
        stencil_norm::define(norm, text);
        let add = |wanted: &dyn Fn(usize) -> bool| -> String {
            let bands = self.stencil.terms().iter().zip(&self.axes);
            let wanted = bands.filter(|(_, axis)| wanted(**axis));
            let add = |((_, band), axis): (&(usize, Band), &usize)| {
                band_row::add(band, "", *axis, &format!("x0_s{axis}"))
            };
            wanted.map(add).collect()
        };
        text.define("ROWS", self.rows);
        text.flag("COVERED", self.covered);
        if self.rows > 0 {
            self.ends.define(text);
            if !self.axes.contains(&1) {
                for name in ["LEFT", "RIGHT", "TAPS"] {
                    text.define(format_args!("BAND1_{name}"), 0);
                }
                let complex = bands::is_complex(self.dtype, [&self.stencil]);
                let zero = if complex { "e_make(R(0.0), R(0.0))" } else { "R(0.0)" };
                text.define("band1_weight(t)", zero);
                text.define("band1_offset(t)", 0);
            }
        }
        text.define("AT_AXIS_0", band_row::at_axis_0(&self.stencil, &self.axes, ""));
        text.define("ADD_BAND1", add(&|axis| axis == 1));
        text.define("ADD_OTHERS", add(&|axis| axis != 1));
    }

    /// The same with sums of its results.
    pub(super) fn with_norm(self, norm: Option<Dots>) -> Self {
        Self { norm, ..self }
    }

    /// Whether its tables are in memory.
    pub(super) fn uploaded(&self) -> bool {
        tables::in_memory(&self.stencil, self.dtype, self.form.is_wide(), 1)
    }

    /// What stands between the prelude and the kernel.
    pub(super) fn bands(&self, text: &mut Text) {
        let run = self.form.runs().len;
        let alone = bands::Bands::alone(&self.stencil, &self.axes, self.dtype, run);
        let bands = bands::Bands { uploaded: self.uploaded(), ..alone };
        bands::weights(bands.complex, text);
        bands.define_with_rows(text);
    }
}
