//! `reduce` where groups or threads share results.

use arrayspan_kernels::bridge::DType;
use arrayspan_kernels::bridge::devices::Device;
use arrayspan_kernels::{Reduction, input};

use crate::cell::{Cell, compiles_slowly};
use crate::reduce::check;
use crate::sample::Form;

/// So few that several groups share each of them.
pub fn few_results_of_many_elements(cell: &Cell) {
    let shapes = [[60_013, 3], [3, 60_013], [40_009, 17], [17, 40_009], [2, 131_072]];
    let tried = if compiles_slowly(cell.executor.device()) { 2 } else { shapes.len() };
    for shape in &shapes[..tried] {
        let axis = usize::from(shape[0] < shape[1]);
        let x = cell.random(shape, Form::Plain, 60);
        let mut bits = Vec::new();
        for _ in 0..3 {
            check(cell, Reduction::Sum, &input(0), &[&x], &[axis], Form::Plain);
            let mut out = cell.unreadable(&[shape[1 - axis]], Form::Plain);
            let view = x.view();
            cell.executor
                .reduce(Reduction::Sum, &input(0), &[view], &[axis], out.view_mut())
                .unwrap();
            bits.push(out.read(cell));
        }
        assert!(
            bits.windows(2).all(|pair| pair[0] == pair[1]),
            "{shape:?} differs from call to call"
        );
        if !cell.is_complex() {
            check(cell, Reduction::Maximum, &input(0), &[&x], &[axis], Form::Plain);
        }
    }
}

/// Work is cut by its shape alone.
#[test]
fn sums_do_not_depend_on_the_number_of_threads() {
    let sum = |axes: &[usize]| {
        let executor = arrayspan_kernels::on(Device::cpu()).unwrap();
        let cell = Cell { executor, dtype: DType::Float64 };
        let shape = [517, 403];
        let x = cell.random(&shape, Form::Plain, 14);
        let kept: Vec<usize> =
            (0..2).filter(|axis| !axes.contains(axis)).map(|axis| shape[axis]).collect();
        let mut out = cell.unreadable(&kept, Form::Plain);
        let product = input(0) * input(0) * input(0);
        let inputs = [x.view()];
        cell.executor.reduce(Reduction::Sum, &product, &inputs, axes, out.view_mut()).unwrap();
        out.read(&cell)
    };
    for axes in [&[0, 1][..], &[0], &[1]] {
        let sums = [1, 2, 5].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| sum(axes))
        });
        assert_eq!(sums[0], sums[1]);
        assert_eq!(sums[0], sums[2]);
    }
}

/// Many groups, many times, from several threads of one executor: the group that finishes last has seen all parts.
pub fn shared_results_are_complete(cell: &Cell) {
    let len = 300_007;
    let x = cell.filled(&[len], 1.0);
    let exact = len as f64;
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..20 {
                    let mut out = cell.unreadable(&[], Form::Plain);
                    cell.executor.sum(&input(0), &[x.view()], out.view_mut()).unwrap();
                    let found = out.read(cell).values[0].re;
                    assert!((found - exact).abs() <= 0.02, "{found}");
                }
            });
        }
    });
}
