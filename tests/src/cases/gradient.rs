//! `Gradient`: of one, two and three axes, every scheme and edge.

use arrayspan_bridge::DType;
use arrayspan_operators::{Edge, Gradient, Scheme};

use super::space;
use crate::suite::{Case, Moves};

/// One launch for all axes; the adjoint adds all up in one.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    use Edge::{Reduced, Zero};
    use Scheme::{Backward, Centered3, Centered5, Forward};
    let golden = |key| format!("gradient/{key}");
    vec![
        case(&[11], &[0.5], Centered3, Zero).golden(golden("vector")),
        case(&[7, 5], &[1.0, 1.0], Centered3, Zero).golden(golden("plain")),
        case(&[7, 5], &[0.25, 2.0], Centered3, Reduced).golden(golden("edge")),
        case(&[7, 5], &[0.25, 2.0], Forward, Zero).golden(golden("forward")),
        case(&[7, 5], &[0.25, 2.0], Backward, Zero).golden(golden("backward")),
        case(&[3, 4, 5], &[1.0, 0.5, 2.0], Centered3, Reduced).golden(golden("three")),
        case(&[11], &[0.5], Centered3, Reduced).golden(golden("vector_edge")),
        case(&[11], &[0.5], Forward, Zero).golden(golden("forward_vector")),
        case(&[11], &[0.5], Backward, Zero).golden(golden("backward_vector")),
        case(&[3, 4, 5], &[1.0, 0.5, 2.0], Centered3, Zero).golden(golden("three_plain")),
        case(&[3, 4, 5], &[1.0, 0.5, 2.0], Forward, Zero).golden(golden("forward_three")),
        case(&[3, 4, 5], &[1.0, 0.5, 2.0], Backward, Zero).golden(golden("backward_three")),
        case(&[7, 5], &[0.25, 2.0], Centered5, Zero).golden(golden("centered5")),
        case(&[7, 5], &[0.25, 2.0], Centered5, Reduced).golden(golden("centered5_edge")),
        case(&[7, 1], &[1.0, 1.0], Forward, Zero).golden(golden("single")),
        case(&[13, 1], &[1.0, 1.0], Centered5, Reduced),
    ]
}

fn case(shape: &[usize], steps: &'static [f64], scheme: Scheme, edge: Edge) -> Case {
    let name = format!("{scheme:?} {edge:?} of {shape:?}");
    let (len, rank): (usize, usize) = (shape.iter().product(), shape.len());
    let forward = Moves::one(len, rank * len);
    let shape = shape.to_vec();
    let make = move |cell: &_| Gradient::new(space(cell, &shape)?, steps, scheme, edge);
    Case::new(name, make).moves(forward, Moves::one(rank * len, len))
}
