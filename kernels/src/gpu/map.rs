//! `out ← expression(inputs, out)`: a thread for a run of neighbours.

use arrayspan_bridge::devices::Memory;
use arrayspan_bridge::index::{Arguments, Form, Space, THREADS, Text, address, grid};
use arrayspan_bridge::{Layout, View, ViewMut};
use num_complex::Complex64;

use super::element::Element;
use super::formula::Formula;
use super::{Gpu, variant};
use crate::Result;
use crate::verb::MapCall;

pub(super) const TEXT: &str = include_str!("../source/map.cl.h");

/// An elementwise kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    pub(super) element: Element,
    pub(super) form: Form,
    pub(super) formula: Formula,
}

pub(super) fn run(gpu: &Gpu, call: &MapCall<'_>) -> Result<()> {
    let out = &call.out;
    gpu.expect_float64("map", out.dtype())?;
    if out.layout().is_empty() {
        return Ok(());
    }
    let (layouts, memories) = operands(out, &call.inputs);
    let space = Space::new(&layouts);
    let element = Element(out.dtype());
    let (formula, constants) = (Formula::of(call.expression), call.expression.constants());
    launch(gpu, element, &space, &memories, formula, &constants)
}

/// Where operands lie, the output first.
pub(super) fn operands<'c>(
    out: &'c ViewMut<'_>,
    inputs: &'c [View<'_>],
) -> (Vec<&'c Layout>, Vec<&'c Memory>) {
    let layouts = std::iter::once(out.layout()).chain(inputs.iter().map(View::layout));
    let memories = std::iter::once(out.memory()).chain(inputs.iter().map(View::memory));
    (layouts.collect(), memories.collect())
}

/// Runs a formula over a space whose operand 0 is the output and is not empty.
pub(super) fn launch(
    gpu: &Gpu,
    element: Element,
    space: &Space,
    memories: &[&Memory],
    formula: Formula,
    constants: &[Complex64],
) -> Result<()> {
    let addresses: Vec<usize> = memories.iter().copied().map(address).collect();
    let form = space.form(element.bytes(), &addresses, 2 * constants.len());
    let arguments = arguments(element, space, &form, memories, constants);
    let grid = grid(space.items(&form), THREADS);
    let variant = Variant { element, form, formula };
    // SAFETY: the arguments are those of `declare`, in its order. A layout lies within its memory, and
    // the kernel stays within the extents of the space, which name no other places.
    unsafe { gpu.launch(variant::Variant::Map(variant), grid, &arguments) }
}

/// The arguments for what [`declare`] declares.
pub(super) fn arguments<'m>(
    element: Element,
    space: &Space,
    form: &Form,
    memories: &[&'m Memory],
    constants: &[Complex64],
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
    arguments.numbers(constants, element.0);
    arguments
}

/// The macros `PARAMETERS` (those of the space and the formula, then `others`), `PROLOGUE`, `INPUTS` and those of
/// the form and the formula.
pub(super) fn declare(
    element: Element,
    form: &Form,
    formula: &Formula,
    others: &str,
    text: &mut Text,
) {
    let inputs: Vec<String> = (1..form.operands()).map(Form::operand).collect();
    let space = form.declare() + &formula.declare(element) + others;
    let prologue = formula.prologue(element);
    element.define(text);
    form.define(text);
    formula.define(text);
    parameters("elem", &inputs, &space, &prologue, text);
}

/// The macros `PARAMETERS` (an output of that type, inputs, then `others`), `PROLOGUE` and `INPUTS`.
pub(super) fn parameters(
    output: &str,
    inputs: &[String],
    others: &str,
    prologue: &str,
    text: &mut Text,
) {
    let array = |name: &String| format!(", const GLOBAL elem* RESTRICT {name}, i64 {name}_at");
    let start = |name: &String| format!(" {name} += {name}_at;");
    let each = |name: &String| format!(" DO({name})");
    let all =
        |part: &dyn Fn(&String) -> String| inputs.iter().map(part).collect::<Vec<_>>().concat();
    let output = format!("GLOBAL {output}* RESTRICT y, i64 y_at");
    text.define("PARAMETERS", output + &all(&array) + others);
    text.define("PROLOGUE", "y += y_at;".to_owned() + &all(&start) + prologue);
    text.define("INPUTS(DO)", all(&each));
}

impl Variant {
    pub(super) fn name(&self) -> String {
        format!("map_{}", self.element.name())
    }

    /// The macros before the prelude.
    pub(super) fn define(&self, text: &mut Text) {
        declare(self.element, &self.form, &self.formula, "", text);
    }
}
