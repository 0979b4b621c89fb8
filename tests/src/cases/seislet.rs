//! `Seislet`: both bases, with zeros behind traces, one level, several, none.

use arrayspan_bridge::DType;
use arrayspan_operators::{Seislet, SeisletBasis};

use super::fourier::{Both, chain};
use super::slopes::varied;
use super::{space, table};
use crate::suite::{Case, Cell, Moves};

/// From trace to trace and from sample to sample.
const STEPS: [f64; 2] = [10.0, 8.0];

/// Two launches for each level, which become one where that moves less.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let (haar, linear) = (SeisletBasis::Haar, SeisletBasis::Linear);
    vec![
        case(dtype, [8, 5], &[1, 1, 2], haar).golden("seislet/haar"),
        case(dtype, [13, 3], &[2], haar).golden("seislet/haar_padded"),
        case(dtype, [8, 5], &[1; 4], linear).golden("seislet/linear"),
        case(dtype, [7, 4], &[1, 2, 1], linear).golden("seislet/linear_padded"),
        Case::new("none", |cell: &Cell| {
            Seislet::new(space(cell, &[1, 3])?, [0.5; 3], STEPS, 0, SeisletBasis::Haar)
        })
        .moves(Moves::one(3, 3), Moves::one(3, 3)),
    ]
}

/// `fused`: how many of the matrices, two for each level, each launch applies.
fn case(
    dtype: DType,
    shape: [usize; 2],
    fused: &'static [usize],
    basis: SeisletBasis,
) -> Case {
    let levels = fused.iter().sum::<usize>() / 2;
    let name = format!("{levels} levels of {shape:?}, {basis:?}");
    let [forward, adjoint] = moves(dtype, shape, fused, basis);
    let make = move |cell: &Cell| {
        Seislet::new(space(cell, &shape)?, varied(shape), STEPS, levels, basis)
    };
    Case::new(name, make).moves(forward, adjoint)
}

/// Residuals and coarse traces of each level.
fn moves(dtype: DType, [own, samples]: [usize; 2], fused: &[usize], basis: SeisletBasis) -> Both {
    let traces = own.next_power_of_two();
    let mut matrices = Vec::new();
    for level in 0..fused.iter().sum::<usize>() / 2 {
        let pairs = traces >> (level + 1);
        let done = traces - 2 * pairs;
        let there = if level == 0 { own } else { traces };
        // A prediction names all samples of a trace, one along slopes of zero a single one.
        let forward = |from: usize| from << level < own;
        let backward = |from: usize| (from << level) + 1 < own;
        let linear = basis == SeisletBasis::Linear;
        let mut parts = [vec![Vec::new(); traces], vec![Vec::new(); traces]];
        for part in &mut parts {
            for (trace, row) in part.iter_mut().enumerate().take(done) {
                row.push((trace, false));
            }
        }
        for pair in 0..pairs {
            let even = done + 2 * pair;
            let residual = &mut parts[0][done + pair];
            residual.extend([(even + 1, false), (even, forward(2 * pair))]);
            if linear && pair + 1 < pairs {
                residual.push((even + 2, backward(2 * pair + 1)));
            }
            parts[0][done + pairs + pair].push((even, false));
            parts[1][done + pair].push((done + pair, false));
            let coarse = &mut parts[1][done + pairs + pair];
            coarse.extend([(done + pairs + pair, false), (done + pair, backward(2 * pair))]);
            if linear && pair > 0 {
                coarse.push((done + pair - 1, forward(2 * pair - 1)));
            }
        }
        let named = |part: &[Vec<(usize, bool)>], there: usize| {
            let row = |trace: usize, time: usize| -> Vec<usize> {
                let kept = part[trace].iter().filter(|(from, _)| *from < there);
                let sample = |&(from, all): &(usize, bool)| {
                    let times = if all { 0..samples } else { time..time + 1 };
                    times.map(move |at| from * samples + at)
                };
                kept.flat_map(sample).collect()
            };
            let rows = (0..traces * samples).map(|at| row(at / samples, at % samples));
            rows.collect::<Vec<_>>()
        };
        matrices.extend([named(&parts[0], there), named(&parts[1], traces)]);
    }
    let (mut left, mut columns) = (matrices.into_iter(), own * samples);
    let launch = |count: &usize| {
        let inner = left.next().unwrap_or_default();
        let rows = left.by_ref().take(count - 1);
        let rows = rows.fold(inner, |inner, outer| table::product(&outer, &inner));
        let both = table::moves(&rows, columns, 1, Some(dtype.real()));
        columns = traces * samples;
        both
    };
    chain(fused.iter().map(launch))
}
