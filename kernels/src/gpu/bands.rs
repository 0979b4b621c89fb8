//! The kernel source of bands.

use arrayspan_bridge::DType;
use arrayspan_bridge::iteration::Text;
use num_complex::Complex64;

use super::cells;
use super::tables::{FEW, Tables, is_long};
use crate::band::{Edges, reach};
use crate::number::computed;
use crate::{Stencil, Tap};

const PIECES: &str = include_str!("../source/pieces.cl.h");
const AXIS: &str = include_str!("../source/band.cl.h");
const AXIS_0: &str = include_str!("../source/band0.cl.h");
const WEIGHT: &str = include_str!("../source/weight.cl.h");
const PRODUCTS: &str = include_str!("../source/products.cl.h");

/// The bands of a stencil, and what they are applied to.
#[derive(Clone, Debug)]
pub(super) struct Bands<'s> {
    pub(super) stencil: &'s Stencil,
    /// For each term its axis in the kernel.
    pub(super) axes: &'s [usize],
    pub(super) dtype: DType,
    /// Whether weights are complex numbers.
    pub(super) complex: bool,
    /// The elements a thread takes at once along axis 0.
    pub(super) run: usize,
    /// Whether its tables are in memory.
    pub(super) uploaded: bool,
    /// What its names have before the number of the axis, to tell it from other stencils of the kernel.
    pub(super) tag: String,
    /// How a run and an element are loaded.
    pub(super) loads: Loads,
}

/// How a run and an element are loaded, `k` steps from `at` along an axis of this `stride`.
#[derive(Clone, Debug)]
pub(super) struct Loads {
    pub(super) run: String,
    pub(super) item: String,
    /// What they take beside `at` and `stride`, each after a comma, and what is given for it within such a function.
    pub(super) parameters: &'static str,
    pub(super) arguments: &'static str,
}

impl Loads {
    /// From an operand of that dtype as it is.
    pub(super) fn plain(operand: &str, dtype: DType) -> Self {
        let run = format!("{operand}_LOAD(at + (k) * stride)");
        let item = cells::value(dtype, "at[(k) * stride]");
        Self { run, item, parameters: "", arguments: "" }
    }
}

/// Whether weights of these stencils are complex numbers, for elements of `dtype`.
pub(super) fn is_complex<'s>(
    dtype: DType,
    stencils: impl IntoIterator<Item = &'s Stencil>,
) -> bool {
    dtype.is_complex() && !stencils.into_iter().all(Stencil::is_real)
}

/// Defines the type of weights and their functions.
pub(super) fn weights(complex: bool, text: &mut Text) {
    text.flag("COMPLEX_WEIGHTS", complex);
    text.add(WEIGHT);
}

/// The same, and their products with samples, of which those with a zero are left out where there may be some.
pub(super) fn products(complex: bool, zeros: bool, text: &mut Text) {
    weights(complex, text);
    text.flag("ZEROS", zeros);
    text.add(PRODUCTS);
}

impl<'s> Bands<'s> {
    /// Those of a kernel that has no other stencil, for an operand `x0` as it is, without tables in memory.
    pub(super) fn alone(stencil: &'s Stencil, axes: &'s [usize], dtype: DType, run: usize) -> Self {
        let complex = is_complex(dtype, [stencil]);
        let (tag, loads) = (String::new(), Loads::plain("x0", dtype));
        Self { stencil, axes, dtype, complex, run, uploaded: false, tag, loads }
    }
}

impl Bands<'_> {
    /// A text for a band, under the names of this one. It has the number of the axis in its own names, or not.
    pub(super) fn named(&self, source: &str, axis: usize, number: &str) -> String {
        let tag = &self.tag;
        let named = source.replace("TERM_", &format!("TERM{tag}_"));
        let named = named.replace("TABLE_", &format!("TABLE{tag}_"));
        let named = named.replace(&format!("band{number}"), &format!("band{tag}{axis}_"));
        named.replace(&format!("BAND{number}"), &format!("BAND{tag}{axis}_"))
    }

    /// Tables, and for each term the function that adds it.
    pub(super) fn define(&self, text: &mut Text) {
        let (tag, Loads { run, item, parameters, .. }) = (&self.tag, &self.loads);
        text.define(format_args!("TERM{tag}_RUN(k)"), run);
        text.define(format_args!("TERM{tag}_ITEM(k)"), item);
        text.define(format_args!("TERM{tag}_PARAMETERS"), parameters);
        let tables = Tables::new(self.stencil);
        self.define_tables(&tables, text);
        for (term, ((_, band), axis)) in self.stencil.terms().iter().zip(self.axes).enumerate() {
            let (line, offsets) = (tables.lines[term], tables.offsets);
            text.define(
                format_args!("band{tag}{axis}_start(line)"),
                format_args!("places{tag}[{line} + (line)]"),
            );
            text.define(
                format_args!("band{tag}{axis}_offsets(k)"),
                format_args!("places{tag}[{offsets} + (k)]"),
            );
            text.define(
                format_args!("band{tag}{axis}_weights(k)"),
                format_args!("factors{tag}[k]"),
            );
            // The text for axis 0 has its number in the names already.
            let number = if *axis == 0 && band.edges().is_some() { "0_" } else { "_" };
            let named = |source: &str| self.named(source, *axis, number);
            let Some(edges) = band.edges() else {
                let begins = tables.begins[term];
                text.define(
                    format_args!("band{tag}{axis}_begin(line)"),
                    format_args!("places{tag}[{begins} + (line)]"),
                );
                text.define(format_args!("BAND{tag}{axis}_LINES"), band.pieces().count());
                text.flag(format_args!("BAND{tag}{axis}_INNERMOST"), *axis == 0);
                text.add(named(PIECES));
                continue;
            };
            self.define_taps(*axis, edges, text);
            text.add(named(if *axis == 0 { AXIS_0 } else { AXIS }));
        }
    }

    /// The tables as constants, unless they are arguments or nothing uses them.
    fn define_tables(&self, tables: &Tables, text: &mut Text) {
        let tag = &self.tag;
        let (parameters, arguments) = if self.uploaded {
            (
                format!(", const GLOBAL idx* places{tag}, const GLOBAL weight* factors{tag}"),
                format!(", places{tag}, factors{tag}"),
            )
        } else {
            Default::default()
        };
        text.define(format_args!("TABLE{tag}_PARAMETERS"), parameters);
        text.define(format_args!("TABLE{tag}_ARGUMENTS"), arguments);
        if self.uploaded {
            return;
        }
        if !self.has_tables() {
            return;
        }
        let places: Vec<_> = tables.places.iter().map(ToString::to_string).collect();
        // Special rows may all be empty, but arrays may not.
        let unused = tables.factors.is_empty().then_some(Complex64::ZERO);
        let factors = tables.factors.iter().copied().chain(unused);
        let factors: Vec<_> = factors.map(|weight| self.initializer(weight)).collect();
        text.add(format_args!("CONSTANT idx places{tag}[] = {{{}}};", places.join(", ")));
        text.add(format_args!("CONSTANT weight factors{tag}[] = {{{}}};", factors.join(", ")));
    }

    /// Whether any row is no straight code.
    pub(super) fn has_tables(&self) -> bool {
        let straight =
            |axis: usize, edges: &Edges| !is_long(edges) && self.is_straight(axis, edges);
        let mut terms = self.stencil.terms().iter().zip(self.axes);
        !terms.all(|((_, band), axis)| band.edges().is_some_and(|edges| straight(*axis, edges)))
    }

    /// The macros and functions that the text of a band takes.
    fn define_taps(&self, axis: usize, band: &Edges, text: &mut Text) {
        let tag = &self.tag;
        let (common, all) = (reach(&band.interior), band.reach());
        // Along axis 0, in runs; along others, in rows.
        let (left, right) = match axis {
            0 => (all.0.div_ceil(self.run), all.1.div_ceil(self.run)),
            _ => common,
        };
        let special: Vec<&[Tap]> = band.special().collect();
        let (most, straight) = (most(&special), self.is_straight(axis, band));
        let mut number =
            |name: &str, value: usize| text.define(format_args!("BAND{tag}{axis}_{name}"), value);
        number("TAPS", band.interior.len());
        number("HEAD", band.head.len());
        number("TAIL", band.tail.len());
        number("MOST", most);
        number("LEFT", left);
        number("RIGHT", right);
        number("NEAR", usize::from(is_near(band)));
        number("STRAIGHT", usize::from(straight && !special.is_empty()));
        let unroll = if is_long(band) { "" } else { "UNROLL" };
        text.define(format_args!("BAND{tag}{axis}_UNROLL"), unroll);
        if is_long(band) {
            let at = format!("band{tag}{axis}_start(0) + (t)");
            text.define(
                format_args!("band{tag}{axis}_offset(t)"),
                format_args!("band{tag}{axis}_offsets({at})"),
            );
            text.define(
                format_args!("band{tag}{axis}_weight(t)"),
                format_args!("band{tag}{axis}_weights({at})"),
            );
        } else {
            let name = format!("band{tag}{axis}_");
            self.define_functions(&name, "int t", "t", &[&band.interior], 0, text);
        }
        if straight && !special.is_empty() {
            let name = format!("band{tag}{axis}_special_");
            let at = format!("line * {most} + t");
            self.define_functions(&name, "int line, int t", &at, &special, most, text);
            let counts = special.iter().map(|row| row.len().to_string()).enumerate();
            text.switch(format_args!("int {name}taps(int line)"), "line", counts, "0");
        }
    }

    /// Whether special rows are straight code.
    fn is_straight(&self, axis: usize, band: &Edges) -> bool {
        let special: Vec<&[Tap]> = band.special().collect();
        let fits = band.head.len().max(band.tail.len()) <= self.run && is_near(band);
        special.len() * most(&special) <= FEW && (axis != 0 || fits)
    }

    /// The functions that tell the offset and the weight of a tap; row after row of `width` taps.
    fn define_functions(
        &self,
        name: &str,
        of: &str,
        at: &str,
        rows: &[&[Tap]],
        width: usize,
        text: &mut Text,
    ) {
        let taps = || {
            rows.iter().enumerate().flat_map(|(line, row)| {
                row.iter().enumerate().map(move |(t, tap)| (line * width + t, *tap))
            })
        };
        let offsets = taps().map(|(at, tap)| (at, tap.offset.to_string()));
        let weights = taps().map(|(at, tap)| (at, self.expression(tap.weight)));
        let zero = if self.complex { "e_zero()" } else { "R(0.0)" };
        text.switch(format_args!("idx {name}offset({of})"), at, offsets, "0");
        text.switch(format_args!("weight {name}weight({of})"), at, weights, zero);
    }

    /// A weight in a table.
    pub(super) fn initializer(&self, weight: Complex64) -> String {
        let parts = (self.real(weight.re), self.real(weight.im));
        if self.complex { format!("{{{}, {}}}", parts.0, parts.1) } else { parts.0 }
    }

    /// A weight in code.
    pub(super) fn expression(&self, weight: Complex64) -> String {
        let parts = (self.real(weight.re), self.real(weight.im));
        if self.complex { format!("e_make({}, {})", parts.0, parts.1) } else { parts.0 }
    }

    fn real(&self, value: f64) -> String {
        match computed(self.dtype).real() {
            DType::Float32 => format!("R({:e})", value as f32),
            _ => format!("R({value:e})"),
        }
    }
}

/// The taps of the longest row.
fn most(rows: &[&[Tap]]) -> usize {
    rows.iter().map(|row| row.len()).max().unwrap_or(0)
}

/// Whether the taps of a run along axis 0 lie in few runs around it.
fn is_near(band: &Edges) -> bool {
    let (left, right) = band.reach();
    !is_long(band) && left.saturating_add(right) < 2 * FEW
}
