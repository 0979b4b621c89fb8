//! What stencils do with old content, and factors and updates far from one.

use arrayspan_kernels::{Band, Stencil, Update};

use super::stencil::{check, filter, with_edges};
use crate::cell::Cell;
use crate::reference;
use crate::sample::{FORMS, Form, Sample};

pub fn what_was_there_is_scaled_and_added(cell: &Cell) {
    let stencil = Stencil::new([(0, with_edges(8)), (1, filter(9, 12))]).unwrap();
    for update in [
        Update::add(),
        Update::new(-0.5, 1.0),
        Update::new(1.0, 2.0),
        Update::new(cell.number(0.5, 0.25), cell.number(-2.0, 1.5)),
    ] {
        for form in FORMS {
            let x = cell.random(&[8, 9], Form::Plain, 11);
            check(cell, &stencil, &x, &mut cell.random(&[8, 9], form, 12), update);
        }
    }
}

/// A factor may leave the range of a dtype with a weight, and come back with the array.
pub fn factors_far_from_one(cell: &Cell) {
    let shape = [37, 5];
    let power = |n| f64::powi(2.0, n);
    let far = [(100, 100, power(-110)), (-100, -80, power(100)), (100, 70, 0.0)];
    for (weight, alpha, x) in far.map(|(weight, alpha, x)| (power(weight), power(alpha), x)) {
        let stencil = Stencil::along(0, Band::uniform(37, [(-1, -weight), (2, 3.0 * weight)]));
        let x = Sample::new(cell, &reference::Tensor::filled(&shape, x), Form::Plain);
        let mut y = cell.unreadable(&shape, Form::Plain);
        check(cell, &stencil.unwrap(), &x, &mut y, Update::new(alpha, 0.0));
    }
}

pub fn beta_zero_reads_nothing(cell: &Cell) {
    for shape in [[30, 4], [4, 30]] {
        let stencil = Stencil::new((0..2).map(|axis| (axis, filter(shape[axis], 11)))).unwrap();
        for form in FORMS {
            let x = cell.random(&shape, Form::Plain, 13);
            let mut y = cell.unreadable(&shape, form);
            check(cell, &stencil, &x, &mut y, Update::new(cell.number(2.0, -1.0), 0.0));
        }
    }
}
