//! `Spread`: along lines and parabolas, on samples and between them, out of the data, not at all.

use arrayspan_bridge::DType;
use arrayspan_operators::{Interpolation, Spread};

use super::{space, table};
use crate::suite::{Case, Moves};

/// One launch that reads each value that is used, once, and the table.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    use Interpolation::{Linear, Nearest};
    let golden = |key| format!("spread/{key}");
    vec![
        case(dtype, [3, 7], [5, 11], line, Nearest).golden(golden("nearest")),
        case(dtype, [3, 7], [5, 11], between, Linear).golden(golden("linear")),
        case(dtype, [4, 13], [3, 13], between, Linear).golden(golden("leaving")),
        case(dtype, [3, 5], [4, 11], line, Nearest).golden(golden("function")),
        case(dtype, [3, 5], [4, 13], between, Linear).golden(golden("function_linear")),
        case(dtype, [1, 2], [3, 1], |_, _, _| None, Nearest),
    ]
}

/// Along whole samples, some of them left out.
fn line(i: usize, k: usize, j: usize) -> Option<f64> {
    (j != 2).then_some(k as f64 + i as f64 * j as f64)
}

/// Between samples, out of the data for some.
fn between(i: usize, k: usize, j: usize) -> Option<f64> {
    let position = k as f64 + (i as f64 - 1.0) * 0.75 * j as f64;
    (position < 100.0).then_some(position)
}

type Curve = fn(usize, usize, usize) -> Option<f64>;

fn case(
    dtype: DType,
    model: [usize; 2],
    data: [usize; 2],
    curve: Curve,
    interpolation: Interpolation,
) -> Case {
    let name = format!("{model:?} to {data:?}, {interpolation:?}");
    let last = data[1] as f64 - 1.0;
    let points = (0..model[0]).flat_map(|i| (0..model[1]).map(move |k| (i, k)));
    let entries = |(i, k): (usize, usize)| {
        let entry = |j: usize| {
            let position = curve(i, k, j).filter(|position| (0.0..=last).contains(position));
            let first = position.map(|position| j * data[1] + position.floor() as usize);
            let second = position.is_some_and(|position| position.fract() > 0.0);
            first.into_iter().chain(first.filter(|_| second).map(|first| first + 1))
        };
        (0..data[0]).flat_map(entry).collect::<Vec<_>>()
    };
    let rows: Vec<Vec<usize>> = points.map(entries).collect();
    let weighted = interpolation == Interpolation::Linear;
    let weights = weighted.then_some(dtype.real());
    let [adjoint, forward] = table::moves(&rows, data[0] * data[1], 1, weights);
    let make = move |cell: &_| Spread::new(space(cell, &model)?, space(cell, &data)?, curve, interpolation);
    let case = Case::new(name, make).moves(forward, adjoint);
    let none = Moves::one(0, 0);
    if rows.iter().all(Vec::is_empty) { case.moves_adding(none, none) } else { case }
}
