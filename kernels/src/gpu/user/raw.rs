//! The grid and the source are the user's.

use std::fmt::Write as _;

use arrayspan_bridge::devices::{KernelSource, Specialisation};
use arrayspan_bridge::iteration::{Arguments, Text};

use super::super::Gpu;
use super::instance::Instance;
use super::{numbers, text};
use crate::Result;
use crate::user::{Geometry, Source};
use crate::verb::LaunchCall;

/// A raw kernel of a user's.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    pub(super) instance: Instance,
    /// The bytes of shared memory.
    pub(super) shared_bytes: usize,
}

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
    numbers::push(call, &mut arguments);
    let variant = Variant { instance: Instance::of(call), shared_bytes: geometry.shared_bytes };
    // SAFETY: the arguments are those of `Variant::source`, in its order; what the kernel does with them, the caller of
    // `RawKernel::launch` vouches for.
    unsafe { gpu.launch(&variant, geometry.grid, &arguments) }
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let mut text = Text::default();
        text::types(&self.instance, &mut text);
        write(&self.instance, self.shared_bytes, &mut text);
        self.instance.kernel(&self.instance.definition.name, text)
    }
}

/// The kernel after the types.
fn write(instance: &Instance, shared_bytes: usize, text: &mut Text) {
    let of = &instance.definition;
    let Source::Raw(source) = &of.source else {
        unreachable!("a call's work is that of its definition")
    };
    let (mut parameters, mut begin) = (Vec::new(), String::new());
    let mut array = |kind: &str, name: &str, constant: &str| {
        parameters.push(format!("{constant}GLOBAL {kind}* {name}, i64 {name}_at"));
        // Writing to a String cannot fail.
        let _ = write!(begin, "{name} += {name}_at; ");
    };
    for input in instance.arrays().map(|input| &of.inputs[input]) {
        array(instance.letters.name(input.kind), &input.name, "const ");
    }
    for output in &of.outputs {
        array(instance.letters.name(output.kind), &output.name, "");
    }
    for (input, declared) in
        of.inputs.iter().enumerate().filter(|(input, _)| instance.by_value[*input])
    {
        let kind = instance.letters.name(declared.kind);
        let number = text::number(instance, input);
        let _ = write!(begin, "const {kind} {} = {number}; ", declared.name);
    }
    text.define("PARAMETERS", parameters.join(", ") + &text::numbers_declared(instance));
    text.define("BEGIN", begin);
    text.define("SHARED_BYTES", shared_bytes);
    text::source(instance, "", source, text);
}
