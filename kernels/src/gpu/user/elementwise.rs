//! A thread for each element.

use std::fmt::Write as _;

use arrayspan_bridge::devices::{Argument, KernelSource, Memory, Specialisation};
use arrayspan_bridge::iteration::{
    Arguments, IterationForm, IterationSpace, Runs, Start, THREADS, Text, grid,
};
use arrayspan_bridge::{Layout, Operand, OperandMut};

use super::super::Gpu;
use super::instance::Instance;
use super::{numbers, text};
use crate::Result;
use crate::user::Source;
use crate::verb::LaunchCall;

const TEXT: &str = include_str!("../../source/user/elementwise.cl.h");

/// An elementwise kernel of a user's.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    pub(super) instance: Instance,
    pub(super) form: IterationForm,
}

pub(super) fn run(gpu: &Gpu, call: &LaunchCall<'_>) -> Result<()> {
    let shape = call.outputs[0].shape();
    if call.outputs[0].layout().is_empty() {
        return Ok(());
    }
    // The row-major index of an element is its offset in a contiguous array.
    let index = Layout::contiguous(shape)?;
    let mut layouts: Vec<&Layout> = call.outputs.iter().map(OperandMut::layout).collect();
    layouts.extend(call.arrays().map(Operand::layout));
    if call.definition.is_indexed() {
        layouts.push(&index);
    }
    let space = IterationSpace::new(&layouts);
    let starts: Vec<Start> = (0..layouts.len()).map(|operand| space.start(operand, 0, 1)).collect();
    let form = space.form_with(Runs::new(&starts, 1, 1), numbers::count(call));
    let mut arguments = Arguments::new(form.is_wide());
    let written: Vec<&Memory> = call.outputs.iter().map(OperandMut::memory).collect();
    let read: Vec<&Memory> = call.arrays().map(Operand::memory).collect();
    for (operand, &offset) in space.offsets.iter().enumerate() {
        match (written.get(operand), operand.checked_sub(written.len()).and_then(|at| read.get(at)))
        {
            (Some(memory), _) => arguments.write(memory, offset),
            (None, Some(memory)) => arguments.read(memory, offset),
            (None, None) => arguments.push(Argument::I64(offset as i64)),
        }
    }
    space.push(&form, &mut arguments);
    numbers::push(call, &mut arguments);
    let grid = grid(space.items(&form), THREADS);
    let variant = Variant { instance: Instance::of(call), form };
    // SAFETY: the arguments are those of `Variant::source`, in its order. Layouts lie within their memories and the kernel stays
    // within the extents of the space, which name no other places. What the user's source does was vouched for when the
    // kernel was declared; it is given values, and no place in memory.
    unsafe { gpu.launch(&variant, grid, &arguments) }
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let mut text = Text::default();
        text::types(&self.instance, &mut text);
        write(&self.instance, &self.form, &mut text);
        self.instance.kernel("elementwise", text)
    }
}

/// The kernel after the types.
fn write(instance: &Instance, form: &IterationForm, text: &mut Text) {
    let of = &instance.definition;
    let Source::Elementwise(body) = &of.source else {
        unreachable!("a call's work is that of its definition")
    };
    text::outputs(instance, text);
    let is_read = |k: usize| of.outputs[k].is_read;
    let before =
        |k: usize| format!("const {} user_before{k}", instance.letters.name(of.outputs[k].kind));
    let mut others: Vec<String> =
        (0..of.outputs.len()).filter(|k| is_read(*k)).map(before).collect();
    others.push("const i64 i".into());
    text.add(format_args!("FN user_outputs user_body({}) {{", text::values(instance, &others)));
    for (k, output) in of.outputs.iter().enumerate() {
        let first = if output.is_read { format!("user_before{k}") } else { "{0}".into() };
        text.add(format_args!("{} {} = {first};", instance.letters.name(output.kind), output.name));
    }
    text.add("{");
    text::source(instance, "", body, text);
    text.add("}");
    text::give(instance, text);
    form.define(text);
    text.add("#if WIDE\ntypedef i64 idx;\n#else\ntypedef int idx;\n#endif");
    let outputs = of.outputs.len();
    let place = |operand: usize| {
        let name = IterationForm::operand(operand);
        format!("{name}_ROW + i * {name}_s0")
    };
    let element =
        |operand: usize| format!("{}[{}]", IterationForm::operand(operand), place(operand));
    let (mut parameters, mut prologue) = (Vec::new(), String::new());
    for (k, output) in of.outputs.iter().enumerate() {
        array(
            &mut parameters,
            &mut prologue,
            &IterationForm::operand(k),
            instance.letters.name(output.kind),
            "",
        );
    }
    let mut given = Vec::new();
    let mut next = outputs;
    for (input, declared) in of.inputs.iter().enumerate() {
        if instance.by_value[input] {
            given.push(text::number(instance, input));
            continue;
        }
        array(
            &mut parameters,
            &mut prologue,
            &IterationForm::operand(next),
            instance.letters.name(declared.kind),
            "const ",
        );
        given.push(element(next));
        next += 1;
    }
    given.extend((0..outputs).filter(|k| is_read(*k)).map(element));
    if of.is_indexed() {
        let name = IterationForm::operand(next);
        parameters.push(format!("i64 {name}_at"));
        given.push(format!("{name}_at + ({})", place(next)));
    } else {
        given.push("0".into());
    }
    let stores = (0..outputs)
        .map(|k| format!("{} = user_all.o{k};", element(k)))
        .collect::<Vec<_>>()
        .join(" ");
    let numbers = text::numbers_declared(instance);
    text.define("PARAMETERS", parameters.join(", ") + &form.declare() + &numbers);
    text.define("PROLOGUE", prologue);
    text.define(
        "ELEMENT",
        format_args!("const user_outputs user_all = user_body({}); {stores}", given.join(", ")),
    );
    text.add(TEXT);
}

/// The parameters of an array, and the statement that makes a pointer to its first element of them.
pub(super) fn array(
    parameters: &mut Vec<String>,
    prologue: &mut String,
    name: &str,
    kind: &str,
    constant: &str,
) {
    parameters.push(format!("{constant}GLOBAL {kind}* RESTRICT {name}, i64 {name}_at"));
    // Writing to a String cannot fail.
    let _ = write!(prologue, "{name} += {name}_at; ");
}
