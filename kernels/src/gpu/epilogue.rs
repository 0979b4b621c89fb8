//! What is computed of sums by the kernel that adds them up: by one thread, of numbers that are on their way while it waits for the
//! parts.

use std::fmt::Write as _;

use arrayspan_bridge::iteration::{Arguments, MOST_ARGUMENTS, Text};
use arrayspan_bridge::{DType, Operand};

use super::Gpu;
use super::formula::{binary, unary};
use crate::expression::Binary;
use crate::program::{Kind, Op, Program};
use crate::verb::{self, Numbers};
use crate::{constant, input};

/// What is compiled of an epilogue.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Epilogue {
    program: Program,
    dtype: DType,
    /// Which sum each input is; the others are loaded.
    sums: Vec<Option<usize>>,
}

impl Epilogue {
    /// For the catalogue of kernels: of one sum and a number beside it, two numbers.
    pub(super) fn of_catalogue() -> Option<Self> {
        let length = constant(2.0) * input(0).div_or_zero(input(1));
        let outputs = [(&length, Kind::Element), (&input(0).max(input(1)), Kind::Element)];
        let (program, _) = Program::new(&outputs, &[Kind::Element; 2], false).ok()?;
        Some(Self { program, dtype: DType::Float64, sums: vec![Some(0), None] })
    }

    /// That of sums that these arrays are, in a kernel that has `others` arguments beside it, and single numbers of `numbers` in what else it
    /// computes; `None` also of what a launch of its own does.
    pub(super) fn of(
        gpu: &Gpu,
        epilogue: &verb::Epilogue<'_>,
        sums: &[&Operand<'_>],
        (others, numbers): (usize, Option<DType>),
    ) -> Option<Self> {
        let call = epilogue.numbers()?;
        let float64 = gpu.stream.device().info().float64;
        let widest = if float64 { DType::Float64 } else { DType::Float32 };
        // A kernel has numbers of one dtype.
        let fits = call.element == widest && numbers.is_none_or(|of| of == widest);
        if !fits || sums.iter().any(|sum| sum.dtype() != widest) {
            return None;
        }
        let is = |input: &Operand<'_>, sum: &Operand<'_>| {
            std::ptr::eq(input.memory(), sum.memory())
                && input.layout().offset() == sum.layout().offset()
        };
        let sums = call.inputs.iter().map(|input| sums.iter().position(|sum| is(input, sum)));
        let epilogue = Self { program: call.program.clone(), dtype: widest, sums: sums.collect() };
        (others + epilogue.arguments() <= MOST_ARGUMENTS).then_some(epilogue)
    }

    /// How many arguments it adds.
    pub(super) fn arguments(&self) -> usize {
        let arrays = self.loaded().count() + self.program.results.len();
        2 * arrays + self.constants().count()
    }

    /// The macros `EPILOGUE_LOADS`, which one thread has before it waits, and `EPILOGUE`, behind the sums `name_value` of these names.
    pub(super) fn define(this: Option<&Self>, names: &[&str], text: &mut Text) {
        let Some(this) = this else {
            text.define("EPILOGUE_LOADS(FIRST)", "");
            text.define("EPILOGUE", "");
            return;
        };
        text.define("NUMBER_BITS", this.dtype.bits());
        let (mut loads, mut steps) = (String::new(), String::new());
        for input in this.loaded() {
            // Writing to a String cannot fail. Volatile, so that it is not put off until it is used.
            let _ = write!(
                loads,
                "const wide number{input}_value = (FIRST) ? *(const volatile GLOBAL wide*)(number{input} + number{input}_at) : (wide)0; "
            );
        }
        for at in 0..this.program.steps.len() {
            let _ = write!(steps, "const wide v{at} = {}; ", this.step(at, names));
        }
        for (out, at) in this.program.results.iter().enumerate() {
            let _ = write!(steps, "out{out}[out{out}_at] = v{at}; ");
        }
        text.define("EPILOGUE_LOADS(FIRST)", loads);
        text.define("EPILOGUE", steps);
    }

    /// The parameters, which stand behind all others.
    pub(super) fn declare(&self) -> String {
        let mut text = String::new();
        for input in self.loaded() {
            let _ = write!(text, ", const GLOBAL wide* number{input}, i64 number{input}_at");
        }
        for out in 0..self.program.results.len() {
            let _ = write!(text, ", GLOBAL wide* out{out}, i64 out{out}_at");
        }
        for (constant, _) in self.constants().enumerate() {
            let _ = write!(text, ", wide constant{constant}");
        }
        text
    }

    /// Adds the arguments of its call.
    pub(super) fn push<'m>(&self, call: &'m Numbers<'_>, arguments: &mut Arguments<'m>) {
        for input in self.loaded() {
            let input = &call.inputs[input];
            arguments.read(input.memory(), input.layout().offset());
        }
        for out in &call.outs {
            arguments.write(out.memory(), out.layout().offset());
        }
        for place in self.constants() {
            arguments.numbers(&[call.constants[place]], self.dtype);
        }
    }

    /// The inputs that are loaded.
    fn loaded(&self) -> impl Iterator<Item = usize> {
        self.sums.iter().enumerate().filter(|(_, sum)| sum.is_none()).map(|(input, _)| input)
    }

    /// The places of the constants, in the order of the parameters.
    fn constants(&self) -> impl Iterator<Item = usize> {
        self.program.steps.iter().filter_map(|step| match step.op {
            Op::Constant(place) => Some(place),
            _ => None,
        })
    }

    /// The value of a step.
    fn step(&self, at: usize, names: &[&str]) -> String {
        let steps = &self.program.steps;
        match steps[at].op {
            Op::Input(input) => match self.sums[input] {
                Some(sum) => format!("{}_value", names[sum]),
                None => format!("number{input}_value"),
            },
            // Calls that read what outputs held have no place here.
            Op::Previous(_) => "(wide)0".into(),
            Op::Constant(_) => {
                let before = &steps[..at];
                let before = before.iter().filter(|step| matches!(step.op, Op::Constant(_)));
                format!("constant{}", before.count())
            }
            Op::Convert(a) => format!("v{a}"),
            Op::Unary(function, a) => format!("w_{}(v{a})", unary(function)),
            // A quotient of a number and itself: 1, zero of zero, and NaN of what is not finite.
            Op::Binary(Binary::DivideOrZero, a, b) if a == b => {
                format!("(v{a} - v{a}) + (v{a} == 0 ? 0 : 1)")
            }
            Op::Binary(function, a, b) => format!("w_{}(v{a}, v{b})", binary(function)),
        }
    }
}
