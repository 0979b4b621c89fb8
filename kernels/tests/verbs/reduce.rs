//! `reduce`.

use arrayspan_kernels::bridge::{DType, Relayout};
use arrayspan_kernels::{Expression, Reduction, Update, constant, input};

use crate::cell::{Cell, compiles_slowly};
use crate::reference::{self, Tensor};
use crate::sample::{FORMS, Form, Sample};

#[track_caller]
pub(super) fn check(
    cell: &Cell,
    reduction: Reduction,
    expression: &Expression,
    inputs: &[&Sample],
    axes: &[usize],
    form: Form,
) {
    let tensors: Vec<&Tensor> = inputs.iter().map(|input| &input.tensor).collect();
    let expected = reference::reduce(reduction, expression, &tensors, axes);
    let views: Vec<_> = inputs.iter().map(|input| input.view()).collect();
    let mut out = cell.unreadable(&expected.result.shape, form);
    cell.executor.reduce(reduction, expression, &views, axes, out.view_mut()).unwrap();
    let what = format!("{reduction:?} of {expression:?} over {axes:?} of {:?}", tensors[0].shape);
    cell.check(&out, &expected, &what);
    for input in inputs {
        input.check_unchanged(cell);
    }
}

/// Every set of the numbers below `rank`.
fn subsets(rank: usize) -> impl Iterator<Item = Vec<usize>> {
    (0..1_usize << rank).map(move |set| (0..rank).filter(|axis| set >> axis & 1 == 1).collect())
}

pub fn every_set_of_axes(cell: &Cell) {
    for shape in [&[][..], &[17], &[5, 7], &[3, 5, 2], &[3, 1, 4, 5]] {
        for axes in subsets(shape.len()) {
            let x = cell.random(shape, Form::Plain, 1);
            check(cell, Reduction::Sum, &input(0), &[&x], &axes, Form::Plain);
        }
    }
    // In any order.
    let x = cell.random(&[3, 5, 2], Form::Plain, 2);
    check(cell, Reduction::Sum, &input(0), &[&x], &[2, 0], Form::Plain);
}

pub fn layouts_do_not_matter(cell: &Cell) {
    for form in FORMS {
        for axes in [&[0][..], &[1], &[2], &[0, 2], &[0, 1, 2]] {
            let x = cell.random(&[4, 5, 3], form, 3);
            check(cell, Reduction::Sum, &input(0), &[&x], axes, Form::Plain);
            check(cell, Reduction::Sum, &input(0), &[&x], axes, form);
        }
    }
}

pub fn expressions_are_reduced(cell: &Cell) {
    let [a, b] = [4, 5].map(|seed| cell.random(&[11, 13], Form::Plain, seed));
    let weights = cell.random(&[11, 13], Form::Transposed, 6);
    let dot = input(0).conj() * input(1);
    let norm = input(0).abs2();
    let weighted = (input(0) - input(1)) * input(2) + constant(0.5);
    for axes in [&[0, 1][..], &[0], &[1]] {
        for expression in [&dot, &norm, &weighted] {
            check(cell, Reduction::Sum, expression, &[&a, &b, &weights], axes, Form::Plain);
        }
    }
    check(cell, Reduction::Sum, &constant(0.25), &[&a], &[0], Form::Plain);
}

pub fn inputs_broadcast(cell: &Cell) {
    let whole = cell.random(&[4, 3, 5], Form::Plain, 7);
    for shape in [&[3, 1][..], &[5], &[4, 1, 1], &[]] {
        for axes in subsets(3) {
            let part = cell.random(shape, Form::Plain, 8);
            let expression = input(0) * input(1);
            check(cell, Reduction::Sum, &expression, &[&whole, &part], &axes, Form::Plain);
        }
    }
}

pub fn long_arrays(cell: &Cell) {
    for shape in [&[100_003][..], &[331, 307], &[50_021, 3], &[3, 50_021], &[37, 51, 43]] {
        for form in [Form::Plain, Form::Transposed] {
            let x = cell.random(shape, form, 9);
            for axes in subsets(shape.len()).filter(|axes| !axes.is_empty()) {
                check(cell, Reduction::Sum, &input(0).abs2(), &[&x], &axes, Form::Plain);
            }
        }
    }
}

pub fn every_size_along_each_axis(cell: &Cell) {
    let slowly = compiles_slowly(cell.executor.device());
    let sizes = if slowly { vec![1, 2, 9, 64] } else { (1..70).collect() };
    for extent in sizes {
        for (axis, shape) in [(0, [extent, 5, 7]), (1, [5, extent, 7]), (2, [5, 7, extent])] {
            let form = [Form::Plain, Form::Reversed, Form::Mixed][extent % 3];
            let x = cell.random(&shape, form, extent as u64);
            check(cell, Reduction::Sum, &input(0), &[&x], &[axis], Form::Plain);
        }
    }
}

/// Rows that begin at every place that an access can, long and short.
pub fn rows_at_odd_places(cell: &Cell) {
    let extents =
        if compiles_slowly(cell.executor.device()) { vec![641] } else { vec![7, 64, 641, 2053] };
    for extent in extents {
        let block = [5, extent + 4];
        let x = cell.random(&block, Form::Plain, 61);
        for from in 0..4 {
            let part = |index: Vec<usize>| x.tensor.at(&[index[0], index[1] + from]);
            let values = reference::indices(&[5, extent]).map(part).collect();
            let rows = Tensor::new(&[5, extent], values);
            for axis in [0, 1] {
                let expected = reference::reduce(Reduction::Sum, &input(0), &[&rows], &[axis]);
                let mut out = cell.unreadable(&expected.result.shape, Form::Plain);
                let view = x.view().sliced(1, from, extent).unwrap();
                cell.executor
                    .reduce(Reduction::Sum, &input(0), &[view], &[axis], out.view_mut())
                    .unwrap();
                cell.check(&out, &expected, &format!("{extent} from {from} over {axis}"));
            }
        }
    }
}

/// In 32 bits the running sum would lose most of each term.
pub fn sums_of_many_small_numbers_stay_accurate(cell: &Cell) {
    let len = 1_000_003;
    let mut values = Tensor::filled(&[len], 0.125 + 1.0 / 1024.0);
    values.values[0] = 16_777_216.0.into();
    let x = Sample::new(cell, &values, Form::Plain);
    let mut out = cell.unreadable(&[], Form::Plain);
    cell.executor.sum(&input(0), &[x.view()], out.view_mut()).unwrap();
    let exact = 16_777_216.0 + (len - 1) as f64 * (0.125 + 1.0 / 1024.0);
    let found = out.read(cell).values[0].re;
    assert!((found - exact).abs() <= exact * 2e-7, "{found}, expected {exact}");
}

/// Added up one after the other they would all round alike, and thousands lose more than they may.
pub fn sums_of_many_equal_numbers_stay_accurate(cell: &Cell) {
    let single = cell.dtype.real() == DType::Float32;
    let third = if single { f64::from(1.0_f32 / 3.0) } else { 1.0 / 3.0 };
    for (shape, axes) in [
        (&[8191, 3][..], &[0][..]),
        (&[3, 8191], &[1]),
        (&[101, 3, 127], &[0, 2]),
        (&[101, 3, 5, 127], &[0, 3]),
        (&[2, 8191, 5], &[1]),
    ] {
        let x = Sample::new(cell, &Tensor::filled(shape, third), Form::Plain);
        for form in [Form::Plain, Form::Transposed] {
            check(cell, Reduction::Sum, &(input(0) + constant(0.5)), &[&x], axes, form);
        }
    }
}

pub fn the_largest_and_the_smallest(cell: &Cell) {
    if cell.is_complex() {
        return;
    }
    for reduction in [Reduction::Maximum, Reduction::Minimum] {
        for shape in [&[7, 11, 3][..], &[40_009, 2]] {
            let x = cell.random(shape, Form::Plain, 10);
            for axes in subsets(shape.len()) {
                check(cell, reduction, &input(0), &[&x], &axes, Form::Plain);
            }
            check(cell, reduction, &(-input(0).abs()), &[&x], &[0], Form::Plain);
        }
    }
}

pub fn not_a_number_wins(cell: &Cell) {
    if cell.is_complex() {
        return;
    }
    for place in [0, 20, 76] {
        let mut values = cell.random(&[7, 11], Form::Plain, 11).tensor;
        values.values[place] = f64::NAN.into();
        let x = Sample::new(cell, &values, Form::Plain);
        for reduction in [Reduction::Maximum, Reduction::Minimum] {
            for axes in [&[0, 1][..], &[0], &[1]] {
                check(cell, reduction, &input(0), &[&x], axes, Form::Plain);
            }
        }
    }
}

pub fn reductions_of_nothing(cell: &Cell) {
    let mut reductions = vec![Reduction::Sum];
    if !cell.is_complex() {
        reductions.extend([Reduction::Maximum, Reduction::Minimum]);
    }
    for reduction in reductions {
        for axes in subsets(2) {
            // Backwards there is a first place, of nothing, that no stride leads away from.
            for form in [Form::Plain, Form::Reversed] {
                let x = cell.random(&[0, 3], form, 12);
                check(cell, reduction, &input(0), &[&x], &axes, Form::Plain);
            }
        }
    }
    // The executor goes on as if nothing had been asked.
    let x = cell.random(&[3], Form::Plain, 13);
    let mut y = cell.unreadable(&[3], Form::Plain);
    cell.executor.copy(x.view(), y.view_mut(), Update::set()).unwrap();
    assert_eq!(y.read(cell), x.tensor);
}

/// A shape, how it lies, and sets of axes.
type Case = (&'static [usize], Form, &'static [&'static [usize]]);

/// A real output as wide as the elements' parts or wider: elements are converted first, so that nothing overflows that
/// the output could hold.
pub fn real_and_wider_results(cell: &Cell) {
    let outputs = [DType::Float32, DType::Float64];
    let float64 = cell.executor.device().is_cpu() || cell.executor.device().info().float64;
    let fits = |output: &DType| {
        output.bits() >= cell.dtype.real().bits() && (*output == DType::Float32 || float64)
    };
    for output in outputs.into_iter().filter(fits) {
        let wide = Cell { executor: cell.executor.clone(), dtype: output };
        let sums = [input(0).abs2(), input(0).abs() * constant(0.5), (input(0) * input(1)).re()];
        let cases: [Case; 3] = [
            (&[7, 5, 3], Form::Mixed, &[&[1], &[0, 2]]),
            (&[300, 41], Form::Transposed, &[&[0]]),
            (&[9001], Form::Plain, &[&[0]]),
        ];
        for ((shape, form, sets), expression) in cases.into_iter().zip(&sums) {
            let x = cell.random(shape, form, 20);
            let y = cell.random(shape, Form::Plain, 21);
            for axes in sets {
                let inputs = [&x, &y].map(|sample| &sample.tensor);
                let expected = reference::reduce(Reduction::Sum, expression, &inputs, axes);
                let mut out = wide.unreadable(&expected.result.shape, Form::Plain);
                let views = [x.view(), y.view()];
                let sum = Reduction::Sum;
                cell.executor.reduce(sum, expression, &views, axes, out.view_mut()).unwrap();
                // Rounding is that of the narrower dtype where single elements are computed in it.
                let judge = if output.bits() > cell.dtype.real().bits() { &wide } else { cell };
                judge.check(&out, &expected, &format!("{output} {expression:?} over {axes:?}"));
            }
            let axes: Vec<usize> = (0..shape.len()).collect();
            let expected =
                reference::reduce(Reduction::Maximum, &input(0).abs(), &[&x.tensor], &axes);
            let mut out = wide.unreadable(&[], Form::Plain);
            let (views, size) = ([x.view()], input(0).abs());
            cell.executor.reduce(Reduction::Maximum, &size, &views, &axes, out.view_mut()).unwrap();
            cell.check(&out, &expected, "the largest");
        }
    }
    if cell.dtype.real() == DType::Float32 && float64 {
        let wide = Cell { executor: cell.executor.clone(), dtype: DType::Float64 };
        for (size, len) in [(1e-25_f64, 10), (1e30, 5000)] {
            let x = cell.filled(&[len], size);
            let held = x.read(cell).values[0].re;
            let mut out = wide.unreadable(&[], Form::Plain);
            cell.executor.sum(&input(0).abs2(), &[x.view()], out.view_mut()).unwrap();
            let (found, exact) = (out.read(&wide).values[0].re, held * held * len as f64);
            assert!((found - exact).abs() <= exact * 1e-12, "{found:e}, expected {exact:e}");
        }
    }
}
