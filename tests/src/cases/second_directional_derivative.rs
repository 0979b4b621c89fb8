//! `SecondDirectionalDerivative`: along one direction, and along one that changes.

use arrayspan_bridge::DType;
use arrayspan_operators::{Edge, Scheme, SecondDirectionalDerivative};

use super::direction::{Along, case, constant, every_kind, fields};
use crate::suite::{Case, Moves};

/// Two launches that read each value and each component once each.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    use Edge::{Reduced, Zero};
    use Scheme::{Centered3, Forward};
    let make = SecondDirectionalDerivative::new;
    let golden = |key| format!("second_directional_derivative/{key}");
    let two = |len: usize, components: usize| {
        let moves = Moves::one(len + components * len, len);
        (moves.then(moves), moves.then(moves))
    };
    let along = |shape, steps, scheme, edge| Along { shape, steps, scheme, edge };
    let unit: &[f64] = &[1.0, 1.0];
    let mut cases = vec![
        case(make, along(&[7, 5], unit, Centered3, Zero), constant(&[0.6, -0.8]), two(35, 0))
            .golden(golden("constant")),
        case(make, along(&[7, 5], &[0.25, 2.0], Centered3, Reduced), fields(golden("fields")), two(35, 2))
            .golden(golden("fields")),
        case(make, along(&[13, 1], unit, Forward, Zero), constant(&[1.0, 2.0]), two(13, 0)),
    ];
    // Along the one axis of the model of 11 both are one band.
    let moves = |len: usize, components: usize| match len {
        11 => (Moves::one(len, len), Moves::one(len, len)),
        _ => two(len, components),
    };
    cases.extend(every_kind("second_directional_derivative", make, moves));
    cases
}
