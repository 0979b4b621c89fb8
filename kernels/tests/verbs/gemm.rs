//! `gemm`.

use arrayspan_kernels::Update;
use arrayspan_kernels::bridge::Relayout;

use crate::cell::Cell;
use crate::reference::{self, Tensor};
use crate::sample::{FORMS, Form, Sample};

/// The operands have rank 2, or rank 3 with a batch in front.
#[track_caller]
fn check(cell: &Cell, a: &Sample, conjugate: bool, b: &Sample, c: &mut Sample, update: Update) {
    let batched = |tensor: &Tensor| {
        let front = if tensor.shape.len() == 2 { &[1][..] } else { &[] };
        Tensor::new(&[front, &tensor.shape].concat(), tensor.values.clone())
    };
    let [x, y, z] = [&a.tensor, &b.tensor, &c.tensor].map(batched);
    let mut expected = reference::gemm(&x, conjugate, &y, &z, update);
    expected.result.shape.clone_from(&c.tensor.shape);
    cell.executor.gemm(a.view(), conjugate, b.view(), c.view_mut(), update).unwrap();
    cell.check(
        c,
        &expected,
        &format!("{:?} times {:?}, {update:?}", a.tensor.shape, b.tensor.shape),
    );
    a.check_unchanged(cell);
    b.check_unchanged(cell);
}

pub fn products_of_every_size(cell: &Cell) {
    for [m, n, k] in [
        [1, 1, 1],
        [1, 7, 5],
        [7, 1, 5],
        [7, 5, 1],
        [3, 4, 5],
        [16, 16, 16],
        [17, 31, 13],
        [33, 65, 129],
    ] {
        let (a, b) = (cell.random(&[m, k], Form::Plain, 1), cell.random(&[k, n], Form::Plain, 2));
        let mut c = cell.unreadable(&[m, n], Form::Plain);
        check(cell, &a, false, &b, &mut c, Update::set());
    }
}

/// Whatever multiplies small matrices, these are not small, save on devices with hundreds of processors the one of many
/// tiles.
pub fn sums_too_long_for_small_products(cell: &Cell) {
    for [m, n, k] in [[3, 4, 257], [17, 31, 300], [65, 1, 259], [1, 67, 259], [259, 263, 5]] {
        let (a, b) = (cell.random(&[m, k], Form::Plain, 1), cell.random(&[k, n], Form::Plain, 2));
        check(cell, &a, false, &b, &mut cell.unreadable(&[m, n], Form::Plain), Update::set());
    }
    let update = Update::new(cell.number(0.5, -1.0), cell.number(2.0, 0.5));
    for form in [Form::Plain, Form::Transposed] {
        for other in [Form::Plain, Form::Transposed, Form::Inside] {
            let (a, b) = (cell.random(&[5, 267], form, 3), cell.random(&[267, 6], other, 4));
            check(cell, &a, false, &b, &mut cell.unreadable(&[5, 6], other), Update::set());
        }
        let (a, b) = (cell.random(&[5, 267], form, 3), cell.random(&[267, 6], Form::Plain, 4));
        check(cell, &a, true, &b, &mut cell.random(&[5, 6], form, 5), update);
    }
    let (a, b) =
        (cell.random(&[3, 4, 261], Form::Plain, 6), cell.random(&[3, 261, 5], Form::Plain, 7));
    check(cell, &a, true, &b, &mut cell.random(&[3, 4, 5], Form::Plain, 8), update);
}

pub fn transposed_and_strided_views(cell: &Cell) {
    for a in FORMS {
        for b in FORMS {
            for c in [Form::Plain, Form::Transposed, Form::Mixed, Form::Reversed] {
                let (a, b) = (cell.random(&[6, 9], a, 3), cell.random(&[9, 5], b, 4));
                check(cell, &a, false, &b, &mut cell.unreadable(&[6, 5], c), Update::set());
            }
        }
    }
}

pub fn conjugated_factors(cell: &Cell) {
    for form in [Form::Plain, Form::Transposed, Form::Mixed] {
        for update in [Update::set(), Update::new(cell.number(0.5, -1.0), cell.number(2.0, 0.5))] {
            let (a, b) = (cell.random(&[7, 11], form, 5), cell.random(&[11, 6], Form::Plain, 6));
            check(cell, &a, true, &b, &mut cell.random(&[7, 6], form, 7), update);
        }
    }
    // A vector.
    let (a, b) = (cell.random(&[1, 50], Form::Plain, 8), cell.random(&[50, 1], Form::Plain, 9));
    check(cell, &a, true, &b, &mut cell.unreadable(&[1, 1], Form::Plain), Update::set());
}

pub fn batches(cell: &Cell) {
    for form in FORMS {
        let (a, b) = (cell.random(&[3, 4, 6], form, 10), cell.random(&[3, 6, 5], form, 11));
        check(cell, &a, true, &b, &mut cell.random(&[3, 4, 5], form, 12), Update::new(2.0, -1.0));
    }
    // One matrix for all of the batch.
    let (a, b) = (cell.random(&[4, 6], Form::Plain, 13), cell.random(&[3, 6, 5], Form::Plain, 14));
    let mut c = cell.unreadable(&[3, 4, 5], Form::Plain);
    let repeated = a.tensor.broadcast(&[3, 4, 6]);
    let expected = reference::gemm(&repeated, false, &b.tensor, &c.tensor, Update::set());
    let view = a.view().broadcast(&[3, 4, 6]).unwrap();
    cell.executor.gemm(view, false, b.view(), c.view_mut(), Update::set()).unwrap();
    cell.check(&c, &expected, "one matrix for all");
    // The batch not in front in memory.
    let (a, b) =
        (cell.random(&[4, 3, 6], Form::Plain, 15), cell.random(&[6, 3, 5], Form::Plain, 16));
    let mut c = cell.unreadable(&[3, 4, 5], Form::Plain);
    let [x, y] = [&a.tensor, &b.tensor].map(|tensor| tensor.permuted(&[1, 0, 2]));
    let expected = reference::gemm(&x, false, &y, &c.tensor, Update::set());
    let [x, y] = [a.view(), b.view()].map(|view| view.permuted(&[1, 0, 2]).unwrap());
    cell.executor.gemm(x, false, y, c.view_mut(), Update::set()).unwrap();
    cell.check(&c, &expected, "batch within");
}

pub fn what_was_there_is_scaled_and_added(cell: &Cell) {
    for update in [
        Update::add(),
        Update::new(-0.5, 2.0),
        Update::new(cell.number(0.5, 0.25), cell.number(-2.0, 1.5)),
    ] {
        for [m, n, k] in [[5, 6, 7], [1, 6, 7], [5, 1, 7], [5, 6, 1]] {
            let a = cell.random(&[m, k], Form::Plain, 17);
            let b = cell.random(&[k, n], Form::Plain, 18);
            check(cell, &a, false, &b, &mut cell.random(&[m, n], Form::Plain, 19), update);
        }
    }
}

pub fn beta_zero_reads_nothing(cell: &Cell) {
    for form in FORMS {
        for [m, n, k] in [[5, 6, 7], [1, 6, 7], [5, 1, 7], [5, 6, 1]] {
            let a = cell.random(&[m, k], Form::Plain, 20);
            let b = cell.random(&[k, n], Form::Plain, 21);
            let update = Update::new(cell.number(-2.0, 0.5), 0.0);
            check(cell, &a, false, &b, &mut cell.unreadable(&[m, n], form), update);
        }
    }
}

pub fn no_inner_extent(cell: &Cell) {
    let (a, b) = (cell.random(&[4, 0], Form::Plain, 22), cell.random(&[0, 3], Form::Plain, 23));
    check(cell, &a, false, &b, &mut cell.unreadable(&[4, 3], Form::Mixed), Update::set());
    let update = Update::new(1.0, -2.0);
    check(cell, &a, false, &b, &mut cell.random(&[4, 3], Form::Mixed, 24), update);
}

pub fn empty_products(cell: &Cell) {
    for [batch, m, n] in [[0, 3, 4], [2, 0, 4], [2, 3, 0]] {
        let a = cell.random(&[batch, m, 5], Form::Plain, 25);
        let b = cell.random(&[batch, 5, n], Form::Plain, 26);
        let mut c = cell.random(&[batch, m, n], Form::Plain, 27);
        check(cell, &a, false, &b, &mut c, Update::set());
    }
}

/// The stride of an axis without a second index leads nowhere, and may be any number.
pub fn strides_that_nobody_follows(cell: &Cell) {
    for [m, n, k] in [[1, 1, 3], [1, 1, 1], [1, 3, 1], [3, 1, 1], [1, 2, 0]] {
        let (a, b) = (cell.random(&[m, k], Form::Plain, 20), cell.random(&[k, n], Form::Plain, 21));
        let mut c = cell.unreadable(&[m, n], Form::Plain);
        let [x, y, z] = [&a.tensor, &b.tensor, &c.tensor]
            .map(|t| Tensor::new(&[1, t.shape[0], t.shape[1]], t.values.clone()));
        let mut expected = reference::gemm(&x, false, &y, &z, Update::set());
        expected.result.shape = vec![m, n];
        let (views, out) = ([a.view(), b.view()].map(leaping), leaping(c.view_mut()));
        let [a, b] = views;
        cell.executor.gemm(a, false, b, out, Update::set()).unwrap();
        cell.check(&c, &expected, &format!("{m}, {n}, {k}"));
    }
}

/// A view whose axes with one index at most have a stride near the largest.
fn leaping<V: Relayout>(view: V) -> V {
    let shape = view.layout().shape().to_vec();
    let single = (0..shape.len()).filter(|axis| shape[*axis] <= 1);
    single.fold(view, |view, axis| view.stepped(axis, 1 << 57).unwrap())
}
