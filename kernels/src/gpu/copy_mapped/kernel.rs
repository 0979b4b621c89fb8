//! The kernels of mapped copies: what is compiled into one.

use std::fmt::Write as _;

use arrayspan_bridge::devices::{KernelSource, Specialisation};
use arrayspan_bridge::iteration::{Axes, Each, IterationForm, Text};

use super::super::element::Element;
use super::super::formula::Formula;
use super::super::{cells, map};
use super::space::{Space, Stretch};

const TEXT: &str = include_str!("../../source/copy_mapped.cl.h");
const CELLS: &str = include_str!("../../source/copy_mapped_cells.cl.h");

/// A kernel for maps of one form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in super::super) struct Variant {
    pub(super) element: Element,
    pub(super) formula: Formula,
    pub(super) form: Form,
    /// Elements of a run.
    pub(super) run: usize,
    /// The alignment of one in bytes.
    pub(super) align: usize,
    /// Runs of a thread.
    pub(super) takes: usize,
    /// Whether groups take turns at both ends of the output.
    pub(super) both_ends: bool,
    /// The numbers of the space, where they are too many to be arguments.
    pub(super) baked: Vec<isize>,
}

/// What of a space is compiled into a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Form {
    wide: bool,
    line: bool,
    /// For each source, each axis and each stretch, whether it reads.
    reads: Each<Axes<Each<bool>>>,
}

impl Form {
    pub(super) fn of(space: &Space) -> Self {
        let reads = |stretches: &Each<Stretch>| -> Each<bool> {
            stretches.iter().map(|stretch| stretch.place.is_some()).collect()
        };
        let source = |number: usize| {
            space.axes.iter().map(|axis| reads(&axis.stretches[number])).collect::<Axes<_>>()
        };
        let sources = (0..space.sources.len()).map(source);
        Self { wide: space.wide, line: space.is_line(), reads: sources.collect() }
    }

    /// The numbers of such a space, in the order of [`names`](Self::names).
    pub(super) fn numbers(&self, space: &Space) -> Vec<isize> {
        let mut numbers = Vec::with_capacity(32);
        for (number, axis) in space.axes.iter().enumerate() {
            numbers.push(axis.extent as isize);
            if Self::divides(number, space.axes.len()) && !self.wide {
                let [factor, shift] = reciprocal(axis.extent as u32);
                numbers.extend([factor as i32 as isize, shift as isize]);
            }
            if !self.line {
                numbers.push(axis.stride);
            }
        }
        for source in 0..self.reads.len() {
            for axis in &space.axes {
                let stretches = &axis.stretches[source];
                for (number, stretch) in stretches.iter().enumerate() {
                    if number + 1 < stretches.len() {
                        numbers.push(stretch.end as isize);
                    }
                    numbers.extend(stretch.place.iter().flat_map(|(base, step)| [*base, *step]));
                }
            }
        }
        numbers
    }

    /// Whether the place along the line is divided by the extent of this axis.
    fn divides(axis: usize, rank: usize) -> bool {
        axis + 1 < rank
    }

    fn rank(&self) -> usize {
        let Some(axes) = self.reads.first() else { return 0 };
        axes.len()
    }

    fn names(&self) -> Vec<String> {
        let rank = self.rank();
        let mut names = Vec::with_capacity(32);
        for axis in 0..rank {
            names.push(format!("n{axis}"));
            if Self::divides(axis, rank) && !self.wide {
                names.extend([format!("n{axis}_factor"), format!("n{axis}_shift")]);
            }
            if !self.line {
                names.push(format!("y_s{axis}"));
            }
        }
        for (source, axes) in self.reads.iter().enumerate() {
            for (axis, stretches) in axes.iter().enumerate() {
                for (number, reads) in stretches.iter().enumerate() {
                    if number + 1 < stretches.len() {
                        names.push(format!("x{source}_{axis}_end{number}"));
                    }
                    if *reads {
                        names.push(format!("x{source}_{axis}_base{number}"));
                        names.push(format!("x{source}_{axis}_step{number}"));
                    }
                }
            }
        }
        names
    }

    /// The macros that the kernel's text takes of the space.
    fn define(&self, text: &mut Text) {
        let rank = self.rank();
        let extents: Vec<String> = (0..rank).map(|axis| format!("n{axis}")).collect();
        text.define("ALL", format_args!("({})", extents.join(" * ")));
        let (mut split, mut rest) = (String::new(), "(uidx)(f)".to_owned());
        // Writing to a String cannot fail.
        for axis in 0..rank {
            if !Self::divides(axis, rank) {
                let _ = write!(split, "const idx i{axis} = (idx)({rest});");
                continue;
            }
            let _ = if self.wide {
                write!(split, "const uidx q{axis} = ({rest}) / (uidx)n{axis}; ")
            } else {
                write!(
                    split,
                    "const uidx q{axis} = HIGH_PRODUCT({rest}, (u32)n{axis}_factor) >> n{axis}_shift; "
                )
            };
            let _ = write!(split, "const idx i{axis} = (idx)({rest} - q{axis} * (uidx)n{axis}); ");
            rest = format!("q{axis}");
        }
        text.define("SPLIT(f)", split);
        let places: Vec<String> = (0..rank).map(|axis| format!("i{axis} * y_s{axis}")).collect();
        text.flag("Y_IN_LINE", self.line);
        text.define(
            "Y_PLACE(f)",
            if self.line { "(f)".into() } else { format!("({})", places.join(" + ")) },
        );
        for (source, axes) in self.reads.iter().enumerate() {
            let mut outer = format!("int x{source}_in = 1; uidx x{source}_at = 0; ");
            for (axis, stretches) in axes.iter().enumerate().skip(1) {
                outer += &stretched(source, axis, &format!("i{axis}"), stretches);
                let _ = write!(outer, "x{source}_in &= in; x{source}_at += at; }} ");
            }
            text.define(format_args!("x{source}_OUTER"), outer);
            let mut along = stretched(source, 0, "(i)", axes.first().map_or(&[], |axis| &axis[..]));
            let _ = write!(
                along,
                "x{source}_reads = in; x{source}_place = at; x{source}_step = step; x{source}_end = end; }}"
            );
            text.define(format_args!("x{source}_ALONG(i)"), along);
        }
        let each: Vec<String> =
            (0..self.reads.len()).map(|source| format!("DO(x{source}, {source})")).collect();
        text.define("SOURCES(DO)", each.join(" "));
    }
}

/// A block of statements, still open, that finds the place `at` along one axis of a source at an index there.
fn stretched(source: usize, axis: usize, index: &str, stretches: &[bool]) -> String {
    let name = |what: &str, number: usize| format!("x{source}_{axis}_{what}{number}");
    let end = |number: usize| {
        if number + 1 < stretches.len() { name("end", number) } else { format!("n{axis}") }
    };
    let number = |what: &str, number: usize| {
        if stretches[number] { format!("(uidx){}", name(what, number)) } else { "0".into() }
    };
    let mut text = format!(
        "{{ uidx base = {}, step = {}; idx end = {}; int in = {}; ",
        number("base", 0),
        number("step", 0),
        end(0),
        u8::from(stretches[0])
    );
    for (next, reads) in stretches.iter().enumerate().skip(1) {
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "if ({index} >= {}) {{ base = {}; step = {}; end = {}; in = {}; }} ",
            name("end", next - 1),
            number("base", next),
            number("step", next),
            end(next),
            u8::from(*reads)
        );
    }
    text + &format!("const uidx at = base + step * (uidx){index}; ")
}

/// What a number below 2³¹ is multiplied by, and by how many bits the upper half of the product is shifted, for it to be divided
/// by `divisor`, which is at least 2.
fn reciprocal(divisor: u32) -> [u32; 2] {
    let bits = 32 - (divisor - 1).leading_zeros();
    let shifted = 1_u64 << (31 + bits);
    [shifted.div_ceil(u64::from(divisor)) as u32, bits - 1]
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let half = self.element.is_half();
        let (entry, own) = if half { ("copy_mapped_cells", CELLS) } else { ("copy_mapped", TEXT) };
        self.element.source(entry, |text| self.define(text), own)
    }
}

impl Variant {
    /// The macros before the prelude.
    fn define(&self, text: &mut Text) {
        let Self { element, formula, form, .. } = self;
        let names = form.names();
        let mut parameters = String::new();
        for (number, name) in names.iter().enumerate() {
            match self.baked.get(number) {
                Some(value) => text.define(name, format_args!("((idx){value})")),
                // Writing to a String cannot fail.
                None => drop(write!(parameters, ", idx {name}")),
            }
        }
        parameters += &formula.declare(*element);
        element.define(text);
        text.flag("WIDE", form.wide);
        text.define("V", self.run);
        if element.is_half() {
            cells::hold(element.0, self.align, text);
            // Runs of elements lie in registers.
            text.define("ALIGN", element.computed().bytes());
        } else {
            text.define("ALIGN", self.align);
        }
        text.define("TAKES", self.takes);
        text.flag("BOTH_ENDS", self.both_ends);
        formula.define(text);
        form.define(text);
        let inputs: Vec<String> = (1..=form.reads.len()).map(IterationForm::operand).collect();
        let prologue = formula.prologue(*element);
        map::parameters(&map::Arrays::of_elements(&inputs), &parameters, &prologue, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_by_reciprocals_divide() {
        let divisors = (2..2000).chain([641, 65_535, 65_536, 65_537, (1 << 30) - 1, 1 << 30]);
        for divisor in divisors {
            let [factor, shift] = reciprocal(divisor);
            let near = |n: u32| [n.saturating_sub(1), n, n.saturating_add(1)];
            let multiples =
                [0, 1, 2, 3, 1000, (1 << 31) / divisor - 1].map(|n| divisor.saturating_mul(n));
            let numbers = multiples.into_iter().flat_map(near).chain([(1 << 31) - 1, 1 << 30]);
            for n in numbers.filter(|n| *n < 1 << 31) {
                let high = (u64::from(n) * u64::from(factor)) >> 32;
                assert_eq!(high >> shift, u64::from(n / divisor), "{n} / {divisor}");
            }
        }
    }
}
