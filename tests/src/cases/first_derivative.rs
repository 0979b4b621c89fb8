//! `FirstDerivative`: every scheme, every edge, every axis, axes too short for the scheme.

use arrayspan_bridge::DType;
use arrayspan_operators::{Edge, FirstDerivative, Scheme};

use super::space;
use crate::suite::{Case, Moves};

/// One launch that reads and writes each value once.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    use Edge::{Reduced, Zero};
    use Scheme::{Backward, Centered3, Centered5, Forward};
    let mut cases = Vec::new();
    for (scheme, key) in [
        (Forward, "forward"),
        (Backward, "backward"),
        (Centered3, "centered3"),
        (Centered5, "centered5"),
    ] {
        for (edge, suffix) in [(Zero, ""), (Reduced, "_edge")] {
            cases.push(case(&[11], 0, 0.25, scheme, edge).golden(golden(&format!("{key}{suffix}"))));
            for (axis, shape) in [&[7, 3][..], &[2, 7, 3], &[2, 3, 7]].into_iter().enumerate() {
                let golden = golden(&format!("{key}_along{axis}{suffix}"));
                cases.push(case(shape, axis as isize, 0.5, scheme, edge).golden(golden));
            }
        }
    }
    for (scheme, key) in [(Forward, "forward"), (Backward, "backward"), (Centered3, "centered")] {
        let golden = golden(&format!("{key}_single"));
        cases.push(case(&[3, 1, 5], 1, 1.0, scheme, Zero).golden(golden));
    }
    cases.push(case(&[7, 5], 0, 0.5, Forward, Zero).golden(golden("axis0")));
    cases.push(case(&[5, 7], 1, 2.0, Centered5, Reduced).golden(golden("axis1")));
    cases.push(case(&[3, 6, 2], 1, 1.0, Centered3, Reduced).golden(golden("middle")));
    for (shape, axis) in [(&[13, 17][..], 0), (&[13, 17], -1), (&[3, 1, 5], -2), (&[1, 5], 0)] {
        cases.push(case(shape, axis, -0.5, Centered5, Zero));
    }
    // Too short for the scheme: rows are empty, or fall back to what fits.
    for len in 1..=4 {
        cases.push(case(&[len, 3], 0, 1.0, Centered5, Reduced));
    }
    cases.push(case(&[2], 0, 1.0, Centered3, Zero));
    cases.push(case(&[0, 3], 1, 1.0, Forward, Zero));
    cases
}

fn case(shape: &[usize], axis: isize, step: f64, scheme: Scheme, edge: Edge) -> Case {
    let len = shape.iter().product();
    let name = format!("{scheme:?} {edge:?} along axis {axis} of {shape:?}");
    let shape = shape.to_vec();
    let make = move |cell: &_| FirstDerivative::new(space(cell, &shape)?, axis, step, scheme, edge);
    Case::new(name, make).moves(Moves::one(len, len), Moves::one(len, len))
}

fn golden(case: &str) -> String {
    format!("first_derivative/{case}")
}
