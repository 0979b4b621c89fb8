//! `gather` along the last axis: columns far apart, and neighbouring ones of several entries.

use arrayspan_kernels::bridge::devices::DeviceKind;
use arrayspan_kernels::{Gather, Update};
use num_complex::Complex64;

use crate::cell::{self, Cell};
use crate::gather::{Kind, check, drawn, set};
use crate::sample::Form;

/// Along the last axis, of more lines than a device has processors.
pub fn rows_of_columns_far_apart(cell: &Cell) {
    let shapes: [(&[usize], usize); 3] =
        [(&[203, 97], 97), (&[7, 29, 131], 300), (&[140, 1031], 64)];
    for (seed, (shape, rows)) in (0..).zip(shapes) {
        let (axis, extent) = (shape.len() - 1, shape[shape.len() - 1]);
        let of = |lengths: &[usize], weights| drawn(axis, extent, lengths, weights, seed);
        let all: Vec<usize> = (0..extent).map(|at| at * 37 % extent).collect();
        let some: Vec<usize> = (0..rows.max(extent / 4)).map(|row| 1 + row % 2).collect();
        let matrices = [
            Gather::pick(axis, extent, &*all).unwrap(),
            Gather::pick(axis, extent, &*all).unwrap().adjoint(),
            of(&some, Kind::Real),
            of(&vec![1; rows.max(extent)], Kind::Ones),
            of(&vec![3; rows.max(extent)], Kind::Complex),
        ];
        let matrices = matrices.iter().filter(|matrix| matrix.is_real() || cell.is_complex());
        for (number, matrix) in matrices.enumerate() {
            set(cell, matrix, shape, seed);
            let forms = [Form::Plain, Form::Inside, Form::Reversed];
            let x = cell.random(shape, forms[number % 2], seed);
            let range = matrix.range_of(shape).unwrap();
            let mut y = cell.random(&range, forms[number % 3], seed + 1);
            check(cell, matrix, &x, &mut y, Update::new(0.5, -2.0));
        }
    }
}

/// Rows of several entries, of which some are empty and others long, for so many lines that a thread takes several of these.
pub fn uneven_rows_of_many_lines(cell: &Cell) {
    let (lines, extent, rows) = match cell.executor.device().kind() {
        DeviceKind::Cuda => ([331, 67, 9], 1201, 1301),
        _ => ([29, 11, 3], 331, 401),
    };
    for (seed, lines) in (0..).zip(lines) {
        let lengths: Vec<usize> = (0..rows).map(|row| row * 7 % 41).collect();
        let long: Vec<usize> = (0..rows).map(|row| if row % 97 == 0 { 100 } else { 12 }).collect();
        let shape = [lines, extent];
        let matrices = [
            drawn(1, extent, &lengths, Kind::Real, seed),
            drawn(1, extent, &long, Kind::Ones, seed),
            drawn(1, extent, &lengths, Kind::Complex, seed),
        ];
        let matrices = matrices.iter().filter(|matrix| matrix.is_real() || cell.is_complex());
        for (number, matrix) in matrices.enumerate() {
            set(cell, matrix, &shape, seed);
            let forms = [Form::Plain, Form::Inside, Form::Reversed];
            let x = cell.random(&shape, forms[number], seed);
            let range = matrix.range_of(&shape).unwrap();
            let mut y = cell.random(&range, forms[(number + 1) % 3], seed + 1);
            check(cell, matrix, &x, &mut y, Update::new(0.5, -2.0));
        }
    }
}

/// More rows than a device needs that are all long: a few threads share each.
pub fn many_long_rows_of_a_vector(cell: &Cell) {
    let rows = (1 << 16) + 3;
    let lengths: Vec<usize> = (0..rows).map(|row| 65 + row % 5).collect();
    let matrix = drawn(0, 5001, &lengths, Kind::Real, 4);
    set(cell, &matrix, &[5001], 4);
    if cell.executor.device().kind() == DeviceKind::Cuda {
        set(cell, &matrix, &[5001, 3], 5);
    }
}

/// Rows between two columns each, as many as columns or fewer: interpolation.
fn between(axis: usize, extent: usize, rows: usize) -> Gather {
    let step = (extent as f64 - 1.5).max(0.0) / rows as f64;
    let places = (0..rows).map(|row| row as f64 * step + 0.125);
    let (mut starts, mut indices, mut weights) = (vec![0], vec![], vec![]);
    for place in places {
        let (column, part) = (place.floor() as usize, place.fract());
        indices.extend([column, (column + 1).min(extent - 1)]);
        weights.extend([1.0 - part, part].map(Complex64::from));
        starts.push(indices.len());
    }
    Gather::new(axis, &[rows], &[extent], starts, indices, Some(weights)).unwrap()
}

/// Enough rows that threads take several of several runs each, which begin at odd places.
pub fn neighbouring_columns_of_many_rows(cell: &Cell) {
    let device = cell.executor.device();
    let shapes: [&[usize]; 3] = match device.kind() {
        DeviceKind::Cpu => [&[2, 11, 13], &[13, 17], &[17, 16]],
        DeviceKind::Cuda => [&[2, 641, 1751], &[67, 1031], &[64, 1040]],
        _ => [&[3, 41, 643], &[67, 1031], &[64, 1040]],
    };
    for (seed, shape) in (50..).zip(shapes) {
        let axis = shape.len() - 2;
        for rows in [shape[axis], shape[axis] / 2] {
            let gather = between(axis, shape[axis], rows);
            set(cell, &gather, shape, seed);
            let range = gather.range_of(shape).unwrap();
            set(cell, &gather.adjoint(), &range, seed);
            let (x, mut y) = (
                cell.random(shape, Form::Inside, seed),
                cell.random(&range, Form::Plain, seed + 1),
            );
            check(cell, &gather, &x, &mut y, Update::new(0.5, -2.0));
        }
    }
}

pub fn neighbouring_columns_of_every_size(cell: &Cell) {
    // Kernels know how long a line is, and some compilers are slow.
    let step = if cell::compiles_slowly(cell.executor.device()) { 23 } else { 1 };
    for extent in (1..=70).step_by(step) {
        for (axis, shape) in [(0, [extent, 3]), (1, [5, extent]), (1, [150, extent])] {
            let gather = between(axis, extent, extent);
            set(cell, &gather, &shape, 60);
            let x = cell.random(&shape, Form::Inside, 61);
            let mut y = cell.random(&shape, Form::Inside, 62);
            check(cell, &gather.adjoint(), &x, &mut y, Update::add());
        }
    }
}
