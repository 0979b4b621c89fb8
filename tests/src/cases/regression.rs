//! `Regression`: orders of one pass and of two, few and many positions, along every axis.

use arrayspan_bridge::DType;
use arrayspan_operators::{Regression, Result};

use super::{golden_array, space};
use crate::suite::{Case, Cell, Moves, Values};

/// One launch for eight coefficients in each direction; adding to the model takes one more.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    let mut cases = Vec::new();
    for (key, count, order) in
        [("odd", 11, 4), ("few", 2, 4), ("long", 71, 4), ("constant", 7, 0), ("high", 13, 9)]
    {
        let key = format!("regression/{key}");
        cases.push(case(&[count], 0, order, golden(&key)).golden(key));
    }
    for (shape, axis, order) in
        [(&[5, 7][..], 0, 3), (&[3, 13, 2], 1, 2), (&[2, 3, 11], -1, 8), (&[1, 13], 0, 2)]
    {
        cases.push(case(shape, axis, order, drawn(shape, axis)));
    }
    cases
}

/// Positions from the golden data.
pub(super) fn golden(key: &str) -> impl Fn(&Cell) -> Result<Values> + Send + Sync + use<> {
    let key = key.to_owned();
    move |cell| golden_array(&real(cell), &key, "t")
}

/// Some positions along an axis.
pub(super) fn drawn(
    shape: &[usize],
    axis: isize,
) -> impl Fn(&Cell) -> Result<Values> + Send + Sync + use<> {
    let count = shape[axis.rem_euclid(shape.len() as isize) as usize];
    move |cell| Ok(Values::random(&space(&real(cell), &[count])?, 23))
}

/// Positions are real.
pub(super) fn real(cell: &Cell) -> Cell {
    Cell { dtype: cell.dtype.real(), ..*cell }
}

fn case(
    shape: &[usize],
    axis: isize,
    order: usize,
    positions: impl Fn(&Cell) -> Result<Values> + Send + Sync + 'static,
) -> Case {
    let name = format!("order {order} along axis {axis} of {shape:?}");
    let [forward, adjoint, adding] = moves(shape, axis, order);
    let data = shape.iter().product();
    let shape = shape.to_vec();
    let make = move |cell: &Cell| {
        let t = real(cell).array(&positions(cell)?)?.into_shared();
        Regression::along(space(cell, &shape)?, axis, t, order)
    };
    Case::new(name, make).moves(forward, adjoint).moves_adding(forward.reading(data), adding)
}

/// Positions once a pass, eight coefficients at a time; the second pass adds to what the first wrote, and so does whoever adds the
/// sums of the adjoint.
pub(super) fn moves(shape: &[usize], axis: isize, order: usize) -> [Moves; 3] {
    let count = shape[axis.rem_euclid(shape.len() as isize) as usize];
    let data: usize = shape.iter().product();
    let model = data / count * (order + 1);
    let passes = (order + 1).div_ceil(8);
    let positions = if order == 0 { 0 } else { passes * count };
    let forward = Moves {
        launches: passes,
        read: positions + model + (passes - 1) * data,
        written: passes * data,
        table: 0,
    };
    let read = positions + passes * data;
    let adjoint = Moves { launches: passes, read, written: model, table: 0 };
    [forward, adjoint, adjoint.then(Moves::one(2 * model, model))]
}
