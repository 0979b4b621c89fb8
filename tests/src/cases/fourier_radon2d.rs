//! `FourierRadon2D`: lines and parabolas, even places and others, a band, zeros behind samples.

use arrayspan_bridge::DType;
use arrayspan_operators::{FourierAxis, FourierRadon2D, RadonKind};

use super::fourier::{self, Both, of_points};
use super::{space, table};
use crate::suite::{Case, Moves};

/// To spectra, to offsets by chirps or tables, and back.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let (linear, parabolic) = (RadonKind::Linear, RadonKind::Parabolic);
    let golden = |key: &str, case: Case| case.golden(format!("fourier_radon2d/{key}"));
    let mut cases = vec![
        golden("lines", case(dtype, 7, [3, 5], 11, linear, None, true)),
        golden("parabolas", case(dtype, 7, [3, 5], 11, parabolic, None, true)),
        golden("band", case(dtype, 7, [4, 3], 9, linear, Some([1, 3]), true)),
        golden("uneven", case(dtype, 5, [11, 2], 5, linear, None, false)),
        case(dtype, 3, [1, 1], 3, linear, None, true),
    ];
    if !dtype.is_complex() {
        cases.push(golden("even", case(dtype, 5, [3, 4], 8, linear, None, true)));
    }
    cases
}

fn case(
    dtype: DType,
    samples: usize,
    [slownesses, offsets]: [usize; 2],
    points: usize,
    kind: RadonKind,
    band: Option<[usize; 2]>,
    even: bool,
) -> Case {
    let time = FourierAxis { step: 0.5, ..of_points(-1, points) };
    let name = format!("{slownesses} to {offsets}, {kind:?}, {band:?} of {points}, even: {even}");
    let make = move |cell: &_| {
        let [from, to] = places([slownesses, offsets], even);
        let band = band.map(|[first, end]| first..end);
        FourierRadon2D::new(space(cell, &[slownesses, samples])?, time, band, &from, &to, kind)
    };
    let line = Line { models: slownesses, data: offsets, even: even && kind == RadonKind::Linear };
    let [forward, adjoint] = moves(dtype, samples, points, band, &[line]);
    Case::new(name, make).moves(forward, adjoint)
}

/// How many places an axis has on both sides, and whether phases of them are a chirp.
#[derive(Clone, Copy)]
pub(super) struct Line {
    pub(super) models: usize,
    pub(super) data: usize,
    pub(super) even: bool,
}

/// The transform along time, a band of it, phases along each axis, and back.
pub(super) fn moves(
    dtype: DType,
    samples: usize,
    points: usize,
    band: Option<[usize; 2]>,
    lines: &[Line],
) -> Both {
    let wide = fourier::wide(dtype);
    let all = if dtype.is_complex() { points } else { points / 2 + 1 };
    let kept: Vec<usize> = match band {
        None => (0..all).collect(),
        Some([first, end]) => {
            let within = |bin: usize| (first..end).contains(&bin);
            (0..all).filter(|&bin| within(bin) || (dtype.is_complex() && within(points - bin))).collect()
        }
    };
    let count = kept.len();
    let mut extents: Vec<usize> = lines.iter().map(|line| line.models).collect();
    let product = |extents: &[usize]| extents.iter().product::<usize>();
    let ends = |extents: &[usize]| {
        let traces = product(extents);
        let time = fourier::spectra_of(dtype, &[traces * samples, traces * all]);
        let band = match (band, dtype.is_complex()) {
            (None, _) => None,
            (_, false) => Some(fourier::step(wide * traces * count, wide * traces * count)),
            // Bins on both sides are picked by a table.
            _ => Some(table::moves(&kept.iter().map(|&bin| vec![bin]).collect::<Vec<_>>(), all, traces, None)),
        };
        (time, band)
    };
    let (time, taken) = ends(&extents);
    let mut steps = vec![time];
    // Back into a band of zeros all of it is written.
    steps.extend(taken.map(|[there, back]| {
        [there, if dtype.is_complex() { back } else { Moves::one(back.read, wide * product(&extents) * all) }]
    }));
    for (axis, line) in lines.iter().enumerate() {
        let others = product(&extents) / line.models;
        // Index maps that follow each other are one.
        let banded = axis == 0 && band.is_some() && !dtype.is_complex();
        if axis + 1 < lines.len() && !banded {
            let before = wide * product(&extents) * count;
            steps.push(fourier::step(before, before));
        }
        steps.push(if line.even {
            fourier::chirp(dtype, [line.models, line.data], count, others)
        } else {
            dense(dtype, line, count)
        });
        extents[axis] = line.data;
        if axis + 1 < lines.len() {
            let behind = wide * product(&extents) * count;
            steps.push(fourier::step(behind, behind));
        }
    }
    let (time, given) = ends(&extents);
    steps.extend(given.map(|[there, back]| {
        [if dtype.is_complex() { back } else { Moves::one(back.read, wide * product(&extents) * all) }, there]
    }));
    steps.push([time[1], time[0]]);
    fourier::chain(steps)
}

/// A table of all phases.
fn dense(dtype: DType, line: &Line, frequencies: usize) -> Both {
    let row = |row: usize| (0..line.models).map(|at| at * frequencies + row % frequencies).collect();
    let rows: Vec<Vec<usize>> = (0..line.data * frequencies).map(row).collect();
    let complex = if dtype.real() == DType::Float32 { DType::Complex64 } else { DType::Complex128 };
    let wide = fourier::wide(dtype);
    let moves = table::moves(&rows, line.models * frequencies, 1, Some(complex));
    moves.map(|moves| Moves { read: wide * moves.read, written: wide * moves.written, ..moves })
}

/// Slownesses and offsets of the golden data.
pub(super) fn places([slownesses, offsets]: [usize; 2], even: bool) -> [Vec<f64>; 2] {
    let bent = |place: f64| if even { place } else { place + 0.125 * place * place };
    let from = (0..slownesses).map(|at| bent(at as f64 * 0.25 - 0.5)).collect();
    [from, (0..offsets).map(|at| bent(at as f64 * 0.5 - 1.0)).collect()]
}
