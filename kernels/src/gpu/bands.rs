//! The kernel source of bands.

use arrayspan_bridge::DType;
use arrayspan_bridge::iteration::Text;
use num_complex::Complex64;

use super::tables::{self, FEW, Tables, is_long};
use crate::band::{Edges, reach};
use crate::{Stencil, Tap};

const PIECES: &str = include_str!("../source/pieces.cl.h");
const AXIS: &str = include_str!("../source/band.cl.h");
const AXIS_0: &str = include_str!("../source/band0.cl.h");
const WEIGHT: &str = include_str!("../source/weight.cl.h");

/// The bands of a stencil.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bands<'s> {
    pub(super) stencil: &'s Stencil,
    /// For each term its axis in the kernel.
    pub(super) axes: &'s [usize],
    pub(super) dtype: DType,
    /// The elements a thread takes at once along axis 0.
    pub(super) run: usize,
    /// Whether places need 64 bits.
    pub(super) wide: bool,
}

impl Bands<'_> {
    /// Weights, tables, and for each term the function that adds it.
    pub(super) fn define(&self, text: &mut Text) {
        text.flag("COMPLEX_WEIGHTS", self.complex());
        text.add(WEIGHT);
        let tables = Tables::new(self.stencil);
        self.define_tables(&tables, text);
        for (term, ((_, band), axis)) in self.stencil.terms().iter().zip(self.axes).enumerate() {
            let (line, offsets) = (tables.lines[term], tables.offsets);
            text.define(
                format_args!("band{axis}_start(line)"),
                format_args!("places[{line} + (line)]"),
            );
            text.define(
                format_args!("band{axis}_offsets(k)"),
                format_args!("places[{offsets} + (k)]"),
            );
            text.define(format_args!("band{axis}_weights(k)"), "factors[k]");
            let named = |source: &str| {
                let named = source.replace("band_", &format!("band{axis}_"));
                named.replace("BAND_", &format!("BAND{axis}_"))
            };
            let Some(edges) = band.edges() else {
                let begins = tables.begins[term];
                text.define(
                    format_args!("band{axis}_begin(line)"),
                    format_args!("places[{begins} + (line)]"),
                );
                text.define(format_args!("BAND{axis}_LINES"), band.pieces().count());
                text.flag(format_args!("BAND{axis}_INNERMOST"), *axis == 0);
                text.add(named(PIECES));
                continue;
            };
            self.define_taps(*axis, edges, text);
            text.add(if *axis == 0 { AXIS_0.to_owned() } else { named(AXIS) });
        }
    }

    /// Whether weights are complex numbers.
    fn complex(&self) -> bool {
        self.dtype.is_complex() && !self.stencil.is_real()
    }

    /// The tables as constants, unless they are arguments or nothing uses them.
    fn define_tables(&self, tables: &Tables, text: &mut Text) {
        if tables::in_memory(self.stencil, self.dtype, self.wide) {
            let parameters = ", const GLOBAL idx* places, const GLOBAL weight* factors";
            text.define("TABLE_PARAMETERS", parameters);
            text.define("TABLE_ARGUMENTS", ", places, factors");
            return;
        }
        text.define("TABLE_PARAMETERS", "");
        text.define("TABLE_ARGUMENTS", "");
        let mut terms = self.stencil.terms().iter().zip(self.axes);
        let no_table =
            |(axis, edges): (usize, &Edges)| !is_long(edges) && self.is_straight(axis, edges);
        if terms.all(|((_, band), axis)| band.edges().is_some_and(|edges| no_table((*axis, edges))))
        {
            return;
        }
        let places: Vec<_> = tables.places.iter().map(ToString::to_string).collect();
        // Special rows may all be empty, but arrays may not.
        let unused = tables.factors.is_empty().then_some(Complex64::ZERO);
        let factors = tables.factors.iter().copied().chain(unused);
        let factors: Vec<_> = factors.map(|weight| self.initializer(weight)).collect();
        text.add(format_args!("CONSTANT idx places[] = {{{}}};", places.join(", ")));
        text.add(format_args!("CONSTANT weight factors[] = {{{}}};", factors.join(", ")));
    }

    /// The macros and functions that the text of a band takes.
    fn define_taps(&self, axis: usize, band: &Edges, text: &mut Text) {
        let (common, all) = (reach(&band.interior), band.reach());
        // Along axis 0, in runs; along others, in rows.
        let (left, right) = match axis {
            0 => (all.0.div_ceil(self.run), all.1.div_ceil(self.run)),
            _ => common,
        };
        let special: Vec<&[Tap]> = band.special().collect();
        let (most, straight) = (most(&special), self.is_straight(axis, band));
        let mut number =
            |name: &str, value: usize| text.define(format_args!("BAND{axis}_{name}"), value);
        number("TAPS", band.interior.len());
        number("HEAD", band.head.len());
        number("TAIL", band.tail.len());
        number("MOST", most);
        number("LEFT", left);
        number("RIGHT", right);
        number("NEAR", usize::from(is_near(band)));
        number("STRAIGHT", usize::from(straight && !special.is_empty()));
        let unroll = if is_long(band) { "" } else { "UNROLL" };
        text.define(format_args!("BAND{axis}_UNROLL"), unroll);
        if is_long(band) {
            let at = format!("band{axis}_start(0) + (t)");
            text.define(
                format_args!("band{axis}_offset(t)"),
                format_args!("band{axis}_offsets({at})"),
            );
            text.define(
                format_args!("band{axis}_weight(t)"),
                format_args!("band{axis}_weights({at})"),
            );
        } else {
            let name = format!("band{axis}_");
            self.define_functions(&name, "int t", "t", &[&band.interior], 0, text);
        }
        if straight && !special.is_empty() {
            let name = format!("band{axis}_special_");
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
        let zero = if self.complex() { "e_zero()" } else { "R(0.0)" };
        text.switch(format_args!("idx {name}offset({of})"), at, offsets, "0");
        text.switch(format_args!("weight {name}weight({of})"), at, weights, zero);
    }

    /// A weight in a table.
    fn initializer(&self, weight: Complex64) -> String {
        let parts = (self.real(weight.re), self.real(weight.im));
        if self.complex() { format!("{{{}, {}}}", parts.0, parts.1) } else { parts.0 }
    }

    /// A weight in code.
    fn expression(&self, weight: Complex64) -> String {
        let parts = (self.real(weight.re), self.real(weight.im));
        if self.complex() { format!("e_make({}, {})", parts.0, parts.1) } else { parts.0 }
    }

    fn real(&self, value: f64) -> String {
        match self.dtype.real() {
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
