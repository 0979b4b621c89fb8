//! `Radon2D`: lines, parabolas and hyperbolas, between samples and on them, out of the data, curves of one's own.

use arrayspan_bridge::DType;
use arrayspan_operators::{Interpolation, Radon2D, RadonKind, Result};

use super::{space, table};
use crate::suite::{Case, Cell, Moves};
use Interpolation::{Linear as Between, Nearest};
use RadonKind::{Hyperbolic, Linear, Parabolic};

/// One launch that reads the table.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    vec![
        case(dtype, Linear, Between, "linear"),
        case(dtype, Parabolic, Nearest, "parabolic_nearest"),
        case(dtype, Hyperbolic, Between, "hyperbolic"),
        case(dtype, Hyperbolic, Nearest, "hyperbolic_nearest"),
        case(dtype, Linear, Nearest, "linear_nearest"),
        case(dtype, Parabolic, Between, "parabolic"),
        along(dtype),
        single(dtype),
    ]
}

const STEP: f64 = 0.5;
const SAMPLES: usize = 13;

/// Slownesses and offsets of the golden data: on samples, between them, and out of the data.
pub(super) fn places(kind: RadonKind) -> [Vec<f64>; 2] {
    let offsets = [-4.0, -2.0, 0.0, 2.0, 4.0].to_vec();
    let slownesses = match kind {
        Linear => [-0.3, 0.0, 0.8125].to_vec(),
        Parabolic => [-0.125, 0.03, 0.3].to_vec(),
        Hyperbolic => [0.75, -1.0, 3.0].to_vec(),
    };
    [slownesses, offsets]
}

fn make(cell: &Cell, kind: RadonKind, interpolation: Interpolation) -> Result<arrayspan_operators::Operator> {
    let [p, h] = places(kind);
    Radon2D::new(space(cell, &[p.len(), SAMPLES])?, STEP, &p, &h, kind, interpolation)
}

fn case(dtype: DType, kind: RadonKind, interpolation: Interpolation, key: &str) -> Case {
    let [p, h] = places(kind);
    let moves = moves(dtype, kind, [p.len(), h.len()], SAMPLES);
    Case::new(format!("{kind:?}, {interpolation:?}"), move |cell| make(cell, kind, interpolation))
        .golden(format!("radon2d/{key}"))
        .moves(moves[0], moves[1])
}

/// Both directions of so many rows and lines.
pub(super) fn moves(
    dtype: DType,
    kind: RadonKind,
    [models, data]: [usize; 2],
    samples: usize,
) -> [Moves; 2] {
    let place = if kind == Hyperbolic { size_of::<i64>() } else { size_of::<i32>() };
    let table = models * data * (place + dtype.real().bytes());
    let one = |from: usize, to: usize| Moves { table, ..Moves::one(from * samples, to * samples) };
    [one(models, data), one(data, models)]
}

/// Half a hyperbola, from its apex on: not before the first offset.
fn curve(h: f64, t: f64, p: f64) -> f64 {
    if h < 0.0 { f64::NAN } else { (t * t + h * h / (p * p)).sqrt() }
}

/// Through a table.
fn along(dtype: DType) -> Case {
    let [p, h] = places(Hyperbolic);
    let make = move |cell: &Cell| {
        Radon2D::along(space(cell, &[p.len(), SAMPLES])?, STEP, &p, &h, curve, Between)
    };
    let [p, h] = places(Hyperbolic);
    let last = SAMPLES as f64 - 1.0;
    let entries = |p: f64, t: usize| {
        let entry = |(j, h): (usize, &f64)| {
            let position = curve(*h, t as f64 * STEP, p) / STEP;
            let place = (0.0..=last).contains(&position).then_some(j * SAMPLES + position.floor() as usize);
            let next = place.filter(|_| position.fract() > 0.0).map(|place| place + 1);
            place.into_iter().chain(next)
        };
        h.iter().enumerate().flat_map(entry).collect::<Vec<_>>()
    };
    let rows: Vec<_> = p.iter().flat_map(|p| (0..SAMPLES).map(|t| entries(*p, t))).collect();
    let [adjoint, forward] = table::moves(&rows, h.len() * SAMPLES, 1, Some(dtype.real()));
    Case::new("half hyperbolas by a function", make).golden("radon2d/along").moves(forward, adjoint)
}

/// One slowness, one offset and one sample.
fn single(dtype: DType) -> Case {
    let [forward, adjoint] = moves(dtype, Linear, [1, 1], 1);
    let make = |cell: &Cell| Radon2D::new(space(cell, &[1, 1])?, STEP, &[0.0], &[3.0], Linear, Between);
    Case::new("one sample", make).moves(forward, adjoint)
}
