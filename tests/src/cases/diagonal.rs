//! `Diagonal`: a weight for every element, and weights along every axis.

use arrayspan_bridge::DType;
use arrayspan_operators::{Diagonal, Space};

use super::{golden_array, space};
use crate::suite::{Case, Cell, Moves, Values};

/// One launch that reads each value and each weight once, and writes each value once.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    let mut cases = vec![golden(&[5, 3], None, "full")];
    for axis in 0..3 {
        cases.push(golden(&[2, 5, 3], Some(axis), &format!("along{axis}")));
    }
    cases.push(golden(&[3, 1, 5], Some(1), "single"));
    for (shape, axis) in
        [(&[13, 17][..], None), (&[13, 17], Some(1)), (&[1, 3], Some(0)), (&[1], None)]
    {
        let weights = move |space: &Space, _: &Cell| Ok(Values::random(space, 21));
        cases.push(case(format!("{shape:?} along {axis:?}"), shape, axis, weights));
    }
    cases
}

fn golden(shape: &[usize], axis: Option<isize>, key: &str) -> Case {
    let key = format!("diagonal/{key}");
    let weights = {
        let key = key.clone();
        move |_: &Space, cell: &Cell| golden_array(cell, &key, "weights")
    };
    case(key.clone(), shape, axis, weights).golden(key)
}

fn case(
    name: String,
    shape: &[usize],
    axis: Option<isize>,
    weights: impl Fn(&Space, &Cell) -> arrayspan_operators::Result<Values> + Send + Sync + 'static,
) -> Case {
    let len: usize = shape.iter().product();
    let weight_shape = axis.map_or(shape.to_vec(), |axis| vec![shape[axis as usize]]);
    let moves = Moves::one(len + weight_shape.iter().product::<usize>(), len);
    let shape = shape.to_vec();
    let make = move |cell: &Cell| {
        let values = weights(&space(cell, &weight_shape)?, cell)?;
        let weights = cell.array(&values)?.into_shared();
        match axis {
            None => Diagonal::new(space(cell, &shape)?, weights),
            Some(axis) => Diagonal::along(space(cell, &shape)?, axis, weights),
        }
    };
    Case::new(name, make).moves(moves, moves)
}
