//! `Pad`: before, after, both, along every axis and none.

use arrayspan_bridge::DType;
use arrayspan_operators::Pad;

use super::space;
use crate::suite::{Case, Moves};

/// One launch, which adds nothing to what is around.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    let golden = |key| format!("pad/{key}");
    vec![
        case(&[11], &[(2, 3)]).golden(golden("vector")),
        case(&[5, 3], &[(0, 2), (0, 0)]).golden(golden("after")),
        case(&[5, 3], &[(0, 0), (1, 0)]).golden(golden("before")),
        case(&[2, 3, 5], &[(1, 2), (0, 1), (3, 0)]).golden(golden("all")),
        case(&[5, 3], &[(0, 0), (0, 0)]).golden(golden("none")),
        case(&[1, 2], &[(2, 2), (1, 1)]).golden(golden("single")),
    ]
}

fn case(shape: &[usize], pad: &'static [(usize, usize)]) -> Case {
    let name = format!("{pad:?} around {shape:?}");
    let kept: usize = shape.iter().product();
    let copy = Moves::one(kept, kept);
    let whole = shape.iter().zip(pad).map(|(n, (before, after))| n + before + after).product();
    let forward = Moves::one(kept, whole);
    let adding = Moves::one(2 * kept, kept);
    let shape = shape.to_vec();
    let make = move |cell: &_| Pad::new(space(cell, &shape)?, pad);
    Case::new(name, make).moves(forward, copy).moves_adding(adding, adding)
}
