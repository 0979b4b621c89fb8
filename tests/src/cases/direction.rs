//! Derivatives along a direction: what their cases have in common.

use arrayspan_bridge::SharedArray;
use arrayspan_operators::{Direction, Edge, Operator, Result, Scheme, Space};

use super::{golden_array, space};
use crate::suite::{Case, Cell, Moves, Values};

/// What a derivative is given beside its direction.
#[derive(Clone, Copy)]
pub(super) struct Along {
    pub(super) shape: &'static [usize],
    pub(super) steps: &'static [f64],
    pub(super) scheme: Scheme,
    pub(super) edge: Edge,
}

/// The constructor of a derivative.
type Make = fn(Space, &Direction, &[f64], Scheme, Edge) -> Result<Operator>;

/// A direction in a cell.
type InCell = Box<dyn Fn(&Cell) -> Result<Direction> + Send + Sync>;

/// A direction that is the same everywhere.
pub(super) fn constant(components: &'static [f64]) -> InCell {
    Box::new(move |_| Ok(Direction::constant(components)))
}

/// The fields `v0`, `v1`, ... of the golden data.
pub(super) fn fields(key: String) -> InCell {
    Box::new(move |cell| {
        let field = |axis| -> Result<SharedArray> {
            let values: Values = golden_array(cell, &key, &format!("v{axis}"))?;
            Ok(cell.array(&values)?.into_shared())
        };
        let count = if key.ends_with("three") { 3 } else { 2 };
        Ok(Direction::fields((0..count).map(field).collect::<Result<Vec<_>>>()?))
    })
}

/// A derivative, and what its two directions cost.
pub(super) fn case(make: Make, along: Along, direction: InCell, moves: (Moves, Moves)) -> Case {
    let Along { shape, steps, scheme, edge } = along;
    let name = format!("{scheme:?} {edge:?} of {shape:?} by {steps:?}");
    let make = move |cell: &Cell| make(space(cell, shape)?, &direction(cell)?, steps, scheme, edge);
    Case::new(name, make).moves(moves.0, moves.1)
}
