//! `filter` of whole lines, by products of their spectra.

use std::f64::consts::TAU;

use arrayspan_kernels::{Filter, Update};
use num_complex::Complex64;

use crate::cell::{Cell, compiles_slowly};
use crate::reference::{Expected, Tensor};
use crate::sample::{FORMS, Form, Random, Sample};

/// A filter of lines of so many points, and all of its bins: a real one of real arrays, and of some complex ones.
fn periodic(cell: &Cell, axis: usize, points: usize) -> (Filter, Vec<Complex64>) {
    let mut random = Random(points as u64 + 2);
    let whole = cell.is_complex() && !points.is_multiple_of(3);
    let count = if whole { points } else { points / 2 + 1 };
    let mut bins: Vec<Complex64> =
        (0..count).map(|_| Complex64::new(random.next(), random.next())).collect();
    if whole {
        return (Filter::periodic(axis, &bins).unwrap(), bins);
    }
    let filter = Filter::periodic_real(axis, points, &bins).unwrap();
    for single in [0, points / 2].into_iter().filter(|bin| 2 * bin % points == 0) {
        bins[single].im = 0.0;
    }
    (count..points).for_each(|bin| bins.push(bins[points - bin].conj()));
    (filter, bins)
}

/// Sums of circular products with what these bins are the transform of.
fn reference(bins: &[Complex64], axis: usize, [x, y]: [&Tensor; 2], update: Update) -> Expected {
    let points = bins.len();
    let roots = (0..points).map(|k| Complex64::cis(TAU * k as f64 / points as f64));
    let roots: Vec<Complex64> = roots.collect();
    let tap = |j: usize| -> Complex64 {
        let terms = bins.iter().enumerate().map(|(k, bin)| bin * roots[j * k % points]);
        terms.sum::<Complex64>() / points as f64
    };
    let taps: Vec<Complex64> = (0..points).map(tap).collect();
    let extent = x.shape[axis];
    let behind: usize = x.shape[axis + 1..].iter().product();
    let largest = x.values.iter().map(|x| x.norm()).fold(0.0, f64::max);
    let [alpha, beta] = update.known().unwrap();
    let element = |place: usize| {
        let at = place / behind % extent;
        let first = place - at * behind;
        let sample = |j: usize| taps[(at + points - j) % points] * x.values[first + j * behind];
        let before = if update.reads() { beta * y.values[place] } else { Complex64::ZERO };
        let scale = alpha.norm() * largest * (points as f64).sqrt() + before.norm();
        (alpha * (0..extent).map(sample).sum::<Complex64>() + before, scale)
    };
    let (values, scale) = (0..x.values.len()).map(element).unzip();
    Expected { result: Tensor::new(&x.shape, values), scale, terms: 12 }
}

#[track_caller]
fn check(cell: &Cell, (axis, points): (usize, usize), [x, y]: [&mut Sample; 2], update: Update) {
    let (filter, bins) = periodic(cell, axis, points);
    let expected = reference(&bins, axis, [&x.tensor, &y.tensor], update);
    cell.executor.filter(&filter, x.view(), y.view_mut(), update).unwrap();
    cell.check(y, &expected, &format!("{points} points, axis {axis} of {:?}", x.tensor.shape));
    x.check_unchanged(cell);
}

/// From a plain input to an output of which nothing may be read.
#[track_caller]
fn set(cell: &Cell, along: (usize, usize), shape: &[usize]) {
    let mut x = cell.random(shape, Form::Plain, 5);
    check(cell, along, [&mut x, &mut cell.unreadable(shape, Form::Plain)], Update::set());
}

fn slowly(cell: &Cell) -> bool {
    compiles_slowly(cell.executor.device())
}

/// Odd ones, powers of two, products of all radices; of one point and of two.
pub fn every_kind_of_length(cell: &Cell) {
    let all =
        [1, 2, 3, 31 * 2 - 2, 64, 77, 100, 143, 210, 225, 243, 286, 343, 400, 420, 1000, 1155];
    for (turn, points) in all.into_iter().chain([2048]).enumerate() {
        if slowly(cell) && turn % 5 > 0 {
            continue;
        }
        set(cell, (1, points), &[3, points]);
        if turn % 2 == 0 {
            set(cell, (0, points), &[points, 5]);
        }
    }
}

/// As long as there may be, along memory and across it.
pub fn the_longest_lines(cell: &Cell) {
    let most = (1..20_000).rev().find(|points| Filter::takes_points(*points, cell.dtype)).unwrap();
    set(cell, (1, most), &[2, most]);
    set(cell, (0, most / 2), &[most / 2, 9]);
}

/// Zeros behind samples.
pub fn lines_shorter_than_their_points(cell: &Cell) {
    for (points, extent) in [(45, 31), (128, 65), (60, 1)] {
        set(cell, (1, points), &[4, extent]);
        set(cell, (0, points), &[extent, 3, 2]);
    }
}

pub fn layouts_do_not_matter(cell: &Cell) {
    for (at, form) in FORMS.into_iter().enumerate() {
        let forms = [form, FORMS[(at + 1) % FORMS.len()]];
        let shape = [30, 5, 28];
        let [mut x, mut y] = [0, 1].map(|k| cell.random(&shape, forms[k], k as u64));
        let update = Update::new(cell.number(0.5, 0.25), -2.0);
        check(cell, (at % 3, [30, 5, 28][at % 3]), [&mut x, &mut y], update);
    }
}

pub fn the_adjoint_satisfies_the_dot_test(cell: &Cell) {
    let (own, shape) = (periodic(cell, 0, 100).0, [90, 3]);
    let dot = |a: &[Complex64], b: &[Complex64]| -> Complex64 {
        a.iter().zip(b).map(|(a, b)| a.conj() * b).sum()
    };
    let [x, y] = [1, 2].map(|seed| cell.random(&shape, Form::Plain, seed));
    let apply = |filter: &Filter, of: &Sample| -> Vec<Complex64> {
        let mut to = cell.unreadable(&shape, Form::Plain);
        cell.executor.filter(filter, of.view(), to.view_mut(), Update::set()).unwrap();
        to.read(cell).values
    };
    let forward = dot(&y.tensor.values, &apply(&own, &x));
    let back = dot(&apply(&own.adjoint(), &y), &x.tensor.values);
    let epsilon = if cell.dtype.real().bits() == 32 { f32::EPSILON.into() } else { f64::EPSILON };
    assert!((forward - back).norm() <= 16.0 * epsilon * 270.0, "{forward} and {back}");
}

/// Lines of others do not see what is no number, nor what is far larger.
pub fn lines_do_not_see_each_other(cell: &Cell) {
    for (axis, shape) in [(0, [60, 7]), (1, [7, 60])] {
        let (own, bins) = periodic(cell, axis, 60);
        let mut x = cell.random(&shape, Form::Plain, 3).tensor;
        let [along, beside] = if axis == 0 { [7, 1] } else { [1, 60] };
        x.values[3 * beside + 20 * along] = cell.number(f64::NAN, 0.0);
        (0..60).for_each(|k| x.values[5 * beside + k * along] *= 1e12);
        let sample = Sample::new(cell, &x, Form::Plain);
        let mut y = cell.unreadable(&shape, Form::Plain);
        cell.executor.filter(&own, sample.view(), y.view_mut(), Update::set()).unwrap();
        let plain = Tensor::new(&x.shape, vec![Complex64::ZERO; x.values.len()]);
        let expected = reference(&bins, axis, [&x, &plain], Update::set()).result;
        let found = y.read(cell).values;
        for line in [0, 1, 2, 4, 6] {
            for place in (0..60).map(|k| line * beside + k * along) {
                let error = (found[place] - expected.values[place]).norm();
                assert!(
                    error < 1e-4,
                    "line {line}: {} for {}",
                    found[place],
                    expected.values[place]
                );
            }
        }
    }
}
