//! Calls of `stencil` one after the other, of which each might be taken for the one before.

use arrayspan_kernels::bridge::Relayout;
use arrayspan_kernels::{Stencil, Update};

use crate::cell::Cell;
use crate::reference::{self, Tensor};
use crate::sample::Form;
use crate::stencil::{check, difference, with_edges};

/// Calls in turns that differ in one thing each: none may be launched as another was before.
pub fn calls_that_differ_in_one_thing_follow_each_other(cell: &Cell) {
    let (shape, stencil) = ([6, 32], Stencil::along(1, difference(32)).unwrap());
    let others =
        [Stencil::along(1, with_edges(32)).unwrap(), Stencil::along(0, difference(6)).unwrap()];
    for round in 0..3 {
        let call = |stencil: &Stencil, shape: &[usize], forms: [Form; 2], update: Update| {
            let x = cell.random(shape, forms[0], 90 + round);
            let mut y = cell.random(shape, forms[1], 95 + round);
            check(cell, stencil, &x, &mut y, update);
        };
        let plain = [Form::Plain; 2];
        call(&stencil, &shape, plain, Update::set());
        for update in
            [Update::new(2.0, 0.0), Update::add(), Update::new(cell.number(1.0, 2.0), 0.0)]
        {
            call(&stencil, &shape, plain, update);
        }
        for forms in [[Form::Inside, Form::Plain], [Form::Plain, Form::Reversed], [Form::Mixed; 2]]
        {
            call(&stencil, &shape, forms, Update::set());
        }
        for other in &others {
            call(other, &shape, plain, Update::set());
        }
        call(&stencil, &[7, 32], plain, Update::set());
    }
}

/// Parts of one block that begin where wide accesses are aligned, and where they are not.
pub fn calls_of_parts_that_are_aligned_otherwise_follow_each_other(cell: &Cell) {
    let stencil = Stencil::along(0, difference(64)).unwrap();
    let whole = cell.random(&[80], Form::Plain, 99);
    for round in 0..2 {
        for start in [0, 1, 2, 4, 5, 16] {
            let mut y = cell.unreadable(&[64], Form::Plain);
            let part = whole.view().sliced(0, start, 64).unwrap();
            let values = whole.tensor.values[start..start + 64].to_vec();
            let tensor = Tensor::new(&[64], values);
            let expected = reference::stencil(&stencil, &tensor, &y.tensor, Update::set());
            cell.executor.stencil(&stencil, part, y.view_mut(), Update::set()).unwrap();
            cell.check(&y, &expected, &format!("round {round} from {start}"));
        }
    }
}
