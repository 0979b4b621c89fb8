//! `y ← alpha · x + beta · y` between any two layouts: elementwise, or through tiles in local memory where
//! `x` and `y` have their neighbours along different axes. A plain copy is the bridge's.

use std::sync::atomic::Ordering::Relaxed;

use arrayspan_bridge::devices::Grid;
use arrayspan_bridge::index::{Form, Space, Text, address};

use super::element::Element;
use super::formula::Formula;
use super::{Gpu, map, variant};
use crate::verb::CopyCall;
use crate::{Result, Update};

pub(super) const TEXT: &str = include_str!("../source/transpose.cl.h");

/// A kernel that copies through tiles.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    pub(super) element: Element,
    pub(super) form: Form,
    pub(super) formula: Formula,
}

/// The side of a tile, and the rows of threads that serve it; both also in the source.
const TILE: usize = 32;
const ROWS: usize = 8;

pub(super) fn run(gpu: &Gpu, call: CopyCall<'_>) -> Result<()> {
    let CopyCall { x, mut y, update } = call;
    if y.layout().is_empty() {
        return Ok(());
    }
    if update == Update::set() {
        y.copy_from(&x, &gpu.stream)?;
        gpu.launches.fetch_add(1, Relaxed);
        return Ok(());
    }
    gpu.expect_float64("copy", y.dtype())?;
    let memories = [y.memory(), x.memory()];
    let addresses = memories.map(address);
    let mut space = Space::new(&[y.layout(), x.layout()]);
    let element = Element(y.dtype());
    let (formula, constants) = Formula::update(update);
    if !turn(&mut space) {
        return map::launch(gpu, element, &space, &memories, formula, &constants);
    }
    let form = space.form(element.bytes(), &addresses, 2 * constants.len()).dividing(1);
    let arguments = map::arguments(element, &space, &form, &memories, &constants);
    let [columns, rows, outer] = space.items(&form);
    let tiles = |n: usize| n.div_ceil(TILE).min(65_535);
    let groups = [tiles(columns), tiles(rows), outer.min(65_535)];
    let variant = variant::Variant::Transpose(Variant { element, form, formula });
    // SAFETY: as in `map::launch`.
    unsafe { gpu.launch(variant, Grid { groups, threads: [TILE, ROWS, 1] }, &arguments) }
}

/// Makes the axis along which `x` has its neighbours axis 1, if it is another than axis 0 and tiles fill.
fn turn(space: &mut Space) -> bool {
    let x = &space.strides[1];
    let near = |axis: &usize| x[*axis].unsigned_abs();
    let axis = (0..x.len()).filter(|axis| x[*axis] != 0).min_by_key(near).unwrap_or(0);
    let worth = axis != 0
        && space.strides[0][0] == 1
        && near(&axis) < near(&0)
        && space.extents[axis] >= ROWS
        && space.extents[0] >= ROWS;
    if worth {
        space.swap(1, axis);
    }
    worth
}

impl Variant {
    pub(super) fn name(&self) -> String {
        format!("transpose_{}", self.element.name())
    }

    /// The macros before the prelude.
    pub(super) fn define(&self, text: &mut Text) {
        map::declare(self.element, &self.form, &self.formula, "", text);
    }
}
