//! The factors of an update as two elements in memory, for a library that takes both from there.

use arrayspan_bridge::Array;
use arrayspan_bridge::devices::{Grid, KernelSource, Specialisation};
use arrayspan_bridge::iteration::{Arguments, Runs, Start, THREADS, Text};

use super::element::Element;
use super::formula::Formula;
use super::{Gpu, constants, map};
use crate::Result;
use crate::factors::Factors;

const TEXT: &str = include_str!("../source/factors.cl.h");

/// A kernel that writes two factors.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    pub(super) element: Element,
    pub(super) formula: Formula,
}

/// Writes alpha and beta into room of the executor, as elements side by side.
pub(super) fn write(
    gpu: &Gpu,
    factors: &Factors<'_>,
    element: Element,
    room: &Array,
) -> Result<()> {
    let both = factors.each();
    let mut arguments = Arguments::new(false);
    arguments.write(room.memory(), 0);
    constants::push(&mut arguments, &both, element);
    let variant = Variant { element, formula: Formula::of_factors(both, element) };
    let grid = Grid { groups: [1; 3], threads: [THREADS / 4, 1, 1] };
    // SAFETY: the arguments are those of `Variant::define`, in its order. The room is larger than two elements and belongs
    // to the caller alone; the factors' places lie within their memories.
    unsafe { gpu.launch(&variant, grid, &arguments) }
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        self.element.source("factors", |text| self.define(text), TEXT)
    }
}

impl Variant {
    /// The macros before the prelude.
    fn define(&self, text: &mut Text) {
        self.element.define(text);
        text.flag("WIDE", false);
        let start = Start { stride: 1, first: 0, steps: 0 };
        Runs::new(&[start], self.element.bytes(), 1).define(&["y".to_owned()], text);
        self.formula.define(text);
        let declared = self.formula.declare(self.element);
        let none: [String; 0] = [];
        let arrays = map::Arrays::of_elements(&none);
        map::parameters(&arrays, &declared, &self.formula.prologue(self.element), text);
    }
}
