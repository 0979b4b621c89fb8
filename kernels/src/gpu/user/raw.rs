//! The grid and the source are the user's.

use std::fmt::Write as _;

use arrayspan_bridge::iteration::{Arguments, Text};

use super::{Gpu, Shape, Variant, push_numbers, text};
use crate::Result;
use crate::user::Geometry;
use crate::verb::LaunchCall;

pub(super) fn run(gpu: &Gpu, call: &LaunchCall<'_>, geometry: Geometry) -> Result<()> {
    if geometry.is_empty() {
        return Ok(());
    }
    let mut arguments = Arguments::new(false);
    for operand in call.arrays() {
        arguments.read(operand.memory(), operand.layout().offset());
    }
    for output in &call.outputs {
        arguments.write(output.memory(), output.layout().offset());
    }
    push_numbers(call, &mut arguments);
    let variant = Variant::of(call, Shape::Raw(geometry.shared_bytes));
    // SAFETY: the arguments are those of `write`, in its order; what the kernel does with them, the caller of
    // `RawKernel::launch` vouches for.
    unsafe { super::launch(gpu, variant, geometry.grid, &arguments) }
}

/// The kernel after the types.
pub(super) fn write(variant: &Variant, source: &str, shared_bytes: usize, text: &mut Text) {
    let of = &variant.definition;
    let (mut parameters, mut begin) = (Vec::new(), String::new());
    let mut array = |kind: &str, name: &str, constant: &str| {
        parameters.push(format!("{constant}GLOBAL {kind}* {name}, i64 {name}_at"));
        // Writing to a String cannot fail.
        let _ = write!(begin, "{name} += {name}_at; ");
    };
    for input in variant.arrays().map(|input| &of.inputs[input]) {
        array(variant.letters.name(input.kind), &input.name, "const ");
    }
    for output in &of.outputs {
        array(variant.letters.name(output.kind), &output.name, "");
    }
    for (input, declared) in
        of.inputs.iter().enumerate().filter(|(input, _)| variant.by_value[*input])
    {
        let kind = variant.letters.name(declared.kind);
        let number = text::number(variant, input);
        let _ = write!(begin, "const {kind} {} = {number}; ", declared.name);
    }
    text.define("PARAMETERS", parameters.join(", ") + &text::numbers_declared(variant));
    text.define("BEGIN", begin);
    text.define("SHARED_BYTES", shared_bytes);
    text::source(variant, "", source, text);
}
