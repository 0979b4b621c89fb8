//! `Laplacian`: pairs and triples of axes, weights, steps, every scheme and edge.

use arrayspan_bridge::DType;
use arrayspan_operators::{Along, Edge, Laplacian, Scheme};

use super::space;
use crate::suite::{Case, Moves};

/// One launch for all axes together, that reads and writes each value once.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    use Edge::{Reduced, Zero};
    use Scheme::{Backward, Centered3, Centered5, Forward};
    let both = [along(0, 1.0, 1.0), along(1, 1.0, 1.0)];
    let weighted = [along(0, 0.25, 0.5), along(1, 2.0, -2.0)];
    let lopsided = [along(0, 1.0, 1.0), along(1, 0.5, 2.0)];
    let three = [along(0, 1.0, 1.0), along(1, 0.5, 2.0), along(2, 2.0, 3.0)];
    let outer = [along(0, 1.0, 1.0), along(-1, 1.0, 3.0)];
    let mut cases = vec![
        case(&[7, 5], &both, Centered3, Zero).golden(golden("plain")),
        case(&[7, 5], &both, Centered3, Reduced).golden(golden("edge")),
        case(&[5, 7], &weighted, Centered3, Zero).golden(golden("weighted")),
        case(&[3, 4, 5], &outer, Centered3, Reduced).golden(golden("outer")),
        case(&[3, 4, 5], &three, Centered3, Zero).golden(golden("three")),
        case(&[5, 7], &lopsided, Forward, Zero).golden(golden("forward")),
        case(&[5, 7], &lopsided, Backward, Zero).golden(golden("backward")),
        case(&[7, 5], &both, Centered5, Zero).golden(golden("centered5")),
        case(&[7, 5], &both, Centered5, Reduced).golden(golden("centered5_edge")),
        case(&[1, 5], &both, Centered3, Zero).golden(golden("single")),
        case(&[13, 17], &both, Centered5, Reduced),
        case(&[11], &[along(0, 0.5, 1.0)], Centered5, Zero),
        // The same axis twice is one band.
        case(&[5, 3], &[along(0, 1.0, 1.0), along(0, 2.0, 4.0)], Centered3, Zero),
        case(&[1, 5], &both, Centered3, Reduced),
        case(&[5, 2], &both, Centered3, Zero),
        case(&[1, 1], &both, Centered3, Zero),
    ];
    let each = [along(0, 1.0, 1.0), along(1, 0.5, 2.0), along(2, 2.0, -3.0)];
    for axes in [&[0, 1][..], &[0, 2], &[1, 2], &[0, 1, 2]] {
        let terms: Vec<Along> = axes.iter().map(|axis: &usize| each[*axis]).collect();
        let name: String = axes.iter().map(usize::to_string).collect();
        for (scheme, edge, key) in [
            (Centered3, Zero, format!("centered_axes{name}")),
            (Centered3, Reduced, format!("centered_axes{name}_edge")),
            (Forward, Zero, format!("forward_axes{name}")),
            (Backward, Zero, format!("backward_axes{name}")),
        ] {
            cases.push(case(&[4, 3, 5], &terms, scheme, edge).golden(golden(&key)));
        }
    }
    cases
}

fn along(axis: isize, step: f64, weight: f64) -> Along {
    Along { axis, step, weight }
}

fn case(shape: &[usize], terms: &[Along], scheme: Scheme, edge: Edge) -> Case {
    let len = shape.iter().product();
    let axes: Vec<isize> = terms.iter().map(|term| term.axis).collect();
    let name = format!("{scheme:?} {edge:?} along axes {axes:?} of {shape:?}");
    let (shape, terms) = (shape.to_vec(), terms.to_vec());
    let make = move |cell: &_| Laplacian::new(space(cell, &shape)?, &terms, scheme, edge);
    Case::new(name, make).moves(Moves::one(len, len), Moves::one(len, len))
}

fn golden(case: &str) -> String {
    format!("laplacian/{case}")
}
