//! `y ← alpha · Σ after ⊙ bands(before ⊙ x) + beta · y` in one pass: a thread for a run of consecutive elements, and for
//! several rows along one axis, term by term.

use arrayspan_bridge::devices::{Grid, KernelSource, Memory, Specialisation};
use arrayspan_bridge::iteration::{
    IterationForm, IterationSpace, Runs, Text, WIDEST, address, wide_grid,
};
use arrayspan_bridge::{DType, Layout, Operand};

use super::element::Element;
use super::formula::Formula;
use super::stencil_term::{Arrays, TAGS, TIMES, Term};
use super::stencil_window::{
    EACH, Ends, around, busy, holdable, is_covered, is_dense, span, threads, window_room,
};
use super::{Gpu, bands, constants, map, stencil_march, tables};
use crate::band::Edges;
use crate::factors::{FactorOf, Factors};
use crate::verb::{Factor, StencilSumCall, same};
use crate::{Result, Stencil};

const TEXT: &str = include_str!("../source/stencil_sum.cl.h");

/// Rows of a thread: it holds their sums beside a window. The first only where accesses are narrow.
const ROWS: [usize; 3] = [8, 4, 2];

/// A kernel for a sum of stencils.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    dtype: DType,
    form: IterationForm,
    formula: Formula,
    terms: Vec<Term>,
    /// The rows of a thread, 0 without windows.
    rows: usize,
    ends: Ends,
    /// Whether there is a thread for each item.
    covered: bool,
}

/// A kernel, and what it runs over.
#[derive(Debug)]
pub(super) struct Plan<'f> {
    pub(super) variant: Variant,
    grid: Grid,
    constants: Vec<FactorOf<'f>>,
}

pub(super) fn run(gpu: &Gpu, call: &StencilSumCall<'_>) -> Result<()> {
    let (y, dtype) = (&call.y, call.y.dtype());
    gpu.expect_float64("stencil_sum", dtype)?;
    gpu.expect_factors("stencil_sum", &call.factors)?;
    if y.layout().is_empty() {
        return Ok(());
    }
    // An array that several terms read is one operand.
    let mut operands: Vec<&Operand<'_>> = vec![y.as_operand()];
    let mut terms: Vec<(&Stencil, Arrays)> = Vec::with_capacity(call.terms.len());
    for term in &call.terms {
        let x = number_of(&mut operands, &term.x);
        let before = number_of_factor(&mut operands, term.before.as_ref());
        let after = number_of_factor(&mut operands, term.after.as_ref());
        terms.push((&term.stencil, Arrays { x, before, after }));
    }
    let memories: Vec<&Memory> = operands.iter().map(|operand| operand.memory()).collect();
    let layouts: Vec<&Layout> = operands.iter().map(|operand| operand.layout()).collect();
    let addresses: Vec<usize> = memories.iter().copied().map(address).collect();
    let (space, terms) = space(&terms, &layouts);
    let marched = || stencil_march::run(gpu, &terms, &space, &memories, dtype, &call.factors);
    if !Element(dtype).is_half() && marched()? {
        return Ok(());
    }
    let plan = Plan::new(terms, dtype, &space, &addresses, &call.factors, gpu.units());
    let Plan { variant, grid, constants } = plan;
    let uploaded = variant.terms.iter().filter(|term| variant.uploaded(term)).map(|term| {
        gpu.stencil_tables(&term.stencil, dtype, variant.complex(), variant.form.is_wide())
    });
    let uploaded = uploaded.collect::<Result<Vec<_>>>()?;
    let element = Element(dtype);
    let mut arguments = map::arguments(element, &space, &variant.form, &memories, &constants);
    for tables in &uploaded {
        arguments.read(tables.0.memory(), 0);
        arguments.read(tables.1.memory(), 0);
    }
    // SAFETY: as in `stencil::run`; coefficients are loaded where the elements are that they multiply, and have their shape.
    unsafe { gpu.launch(&variant, grid, &arguments) }
}

/// The number of an operand, which becomes one unless it is there.
fn number_of<'o, 'a>(operands: &mut Vec<&'o Operand<'a>>, operand: &'o Operand<'a>) -> usize {
    let there = operands.iter().skip(1).position(|other| same(other, operand));
    there.map_or_else(
        || {
            operands.push(operand);
            operands.len() - 1
        },
        |at| at + 1,
    )
}

fn number_of_factor<'o, 'a>(
    operands: &mut Vec<&'o Operand<'a>>,
    factor: Option<&'o Factor<'a>>,
) -> Option<(usize, bool)> {
    factor.map(|factor| (number_of(operands, &factor.array), factor.conjugated))
}

/// The space of a sum, and its terms there.
pub(super) fn space(
    terms: &[(&Stencil, Arrays)],
    layouts: &[&Layout],
) -> (IterationSpace, Vec<Term>) {
    let bands = || terms.iter().flat_map(|(stencil, _)| stencil.terms());
    let mut apart: Vec<usize> = bands().map(|(axis, _)| *axis).collect();
    apart.sort_unstable();
    apart.dedup();
    let (space, axes) = around(layouts, &apart);
    let now = |axis: &usize| apart.binary_search(axis).map_or(0, |at| axes[at]);
    let terms = terms.iter().map(|(stencil, arrays)| {
        let axes = stencil.terms().iter().map(|(axis, _)| now(axis)).collect();
        Term::new(stencil, axes, *arrays)
    });
    let terms = terms.collect();
    (space, terms)
}

impl<'f> Plan<'f> {
    /// For a device of `units` processors and terms in a space, with operands in blocks at these addresses. The first is the
    /// output.
    pub(super) fn new(
        mut terms: Vec<Term>,
        dtype: DType,
        space: &IterationSpace,
        addresses: &[usize],
        factors: &'f Factors<'_>,
        units: usize,
    ) -> Self {
        let element = Element(dtype);
        let (formula, constants) = Formula::update(factors, element);
        // What a thread holds of an element.
        let held_bytes = element.computed().bytes();
        let (wide, count) = (space.is_wide(), terms.len());
        let in_memory = |term: &&Term| tables::in_memory(&term.stencil, dtype, wide, count);
        let uploads = terms.iter().filter(in_memory).count();
        let others = constants::count(&constants) + 4 * uploads;
        let mut form = space.form(dtype.bytes(), addresses, others).dividing(space.extents[0]);
        for term in &mut terms {
            term.window = term.along(1).is_some_and(is_dense);
        }
        let held: Vec<&Edges> = windows(&terms).collect();
        for band in &held {
            form = form.with_runs(|runs: Runs| holdable(band, runs, held_bytes));
        }
        let room = window_room(form.runs().len, held_bytes);
        let [runs, lines, outer] = space.items(&form);
        let ends = Ends::of(held.iter().copied());
        let common = lines.saturating_sub(ends.first + ends.last);
        let wide = usize::from(form.runs().len * dtype.bytes() >= WIDEST);
        let rows = rows(&held, &ROWS[wide..], [common, room], runs * outer, units);
        for term in &mut terms {
            term.window &= rows > 0;
        }
        let items = [runs, ends.items(lines, rows), outer];
        let grid = wide_grid(items, threads(items, units));
        let covered = is_covered(&grid, items);
        let variant = Variant { dtype, form, formula, terms, rows, ends, covered };
        Self { variant, grid, constants }
    }
}

/// The bands that have windows.
fn windows(terms: &[Term]) -> impl Iterator<Item = &Edges> {
    terms.iter().filter(|term| term.window).filter_map(|term| term.along(1))
}

/// The rows of a thread, one of those `given`, when `common` ones are special to no band, there is room for so many runs and there
/// are so many `columns`; 0 without windows.
fn rows(
    bands: &[&Edges],
    given: &[usize],
    [common, room]: [usize; 2],
    columns: usize,
    units: usize,
) -> usize {
    let Some(span) = bands.iter().map(|band| span(band)).max() else { return 0 };
    let fits = |rows: &usize| *rows <= common && span.saturating_add(2 * rows - 1) <= room;
    let fitting = given.iter().copied().filter(fits);
    busy(fitting, common, columns, units)
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let mut text = Text::default();
        self.define(&mut text);
        Element(self.dtype).prelude(&mut text);
        self.bands(&mut text);
        text.add(EACH);
        text.add(TEXT);
        Element(self.dtype).kernel("stencil_sum", text)
    }
}

impl Variant {
    /// Whether weights are complex numbers.
    fn complex(&self) -> bool {
        bands::is_complex(self.dtype, self.terms.iter().map(|term| &term.stencil))
    }

    /// Whether the tables of a term are in memory.
    fn uploaded(&self, term: &Term) -> bool {
        tables::in_memory(&term.stencil, self.dtype, self.form.is_wide(), self.terms.len())
    }

    fn tagged(&self) -> impl Iterator<Item = (char, &Term)> {
        TAGS.into_iter().zip(&self.terms)
    }

    /// The macros before the prelude.
    fn define(&self, text: &mut Text) {
        let tables = self.tagged().filter(|(_, term)| self.uploaded(term)).map(|(tag, _)| {
            format!(
                ", const GLOBAL int* RESTRICT places{tag}, i64 places{tag}_at\
                 , const GLOBAL weight* RESTRICT factors{tag}, i64 factors{tag}_at"
            )
        });
        let tables = tables.collect::<Vec<_>>().concat();
        map::declare(Element(self.dtype), &self.form, &self.formula, &tables, text);
        let each = |macros: &str| {
            let named = |(tag, _)| macros.replace("TERM", &format!("TERM{tag}"));
            self.tagged().map(named).collect::<Vec<_>>().concat()
        };
        text.define("ADD_ROW", each("TERM_ROW(total) "));
        text.define("ADD_ROWS", each("TERM_ROWS "));
        text.define("ROWS", self.rows);
        text.flag("COVERED", self.covered);
        if self.rows > 0 {
            self.ends.define(text);
        }
        let places = self.tagged().map(|(tag, term)| term.at_axis_0(tag));
        text.define("AT_AXIS_0", places.collect::<String>());
    }

    /// What stands between the prelude and the kernel.
    fn bands(&self, text: &mut Text) {
        bands::weights(self.complex(), text);
        text.add(TIMES);
        for (tag, term) in self.tagged() {
            let (run, uploaded) = (self.form.runs().len, self.uploaded(term));
            let bands = term.bands(tag, self.dtype, self.complex(), run, uploaded);
            bands.define_with_rows(text);
            term.define(tag, text);
        }
    }
}
