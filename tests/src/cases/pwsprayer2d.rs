//! `PWSprayer2D`: slopes that are the same in all rows and that are not, a radius longer than the section, one row, one column.

use arrayspan_bridge::DType;
use arrayspan_operators::PWSprayer2D;

use super::fourier::Both;
use super::slopes::{of_columns, varied};
use super::{space, table};
use crate::suite::{Case, Cell, Moves};

/// One launch in each direction.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let case = |shape, radius, slopes: fn([usize; 2]) -> Vec<f64>| {
        let [forward, adjoint] = moves(dtype, shape, radius, &slopes(shape));
        let make = move |cell: &Cell| {
            PWSprayer2D::new(space(cell, &shape)?, slopes(shape), radius, 0.75)
        };
        Case::new(format!("{radius} of {shape:?}"), make).moves(forward, adjoint)
    };
    vec![
        case([11, 7], 3, of_columns).golden("pwsprayer2d/columns"),
        case([5, 6], 8, of_columns).golden("pwsprayer2d/far"),
        case([1, 5], 2, of_columns).golden("pwsprayer2d/row"),
        case([7, 5], 2, varied).golden("pwsprayer2d/varied"),
        // Nothing to spray to.
        case([13, 1], 2, varied).moves(Moves::one(13, 13), Moves::one(13, 13)),
    ]
}

/// One table of what each sample meets on its ways, the other way round.
pub(super) fn moves(dtype: DType, shape: [usize; 2], radius: usize, slopes: &[f64]) -> Both {
    let rows = ways(shape, radius, slopes);
    let [collects, sprays] =
        table::moves(&rows, shape[0] * shape[1], 1, Some(dtype.real()));
    [sprays, collects]
}

/// The samples that each one meets.
pub(super) fn ways([depths, columns]: [usize; 2], radius: usize, slopes: &[f64]) -> Vec<Vec<usize>> {
    let last = depths as f64 - 1.0;
    let slope = |at: f64, column: usize| {
        let (above, part) = (at.clamp(0.0, last).floor() as usize, at.clamp(0.0, last).fract());
        let below = (above + 1).min(depths - 1);
        let [a, b] = [above, below].map(|depth| slopes[depth * columns + column]);
        a + part * (b - a)
    };
    let met = |at: f64, column: usize| {
        let at = at.clamp(0.0, last);
        let (first, both) = (at.floor() as usize, at.fract() > 0.0);
        (first..=first + usize::from(both)).map(move |depth| depth * columns + column)
    };
    let row = |sample: usize| {
        let (depth, column) = (sample / columns, sample % columns);
        let mut row = vec![sample];
        let mut at = depth as f64;
        for next in column + 1..columns.min(column + radius + 1) {
            at += slope(at, next - 1);
            row.extend(met(at, next));
        }
        at = depth as f64;
        for next in (column.saturating_sub(radius)..column).rev() {
            at -= slope(at, next);
            row.extend(met(at, next));
        }
        row
    };
    (0..depths * columns).map(row).collect()
}
