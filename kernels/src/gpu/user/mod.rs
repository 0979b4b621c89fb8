//! Kernels of users: a checked call, the variant that is compiled for it, and its arguments.

mod catalogue;
mod elementwise;
mod raw;
mod reduction;
mod text;

use std::sync::Arc;

use arrayspan_bridge::devices::{Grid, KernelSource};
use arrayspan_bridge::iteration::{Arguments, Text};

pub(super) use catalogue::catalogue;

use super::{Gpu, variant};
use crate::Result;
use crate::user::{Definition, Letters, Source};
use crate::verb::{LaunchCall, Slot, Work};

/// Everything that is compiled into a user kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    definition: Arc<Definition>,
    letters: Letters,
    /// Of each input, whether it is a number that comes by value.
    by_value: Vec<bool>,
    shape: Shape,
}

/// What of layouts and geometry is compiled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Shape {
    Elementwise(arrayspan_bridge::iteration::IterationForm),
    Reduction(reduction::Shape),
    /// The bytes of shared memory.
    Raw(usize),
}

pub(super) fn run(gpu: &Gpu, call: &LaunchCall<'_>) -> Result<()> {
    for dtype in call.dtypes() {
        gpu.expect_float64(call.definition.verb(), dtype)?;
    }
    match &call.work {
        Work::Elements => elementwise::run(gpu, call),
        Work::Axes(shape, axes) => reduction::run(gpu, call, shape, axes),
        Work::Geometry(geometry) => raw::run(gpu, call, *geometry),
    }
}

impl Variant {
    fn of(call: &LaunchCall<'_>, shape: Shape) -> Self {
        Self {
            definition: call.definition.clone(),
            letters: call.letters.clone(),
            by_value: call.inputs.iter().map(|input| input.array().is_none()).collect(),
            shape,
        }
    }

    /// The numbers of the inputs that are arrays.
    fn arrays(&self) -> impl Iterator<Item = usize> {
        (0..self.by_value.len()).filter(|&input| !self.by_value[input])
    }
}

impl Variant {
    /// The whole text.
    pub(super) fn source(&self) -> KernelSource {
        let mut text = Text::default();
        text::types(self, &mut text);
        let entry = match (&self.definition.source, &self.shape) {
            (Source::Elementwise(body), Shape::Elementwise(form)) => {
                elementwise::write(self, body, form, &mut text);
                "elementwise"
            }
            (Source::Raw(source), Shape::Raw(shared_bytes)) => {
                raw::write(self, source, *shared_bytes, &mut text);
                &self.definition.name
            }
            (_, Shape::Reduction(shape)) => {
                reduction::write(self, shape, &mut text);
                "reduction"
            }
            _ => unreachable!("a call's work is that of its definition"),
        };
        KernelSource::new(&self.definition.name, entry, text.finish())
    }
}

/// Enqueues it.
///
/// # Safety
/// As [`Gpu::launch`].
unsafe fn launch(gpu: &Gpu, variant: Variant, grid: Grid, arguments: &Arguments<'_>) -> Result<()> {
    // SAFETY: passed on to the caller.
    unsafe { gpu.launch(&variant::Variant::User(variant), grid, arguments) }
}

/// The numbers by value, in their order.
fn push_numbers(call: &LaunchCall<'_>, arguments: &mut Arguments<'_>) {
    for input in &call.inputs {
        if let Slot::Number(number, dtype) = input {
            number.push(*dtype, &mut |argument| arguments.push(argument));
        }
    }
}

/// How many arguments those are.
fn count_numbers(call: &LaunchCall<'_>) -> usize {
    let mut count = 0;
    for input in &call.inputs {
        if let Slot::Number(number, dtype) = input {
            number.push(*dtype, &mut |_| count += 1);
        }
    }
    count
}
