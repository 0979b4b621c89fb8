//! What sparse matrices do with old content, and factors and weights far from one.

use arrayspan_kernels::{Gather, Update};
use num_complex::Complex64;

use super::gather::{Kind, check, drawn};
use crate::cell::Cell;
use crate::reference;
use crate::sample::{FORMS, Form, Sample};

pub fn what_was_there_is_scaled_and_added(cell: &Cell) {
    for axis in 0..2 {
        for (lengths, kind) in
            [(vec![1; 9], Kind::Ones), (vec![2; 9], Kind::Real), (vec![0, 1, 30], Kind::Real)]
        {
            let gather = drawn(axis, 8, &lengths, kind, 25);
            let range = gather.range_of(&[8, 8]).unwrap();
            for update in [
                Update::add(),
                Update::new(-0.5, 1.0),
                Update::new(1.0, 2.0),
                Update::new(cell.number(0.5, 0.25), cell.number(-2.0, 1.5)),
            ] {
                for form in [Form::Plain, Form::Mixed] {
                    let x = cell.random(&[8, 8], Form::Plain, 26);
                    check(cell, &gather, &x, &mut cell.random(&range, form, 27), update);
                }
            }
        }
    }
}

pub fn beta_zero_reads_nothing(cell: &Cell) {
    for axis in 0..2 {
        for lengths in [vec![1; 5], vec![3; 5], vec![0, 100, 2]] {
            let gather = drawn(axis, 6, &lengths, Kind::Real, 28);
            let range = gather.range_of(&[6, 6]).unwrap();
            for form in FORMS {
                let x = cell.random(&[6, 6], Form::Plain, 29);
                let update = Update::new(cell.number(2.0, -1.0), 0.0);
                check(cell, &gather, &x, &mut cell.unreadable(&range, form), update);
            }
        }
    }
}

/// Products of factors and weights alone would be no numbers of Float32.
pub fn factors_and_weights_far_from_one(cell: &Cell) {
    for (factor, size) in [(1e-20, 1e-20), (1e20, 1e20), (1e-30, 1e30)] {
        for (axis, shape) in [(0, [6, 4]), (1, [4, 6])] {
            let weights = [2.0, -1.0, 0.5, 3.0].map(|weight| Complex64::from(weight * size));
            let (starts, indices) = (vec![0, 2, 4], vec![1, 5, 5, 0]);
            let gather =
                Gather::new(axis, &[2], &[6], starts, indices, Some(weights.to_vec())).unwrap();
            let large = 1.0 / size;
            let plain = cell.random(&shape, Form::Plain, 30);
            let values = plain.tensor.values.iter();
            // What Float32 holds.
            let narrow = |part: f64| f64::from((part * large) as f32);
            let values = values.map(|v| Complex64::new(narrow(v.re), narrow(v.im))).collect();
            let tensor = reference::Tensor::new(&shape, values);
            let x = Sample::new(cell, &tensor, Form::Plain);
            let y = gather.range_of(&shape).unwrap();
            let update = Update::new(factor, 0.0);
            check(cell, &gather, &x, &mut cell.unreadable(&y, Form::Plain), update);
        }
    }
}
