//! `stencil` with one filter of ten to 128 taps: rows as one line, without and with zeros between them, and columns in parts.

use arrayspan_kernels::bridge::devices::Device;
use arrayspan_kernels::bridge::{Array, DType, Element};
use arrayspan_kernels::{Band, Stencil, Update, on};
use num_complex::Complex32;

use crate::cell::{self, Cell};
use crate::reference;
use crate::sample::Form;
use crate::stencil_band::derivative;

/// Whole numbers and few bits, so that no order of additions rounds differently.
fn filter(len: usize, left: isize, right: isize) -> Band {
    Band::uniform(len, (-left..=right).map(|k| (k, 0.25 + 0.0625 * (k.rem_euclid(7)) as f64)))
}

/// Rows, and how far filters reach before and behind: to either side, to one, and away from their own place. The first are just
/// long enough to be one line without zeros between, or just too short; the last as short as rows can be that are one.
const ROWS: [(usize, isize, isize); 11] = [
    (140, 10, 10),
    (139, 10, 10),
    (3367, 70, 30),
    (3331, 4, 5),
    (80, 15, 0),
    (79, 0, 15),
    (147, 40, -30),
    (146, -30, 40),
    (769, 64, 63),
    (64, 64, -20),
    (12, 10, 11),
];

pub fn rows_one_behind_the_other(cell: &Cell) {
    let few = if cell::compiles_slowly(cell.executor.device()) { 2 } else { ROWS.len() };
    for (turn, (len, left, right)) in ROWS.into_iter().take(few).enumerate() {
        let stencil = Stencil::along(1, filter(len, left, right)).unwrap();
        // The last group has few places, or all but a few.
        let forms = if turn % 4 == 3 { [Form::Inside, Form::Plain] } else { [Form::Plain; 2] };
        for rows in [1, 2, 7681 / len + 2, 9216_usize.div_ceil(len)] {
            let update = if turn % 3 == 2 { Update::new(2.0, -0.5) } else { Update::set() };
            let x = cell.random(&[rows, len], forms[0], 1);
            let mut y = cell.random(&[rows, len], forms[1], 2);
            if !update.reads() {
                y = cell.unreadable(&[rows, len], forms[1]);
            }
            let expected = reference::stencil(&stencil, &x.tensor, &y.tensor, update);
            cell.executor.stencil(&stencil, x.view(), y.view_mut(), update).unwrap();
            cell.check(&y, &expected, &format!("{rows} rows of {len}, reach {left}, {right}"));
            x.check_unchanged(cell);
        }
    }
}

/// A value that is no number, and one that is not finite, near the ends of rows: rows beside do not see them.
pub fn neighbouring_rows_do_not_see_each_other(cell: &Cell) {
    // Without zeros between rows, and with them.
    for len in [131, 61] {
        alone(cell, 60, len);
    }
}

fn alone(cell: &Cell, rows: usize, len: usize) {
    let band = filter(len, 7, 9);
    let stencil = Stencil::along(1, band.clone()).unwrap();
    let mut x = cell.random(&[rows, len], Form::Plain, 3).tensor;
    let odd = [(0, 0), (7, len - 1), (8, 3), (23, 0), (24, len - 2), (59, len - 1)];
    for (k, (row, column)) in odd.into_iter().enumerate() {
        let value = if k % 2 == 0 { f64::NAN } else { f64::INFINITY };
        x.values[row * len + column] = cell.number(value, 0.0);
    }
    let x = crate::sample::Sample::new(cell, &x, Form::Plain);
    let mut y = cell.unreadable(&[rows, len], Form::Plain);
    cell.executor.stencil(&stencil, x.view(), y.view_mut(), Update::set()).unwrap();
    let found = y.read(cell);
    for row in 0..rows {
        for column in 0..len {
            let reaches = |at: usize| {
                band.row(column).iter().any(|tap| column.checked_add_signed(tap.offset) == Some(at))
            };
            let reached = odd.iter().any(|(other, at)| *other == row && reaches(*at));
            let finite = found.values[row * len + column].re.is_finite();
            assert_eq!(finite, !reached, "row {row}, column {column}");
        }
    }
}

/// The host's result and the device's, element by element.
fn compare<T: Element + PartialEq>(
    cell: &Cell,
    shape: &[usize],
    number: impl Fn(usize) -> T,
    (axis, band): (usize, Band),
    update: Update<'_>,
) {
    let len = shape.iter().product();
    let values = |seed: usize| (0..len).map(|i| number((i * 37 + seed) % 101)).collect::<Vec<_>>();
    let [x, y] = [0, 5].map(|seed| Array::from_slice(&values(seed), shape).unwrap());
    let what = format!("{shape:?}, axis {axis}, reach {:?}", band.reach());
    let stencil = Stencil::along(axis, band).unwrap();
    let result = |device: Device| {
        let executor = on(device).unwrap();
        let [x, mut y] = [&x, &y].map(|array| array.to(device).unwrap().0);
        executor.stencil(&stencil, x.view(), y.view_mut(), update).unwrap();
        y.view().to_vec::<T>().unwrap()
    };
    let (found, expected) = (result(cell.executor.device()), result(Device::cpu()));
    let differing = found.iter().zip(&expected).position(|(found, expected)| found != expected);
    assert_eq!(differing, None, "{what}");
}

fn compare_numbers(cell: &Cell, shape: &[usize], term: (usize, Band), update: Update<'_>) {
    match cell.dtype {
        DType::Float32 => compare(cell, shape, |i| i as f32, term, update),
        DType::Float64 => compare(cell, shape, |i| i as f64, term, update),
        DType::Complex64 => {
            let number = |i: usize| Complex32::new(i as f32, 50.0 - i as f32);
            compare(cell, shape, number, term, update);
        }
        // Goes by tiles, as others test.
        _ => {}
    }
}

/// So many columns that every processor of a large device has some.
const COLUMNS: usize = 68_003;

pub fn columns_in_parts(cell: &Cell) {
    let shapes: [(&[usize], usize); 4] = [
        (&[67, COLUMNS], 0),
        (&[2, 149, COLUMNS / 2], 1),
        (&[3, 64, 23_003], 1),
        (&[257, 17_001], 0),
    ];
    let reaches = [(20, 20), (0, 30), (31, 9), (50, 50), (15, 12), (30, 33), (30, -5)];
    let slow = cell::compiles_slowly(cell.executor.device());
    for (turn, (shape, axis)) in shapes.into_iter().take(if slow { 2 } else { 4 }).enumerate() {
        for k in 0..if slow { 1 } else { 3 } {
            let (left, right) = reaches[(3 * turn + k) % reaches.len()];
            let term = (axis, filter(shape[axis], left, right));
            let update = if k == 1 { Update::new(2.0, -0.5) } else { Update::set() };
            compare_numbers(cell, shape, term, update);
        }
    }
}

/// Products of a derivative and a filter: rows near the ends differ in few columns, or few rows do; with a tap at every place
/// and, where the filter is symmetric, without one in the middle.
pub fn columns_in_parts_with_rows_of_their_own_near_the_ends(cell: &Cell) {
    let shapes: [(&[usize], usize); 3] =
        [(&[67, COLUMNS], 0), (&[2, 149, COLUMNS / 2], 1), (&[257, 17_001], 0)];
    let slow = cell::compiles_slowly(cell.executor.device());
    for (turn, (shape, axis)) in shapes.into_iter().take(if slow { 2 } else { 3 }).enumerate() {
        let len = shape[axis];
        let symmetric =
            Band::uniform(len, (-20..=20).map(|k| (k, if k % 2 == 0 { 1.0 } else { 0.5 })));
        let (plain, one_sided) = (derivative(len, false), derivative(len, true));
        let product = filter(len, 20, 20).after(&plain).unwrap();
        let bands = [
            product.transpose(),
            product,
            symmetric.after(&one_sided).unwrap(),
            filter(len, 3, 27).after(&one_sided).unwrap().transpose(),
            plain.after(&filter(len, 12, 18)).unwrap(),
            one_sided.after(&filter(len, 31, 30)).unwrap().transpose(),
        ];
        for k in 0..if slow { 1 } else { 4 } {
            let update = if k == 1 { Update::new(2.0, -0.5) } else { Update::set() };
            let band = &bands[if slow { turn } else { 4 * turn + k } % bands.len()];
            compare_numbers(cell, shape, (axis, band.clone()), update);
        }
    }
}
