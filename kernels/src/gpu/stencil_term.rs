//! The kernel source of one term of a sum of stencils.

use arrayspan_bridge::iteration::{IterationForm, Text};

use super::bands;
use crate::Stencil;
use crate::band::Edges;

const TERM: &str = include_str!("../source/term.cl.h");

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
    /// Its band along axis 1, if it is one for a window.
    pub(super) fn marched(&self) -> Option<&Edges> {
        let at = self.axes.iter().position(|axis| *axis == 1)?;
        self.stencil.terms()[at].1.edges()
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
        let add = |axis: &usize| {
            let stride = |number| format!("{}_s{axis}", operand(number));
            let before = before.map(|(number, _)| format!(", before, {}", stride(number)));
            let here = if *axis == 0 { "center, c".into() } else { format!("i{axis}") };
            format!(
                "sum = band{tag}{axis}_add(sum, at, {}{}, {here}, n{axis} TABLE{tag}_ARGUMENTS); ",
                stride(x),
                before.unwrap_or_default()
            )
        };
        let (marched, others): (Vec<usize>, Vec<usize>) =
            self.axes.iter().partition(|axis| **axis == 1);
        define("MARCHED", &marched.iter().map(add).collect::<Vec<_>>().concat());
        define("OTHERS", &others.iter().map(add).collect::<Vec<_>>().concat());
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
    pub(super) fn loads(&self) -> bands::Loads {
        let plain = bands::Loads::plain(&IterationForm::operand(self.x));
        let Some((number, conjugated)) = self.before else { return plain };
        let operand = IterationForm::operand(number);
        let run = format!("{operand}_LOAD(before + (k) * before_stride)");
        let item = "before[(k) * before_stride]";
        let item = if conjugated { format!("e_conj({item})") } else { item.into() };
        bands::Loads {
            run: times(conjugated, &run, &plain.run),
            item: format!("e_mul({item}, {})", plain.item),
            parameters: ", const GLOBAL elem* before, idx before_stride",
        }
    }
}

/// A run times one of coefficients.
fn times(conjugated: bool, coefficients: &str, run: &str) -> String {
    let function = if conjugated { "run_times_conj" } else { "run_times" };
    format!("{function}({coefficients}, {run})")
}
