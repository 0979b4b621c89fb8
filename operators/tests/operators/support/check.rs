//! The checks that hold for every operator.

use arrayspan_bridge::{Array, Relayout, ViewMut};
use arrayspan_kernels::Update;
use arrayspan_operators::{LinearOperator, Space};
use num_complex::Complex64;

use super::{assert_close, dense, dense_adjoint, filled, host, numbers, random};

/// All that holds for every operator: adjoint, update law, any strides.
pub(crate) fn check(a: &(impl LinearOperator + ?Sized)) {
    adjoint_is_the_conjugate_transpose(a);
    updates_are_obeyed(a);
    strides_do_not_matter(a);
}

fn adjoint_is_the_conjugate_transpose(a: &(impl LinearOperator + ?Sized)) {
    let (matrix, adjoint) = (dense(a), dense_adjoint(a));
    for (j, column) in matrix.iter().enumerate() {
        let row: Vec<_> = adjoint.iter().map(|column| column[j].conj()).collect();
        assert_close(&row, column, a.range().dtype(), &format!("{a:?} column {j}"));
    }
}

fn updates_are_obeyed(a: &(impl LinearOperator + ?Sized)) {
    let (x, y) = (random(a.domain(), 1), random(a.range(), 2));
    let plain = numbers(&a.forward(&x).unwrap());
    let back = numbers(&a.adjoint(&y).unwrap());
    let complex = a.domain().dtype().is_complex() && a.range().dtype().is_complex();
    let imaginary = if complex { 0.75 } else { 0.0 };
    let alpha = Complex64::new(-1.5, imaginary);
    for beta in [Complex64::default(), 1.0.into(), Complex64::new(0.5, -imaginary)] {
        let update = Update::new(alpha, beta);
        let run = |space: &Space, result: &[Complex64], forward: bool| {
            let nan = vec![Complex64::new(f64::NAN, f64::NAN); space.len()];
            let (before, ignored) = (random(space, 3), filled(space, &nan));
            let old = numbers(&before);
            let mut out = if update.reads() { before } else { ignored };
            if forward {
                a.apply(&*host(), x.view(), out.view_mut(), update).unwrap();
            } else {
                a.apply_adjoint(&*host(), y.view(), out.view_mut(), update).unwrap();
            }
            let sum = result.iter().zip(&old).map(|(new, old)| alpha * new + beta * old);
            let what = format!("{a:?} with {update:?}, forward: {forward}");
            assert_close(&numbers(&out), &sum.collect::<Vec<_>>(), space.dtype(), &what);
        };
        run(a.range(), &plain, true);
        run(a.domain(), &back, false);
    }
}

fn strides_do_not_matter(a: &(impl LinearOperator + ?Sized)) {
    let (x, y) = (random(a.domain(), 4), random(a.range(), 5));
    let what = format!("{a:?} with strides");

    let (mut model, mut data) = (Loose::holding(&x), Loose::holding(&y));
    a.apply(&*host(), model.view_mut().view(), data.view_mut(), Update::set()).unwrap();
    let forward = a.forward(&x).unwrap();
    assert_close(&data.elements(), &numbers(&forward), a.range().dtype(), &what);

    let (mut model, mut data) = (Loose::holding(&x), Loose::holding(&y));
    a.apply_adjoint(&*host(), data.view_mut().view(), model.view_mut(), Update::set()).unwrap();
    let adjoint = a.adjoint(&y).unwrap();
    assert_close(&model.elements(), &numbers(&adjoint), a.domain().dtype(), &what);
}

/// An array whose elements lie apart, back to front along the first axis and in column-major order.
struct Loose {
    memory: Array,
    space: Space,
}

/// What lies between the elements, which nobody may write.
const BETWEEN: f64 = 7777.0;

impl Loose {
    fn holding(array: &Array) -> Self {
        let space = Space::new(array.shape(), array.dtype()).unwrap();
        let shape: Vec<usize> = array.shape().iter().rev().map(|extent| 2 * extent + 1).collect();
        let around = Space::new(shape, array.dtype()).unwrap();
        let memory = filled(&around, &vec![BETWEEN.into(); around.len()]);
        let mut loose = Self { memory, space };
        host().copy(array.view(), loose.view_mut(), Update::set()).unwrap();
        loose
    }

    fn view_mut(&mut self) -> ViewMut<'_> {
        let rank = self.space.shape().len();
        let order: Vec<usize> = (0..rank).rev().collect();
        let mut view = self.memory.view_mut().permuted(&order).unwrap();
        for (axis, &extent) in self.space.shape().iter().enumerate() {
            view = view.sliced(axis, 1, 2 * extent).unwrap().stepped(axis, 2).unwrap();
        }
        if rank > 0 { view.reversed(0).unwrap() } else { view }
    }

    /// The elements, once it is certain that nothing else was written.
    fn elements(mut self) -> Vec<Complex64> {
        let mut dense = host().empty(self.space.shape(), self.space.dtype()).unwrap();
        host().copy(self.view_mut().view(), dense.view_mut(), Update::set()).unwrap();
        let around = numbers(&self.memory);
        let between = around.iter().filter(|element| element.re == BETWEEN).count();
        assert_eq!(between, around.len() - self.space.len(), "something between was written");
        numbers(&dense)
    }
}
