//! `filter`: long filters, by transforms of blocks.

use arrayspan_kernels::{Filter, Update};
use num_complex::Complex64;

use crate::cell::{Cell, compiles_slowly};
use crate::reference::{Expected, Tensor};
use crate::sample::{FORMS, Form, Random, Sample};

/// Taps of either sign, complex ones of complex arrays.
fn filter(cell: &Cell, axis: usize, taps: usize, offset: usize) -> Filter {
    let mut random = Random(taps as u64 + 1);
    let taps: Vec<Complex64> =
        (0..taps).map(|_| cell.number(random.next(), random.next())).collect();
    Filter::new(axis, &taps, offset).unwrap()
}

/// The sums of products. All that a block holds adds to rounding errors: those of its largest sample.
fn reference(filter: &Filter, x: &Tensor, y: &Tensor, update: Update) -> Expected {
    let (extent, axis) = (x.shape[filter.axis()], filter.axis());
    let behind: usize = x.shape[axis + 1..].iter().product();
    let largest = x.values.iter().map(|x| x.norm()).fold(0.0, f64::max);
    let all: f64 = filter.taps().iter().map(|tap| tap.norm()).sum();
    let [alpha, beta] = update.known().unwrap();
    let element = |place: usize| {
        let at = place / behind % extent;
        let taps = filter.taps().iter().enumerate().filter_map(|(k, tap)| {
            let from = (at + filter.offset()).checked_sub(k).filter(|from| *from < extent)?;
            Some(tap * x.values[place - at * behind + from * behind])
        });
        let before = if update.reads() { beta * y.values[place] } else { Complex64::ZERO };
        (alpha * taps.sum::<Complex64>() + before, alpha.norm() * largest * all + before.norm())
    };
    let (values, scale) = (0..x.values.len()).map(element).unzip();
    Expected { result: Tensor::new(&x.shape, values), scale, terms: 12 }
}

/// Compares with them.
#[track_caller]
fn check(cell: &Cell, filter: &Filter, x: &Sample, y: &mut Sample, update: Update) {
    let expected = reference(filter, &x.tensor, &y.tensor, update);
    cell.executor.filter(filter, x.view(), y.view_mut(), update).unwrap();
    let (count, offset) = (filter.taps().len(), filter.offset());
    let what =
        format!("{count} taps from {offset}, axis {} of {:?}", filter.axis(), x.tensor.shape);
    cell.check(y, &expected, &what);
    x.check_unchanged(cell);
}

#[track_caller]
fn set(cell: &Cell, filter: &Filter, shape: &[usize]) {
    let x = cell.random(shape, Form::Plain, 5);
    check(cell, filter, &x, &mut cell.unreadable(shape, Form::Plain), Update::set());
}

pub fn along_every_axis(cell: &Cell) {
    let shapes: [&[usize]; 4] = [&[67, 35], &[3, 200, 5], &[1009], &[5, 1, 3, 130]];
    for (turn, shape) in shapes.into_iter().enumerate() {
        for axis in 0..shape.len() {
            if slowly(cell) && (turn + axis) % 3 > 0 {
                continue;
            }
            let filters = [(41, 20), (130, 0), (33, 32)];
            let few = if slowly(cell) { 1 } else { 3 };
            for (taps, offset) in filters.into_iter().cycle().skip(turn).take(few) {
                set(cell, &filter(cell, axis, taps, offset), shape);
            }
        }
    }
}

fn slowly(cell: &Cell) -> bool {
    compiles_slowly(cell.executor.device())
}

/// One tap, two, and so many that a block of the largest size has as many results.
pub fn as_few_and_as_many_taps_as_there_may_be(cell: &Cell) {
    let most = Filter::most_taps(cell.dtype);
    let few = if slowly(cell) { 1 } else { 3 };
    for (taps, offset) in [(most, most / 3), (1, 0), (2, 1)].into_iter().take(few) {
        set(cell, &filter(cell, 0, taps, offset), &[most + 77, 3]);
        set(cell, &filter(cell, 1, taps, offset), &[3, 2 * most + 5]);
    }
}

/// Axes of one element, and of less than the taps reach.
pub fn axes_shorter_than_the_taps(cell: &Cell) {
    for len in [1, 2, 7, 40] {
        for offset in [0, 17, 50] {
            set(cell, &filter(cell, 1, 51, offset), &[4, len]);
        }
    }
}

/// Several blocks along lines that are many.
pub fn long_arrays(cell: &Cell) {
    set(cell, &filter(cell, 0, 301, 150), &[2003, 37]);
    set(cell, &filter(cell, 1, 301, 20), &[37, 2003]);
    // Seven parts of the largest size, of which the last has no other beside it.
    set(cell, &filter(cell, 1, 1001, 500), &[2, 20_011]);
}

pub fn layouts_do_not_matter(cell: &Cell) {
    for (at, form) in FORMS.into_iter().enumerate() {
        let forms = [form, FORMS[(at + 1) % FORMS.len()]];
        let shape = [31, 5, 29];
        let [x, mut y] = [0, 1].map(|k| cell.random(&shape, forms[k], k as u64));
        let update = Update::new(cell.number(0.5, 0.25), -2.0);
        check(cell, &filter(cell, at % 3, 45, 11), &x, &mut y, update);
    }
}

/// What an output held is not read, unless it is asked for.
pub fn the_adjoint_satisfies_the_dot_test(cell: &Cell) {
    let own = filter(cell, 0, 77, 30);
    let dot = |a: &[Complex64], b: &[Complex64]| -> Complex64 {
        a.iter().zip(b).map(|(a, b)| a.conj() * b).sum()
    };
    let [x, y] = [1, 2].map(|seed| cell.random(&[150, 3], Form::Plain, seed));
    let apply = |filter: &Filter, of: &Sample| -> Vec<Complex64> {
        let mut to = cell.unreadable(&[150, 3], Form::Plain);
        cell.executor.filter(filter, of.view(), to.view_mut(), Update::set()).unwrap();
        to.read(cell).values
    };
    let [forward, back] = [
        dot(&y.tensor.values, &apply(&own, &x)),
        dot(&apply(&own.adjoint(), &y), &x.tensor.values),
    ];
    let size = 450.0 * own.taps().iter().map(|tap| tap.norm()).sum::<f64>();
    let epsilon = if cell.dtype.real().bits() == 32 { f32::EPSILON.into() } else { f64::EPSILON };
    assert!((forward - back).norm() <= 16.0 * epsilon * size, "{forward} and {back}");
}

pub fn empty_arrays(cell: &Cell) {
    for shape in [[0, 3], [3, 0]] {
        set(cell, &filter(cell, 0, 5, 2), &shape);
    }
}

/// Lines of others do not see what is no number, nor do results of other blocks.
pub fn lines_do_not_see_each_other(cell: &Cell) {
    let own = filter(cell, 0, 9, 4);
    let mut x = cell.random(&[100, 7], Form::Plain, 3).tensor;
    x.values[7 * 50 + 3] = cell.number(f64::NAN, 0.0);
    x.values[7 * 20 + 6] = cell.number(f64::INFINITY, 0.0);
    let x = Sample::new(cell, &x, Form::Plain);
    let mut y = cell.unreadable(&[100, 7], Form::Plain);
    cell.executor.filter(&own, x.view(), y.view_mut(), Update::set()).unwrap();
    for (place, value) in y.read(cell).values.iter().enumerate() {
        let reached = [(3, 50_usize), (6, 20)]
            .iter()
            .any(|(line, at)| place % 7 == *line && (place / 7).abs_diff(*at) <= 4);
        assert!(!reached || !value.re.is_finite(), "place {place}: {value}");
        assert!([3, 6].contains(&(place % 7)) || value.re.is_finite(), "place {place}: {value}");
    }
}
