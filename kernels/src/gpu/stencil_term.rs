//! The kernel source of one term of a sum of stencils.

use arrayspan_bridge::DType;
use arrayspan_bridge::iteration::{IterationForm, Text};

use super::{band_row, bands, cells};
use crate::band::Edges;
use crate::{Band, Stencil};

const TERM: &str = include_str!("../source/term.cl.h");
const MARCH: &str = include_str!("../source/march_term.cl.h");

/// What multiplies runs, before any term.
pub(super) const TIMES: &str = include_str!("../source/times.cl.h");

/// The tags of the terms in names.
pub(super) const TAGS: [char; 4] = ['a', 'b', 'c', 'd'];

/// A term, its arrays by their numbers among the operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Term {
    pub(super) stencil: Stencil,
    /// For each band its axis in the kernel.
    pub(super) axes: Vec<usize>,
    pub(super) arrays: Arrays,
    /// Whether its band along axis 1 has a window.
    pub(super) window: bool,
}

/// The arrays of a term, by their numbers among the operands. Of coefficients also whether they are conjugated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Arrays {
    pub(super) x: usize,
    pub(super) before: Option<(usize, bool)>,
    pub(super) after: Option<(usize, bool)>,
}

impl Term {
    /// A stencil whose bands go along these axes in the kernel, without a window.
    pub(super) fn new(stencil: &Stencil, axes: Vec<usize>, arrays: Arrays) -> Self {
        Self { stencil: stencil.clone(), axes, arrays, window: false }
    }

    /// Its band along that axis, unless it is in pieces.
    pub(super) fn along(&self, axis: usize) -> Option<&Edges> {
        let at = self.axes.iter().position(|other| *other == axis)?;
        self.stencil.terms()[at].1.edges()
    }

    /// Its bands in a kernel with so long runs along axis 0.
    pub(super) fn bands(
        &self,
        tag: char,
        dtype: DType,
        complex: bool,
        run: usize,
        uploaded: bool,
    ) -> bands::Bands<'_> {
        bands::Bands {
            stencil: &self.stencil,
            axes: &self.axes,
            dtype,
            complex,
            run,
            uploaded,
            tag: tag.into(),
            loads: self.arrays.loads(dtype),
        }
    }

    /// The statements that add its bands along those axes that are `wanted`.
    fn add(&self, tag: &str, wanted: impl Fn(usize) -> bool) -> String {
        let bands = self.stencil.terms().iter().zip(&self.axes);
        let wanted = bands.filter(|(_, axis)| wanted(**axis));
        let add = |((_, band), axis): (&(usize, Band), &usize)| {
            let Arrays { x, before, .. } = self.arrays;
            let stride = |number| format!("{}_s{axis}", IterationForm::operand(number));
            let before = before.map(|(number, _)| format!(", before, {}", stride(number)));
            band_row::add(band, tag, *axis, &(stride(x) + &before.unwrap_or_default()))
        };
        wanted.map(add).collect()
    }

    /// The statement that finds out what place `c` of axis 0 has of its band along it.
    pub(super) fn at_axis_0(&self, tag: char) -> String {
        band_row::at_axis_0(&self.stencil, &self.axes, &tag.to_string())
    }

    /// The macros for threads that go along axis 2, after those of [`define`](Self::define). It is known which operands have
    /// the strides of `y`.
    pub(super) fn define_march(&self, tag: char, like_y: impl Fn(usize) -> bool, text: &mut Text) {
        let mut define = |name: &str, value: String| {
            text.define(format_args!("TERM{tag}_{name}"), value);
        };
        for (axis, before, behind, held) in [
            (1, "LEFT", "RIGHT", "rows[TERM_LEFT + r + OFFSET]"),
            (2, "BACK", "AHEAD", "TERM_kept[TERM_BACK + OFFSET][r]"),
        ] {
            let has = self.along(axis).is_some();
            let reach =
                |side: &str| if has { format!("BAND{tag}{axis}_{side}") } else { "0".into() };
            define(before, reach("LEFT"));
            define(behind, reach("RIGHT"));
            let held = held.replace("TERM_", &format!("TERM{tag}_"));
            let held = held.replace("OFFSET", &format!("band{tag}{axis}_offset(t)"));
            let taps = format!(
                "UNROLL for (int t = 0; t < BAND{tag}{axis}_TAPS; t++) \
                 sum = run_add_scaled(sum, band{tag}{axis}_weight(t), {held});"
            );
            define(&format!("ALONG_{axis}(sum)"), if has { taps } else { String::new() });
        }
        let Arrays { x, before, .. } = self.arrays;
        let arrays = std::iter::once((x, "at")).chain(before.map(|(number, _)| (number, "before")));
        let each = |text: &dyn Fn(&str, &str, &str) -> String| -> String {
            let named = |(number, name): (usize, &str)| {
                // Each stride of its own takes registers.
                let strided = IterationForm::operand(if like_y(number) { 0 } else { number });
                text(name, &IterationForm::operand(number), &strided)
            };
            arrays.clone().map(named).collect()
        };
        let start = |name: &str, array: &str, _: &str| {
            let first = format!("{array} + ({array}_ROW + c * {array}_s0)");
            format!("const GLOBAL elem* TERM{tag}_{name} = {first}; ")
        };
        let step =
            |name: &str, _: &str, strided: &str| format!("TERM{tag}_{name} += {strided}_s2; ");
        let near = |name: &str, _: &str, strided: &str| {
            let further = format!("((k) * {strided}_s1 + (p) * {strided}_s2)");
            format!("const GLOBAL elem* {name} = TERM{tag}_{name} + {further}; ")
        };
        define("START", each(&start));
        define("STEP", each(&step));
        define("NEAR(k, p)", each(&near));
        define("REST", self.add(&tag.to_string(), |axis| axis != 1 && axis != 2));
        text.add(MARCH.replace("TERM_", &format!("TERM{tag}_")));
    }

    /// The macros of a row and of several rows.
    pub(super) fn define(&self, tag: char, text: &mut Text) {
        let Arrays { x, before, after } = self.arrays;
        let operand = IterationForm::operand;
        let place = |number: usize| {
            let name = operand(number);
            format!("{name} + ({name}_ROW + c * {name}_s0)")
        };
        let mut at = format!("const GLOBAL elem* at = {};", place(x));
        let mut center = format!("{}_LOAD(at)", operand(x));
        if let Some((number, conjugated)) = before {
            at = format!("{at} const GLOBAL elem* before = {};", place(number));
            center = times(conjugated, &format!("{}_LOAD(before)", operand(number)), &center);
        }
        let mut define = |name: &str, value: &dyn std::fmt::Display| {
            text.define(format_args!("TERM{tag}_{name}"), value);
        };
        define("AT", &at);
        define("CENTER", &center);
        if let Some((number, conjugated)) = after {
            let load = format!("{}_LOAD({})", operand(number), place(number));
            define("AFTER(sum)", &times(conjugated, &load, "sum"));
        }
        define("WEIGHTED", &u8::from(after.is_some()));
        define("WINDOW", &u8::from(self.window));
        let named = tag.to_string();
        define("MARCHED", &self.add(&named, |axis| axis == 1));
        define("OTHERS", &self.add(&named, |axis| axis != 1));
        if self.window {
            for name in ["LEFT", "RIGHT", "TAPS"] {
                define(name, &format!("BAND{tag}1_{name}"));
            }
            define("WEIGHT(t)", &format!("band{tag}1_weight(t)"));
            define("OFFSET(t)", &format!("band{tag}1_offset(t)"));
        }
        text.add(TERM.replace("TERM_", &format!("TERM{tag}_")));
    }
}

impl Arrays {
    /// How its elements are loaded, times the coefficients before its bands.
    pub(super) fn loads(&self, dtype: DType) -> bands::Loads {
        let plain = bands::Loads::plain(&IterationForm::operand(self.x), dtype);
        let Some((number, conjugated)) = self.before else { return plain };
        let operand = IterationForm::operand(number);
        let run = format!("{operand}_LOAD(before + (k) * before_stride)");
        let item = cells::value(dtype, "before[(k) * before_stride]");
        let item = if conjugated { format!("e_conj({item})") } else { item };
        bands::Loads {
            run: times(conjugated, &run, &plain.run),
            item: format!("e_mul({item}, {})", plain.item),
            parameters: ", const GLOBAL elem* before, idx before_stride",
            arguments: ", before, before_stride",
        }
    }
}

/// A run times one of coefficients.
fn times(conjugated: bool, coefficients: &str, run: &str) -> String {
    let function = if conjugated { "run_times_conj" } else { "run_times" };
    format!("{function}({coefficients}, {run})")
}
