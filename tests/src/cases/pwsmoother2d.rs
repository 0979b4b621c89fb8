//! `PWSmoother2D`: as `PWSprayer2D`, there and back.

use arrayspan_bridge::DType;
use arrayspan_operators::PWSmoother2D;

use super::pwsprayer2d::{moves, ways};
use super::slopes::{of_columns, varied};
use super::{space, table};
use crate::suite::{Case, Cell};

const SMALL: [usize; 2] = [1, 5];

/// A launch to spray, and one to collect.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let case = |shape, radius, slopes: fn([usize; 2]) -> Vec<f64>| {
        let [sprays, collects] = moves(dtype, shape, radius, &slopes(shape));
        let both = sprays.then(collects);
        let make = move |cell: &Cell| {
            PWSmoother2D::new(space(cell, &shape)?, slopes(shape), radius, 0.75)
        };
        Case::new(format!("{radius} of {shape:?}"), make).moves(both, both)
    };
    let collects = ways(SMALL, 2, &varied(SMALL));
    let both = table::product(&collects, &table::turned(&collects, 5));
    let [whole, _] = table::moves(&both, 5, 1, Some(dtype.real()));
    vec![
        case([11, 7], 3, of_columns).golden("pwsmoother2d/columns"),
        case([7, 5], 2, varied).golden("pwsmoother2d/varied"),
        // The product moves less.
        case(SMALL, 2, varied).moves(whole, whole),
    ]
}
