//! `LinearRegression`: few and many positions, along every axis.

use arrayspan_bridge::DType;
use arrayspan_operators::{LinearRegression, Result};

use super::regression::{drawn, golden, moves, real};
use super::space;
use crate::suite::{Case, Cell, Values};

/// One launch in each direction; adding to the model takes one more.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    let mut cases = Vec::new();
    for (key, count) in [("odd", 11), ("few", 2), ("long", 71)] {
        let key = format!("linear_regression/{key}");
        cases.push(case(&[count], 0, golden(&key)).golden(key));
    }
    for (shape, axis) in [(&[5, 7][..], 0), (&[3, 13, 2], 1), (&[1, 11], -1), (&[1, 13], 0)] {
        cases.push(case(shape, axis, drawn(shape, axis)));
    }
    cases
}

fn case(
    shape: &[usize],
    axis: isize,
    positions: impl Fn(&Cell) -> Result<Values> + Send + Sync + 'static,
) -> Case {
    let name = format!("along axis {axis} of {shape:?}");
    let [forward, adjoint, adding] = moves(shape, axis, 1);
    let data = shape.iter().product();
    let shape = shape.to_vec();
    let make = move |cell: &Cell| {
        let t = real(cell).array(&positions(cell)?)?.into_shared();
        LinearRegression::along(space(cell, &shape)?, axis, t)
    };
    Case::new(name, make).moves(forward, adjoint).moves_adding(forward.reading(data), adding)
}
