//! `FirstDirectionalDerivative`: along one direction, and along one that changes.

use arrayspan_bridge::DType;
use arrayspan_operators::{Edge, FirstDirectionalDerivative, Scheme};

use super::direction::{Along, case, constant, every_kind, fields};
use crate::suite::{Case, Moves};

/// One launch that reads each value and each component once.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    use Edge::{Reduced, Zero};
    use Scheme::{Backward, Centered3, Centered5, Forward};
    let make = FirstDirectionalDerivative::new;
    let golden = |key| format!("first_directional_derivative/{key}");
    let one = |len: usize, components: usize| {
        let moves = Moves::one(len + components * len, len);
        (moves, moves)
    };
    let along = |shape, steps, scheme, edge| Along { shape, steps, scheme, edge };
    let unit: &[f64] = &[1.0, 1.0];
    let mut cases = vec![
        case(make, along(&[7, 5], unit, Centered3, Zero), constant(&[0.6, -0.8]), one(35, 0))
            .golden(golden("constant")),
        case(make, along(&[7, 5], &[0.25, 2.0], Centered3, Reduced), constant(&[0.5, 2.0]), one(35, 0))
            .golden(golden("edge")),
        case(make, along(&[7, 5], unit, Centered3, Zero), fields(golden("fields")), one(35, 2))
            .golden(golden("fields")),
        case(make, along(&[7, 5], &[0.5, 2.0], Forward, Zero), fields(golden("forward")), one(35, 2))
            .golden(golden("forward")),
        case(make, along(&[3, 4, 5], &[1.0, 0.5, 2.0], Backward, Zero), fields(golden("three")), one(60, 3))
            .golden(golden("three")),
        case(make, along(&[13, 1], unit, Centered5, Reduced), constant(&[2.0, 1.0]), one(13, 0)),
    ];
    cases.extend(every_kind("first_directional_derivative", make, one));
    cases
}
