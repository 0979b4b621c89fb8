//! `out ← expression(inputs, out)`: a thread for each run of consecutive elements.

use arrayspan_bridge::devices::{Grid, KernelSource, Memory, Specialisation};
use arrayspan_bridge::iteration::{
    Arguments, Each, IterationForm, IterationSpace, THREADS, Text, WIDEST, address, grid,
};
use arrayspan_bridge::{DType, Layout, Operand};

use super::element::Element;
use super::formula::Formula;
use super::map_flat::{self, Lines};
use super::map_held::{self, Held};
use super::{Gpu, constants};
use crate::Result;
use crate::factors::FactorOf;
use crate::verb::MapCall;

const TEXT: &str = include_str!("../source/map.cl.h");
const CELLS: &str = include_str!("../source/map_cells.cl.h");

/// Bytes that a thread asks for before it stores the first.
const AHEAD: usize = 32;

/// An elementwise kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    pub(super) element: Element,
    pub(super) form: IterationForm,
    pub(super) formula: Formula,
    pub(super) way: Way,
    /// The dtype of the inputs that each thread takes as single numbers, and how many there are.
    pub(super) numbers: Option<(DType, usize)>,
}

/// What threads take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Way {
    /// A run of so many rows.
    Rows(usize),
    /// A run of all rows as one line, along which these operands lie.
    Lines(Lines),
    /// A run of some rows, in all of which some inputs are the same.
    Held(Held),
    /// A run of a row, of arrays that hold 16 bits of each element.
    Cells,
}

pub(super) fn run(gpu: &Gpu, call: &MapCall<'_>) -> Result<()> {
    let out = &call.out;
    gpu.expect_float64("map", out.dtype())?;
    if out.layout().is_empty() {
        return Ok(());
    }
    let numbers = &call.numbers();
    if let Some(dtype) = numbers.dtype {
        gpu.expect_float64("map", dtype)?;
    }
    // Either the single numbers or the other inputs.
    let those = |single: bool| {
        let inputs = call.inputs.iter().enumerate();
        inputs.filter(move |(input, _)| numbers.contains(*input) == single).map(|(_, view)| view)
    };
    let layouts = std::iter::once(out.layout()).chain(those(false).map(Operand::layout));
    let layouts: Each<&Layout> = layouts.collect();
    let memories = std::iter::once(out.memory()).chain(those(false).map(Operand::memory));
    let memories: Each<&Memory> = memories.collect();
    let space = IterationSpace::new(&layouts);
    let element = Element(out.dtype());
    let formula = Formula::mixed(&call.expression, &|input| numbers.contains(input));
    let addresses: Each<usize> = memories.iter().copied().map(address).collect();
    let constants = call.expression.constants();
    let parts = if element.is_complex() { 2 } else { 1 };
    let single = those(true).count();
    let others = parts * constants.len() + 2 * single;
    let Taken { form, way, grid } = taken(gpu, &space, element, &addresses, (&formula, others));
    let mut arguments = start(&space, &form, &memories);
    for (value, wide) in constants.iter().zip(formula.constants()) {
        let dtype = numbers.dtype.filter(|_| wide).unwrap_or(element.computed());
        arguments.numbers(&[*value], dtype);
    }
    for view in those(true) {
        arguments.read(view.memory(), view.layout().offset());
    }
    let numbers = numbers.dtype.map(|dtype| (dtype, single));
    let variant = Variant { element, form, formula, way, numbers };
    // SAFETY: as in `launch`; the numbers' places lie within their memories, too.
    unsafe { gpu.launch(&variant, grid, &arguments) }
}

/// Runs a formula over a space whose operand 0 is the output and is not empty.
pub(super) fn launch(
    gpu: &Gpu,
    element: Element,
    space: &IterationSpace,
    memories: &[&Memory],
    formula: Formula,
    constants: &[FactorOf<'_>],
) -> Result<()> {
    let addresses: Each<usize> = memories.iter().copied().map(address).collect();
    let others = constants::count(constants);
    let Taken { form, way, grid } = taken(gpu, space, element, &addresses, (&formula, others));
    let arguments = arguments(element, space, &form, memories, constants);
    let variant = Variant { element, form, formula, way, numbers: None };
    // SAFETY: the arguments are those of `declare`, in its order. A layout lies within its memory, and
    // the kernel stays within the extents of the space, which name no other places.
    unsafe { gpu.launch(&variant, grid, &arguments) }
}

/// What threads take of a space.
struct Taken {
    form: IterationForm,
    way: Way,
    grid: Grid,
}

/// Runs of some rows, or of all rows as one line where that makes accesses wider; `others` arguments come beside those of the
/// space.
fn taken(
    gpu: &Gpu,
    space: &IterationSpace,
    element: Element,
    addresses: &[usize],
    (formula, others): (&Formula, usize),
) -> Taken {
    let form = space.form(element.bytes(), addresses, others);
    if element.is_half() {
        let grid = grid(items(space, &form, 1), THREADS);
        return Taken { form, way: Way::Cells, grid };
    }
    if let Some(held) = map_held::of(space, &form, gpu.units()) {
        let place = (addresses[0], element.bytes());
        let skewed = if formula.reads_output() { None } else { held.skewed(space, &form, place) };
        let (held, form) = match skewed {
            Some((held, runs)) => (held, space.form_with(runs, others)),
            None => (held, form),
        };
        let grid = held.grid(space, &form);
        return Taken { form, way: Way::Held(held), grid };
    }
    if let Some((runs, lines)) = map_flat::line(space, &form, addresses, element.bytes()) {
        let grid = map_flat::grid(space, &runs);
        return Taken { form: space.form_with(runs, others), way: Way::Lines(lines), grid };
    }
    let rows = rows(space, &form, element, gpu.units());
    let grid = grid(items(space, &form, rows), THREADS);
    Taken { form, way: Way::Rows(rows), grid }
}

/// Rows of a thread: several where its accesses are narrow (rows that begin at odd places), so that as many bytes are on
/// their way as with wide ones, if enough threads are left.
pub(super) fn rows(
    space: &IterationSpace,
    form: &IterationForm,
    element: Element,
    units: usize,
) -> usize {
    let [runs, lines, outer] = space.items(form);
    let access = form.runs().len * element.bytes();
    let rows = AHEAD / access;
    let threads = runs.saturating_mul(lines / rows.max(1)).saturating_mul(outer);
    let worthwhile = 2 * access <= WIDEST && lines >= 4 * rows;
    if worthwhile && threads >= units * 4 * THREADS { rows } else { 1 }
}

pub(super) fn items(space: &IterationSpace, form: &IterationForm, rows: usize) -> [usize; 3] {
    let [runs, lines, outer] = space.items(form);
    [runs, lines.div_ceil(rows), outer]
}

/// The arguments for what [`declare`] declares.
pub(super) fn arguments<'m>(
    element: Element,
    space: &IterationSpace,
    form: &IterationForm,
    memories: &[&'m Memory],
    constants: &[FactorOf<'m>],
) -> Arguments<'m> {
    let mut arguments = start(space, form, memories);
    constants::push(&mut arguments, constants, element);
    arguments
}

/// The arguments for the operands and the space, before those of the formula.
fn start<'m>(
    space: &IterationSpace,
    form: &IterationForm,
    memories: &[&'m Memory],
) -> Arguments<'m> {
    let mut arguments = Arguments::new(form.is_wide());
    for (number, (memory, offset)) in memories.iter().zip(&space.offsets).enumerate() {
        if number == 0 {
            arguments.write(memory, *offset);
        } else {
            arguments.read(memory, *offset);
        }
    }
    space.push(form, &mut arguments);
    arguments
}

/// The macros `PARAMETERS` (those of the space and the formula, then `others`), `PROLOGUE`, `INPUTS` and those of
/// the form and the formula.
pub(super) fn declare(
    element: Element,
    form: &IterationForm,
    formula: &Formula,
    others: &str,
    text: &mut Text,
) {
    let inputs: Vec<String> = (1..form.operands()).map(IterationForm::operand).collect();
    let space = form.declare() + &formula.declare(element) + others;
    let prologue = formula.prologue(element);
    element.define(text);
    element.define_runs(form, text);
    formula.define(text);
    parameters(&Arrays::of_elements(&inputs), &space, &prologue, text);
}

/// The arrays a kernel takes, and the types of what they hold.
pub(super) struct Arrays<'a> {
    pub(super) output: &'static str,
    pub(super) input: &'static str,
    pub(super) inputs: &'a [String],
}

impl<'a> Arrays<'a> {
    /// All hold elements.
    pub(super) fn of_elements(inputs: &'a [String]) -> Self {
        Self { output: "elem", input: "elem", inputs }
    }

    /// All hold what elements are made of: themselves, or 16 bits of each.
    pub(super) fn of_cells(inputs: &'a [String]) -> Self {
        Self { output: "cell", input: "cell", inputs }
    }
}

/// The macros `PARAMETERS` (output, inputs, then `others`), `PROLOGUE` and `INPUTS`.
pub(super) fn parameters(arrays: &Arrays<'_>, others: &str, prologue: &str, text: &mut Text) {
    let Arrays { output, input, inputs } = arrays;
    let array = |name: &String| format!(", const GLOBAL {input}* RESTRICT {name}, i64 {name}_at");
    let start = |name: &String| format!(" {name} += {name}_at;");
    let each = |name: &String| format!(" DO({name})");
    let all =
        |part: &dyn Fn(&String) -> String| inputs.iter().map(part).collect::<Vec<_>>().concat();
    let output = format!("GLOBAL {output}* RESTRICT y, i64 y_at");
    text.define("PARAMETERS", output + &all(&array) + others);
    text.define("PROLOGUE", "y += y_at;".to_owned() + &all(&start) + prologue);
    text.define("INPUTS(DO)", all(&each));
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let (entry, own) = match self.way {
            Way::Rows(_) => ("map", TEXT),
            Way::Lines(_) => ("map_flat", map_flat::TEXT),
            Way::Held(_) => ("map_held", map_held::TEXT),
            Way::Cells => ("map_cells", CELLS),
        };
        self.element.source(entry, |text| self.define(text), own)
    }
}

impl Variant {
    /// The macros before the prelude.
    fn define(&self, text: &mut Text) {
        let mut others = String::new();
        if let Some((dtype, count)) = self.numbers {
            text.define("NUMBER_BITS", dtype.bits());
            for number in 0..count {
                let number = format!(", const GLOBAL wide* RESTRICT s{number}, i64 s{number}_at");
                others.push_str(&number);
            }
        }
        declare(self.element, &self.form, &self.formula, &others, text);
        match self.way {
            Way::Rows(rows) => text.define("ROWS", rows),
            Way::Lines(lines) => lines.define(&self.form, text),
            Way::Held(held) => held.define(&self.form, text),
            Way::Cells => {}
        }
    }
}
