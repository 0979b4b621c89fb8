//! The kernels of several outputs: what is compiled into one.

use std::fmt::Write as _;

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::{KernelSource, Specialisation};
use arrayspan_bridge::iteration::{Inner, IterationForm, Text};

use super::super::dots::Dots;
use super::super::element::{Element, PRELUDE};
use super::super::formula::{binary, unary};
use crate::expression::Binary;
use crate::program::{Kind, Op, Program};

const TEXT: &str = include_str!("../../source/map_many.cl.h");

/// An elementwise kernel of several outputs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::gpu) struct Variant {
    pub(in crate::gpu) element: Element,
    pub(in crate::gpu) form: IterationForm,
    pub(in crate::gpu) program: Program,
    /// Whether each output is real beside complex elements.
    pub(in crate::gpu) outs: Vec<Kind>,
    pub(in crate::gpu) inputs: Vec<Kind>,
    /// The dtype of the inputs that each thread takes as single numbers.
    pub(in crate::gpu) numbers: Option<DType>,
    /// The alignment in bytes of runs of real numbers beside complex elements.
    pub(in crate::gpu) real_align: usize,
    /// Rows of a thread.
    pub(in crate::gpu) rows: usize,
    pub(in crate::gpu) dots: Option<Dots>,
    /// Whether there is one element of each array: what is computed of single numbers is the same by whatever kernel.
    pub(in crate::gpu) single: bool,
}

/// The place and kind of the constants, in the order of the kernel's parameters.
pub(in crate::gpu) fn constants(program: &Program) -> impl Iterator<Item = (usize, Kind)> {
    program.steps.iter().filter_map(|step| match step.op {
        Op::Constant(place) => Some((place, step.kind)),
        _ => None,
    })
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        if self.dots.is_none() {
            return self.element.source("map_many", |text| self.define(text), TEXT);
        }
        let mut text = Text::default();
        self.define(&mut text);
        text.add(PRELUDE);
        Dots::add(&mut text);
        text.add(TEXT);
        self.element.kernel("map_many", text)
    }
}

impl Variant {
    /// The macros before the prelude.
    fn define(&self, text: &mut Text) {
        self.element.define(text);
        self.form.define(text);
        text.define("REAL_ALIGN", self.real_align);
        text.flag("EXACT", self.single);
        if let Some(dtype) = self.numbers {
            text.define("NUMBER_BITS", dtype.bits());
        }
        let [mut parameters, prologue] = self.declared();
        match &self.dots {
            Some(dots) => {
                dots.define(text);
                parameters += &dots.declare();
            }
            None => text.flag("DOTS", false),
        }
        text.define("PARAMETERS", parameters);
        text.define("PROLOGUE", prologue);
        let operands = self.operands();
        let each = |write: &dyn Fn(&str, Kind, bool) -> String| -> String {
            operands
                .iter()
                .enumerate()
                .map(|(at, (name, kind))| write(name, *kind, at < self.outs.len()))
                .collect()
        };
        text.define("ROWS", each(&|name, _, _| format!("ROW({name}) ")));
        let load = |at: usize, (name, kind): &(String, Kind)| {
            let read = at >= self.outs.len()
                || self.program.steps.iter().any(|step| step.op == Op::Previous(at));
            let repeated = self.form.runs().inner()[at] == Inner::Repeated;
            let load = if repeated { "repeat" } else { "load" };
            let run = run_of(*kind);
            let place = format!("{name} + ({name}_row + NEXT_ROW({name}) + i * {name}_s0)");
            let [declared, loaded] = [
                format!("{run} {name}_run[TAKEN]; "),
                format!("{name}_run[b] = {run}_{load}({place}); "),
            ];
            if read { [declared, loaded] } else { Default::default() }
        };
        let loads = operands.iter().enumerate().map(|(at, operand)| load(at, operand));
        let loads: Vec<[String; 2]> = loads.collect();
        for (name, part) in ["RUNS", "LOADS"].into_iter().zip(0..) {
            text.define(name, loads.iter().map(|of| of[part].as_str()).collect::<String>());
        }
        text.define("TAKEN", self.rows);
        let result = |name: &str, kind, out: bool| {
            if out { format!("{} {name}_result; ", run_of(kind)) } else { String::new() }
        };
        text.define("RESULTS", each(&result));
        let store = |name: &str, kind, out: bool| {
            let place = format!("{name} + ({name}_row + NEXT_ROW({name}) + i * {name}_s0)");
            if out {
                format!("{}_store({place}, {name}_result); ", run_of(kind))
            } else {
                String::new()
            }
        };
        text.define("STORES", each(&store));
        text.define("STEPS(OF, SET)", self.body());
    }

    /// The names and kinds of the operands with axes.
    fn operands(&self) -> Vec<(String, Kind)> {
        let inputs = self.inputs.iter().filter(|kind| **kind != Kind::Number);
        let kinds = self.outs.iter().chain(inputs);
        kinds.enumerate().map(|(at, kind)| (IterationForm::operand(at), *kind)).collect()
    }

    /// The parameters, and the statements before the first element: places of arrays, and all that does not depend on an
    /// element.
    fn declared(&self) -> [String; 2] {
        let (mut parameters, mut prologue) = (String::new(), String::new());
        for (at, (name, kind)) in self.operands().iter().enumerate() {
            let (comma, own) = if at == 0 { ("", "") } else { (", ", "const ") };
            let own = if at < self.outs.len() { "" } else { own };
            let of = type_of(*kind);
            // Writing to a String cannot fail.
            let _ = write!(parameters, "{comma}{own}GLOBAL {of}* RESTRICT {name}, i64 {name}_at");
            let _ = write!(prologue, "{name} += {name}_at; ");
        }
        parameters += &self.form.declare();
        for (constant, (_, kind)) in constants(&self.program).enumerate() {
            let of = if kind == Kind::Number { "wide" } else { "real" };
            let _ = write!(parameters, ", {of} c{constant}_re");
            if kind == Kind::Element && self.element.is_complex() {
                let _ = write!(parameters, ", real c{constant}_im");
            }
        }
        for number in 0..self.inputs.iter().filter(|kind| **kind == Kind::Number).count() {
            let _ = write!(parameters, ", const GLOBAL wide* RESTRICT s{number}, i64 s{number}_at");
        }
        for (at, known) in self.known().into_iter().enumerate() {
            if known {
                prologue += &self.statement(at);
            }
        }
        [parameters, prologue]
    }

    /// Of each step whether its value is the same for all elements.
    fn known(&self) -> Vec<bool> {
        let mut known: Vec<bool> = Vec::with_capacity(self.program.steps.len());
        for step in &self.program.steps {
            known.push(match step.op {
                Op::Input(_) => step.kind == Kind::Number,
                Op::Previous(_) => false,
                Op::Constant(_) => true,
                Op::Convert(a) | Op::Unary(_, a) => known[a],
                Op::Binary(_, a, b) => known[a] && known[b],
            });
        }
        known
    }

    /// What is computed for each element: `OF` an operand, and `SET` an output.
    fn body(&self) -> String {
        let known = self.known();
        let steps = (0..known.len()).filter(|at| !known[*at]).map(|at| self.statement(at));
        let results = self.program.results.iter().enumerate();
        let set = results.map(|(out, at)| format!("SET({}, t{at}); ", IterationForm::operand(out)));
        let dots = self.dots.as_ref();
        let dots = dots.map(|dots| dots.statements(&self.program.results, &self.inputs));
        steps.chain(set).chain(dots).collect()
    }

    /// Whether values of this kind are real numbers.
    fn is_real(&self, kind: Kind) -> bool {
        kind != Kind::Element || !self.element.is_complex()
    }

    /// The statement of a step.
    fn statement(&self, at: usize) -> String {
        let step = &self.program.steps[at];
        let value = match step.op {
            Op::Input(input) => {
                let before = self.inputs[..input].iter();
                let is_number = |kind: &&Kind| **kind == Kind::Number;
                let numbers = before.filter(is_number).count();
                if step.kind == Kind::Number {
                    format!("s{numbers}[s{numbers}_at]")
                } else {
                    let operand = self.outs.len() + input - numbers;
                    format!("OF({})", IterationForm::operand(operand))
                }
            }
            Op::Previous(out) => format!("OF({})", IterationForm::operand(out)),
            Op::Constant(_) => {
                let before = self.program.steps[..at].iter();
                let c = before.filter(|step| matches!(step.op, Op::Constant(_))).count();
                match step.kind {
                    Kind::Element if self.element.is_complex() => {
                        format!("e_make(c{c}_re, c{c}_im)")
                    }
                    _ => format!("c{c}_re"),
                }
            }
            Op::Convert(a) if step.kind == Kind::Element => format!("e_make((real)(t{a}), R(0.0))"),
            Op::Convert(a) => format!("(real)(t{a})"),
            Op::Unary(function, a) => {
                let from = self.program.steps[a].kind;
                let part =
                    if from == Kind::Element && step.kind == Kind::Real { ".re" } else { "" };
                format!("{}_{}(t{a}){part}", letter(from), unary(function))
            }
            // A quotient of a number and itself: 1, zero of zero, and NaN of what is not finite.
            Op::Binary(Binary::DivideOrZero, a, b) if a == b && self.is_real(step.kind) => {
                format!("(t{a} - t{a}) + (t{a} == 0 ? 0 : 1)")
            }
            Op::Binary(function, a, b) => {
                format!("{}_{}(t{a}, t{b})", letter(step.kind), binary(function))
            }
        };
        format!("const {} t{at} = {value}; ", type_of(step.kind))
    }
}

/// The type of a number of this kind.
fn type_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Number => "wide",
        Kind::Real => "real",
        Kind::Element => "elem",
    }
}

/// The type of a run of numbers of this kind.
fn run_of(kind: Kind) -> &'static str {
    if kind == Kind::Real { "real_run" } else { "run" }
}

/// The letter of the functions of this kind.
fn letter(kind: Kind) -> char {
    match kind {
        Kind::Number => 'w',
        Kind::Real => 'r',
        Kind::Element => 'e',
    }
}
