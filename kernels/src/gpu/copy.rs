//! `y ← alpha · x + beta · y` between any two layouts: elementwise, or through tiles in local memory where
//! `x` and `y` are contiguous along different axes. A plain copy is the bridge's.

use std::sync::atomic::Ordering::Relaxed;

use arrayspan_bridge::devices::{Grid, KernelSource, Specialisation};
use arrayspan_bridge::iteration::{IterationForm, IterationSpace, Text, address};

use super::element::Element;
use super::formula::Formula;
use super::{Gpu, constants, map};
use crate::Result;
use crate::verb::CopyCall;

const TEXT: &str = include_str!("../source/transpose.cl.h");

/// A kernel that copies through tiles.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    pub(super) element: Element,
    pub(super) form: IterationForm,
    pub(super) formula: Formula,
}

/// The side of a tile, and the rows of threads that serve it; both also in the source.
const TILE: usize = 32;
const ROWS: usize = 8;

pub(super) fn run(gpu: &Gpu, call: &mut CopyCall<'_>) -> Result<()> {
    let CopyCall { x, y, factors } = call;
    if y.layout().is_empty() {
        return Ok(());
    }
    if factors.is_set() {
        if let Some(planned) = &gpu.planned {
            planned.lock().extend(y.view_mut().copy_kernel(&x.view()));
            return Ok(());
        }
        y.view_mut().copy_from(&x.view(), &gpu.stream)?;
        gpu.launches.fetch_add(1, Relaxed);
        return Ok(());
    }
    gpu.expect_float64("copy", y.dtype())?;
    gpu.expect_factors("copy", factors)?;
    let memories = [y.memory(), x.memory()];
    let addresses = memories.map(address);
    let mut space = IterationSpace::new(&[y.layout(), x.layout()]);
    let element = Element(y.dtype());
    let (formula, constants) = Formula::update(factors, element);
    if !space.turn(ROWS) {
        return map::launch(gpu, element, &space, &memories, formula, &constants);
    }
    let form = space.form(element.bytes(), &addresses, constants::count(&constants)).dividing(1);
    let arguments = map::arguments(element, &space, &form, &memories, &constants);
    let [columns, rows, outer] = space.items(&form);
    let tiles = |n: usize| n.div_ceil(TILE).min(65_535);
    let groups = [tiles(columns), tiles(rows), outer.min(65_535)];
    let variant = Variant { element, form, formula };
    // SAFETY: as in `map::launch`.
    unsafe { gpu.launch(&variant, Grid { groups, threads: [TILE, ROWS, 1] }, &arguments) }
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        self.element.source("transpose", |text| self.define(text), TEXT)
    }
}

impl Variant {
    /// The macros before the prelude.
    fn define(&self, text: &mut Text) {
        map::declare(self.element, &self.form, &self.formula, "", text);
    }
}
