//! Transforms of several lines beside sums as they are written.

use std::f64::consts::{PI, TAU};

use num_complex::Complex64;

use super::*;

/// Number `j` of line `lane`: no line is another one's.
fn number(lane: usize, j: usize) -> Complex64 {
    let at = (7 * lane + 3 * j + 1) as f64;
    Complex64::new((at * at * 0.37).sin(), (at * 1.7).cos())
}

/// What a plan of so many samples makes of such lines: each element of each line.
fn run(
    kind: Kind,
    samples: usize,
    len: usize,
    factors: Factors<f64>,
) -> Option<Vec<Vec<Complex64>>> {
    let plan = Together::<f64>::new(kind, samples)?;
    let width = width::<f64>();
    let [mut rows, mut room] = [0, 1].map(|_| vec![0.0; plan.rows() * width]);
    let complex = |place: Place| place.has_imaginary();
    let (before, behind) = (plan.before(), plan.behind());
    for (lane, j) in (0..width).flat_map(|lane| (0..len).map(move |j| (lane, j))) {
        rows[before.row(j, 0) * width + lane] = number(lane, j).re;
        if complex(before) && !matches!(kind, Kind::ToHalf | Kind::ToCosines) {
            rows[before.row(j, 1) * width + lane] = number(lane, j).im;
        }
    }
    let rows = if plan.run(&mut rows, &mut room, factors) { room } else { rows };
    let results = if kind == Kind::ToHalf { samples / 2 + 1 } else { samples };
    let whole = matches!(kind, Kind::Complex { .. } | Kind::ToHalf);
    let element = |lane: usize, k: usize| {
        let im = if whole { rows[behind.row(k, 1) * width + lane] } else { 0.0 };
        Complex64::new(rows[behind.row(k, 0) * width + lane], im)
    };
    Some((0..width).map(|lane| (0..results).map(|k| element(lane, k)).collect()).collect())
}

fn near(what: &str, lines: &[Vec<Complex64>], expected: impl Fn(usize, usize) -> Complex64) {
    for (lane, line) in lines.iter().enumerate() {
        for (k, value) in line.iter().enumerate() {
            let off = (value - expected(lane, k)).norm();
            assert!(off < 1e-10, "{what}, line {lane}, element {k}: {value} is off by {off}");
        }
    }
}

const LENGTHS: [usize; 14] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 26, 30, 100];

#[test]
fn complex_lines_of_every_radix() {
    for (n, positive) in LENGTHS.into_iter().flat_map(|n| [(n, false), (n, true)]) {
        let factors = Factors { first: 0.5, ..Factors::none() };
        let lines = run(Kind::Complex { positive }, n, n, factors).unwrap_or_default();
        assert_eq!(lines.len(), width::<f64>());
        let sign = if positive { 1.0 } else { -1.0 };
        near(&format!("{n} points"), &lines, |lane, k| {
            let turn = |j| Complex64::from_polar(0.5, sign * TAU * (j * k) as f64 / n as f64);
            (0..n).map(|j| number(lane, j) * turn(j)).sum()
        });
    }
}

#[test]
fn half_spectra_there_and_back() {
    let factors = Factors { first: 0.5, others: [3.0, -3.0] };
    for n in LENGTHS {
        let single = |k: usize| k == 0 || 2 * k == n;
        let lines = run(Kind::ToHalf, n, n, factors).unwrap_or_default();
        assert_eq!(lines.len(), width::<f64>());
        near(&format!("{n} samples"), &lines, |lane, k| {
            let turn = |j| Complex64::from_polar(1.0, -TAU * (j * k) as f64 / n as f64);
            let bin: Complex64 = (0..n).map(|j| number(lane, j).re * turn(j)).sum();
            if single(k) { bin * 0.5 } else { bin.conj() * 3.0 }
        });
        let lines = run(Kind::FromHalf, n, n / 2 + 1, factors).unwrap_or_default();
        assert_eq!(lines.len(), width::<f64>());
        near(&format!("{n} samples of bins"), &lines, |lane, j| {
            let turn = |k| Complex64::from_polar(1.0, TAU * (j * k) as f64 / n as f64);
            let part = |k| match number(lane, k) {
                bin if single(k) => bin.re * turn(k).re,
                bin => 2.0 * (3.0 * bin.conj() * turn(k)).re,
            };
            Complex64::from(0.5 * (0..=n / 2).map(part).sum::<f64>())
        });
    }
}

#[test]
fn sums_with_cosines_there_and_back() {
    let factors = Factors { first: 0.5, others: [3.0, 3.0] };
    for n in LENGTHS {
        let weighed = |k: usize, j: usize| {
            let cosine = (PI * (k * (2 * j + 1)) as f64 / (2 * n) as f64).cos();
            if k == 0 { 0.5 } else { 3.0 * cosine }
        };
        let lines = run(Kind::ToCosines, n, n, factors).unwrap_or_default();
        assert_eq!(lines.len(), width::<f64>());
        near(&format!("{n} samples"), &lines, |lane, k| {
            Complex64::from((0..n).map(|j| number(lane, j).re * weighed(k, j)).sum::<f64>())
        });
        let lines = run(Kind::FromCosines, n, n, factors).unwrap_or_default();
        assert_eq!(lines.len(), width::<f64>());
        near(&format!("{n} samples of sums"), &lines, |lane, j| {
            Complex64::from((0..n).map(|k| number(lane, k).re * weighed(k, j)).sum::<f64>())
        });
    }
}

#[test]
fn lengths_with_other_factors_are_not_theirs() {
    for n in [17, 34, 19 * 23] {
        assert!(Together::<f32>::new(Kind::Complex { positive: false }, n).is_none());
        assert!(Together::<f32>::new(Kind::ToHalf, n).is_none());
    }
}
