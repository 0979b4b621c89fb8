//! `out ← expression(inputs, out)`: a thread for a run of neighbours.

use std::fmt::Write as _;

use arrayspan_bridge::devices::Memory;
use arrayspan_bridge::{Layout, View, ViewMut};
use num_complex::Complex64;

use super::arguments::Arguments;
use super::element::Element;
use super::formula::Formula;
use super::geometry::{THREADS, grid};
use super::runs::address;
use super::space::{Form, Space};
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
    let element = Element::Number(out.dtype());
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
    let mut arguments = Arguments::new(form.wide);
    for (number, (memory, offset)) in memories.iter().zip(&space.offsets).enumerate() {
        if number == 0 {
            arguments.write(memory, *offset);
        } else {
            arguments.read(memory, *offset);
        }
    }
    space.push(form, &mut arguments);
    if let Element::Number(dtype) = element {
        constants.iter().for_each(|constant| arguments.number(*constant, dtype));
    }
    arguments
}

/// The macros `PARAMETERS` (those of the space and the formula, then `others`), `PROLOGUE`, `INPUTS`, `READS_Y`
/// and `EXPRESSION`.
pub(super) fn declare(element: Element, form: &Form, formula: &Formula, others: &str) -> String {
    let mut parameters = "GLOBAL elem* RESTRICT y, i64 y_at".to_owned();
    let mut prologue = "y += y_at;".to_owned();
    let mut inputs = String::new();
    for name in (1..form.operands()).map(Form::operand) {
        let _ = write!(parameters, ", const GLOBAL elem* RESTRICT {name}, i64 {name}_at");
        let _ = write!(prologue, " {name} += {name}_at;");
        let _ = write!(inputs, " DO({name})");
    }
    parameters += &form.declare();
    parameters += &formula.declare(element);
    parameters += others;
    prologue += &formula.prologue(element);
    let reads = u8::from(formula.reads_previous());
    formula.define()
        + &format!("#define PARAMETERS {parameters}\n#define PROLOGUE {prologue}\n")
        + &format!("#define INPUTS(DO){inputs}\n#define READS_Y {reads}\n")
}

impl Variant {
    pub(super) fn name(&self) -> String {
        format!("map_{}", self.element.name())
    }

    pub(super) fn define(&self) -> String {
        let Self { element, form, formula } = self;
        element.define() + &form.define() + &declare(*element, form, formula, "")
    }
}
