//! `y ← alpha · Σ after ⊙ bands(before ⊙ x) + beta · y` for stars: short bands along two axes beside the innermost, and any
//! others. A thread goes along one of them and keeps what its bands reach, so that little is loaded again from far away.

use std::fmt::Write as _;

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::{Grid, KernelSource, Memory, Specialisation};
use arrayspan_bridge::iteration::{
    Each, IterationForm, IterationSpace, Runs, Text, address, grid_of,
};

use super::element::{Element, PRELUDE};
use super::formula::Formula;
use super::stencil_term::{TAGS, TIMES, Term};
use super::stencil_window::{EACH, Ends, is_covered, span};
use super::{Gpu, bands, constants, map, tables};
use crate::Result;
use crate::band::{Edges, reach};
use crate::factors::Factors;

const TEXT: &str = include_str!("../source/stencil_march.cl.h");

/// Rows of a thread, and the places it goes along axis 2.
const ROWS: usize = 2;
const MARCH: usize = 8;

/// How far bands along axes 1 and 2 reach to one side at most: what a thread keeps lies in registers.
const MOST_REACH: usize = 2;

/// What a thread can keep of all terms.
const MOST_KEPT_BYTES: usize = 256;

/// Groups that a processor is to hold, by the bytes that each thread keeps at most: as many as registers allow.
const RESIDENT: [(usize, usize); 3] = [(24, 8), (48, 6), (96, 4)];

/// The same where a thread keeps more, or runs of several elements.
const FEW_RESIDENT: usize = 2;

/// The threads of a group: wide enough for whole accesses, high because rows side by side share loads.
const THREADS: [usize; 3] = [64, 4, 1];

/// Threads that a processor needs at least; with fewer, each is better off with fewer places.
const BUSY: usize = 256;

/// A kernel for a sum of stars.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    dtype: DType,
    form: IterationForm,
    formula: Formula,
    terms: Vec<Term>,
    /// Axes of the space.
    rank: usize,
    /// Rows of a thread.
    rows: usize,
    /// Groups that a processor is to hold.
    resident: usize,
    /// Whether there is a thread for each item.
    covered: bool,
    /// For each operand whether it has the strides of `y`.
    like_y: Vec<bool>,
}

/// Enqueues a sum over a space whose operands are these, `y` first, if it is one of stars; whether it was.
pub(super) fn run(
    gpu: &Gpu,
    terms: &[Term],
    space: &IterationSpace,
    memories: &[&Memory],
    dtype: DType,
    factors: &Factors<'_>,
) -> Result<bool> {
    if !is_star(terms, space) {
        return Ok(false);
    }
    let (formula, constants) = Formula::update(factors, Element(dtype));
    let addresses: Each<usize> = memories.iter().copied().map(address).collect();
    let form = space.form(dtype.bytes(), &addresses, constants::count(&constants));
    let Some((variant, grid)) = Variant::new(terms, dtype, form, formula, space, gpu.units())
    else {
        return Ok(false);
    };
    let arguments = map::arguments(Element(dtype), space, &variant.form, memories, &constants);
    // SAFETY: the arguments are those of `map::declare`, in its order. A layout lies within its memory, coefficients have the
    // shape of what they multiply, and the kernel touches taps only where they fall on their axis.
    unsafe { gpu.launch(&variant, grid, &arguments)? };
    Ok(true)
}

/// Whether bands go along axes 1 and 2, all of them so short that a thread can keep what they reach, and most rows of both
/// axes are common.
fn is_star(terms: &[Term], space: &IterationSpace) -> bool {
    if space.extents.len() < 3 {
        return false;
    }
    let is_short = |term: &Term, axis: usize| {
        let short = |edges: &Edges| {
            let (left, right) = reach(&edges.interior);
            left.max(right) <= MOST_REACH
        };
        !term.axes.contains(&axis) || term.along(axis).is_some_and(short)
    };
    [1, 2].into_iter().all(|axis| {
        let Ends { first, last, .. } = ends(terms, axis);
        terms.iter().any(|term| term.axes.contains(&axis))
            && terms.iter().all(|term| is_short(term, axis))
            && space.extents.get(axis).is_some_and(|extent| 2 * (first + last) <= *extent)
    })
}

/// The rows of an axis that are not common to all terms.
fn ends(terms: &[Term], axis: usize) -> Ends {
    Ends::of(terms.iter().filter_map(|term| term.along(axis)))
}

impl Variant {
    /// The kernel for terms whose operands have this form, and its grid on a device of `units` processors; `None` for what
    /// each thread does better alone.
    pub(super) fn new(
        terms: &[Term],
        dtype: DType,
        form: IterationForm,
        formula: Formula,
        space: &IterationSpace,
        units: usize,
    ) -> Option<(Self, Grid)> {
        let (wide, count) = (form.is_wide(), terms.len());
        let uploaded = |term: &Term| tables::in_memory(&term.stencil, dtype, wide, count);
        if !is_star(terms, space) || terms.iter().any(uploaded) {
            return None;
        }
        let kept = |term: &Term| term.along(2).map_or(1, span);
        let kept: usize = terms.iter().map(kept).sum::<usize>() * dtype.bytes();
        let mut form = form.dividing(space.extents[0]);
        let mut rows = ROWS;
        while kept * rows * form.runs().len > MOST_KEPT_BYTES {
            match form.runs().len {
                _ if rows > 1 => rows = 1,
                1 => return None,
                _ => form = form.with_runs(Runs::halved),
            }
        }
        let run = form.runs().len;
        let fits = |(bytes, _): &&(usize, usize)| run == 1 && kept * rows <= *bytes;
        let resident = RESIDENT.iter().find(fits).map_or(FEW_RESIDENT, |(_, groups)| *groups);
        let [runs, lines, outer] = space.items(&form);
        let along = space.extents[2].max(1);
        let parts = along.div_ceil(MARCH).saturating_mul(outer / along);
        let items = [runs, lines.div_ceil(rows), parts];
        if items.iter().product::<usize>() < BUSY * units {
            return None;
        }
        let grid = grid_of(items, THREADS);
        let (rank, covered) = (space.extents.len(), is_covered(&grid, items));
        let like_y = space.strides.iter().map(|strides| *strides == space.strides[0]).collect();
        let terms = terms.to_vec();
        let variant = Self { dtype, form, formula, terms, rank, rows, resident, covered, like_y };
        Some((variant, grid))
    }

    /// Whether weights are complex numbers.
    fn complex(&self) -> bool {
        bands::is_complex(self.dtype, self.terms.iter().map(|term| &term.stencil))
    }

    fn tagged(&self) -> impl Iterator<Item = (char, &Term)> {
        TAGS.into_iter().zip(&self.terms)
    }

    /// The macros of the kernel.
    fn define(&self, text: &mut Text) {
        text.define("ROWS", self.rows);
        text.define("MARCH", MARCH);
        text.define("WIDTH", THREADS[0]);
        text.define("HEIGHT", THREADS[1]);
        text.define("RESIDENT", self.resident);
        text.flag("COVERED", self.covered);
        for axis in [1, 2] {
            let Ends { first, last, .. } = ends(&self.terms, axis);
            text.define(format_args!("FIRST{axis}"), first);
            text.define(format_args!("LAST{axis}"), last);
        }
        let (mut split, mut rest) = (String::new(), "(z)".to_owned());
        for axis in 3..self.rank {
            // Writing to a String cannot fail.
            let _ = write!(split, "const idx i{axis} = {rest} % n{axis}, ");
            let _ = write!(split, "z{axis} = {rest} / n{axis}; ");
            rest = format!("z{axis}");
        }
        text.define("SPLIT_OUTER(z)", split);
        let each = |macros: &str| -> String {
            self.tagged().map(|(tag, _)| macros.replace("TERM", &format!("TERM{tag}"))).collect()
        };
        let places = self.tagged().map(|(tag, term)| term.at_axis_0(tag));
        text.define("AT_AXIS_0", places.collect::<String>());
        text.define("ADD_ROW", each("TERM_ROW(total) "));
        for name in ["BEGIN", "LOAD", "ROWS"] {
            text.define(format_args!("MARCH_{name}"), each(&format!("TERM_MARCH_{name} ")));
        }
        text.define("MARCH_STEP", each("TERM_STEP "));
    }
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let mut text = Text::default();
        let element = Element(self.dtype);
        map::declare(element, &self.form, &self.formula, "", &mut text);
        self.define(&mut text);
        // Threads that go along axis 2 take no windows.
        text.flag("WITHIN", true);
        text.add(PRELUDE);
        bands::weights(self.complex(), &mut text);
        text.add(TIMES);
        for (tag, term) in self.tagged() {
            let bands = term.bands(tag, self.dtype, self.complex(), self.form.runs().len, false);
            bands.define_with_rows(&mut text);
            term.define(tag, &mut text);
            term.define_march(tag, |number| self.like_y[number], &mut text);
        }
        text.add(EACH);
        text.add(TEXT);
        element.kernel("stencil_march", text)
    }
}
