//! Inputs of sums of stencils: several, parts of one, repeated ones.

use arrayspan_kernels::bridge::{Relayout, View};
use arrayspan_kernels::{Stencil, StencilTerm, Update};

use super::stencil_sum::{Term, check, difference, second};
use crate::cell::Cell;
use crate::reference::{self, Summand, Tensor};
use crate::sample::{Form, Sample};

/// What the adjoint of a stack of derivatives along all axes does: one input for each.
pub fn several_inputs(cell: &Cell) {
    for shape in [&[23][..], &[9, 14], &[1, 6], &[6, 1], &[33, 65], &[5, 7, 6], &[3, 5, 4, 6]] {
        let inputs: Vec<Sample> =
            (0..shape.len()).map(|n| cell.random(shape, Form::Plain, n as u64)).collect();
        let along = |axis: usize| Stencil::along(axis, difference(shape[axis]).adjoint()).unwrap();
        let mut terms: Vec<Term<'_>> =
            inputs.iter().enumerate().map(|(axis, x)| Term::new(&along(axis), x)).collect();
        let mut y = cell.unreadable(shape, Form::Plain);
        check(cell, &terms, &mut y, Update::set(), "divergence");
        terms.truncate(3);
        let all = Stencil::new(shape.iter().copied().map(second).enumerate()).unwrap();
        let x = cell.random(shape, Form::Inside, 9);
        terms.push(Term::new(&all, &x));
        let update = Update::new(cell.number(-0.5, 1.0), 2.0);
        check(cell, &terms, &mut cell.random(shape, Form::Plain, 10), update, "and a Laplacian");
    }
}

/// The parts of one array, one after the other, as those of stacked data are.
pub fn parts_of_one_array(cell: &Cell) {
    for shape in [[6, 5], [16, 16], [33, 7], [1, 9]] {
        let stacked = cell.random(&[2 * shape[0], shape[1]], Form::Plain, 1);
        let part = |at: usize| stacked.view().sliced(0, at * shape[0], shape[0]).unwrap();
        let tensor = |at: usize| {
            let len = shape[0] * shape[1];
            Tensor::new(&shape, stacked.tensor.values[at * len..][..len].to_vec())
        };
        let along = |axis: usize| Stencil::along(axis, difference(shape[axis])).unwrap();
        let parts = [(along(0), tensor(0)), (along(1), tensor(1))];
        let summand = |at: usize| {
            let (stencil, x): &(Stencil, Tensor) = &parts[at];
            Summand { stencil, x, before: None, after: None }
        };
        let mut y = cell.unreadable(&shape, Form::Plain);
        let expected = reference::stencil_sum(&[summand(0), summand(1)], &y.tensor, Update::set());
        let terms = [0, 1].map(|at| StencilTerm::new(&parts[at].0, part(at)));
        cell.executor.stencil_sum(&terms, y.view_mut(), Update::set()).unwrap();
        cell.check(&y, &expected, &format!("{shape:?}"));
    }
}

/// An input that repeats elements.
pub fn repeated_inputs(cell: &Cell) {
    let shape = [7, 6];
    let row = cell.random(&[6], Form::Plain, 1);
    let z = cell.random(&shape, Form::Plain, 2);
    let along = |axis: usize| Stencil::along(axis, difference(shape[axis])).unwrap();
    let repeated = row.tensor.broadcast(&shape);
    let mut y = cell.unreadable(&shape, Form::Plain);
    let (stencil, other) = (along(1), along(0));
    let summands = [
        Summand { stencil: &stencil, x: &repeated, before: None, after: None },
        Summand { stencil: &other, x: &z.tensor, before: None, after: None },
    ];
    let expected = reference::stencil_sum(&summands, &y.tensor, Update::set());
    let view: View<'_> = row.view().broadcast(&shape).unwrap();
    let terms = [StencilTerm::new(&stencil, view), StencilTerm::new(&other, z.view())];
    cell.executor.stencil_sum(&terms, y.view_mut(), Update::set()).unwrap();
    cell.check(&y, &expected, "a repeated row");
}
