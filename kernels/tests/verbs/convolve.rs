//! `convolve`: dense convolutions along several axes, against sums of products.

use arrayspan_kernels::bridge::Array;
use arrayspan_kernels::{Convolution, Factor, Update};
use num_complex::Complex64;

use crate::cell::{Cell, compiles_slowly};
use crate::reference;
use crate::sample::{FORMS, Form, Random, Sample};

/// Taps of either sign along those axes, real or complex, with time zero near their middle.
fn taps_of(
    cell: &Cell,
    axes: &[usize],
    extents: &[usize],
    (complex, zeros): (bool, bool),
) -> Convolution {
    let offsets: Vec<usize> = extents.iter().map(|extent| extent / 2).collect();
    let mut random = Random(extents.iter().product::<usize>() as u64 + 7);
    let mut tap = |at: usize| {
        let [re, im] = [random.next(), random.next()];
        let tap = if complex { cell.number(re, im) } else { re.into() };
        if zeros && at % 3 == 1 { Complex64::ZERO } else { tap }
    };
    let taps: Vec<Complex64> = (0..extents.iter().product()).map(&mut tap).collect();
    Convolution::new(axes, extents, &taps, &offsets).unwrap()
}

fn real(cell: &Cell, axes: &[usize], extents: &[usize]) -> Convolution {
    taps_of(cell, axes, extents, (false, false))
}

/// Compares with the reference.
#[track_caller]
fn check(cell: &Cell, convolution: &Convolution, x: &Sample, y: &mut Sample, update: Update) {
    let expected = reference::convolve(convolution, &x.tensor, &y.tensor, update);
    cell.executor.convolve(convolution, x.view(), y.view_mut(), update).unwrap();
    let (axes, extents) = (convolution.axes(), convolution.extents());
    let what = format!("{extents:?} taps along {axes:?} of {:?}", x.tensor.shape);
    cell.check(y, &expected, &what);
    x.check_unchanged(cell);
}

#[track_caller]
fn set(cell: &Cell, convolution: &Convolution, shape: &[usize]) {
    let x = cell.random(shape, Form::Plain, 5);
    check(cell, convolution, &x, &mut cell.unreadable(shape, Form::Plain), Update::set());
}

/// All of those where kernels compile fast, else some.
fn some<T>(cell: &Cell, of: Vec<T>, few: usize) -> Vec<T> {
    let all = of.len();
    let most = if compiles_slowly(cell.executor.device()) { few } else { all };
    of.into_iter().take(most).collect()
}

pub fn along_two_axes_of_two_to_four(cell: &Cell) {
    let cases: Vec<(&[usize], [usize; 2], [usize; 2])> = vec![
        (&[67, 71], [0, 1], [5, 4]),
        (&[13, 37, 41], [0, 2], [3, 5]),
        (&[13, 37, 41], [1, 2], [4, 3]),
        (&[37, 13, 41], [0, 1], [3, 7]),
        (&[5, 7, 11, 37], [0, 3], [2, 3]),
        (&[5, 7, 11, 37], [1, 2], [3, 3]),
        (&[5, 17, 11, 3], [1, 2], [3, 4]),
        (&[131, 300], [0, 1], [3, 3]),
        (&[401, 3], [0, 1], [3, 2]),
        (&[2, 401], [0, 1], [2, 9]),
    ];
    for (shape, axes, extents) in some(cell, cases, 4) {
        set(cell, &real(cell, &axes, &extents), shape);
    }
}

pub fn along_three_axes_of_three_and_four(cell: &Cell) {
    let cases: Vec<(&[usize], [usize; 3], [usize; 3])> = vec![
        (&[19, 23, 37], [0, 1, 2], [3, 4, 5]),
        (&[19, 9, 5, 37], [0, 1, 3], [5, 2, 3]),
        (&[9, 19, 7, 37], [0, 1, 2], [3, 3, 2]),
        (&[9, 19, 7, 37], [1, 2, 3], [2, 3, 4]),
        (&[9, 7, 19, 40], [0, 2, 3], [2, 5, 3]),
        (&[41, 37, 2], [0, 1, 2], [3, 3, 2]),
    ];
    for (shape, axes, extents) in some(cell, cases, 3) {
        set(cell, &real(cell, &axes, &extents), shape);
    }
}

pub fn along_four_axes_and_one(cell: &Cell) {
    set(cell, &real(cell, &[0, 1, 2, 3], &[2, 3, 2, 3]), &[7, 9, 11, 33]);
    set(cell, &real(cell, &[0, 1, 2, 3, 4], &[2, 1, 3, 2, 3]), &[4, 3, 5, 7, 33]);
    for axis in 0..3 {
        set(cell, &real(cell, &[axis], &[5]), &[17, 9, 40]);
    }
    set(cell, &real(cell, &[0], &[9]), &[1001]);
    set(cell, &real(cell, &[0], &[1]), &[33]);
}

pub fn filters_longer_than_the_axes(cell: &Cell) {
    let cases = vec![([3, 4], [7, 9]), ([1, 40], [5, 3]), ([40, 2], [3, 9]), ([2, 2], [4, 4])];
    for (shape, extents) in some(cell, cases, 2) {
        set(cell, &real(cell, &[0, 1], &extents), &shape);
    }
    set(cell, &real(cell, &[0, 1, 2], &[5, 7, 9]), &[3, 4, 5]);
}

pub fn axes_of_one_element(cell: &Cell) {
    let shapes: Vec<[usize; 3]> =
        vec![[1, 40, 50], [40, 1, 50], [40, 50, 1], [1, 1, 50], [1, 1, 1]];
    for shape in some(cell, shapes, 3) {
        set(cell, &real(cell, &[0, 1, 2], &[3, 3, 3]), &shape);
    }
}

pub fn time_zero_at_the_ends(cell: &Cell) {
    let taps: Vec<Complex64> = (1..=60).map(|k| (f64::from(k) / 16.0).into()).collect();
    for offsets in [[0, 0, 0], [2, 3, 4], [0, 3, 0], [2, 0, 4]] {
        let own = Convolution::new(&[0, 1, 2], &[3, 4, 5], &taps, &offsets).unwrap();
        set(cell, &own, &[9, 21, 35]);
    }
}

/// Along each axis: around the numbers of sums and rows that a thread holds.
pub fn filters_of_every_size(cell: &Cell) {
    let sizes = vec![16, 2, 7, 33, 1, 3, 4, 8, 15, 17, 32];
    for extent in some(cell, sizes, 2) {
        set(cell, &real(cell, &[0, 1], &[extent, 2]), &[40, 70]);
        set(cell, &real(cell, &[0, 1], &[2, extent]), &[40, 70]);
        set(cell, &real(cell, &[0, 1, 2], &[2, extent, 2]), &[9, 40, 35]);
    }
}

/// More taps than are held near a processor, and than are straight code.
pub fn large_filters(cell: &Cell) {
    let cases: Vec<(&[usize], &[usize])> =
        vec![(&[60, 70], &[41, 37]), (&[20, 21, 22], &[11, 12, 13]), (&[90, 101], &[70, 81])];
    for (shape, extents) in some(cell, cases, 2) {
        let axes: Vec<usize> = (0..shape.len()).collect();
        set(cell, &taps_of(cell, &axes, extents, (true, false)), shape);
    }
}

pub fn taps_of_zero_meet_nothing(cell: &Cell) {
    let own = taps_of(cell, &[0, 1], &[3, 5], (false, true));
    let mut x = cell.random(&[23, 61], Form::Plain, 3).tensor;
    x.values[61 * 11 + 30] = cell.number(f64::INFINITY, 0.0);
    let x = Sample::new(cell, &x, Form::Plain);
    check(cell, &own, &x, &mut cell.unreadable(&[23, 61], Form::Plain), Update::set());
    let nothing = Convolution::new(&[0, 1], &[2, 2], &[Complex64::ZERO; 4], &[0, 1]).unwrap();
    check(cell, &nothing, &x, &mut cell.unreadable(&[23, 61], Form::Plain), Update::set());
}

pub fn what_is_no_number_reaches_what_meets_it(cell: &Cell) {
    for (shape, extents, at) in [
        (&[19, 40, 66][..], &[3, 5, 3][..], [0, 66 * 13 + 40, 66 * 40 * 9 + 66 * 20 + 65]),
        (&[70, 301], &[3, 5], [0, 301 * 33 + 130, 301 * 69 + 300]),
    ] {
        let axes: Vec<usize> = (0..shape.len()).collect();
        let own = real(cell, &axes, extents);
        let mut x = cell.random(shape, Form::Plain, 3).tensor;
        let wrong = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        for (place, wrong) in at.into_iter().zip(wrong) {
            x.values[place] = cell.number(wrong, 0.0);
        }
        let x = Sample::new(cell, &x, Form::Plain);
        check(cell, &own, &x, &mut cell.unreadable(shape, Form::Plain), Update::set());
    }
}

/// Products of what is large and what is small are neither lost nor infinite.
pub fn samples_far_from_one(cell: &Cell) {
    // Powers of two, so that nothing is rounded twice.
    for power in [2_f64.powi(66), 2_f64.powi(-66)] {
        let own = real(cell, &[0, 1], &[3, 3]);
        let taps: Vec<Complex64> = own.taps().iter().map(|tap| tap / power).collect();
        let own = Convolution::new(&[0, 1], &[3, 3], &taps, &[1, 1]).unwrap();
        let mut x = cell.random(&[20, 35], Form::Plain, 3).tensor;
        x.values.iter_mut().for_each(|value| *value *= power);
        let x = Sample::new(cell, &x, Form::Plain);
        for alpha in [1.0, 1e10, 1e-10] {
            let mut y = cell.random(&[20, 35], Form::Plain, 4);
            check(cell, &own, &x, &mut y, Update::new(alpha, 0.5));
        }
    }
}

pub fn real_taps_of_complex_arrays(cell: &Cell) {
    set(cell, &real(cell, &[0, 1, 2], &[5, 4, 3]), &[21, 31, 45]);
    set(cell, &real(cell, &[0, 1], &[5, 7]), &[45, 201]);
}

pub fn complex_taps(cell: &Cell) {
    set(cell, &taps_of(cell, &[0, 1, 2], &[5, 4, 3], (true, false)), &[21, 31, 45]);
    set(cell, &taps_of(cell, &[0, 1], &[5, 7], (true, true)), &[45, 201]);
}

pub fn layouts_do_not_matter(cell: &Cell) {
    for (at, form) in FORMS.into_iter().enumerate() {
        let forms = [form, FORMS[(at + 1) % FORMS.len()]];
        let shape = [21, 5, 29];
        let [x, mut y] = [0, 1].map(|k| cell.random(&shape, forms[k], k as u64));
        let update = Update::new(cell.number(0.5, 0.25), -2.0);
        let own = taps_of(cell, &[0, 1, 2], &[3, 2, 4], (at % 2 == 0, at % 3 == 0));
        check(cell, &own, &x, &mut y, update);
        let mut y = cell.unreadable(&shape, form);
        check(cell, &real(cell, &[0, 2], &[3, 3]), &x, &mut y, Update::set());
    }
}

pub fn factors_on_the_device(cell: &Cell) {
    let own = real(cell, &[0, 1], &[3, 4]);
    let [x, y] = [1, 2].map(|seed| cell.random(&[19, 37], Form::Plain, seed));
    let number = |value: f64| {
        let array = Array::from_slice(&[value], []).unwrap();
        let array = if cell.dtype.real().bits() == 32 {
            Array::from_slice(&[value as f32], []).unwrap()
        } else {
            array
        };
        cell.moved(&array, cell.executor.device())
    };
    let (alpha, beta) = (number(0.5), number(-2.0));
    let expected = reference::convolve(&own, &x.tensor, &y.tensor, Update::new(0.5, -2.0));
    let mut y = y;
    let update = Update::new(Factor::from(&alpha), Factor::from(&beta));
    cell.executor.convolve(&own, x.view(), y.view_mut(), update).unwrap();
    cell.check(&y, &expected, "factors on the device");
}

pub fn beta_zero_reads_nothing(cell: &Cell) {
    let own = real(cell, &[0, 1], &[3, 4]);
    let x = cell.random(&[19, 37], Form::Plain, 1);
    let mut y = cell.unreadable(&[19, 37], Form::Plain);
    check(cell, &own, &x, &mut y, Update::new(cell.number(2.0, 1.0), 0.0));
}

pub fn the_adjoint_satisfies_the_dot_test(cell: &Cell) {
    let own = taps_of(cell, &[0, 2], &[5, 4], (true, false));
    let dot = |a: &[Complex64], b: &[Complex64]| -> Complex64 {
        a.iter().zip(b).map(|(a, b)| a.conj() * b).sum()
    };
    let shape = [17, 3, 33];
    let [x, y] = [1, 2].map(|seed| cell.random(&shape, Form::Plain, seed));
    let apply = |own: &Convolution, of: &Sample| -> Vec<Complex64> {
        let mut to = cell.unreadable(&shape, Form::Plain);
        cell.executor.convolve(own, of.view(), to.view_mut(), Update::set()).unwrap();
        to.read(cell).values
    };
    let forward = dot(&y.tensor.values, &apply(&own, &x));
    let back = dot(&apply(&own.adjoint(), &y), &x.tensor.values);
    let size = 1683.0 * own.taps().iter().map(|tap| tap.norm()).sum::<f64>();
    let epsilon = if cell.dtype.real().bits() == 32 { f32::EPSILON.into() } else { f64::EPSILON };
    assert!((forward - back).norm() <= 8.0 * epsilon * size, "{forward} and {back}");
}

/// Several parts of the march, tiles, strips, and threads of the host.
pub fn long_arrays(cell: &Cell) {
    set(cell, &real(cell, &[0, 1], &[3, 3]), &[301, 1201]);
    set(cell, &real(cell, &[0, 1, 2], &[3, 3, 3]), &[61, 67, 71]);
    set(cell, &real(cell, &[0, 1], &[3, 3]), &[2003, 40]);
}

pub fn empty_arrays(cell: &Cell) {
    for shape in [[0, 3], [3, 0]] {
        set(cell, &real(cell, &[0, 1], &[3, 2]), &shape);
    }
}
