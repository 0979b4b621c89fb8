//! `stencil` with one band, at every size up to 70 along every axis, with rows that begin at even and at odd places: what a
//! sanitizer is to look at, too (`stencil_band` selects these cases).

use arrayspan_kernels::bridge::devices::Device;
use arrayspan_kernels::bridge::{Array, DType};
use arrayspan_kernels::{Band, Stencil, Tap, Update, on};

use crate::cell::{self, Cell};
use crate::reference;
use crate::sample::Form;

/// Sizes along the band's axis, and lines beside it: more than a group takes.
const MOST: usize = 70;
const LINES: usize = 67;

fn filter(len: usize, left: isize, right: isize) -> Band {
    Band::uniform(len, (-left..=right).map(|k| (k, 0.25 + 0.0625 * (k % 7) as f64)))
}

/// A derivative with first and last rows of their own: none, or one-sided ones.
pub fn derivative(len: usize, one_sided: bool) -> Band {
    let tap = |(offset, weight): (isize, f64)| Tap { offset, weight: weight.into() };
    Band::from_rows(len, 1, move |i| {
        let row = match (i, one_sided) {
            (0, true) => vec![(0, -1.0), (1, 1.0)],
            (i, true) if i + 1 == len => vec![(-1, -1.0), (0, 1.0)],
            (i, false) if i == 0 || i + 1 == len => vec![],
            _ => vec![(-1, -0.5), (1, 0.5)],
        };
        row.into_iter().map(tap)
    })
}

/// Short and long, with gaps, beyond the axis, with special rows of their own and of products.
fn bands(len: usize) -> Vec<Band> {
    let after = |outer: Band, inner: &Band| outer.after(inner).unwrap();
    let (plain, one_sided) = (derivative(len, false), derivative(len, true));
    let wavelet = filter(len, 20, 20);
    let product = after(wavelet.clone(), &plain);
    let gaps = Band::uniform(len, [(-9, 0.5), (-8, 1.0), (0, -1.0), (5, 0.25)]);
    vec![
        filter(len, 10, 10),
        product.adjoint(),
        one_sided.clone(),
        filter(len, 70, 30),
        product,
        filter(len, 4, 2),
        after(filter(len, 5, 6), &one_sided).adjoint(),
        gaps,
        after(one_sided, &wavelet),
        plain.adjoint(),
        filter(len, 0, 15),
        after(filter(len, 3, 3), &plain),
        filter(len, 40, -30),
    ]
}

#[track_caller]
fn check(
    cell: &Cell,
    band: &Band,
    axis: usize,
    shape: &[usize],
    forms: [Form; 2],
    update: Update<'_>,
) {
    let stencil = Stencil::along(axis, band.clone()).unwrap();
    let x = cell.random(shape, forms[0], 1);
    let mut y = cell.random(shape, forms[1], 2);
    if !update.reads() {
        y = cell.unreadable(shape, forms[1]);
    }
    let expected = reference::stencil(&stencil, &x.tensor, &y.tensor, update);
    cell.executor.stencil(&stencil, x.view(), y.view_mut(), update).unwrap();
    let (reach, forms) = (band.reach(), forms);
    cell.check(&y, &expected, &format!("{shape:?}, axis {axis}, reach {reach:?}, {forms:?}"));
    x.check_unchanged(cell);
}

/// Sizes are shared out among the dtypes of devices, where each is a kernel of its own.
fn sizes(cell: &Cell) -> impl Iterator<Item = usize> {
    let dtypes = [DType::Float32, DType::Float64, DType::Complex64, DType::Complex128];
    let turn = dtypes.iter().position(|dtype| *dtype == cell.dtype).unwrap_or(0);
    let device = cell.executor.device();
    let slow = cell::compiles_slowly(device);
    let is_one = move |len: &usize| match (device.is_cpu(), slow) {
        (true, _) => true,
        (false, false) => len % 4 == turn,
        (false, true) => len % 12 == 4 + turn,
    };
    (1..=MOST).filter(is_one)
}

/// Every size meets some of the bands in turn, and every band many sizes.
fn each(cell: &Cell, check: impl Fn(usize, &Band, usize)) {
    for (turn, len) in sizes(cell).enumerate() {
        let bands = bands(len);
        let few = if cell.executor.device().is_cpu() { bands.len() } else { 2 };
        for band in 0..few {
            check(len, &bands[(few * turn + band) % bands.len()], turn + band);
        }
    }
}

const FORMS: [[Form; 2]; 3] =
    [[Form::Plain, Form::Plain], [Form::Inside, Form::Plain], [Form::Plain, Form::Inside]];

fn update(turn: usize) -> Update<'static> {
    if turn % 3 == 2 { Update::new(2.0, -0.5) } else { Update::set() }
}

pub fn every_size_along_the_last_axis(cell: &Cell) {
    each(cell, |len, band, turn| {
        check(cell, band, 1, &[LINES, len], FORMS[turn % 3], update(turn));
    });
}

pub fn every_size_along_the_first_axis(cell: &Cell) {
    each(cell, |len, band, turn| {
        check(cell, band, 0, &[len, LINES], FORMS[turn % 3], update(turn));
    });
}

pub fn every_size_along_an_axis_between(cell: &Cell) {
    each(cell, |len, band, turn| {
        check(cell, band, 1, &[3, len, 33], FORMS[turn % 3], update(turn));
    });
}

/// Fewer elements than a group has threads, or not much more: none of them may be updated by several threads.
pub fn few_rows_are_updated_once(cell: &Cell) {
    let slow = cell::compiles_slowly(cell.executor.device());
    let shapes = [[5, 14], [60, 71], [1, 9], [3, 341], [13, 127]];
    for (turn, shape) in shapes.into_iter().take(if slow { 2 } else { 5 }).enumerate() {
        let bands = [Band::uniform(shape[1], [(2, 0.5)]), derivative(shape[1], true)];
        for update in [Update::new(1.0, 1.0), Update::new(0.5, 0.75)] {
            check(cell, &bands[turn % 2], 1, &shape, FORMS[0], update);
        }
    }
}

/// Without gaps between them, and so many that a device is busy with whole runs.
pub fn many_rows_at_odd_places_across_the_band(cell: &Cell) {
    let slow = cell::compiles_slowly(cell.executor.device());
    let cases: [(usize, &[usize]); 5] = [
        (0, &[263, 521]),
        (1, &[3, 131, 263]),
        (0, &[131, 522]),
        (1, &[5, 67, 253]),
        (0, &[5, 3, 67, 101]),
    ];
    for (turn, (axis, shape)) in cases.into_iter().enumerate() {
        let len = shape[axis];
        let bands = [
            derivative(len, true),
            filter(len, 2, 2),
            derivative(len, false),
            filter(len, 2, 0),
            filter(len, 1, 1).after(&derivative(len, true)).unwrap().adjoint(),
            Band::uniform(len, [(1, -1.0)]),
        ];
        for band in 0..if slow { 1 } else { 3 } {
            let band = &bands[(turn + 2 * band) % bands.len()];
            check(cell, band, axis, shape, FORMS[0], update(turn));
        }
    }
}

pub fn rows_longer_than_groups(cell: &Cell) {
    // Several groups along the axis, each with rows of its own near the ends.
    for (turn, len) in [129, 150, 289, 300, 641].into_iter().enumerate() {
        let (bands, few) = (bands(len), if cell.executor.device().is_cpu() { 13 } else { 2 });
        for band in 0..few {
            let band = &bands[(few * turn + band) % bands.len()];
            check(cell, band, 0, &[len, 35], FORMS[turn % 3], update(turn));
            check(cell, band, 1, &[35, len], FORMS[turn % 3], update(turn));
        }
    }
}

pub fn infinities_stay_in_the_rows_that_reach_them(cell: &Cell) {
    for len in [45, 64] {
        let wavelet = filter(len, 20, 20);
        let product = wavelet.after(&derivative(len, false)).unwrap();
        let short = filter(len, 2, 2).after(&derivative(len, true)).unwrap();
        for band in [product.adjoint(), product, short] {
            for (axis, shape) in [(0, [len, 7]), (1, [7, len])] {
                let stencil = Stencil::along(axis, band.clone()).unwrap();
                let mut x = cell.random(&shape, Form::Plain, 3).tensor;
                for at in [0, 1, len - 1] {
                    let place = if axis == 0 { at * 7 + 3 } else { 3 * len + at };
                    x.values[place] = cell.number(f64::INFINITY, 0.0);
                }
                let x = crate::sample::Sample::new(cell, &x, Form::Plain);
                let mut y = cell.unreadable(&shape, Form::Plain);
                cell.executor.stencil(&stencil, x.view(), y.view_mut(), Update::set()).unwrap();
                let found = y.read(cell);
                for row in 0..len {
                    let place = if axis == 0 { row * 7 + 3 } else { 3 * len + row };
                    let reached = [0, 1, len - 1].iter().any(|column| {
                        band.row(row)
                            .iter()
                            .any(|tap| row.checked_add_signed(tap.offset) == Some(*column))
                    });
                    let finite = found.values[place].re.is_finite();
                    assert_eq!(finite, !reached, "row {row} of {len}, axis {axis}");
                }
            }
        }
    }
}

pub fn more_groups_than_a_grid_takes(cell: &Cell) {
    // One dtype stands for all: the grid has nothing to do with it.
    if cell.dtype != DType::Float32 {
        return;
    }
    let shape = [65_600, 12, 16];
    let values: Vec<f32> = (0..shape.iter().product()).map(|i| ((i * 37) % 101) as f32).collect();
    let stencil = Stencil::along(1, filter(12, 6, 5)).unwrap();
    let result = |device: Device| {
        let (executor, x) = (on(device).unwrap(), Array::from_slice(&values, shape).unwrap());
        let x = x.to(device).unwrap().0;
        let mut y = executor.empty(&shape, DType::Float32).unwrap();
        executor.stencil(&stencil, x.view(), y.view_mut(), Update::set()).unwrap();
        y.view().to_vec::<f32>().unwrap()
    };
    let (found, expected) = (result(cell.executor.device()), result(Device::cpu()));
    // Whole numbers and weights of few bits: nothing is rounded.
    assert!(found == expected);
}
