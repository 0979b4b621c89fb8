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
        let count = if key.ends_with("three") || key.ends_with('3') { 3 } else { 2 };
        Ok(Direction::fields((0..count).map(field).collect::<Result<Vec<_>>>()?))
    })
}

/// Every scheme and edge that PyLops has, of one, two and three axes, with the golden data of `file`. `moves` of so many values and
/// components for each is what they cost.
pub(super) fn every_kind(
    file: &str,
    make: Make,
    moves: impl Fn(usize, usize) -> (Moves, Moves),
) -> Vec<Case> {
    let mut cases = Vec::new();
    for (scheme, kind) in [
        (Scheme::Forward, "forward"),
        (Scheme::Backward, "backward"),
        (Scheme::Centered3, "centered"),
    ] {
        for (edge, suffix) in [(Edge::Zero, ""), (Edge::Reduced, "_edge")] {
            let along = |shape, steps| Along { shape, steps, scheme, edge };
            let key = |what| format!("{file}/{kind}{suffix}_{what}");
            let [two, three] = [key("fields2"), key("fields3")];
            let of_constants: [(_, _, &[f64]); 2] = [
                (key("constant1"), along(&[11], &[0.5]), &[-1.5]),
                (key("constant2"), along(&[7, 5], &[0.25, 2.0]), &[0.5, 2.0]),
            ];
            for (key, along, components) in of_constants {
                let moves = moves(along.shape.iter().product(), 0);
                cases.push(case(make, along, constant(components), moves).golden(key));
            }
            let of_fields =
                [(two, along(&[7, 5], &[0.5, 2.0])), (three, along(&[3, 4, 5], &[1.0, 0.5, 2.0]))];
            for (key, along) in of_fields {
                let moves = moves(along.shape.iter().product(), along.shape.len());
                cases.push(case(make, along, fields(key.clone()), moves).golden(key));
            }
        }
    }
    cases
}

/// A derivative, and what its two directions cost.
pub(super) fn case(make: Make, along: Along, direction: InCell, moves: (Moves, Moves)) -> Case {
    let Along { shape, steps, scheme, edge } = along;
    let name = format!("{scheme:?} {edge:?} of {shape:?} by {steps:?}");
    let make = move |cell: &Cell| make(space(cell, shape)?, &direction(cell)?, steps, scheme, edge);
    Case::new(name, make).moves(moves.0, moves.1)
}
