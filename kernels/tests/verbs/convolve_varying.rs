//! `convolve_varying`: convolutions whose filters change from place to place, against sums of products.

use arrayspan_kernels::bridge::{Array, DType};
use arrayspan_kernels::{Along, Factor, Update, VaryingConvolution};
use num_complex::Complex64;

use crate::cell::{Cell, compiles_slowly};
use crate::errors::{I, argument, array, dtype, host, not_computable, refused, shape};
use crate::reference;
use crate::sample::{FORMS, Form, Random, Sample};

/// Places and taps along an axis.
type Own<'p> = (usize, &'p [usize], usize);

/// Filters of either sign for arrays of that shape, with time zero near their middle.
fn filters(
    cell: &Cell,
    shape: &[usize],
    own: &[Own<'_>],
    (complex, zeros): (bool, bool),
) -> VaryingConvolution {
    let along: Vec<Along> = own
        .iter()
        .map(|&(axis, places, taps)| {
            let (extent, places) = (shape[axis], places.to_vec());
            Along { axis, extent, places, taps, offset: taps / 2 }
        })
        .collect();
    let count: usize = along.iter().map(|along| along.places.len() * along.taps).product();
    let mut random = Random(count as u64 + 7);
    let mut tap = |at: usize| {
        let [re, im] = [random.next(), random.next()];
        let tap = if complex { cell.number(re, im) } else { re.into() };
        if zeros && at % 3 == 1 { Complex64::ZERO } else { tap }
    };
    let taps: Vec<Complex64> = (0..count).map(&mut tap).collect();
    VaryingConvolution::new(&along, &taps).unwrap()
}

/// Compares with the reference.
#[track_caller]
fn check(cell: &Cell, own: &VaryingConvolution, x: &Sample, y: &mut Sample, update: Update) {
    let expected = reference::convolve_varying(own, &x.tensor, &y.tensor, update);
    cell.executor.convolve_varying(own, x.view(), y.view_mut(), update).unwrap();
    let what = format!("{:?} of {:?}, {}", own.along(), x.tensor.shape, own.is_transposed());
    cell.check(y, &expected, &what);
    x.check_unchanged(cell);
}

/// There and back.
#[track_caller]
fn set(cell: &Cell, shape: &[usize], own: &[Own<'_>]) {
    let own = filters(cell, shape, own, (false, false));
    let x = cell.random(shape, Form::Plain, 5);
    for own in [&own, &own.adjoint()] {
        check(cell, own, &x, &mut cell.unreadable(shape, Form::Plain), Update::set());
    }
}

/// All of those where kernels compile fast, else some.
fn some<T>(cell: &Cell, of: Vec<T>, few: usize) -> Vec<T> {
    let most = if compiles_slowly(cell.executor.device()) { few } else { of.len() };
    of.into_iter().take(most).collect()
}

pub fn along_one_axis(cell: &Cell) {
    let cases: Vec<(&[usize], Own<'_>)> = vec![
        (&[83, 37], (0, &[10, 40, 41], 5)),
        (&[37, 83], (1, &[0, 82], 3)),
        (&[101], (0, &[3, 50], 9)),
        (&[5, 66, 7], (1, &[30], 4)),
    ];
    for (shape, own) in some(cell, cases, 2) {
        set(cell, shape, &[own]);
    }
}

pub fn along_two_axes(cell: &Cell) {
    let cases: Vec<(&[usize], [Own<'_>; 2])> = vec![
        (&[97, 71], [(0, &[10, 50, 90], 5), (1, &[5, 33, 64, 70], 3)]),
        (&[131, 41], [(0, &[64], 3), (1, &[0, 1, 2, 40], 7)]),
        (&[13, 37, 41], [(0, &[2, 11], 3), (2, &[20], 4)]),
        (&[13, 37, 41], [(0, &[2, 11], 2), (1, &[3, 30], 3)]),
        (&[3, 401], [(0, &[1], 9), (1, &[100, 200], 1)]),
        (&[1, 1], [(0, &[0], 3), (1, &[0], 5)]),
    ];
    for (shape, own) in some(cell, cases, 3) {
        set(cell, shape, &own);
    }
}

pub fn along_three_axes(cell: &Cell) {
    let cases: Vec<(&[usize], [Own<'_>; 3])> = vec![
        (&[9, 23, 37], [(0, &[2, 7], 3), (1, &[11, 12], 2), (2, &[4, 30], 5)]),
        (&[5, 4, 19, 40], [(0, &[0, 4], 3), (2, &[9], 3), (3, &[10, 20, 30], 2)]),
    ];
    for (shape, own) in some(cell, cases, 1) {
        set(cell, shape, &own);
    }
}

/// Around the taps of blocks, and more than there are samples.
pub fn filters_of_every_size(cell: &Cell) {
    for taps in some(cell, vec![17, 1, 2, 15, 16, 33, 50], 1) {
        set(cell, &[40, 45], &[(0, &[5, 30], taps), (1, &[10, 11], 2)]);
        set(cell, &[40, 45], &[(0, &[5, 30], 2), (1, &[10, 11], taps)]);
    }
}

pub fn a_place_at_every_sample(cell: &Cell) {
    let places: Vec<usize> = (0..40).collect();
    set(cell, &[40, 35], &[(0, &places, 3), (1, &places[..35], 3)]);
}

pub fn time_zero_at_the_ends(cell: &Cell) {
    let taps: Vec<Complex64> = (1..=24).map(|k| (f64::from(k) / 16.0).into()).collect();
    for offsets in [[0, 0], [1, 2], [0, 2]] {
        let along = |axis: usize, extent, taps| {
            let places = vec![extent / 4, extent / 2];
            Along { axis, extent, places, taps, offset: offsets[axis] }
        };
        let own = VaryingConvolution::new(&[along(0, 21, 2), along(1, 35, 3)], &taps).unwrap();
        let x = cell.random(&[21, 35], Form::Plain, 5);
        for own in [&own, &own.adjoint()] {
            check(cell, own, &x, &mut cell.unreadable(&[21, 35], Form::Plain), Update::set());
        }
    }
}

pub fn complex_taps(cell: &Cell) {
    let shape = [45, 61];
    let own = [(0, &[10, 30][..], 5), (1, &[20, 50][..], 7)];
    let own = filters(cell, &shape, &own, (true, true));
    let x = cell.random(&shape, Form::Plain, 5);
    for own in [&own, &own.adjoint()] {
        check(cell, own, &x, &mut cell.unreadable(&shape, Form::Plain), Update::set());
    }
}

pub fn what_is_no_number_reaches_what_meets_it(cell: &Cell) {
    let shape = [70, 101];
    let own = [(0, &[10, 30][..], 3), (1, &[20, 50][..], 17)];
    let own = filters(cell, &shape, &own, (false, true));
    let mut x = cell.random(&shape, Form::Plain, 3).tensor;
    let wrong = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    for (place, wrong) in [0, 101 * 33 + 50, 101 * 69 + 100].into_iter().zip(wrong) {
        x.values[place] = cell.number(wrong, 0.0);
    }
    let x = Sample::new(cell, &x, Form::Plain);
    for own in [&own, &own.adjoint()] {
        check(cell, own, &x, &mut cell.unreadable(&shape, Form::Plain), Update::set());
    }
}

pub fn layouts_do_not_matter(cell: &Cell) {
    for (at, form) in FORMS.into_iter().enumerate() {
        let forms = [form, FORMS[(at + 1) % FORMS.len()]];
        let shape = [21, 5, 29];
        let [x, mut y] = [0, 1].map(|k| cell.random(&shape, forms[k], k as u64));
        let update = Update::new(cell.number(0.5, 0.25), -2.0);
        let own = [(0, &[3, 15][..], 3), (1, &[1, 3][..], 2), (2, &[8][..], 4)];
        let own = filters(cell, &shape, &own, (at % 2 == 0, at % 3 == 0));
        check(cell, &own, &x, &mut y, update);
        let mut y = cell.unreadable(&shape, form);
        check(cell, &own.adjoint(), &x, &mut y, Update::set());
    }
}

pub fn factors_on_the_device(cell: &Cell) {
    let shape = [19, 37];
    let own = filters(cell, &shape, &[(0, &[9], 3), (1, &[4, 30], 4)], (false, false));
    let [x, mut y] = [1, 2].map(|seed| cell.random(&shape, Form::Plain, seed));
    let number = |value: f64| {
        let array = if cell.dtype.real().bits() == 32 {
            Array::from_slice(&[value as f32], []).unwrap()
        } else {
            Array::from_slice(&[value], []).unwrap()
        };
        cell.moved(&array, cell.executor.device())
    };
    let (alpha, beta) = (number(0.5), number(-2.0));
    let known = Update::new(0.5, -2.0);
    let expected = reference::convolve_varying(&own, &x.tensor, &y.tensor, known);
    let update = Update::new(Factor::from(&alpha), Factor::from(&beta));
    cell.executor.convolve_varying(&own, x.view(), y.view_mut(), update).unwrap();
    cell.check(&y, &expected, "factors on the device");
}

pub fn the_adjoint_satisfies_the_dot_test(cell: &Cell) {
    let shape = [17, 3, 33];
    let own = [(0, &[4, 12][..], 5), (2, &[10, 20, 21][..], 4)];
    let own = filters(cell, &shape, &own, (true, false));
    let dot = |a: &[Complex64], b: &[Complex64]| -> Complex64 {
        a.iter().zip(b).map(|(a, b)| a.conj() * b).sum()
    };
    let [x, y] = [1, 2].map(|seed| cell.random(&shape, Form::Plain, seed));
    let apply = |own: &VaryingConvolution, of: &Sample| -> Vec<Complex64> {
        let mut to = cell.unreadable(&shape, Form::Plain);
        cell.executor.convolve_varying(own, of.view(), to.view_mut(), Update::set()).unwrap();
        to.read(cell).values
    };
    let forward = dot(&y.tensor.values, &apply(&own, &x));
    let back = dot(&apply(&own.adjoint(), &y), &x.tensor.values);
    let size = 1683.0 * own.filters().iter().map(|tap| tap.norm()).sum::<f64>();
    let epsilon = if cell.dtype.real().bits() == 32 { f32::EPSILON.into() } else { f64::EPSILON };
    assert!((forward - back).norm() <= 8.0 * epsilon * size, "{forward} and {back}");
}

/// Many groups, and threads of the host.
pub fn long_arrays(cell: &Cell) {
    set(cell, &[301, 1201], &[(0, &[50, 100, 299], 3), (1, &[600, 601], 3)]);
    set(cell, &[2003, 40], &[(0, &[1000, 1500], 3), (1, &[20], 3)]);
}

pub fn empty_arrays(cell: &Cell) {
    let shape = [0, 9];
    let own = filters(cell, &shape, &[(1, &[4], 3)], (false, false));
    let x = cell.random(&shape, Form::Plain, 1);
    check(cell, &own, &x, &mut cell.unreadable(&shape, Form::Plain), Update::set());
}

#[test]
fn convolve_varying_checks_its_arguments() {
    let x = array(&[2, 3], DType::Float32);
    let run = |own: &VaryingConvolution, update| {
        let (view, own) = (x.view(), own.clone());
        move |out: &mut Array| host().convolve_varying(&own, view, out.view_mut(), update)
    };
    let of = |axis: usize, tap: Complex64| {
        let along = Along { axis, extent: 3, places: vec![1], taps: 1, offset: 0 };
        VaryingConvolution::new(&[along], &[tap]).unwrap()
    };
    let (own, set) = (of(1, Complex64::ONE), Update::set());
    let words = ["convolve_varying", "x", "[2, 3]", "[3, 2]"];
    refused(&[3, 2], DType::Float32, run(&own, set), shape, &words);
    let words = ["convolve_varying", "x is Float32", "Float64"];
    refused(&[2, 3], DType::Float64, run(&own, set), dtype, &words);
    for other in [DType::UInt8, DType::Float16, DType::BFloat16] {
        let words = ["convolve_varying", &other.to_string()];
        refused(&[2, 3], other, run(&own, set), not_computable, &words);
    }
    for axis in [0, 2] {
        let words = ["convolve_varying", &format!("axis {axis}"), "[2, 3]"];
        refused(&[2, 3], DType::Float32, run(&of(axis, I), set), argument, &words);
    }
    let words = ["convolve_varying", "complex", "Float32"];
    refused(&[2, 3], DType::Float32, run(&of(1, I), set), argument, &words);
    let words = ["convolve_varying", "1e60", "Float32"];
    refused(&[2, 3], DType::Float32, run(&of(1, 1e60.into()), set), argument, &words);
    let words = ["convolve_varying", "alpha", "real", "Float32"];
    refused(&[2, 3], DType::Float32, run(&own, Update::new(I, 0.0)), argument, &words);
}
