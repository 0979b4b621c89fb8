//! What methods find, shown by certificates of optimality.

use std::ops::ControlFlow;

use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::on;
use arrayspan_operators::prelude::*;
use arrayspan_solvers::proximal::{
    Admm, Blocks, Bounds, ChambollePock, Composed, Composite, Equal, L1, L21, Minimizer, Proximal,
    ProximalGradient, Scratch, Split, SquaredL2, Steps, Tv,
};
use arrayspan_solvers::{Progress, Stop, Stopped};

use super::support::{Random, array, distance, values};
use super::{DTYPES, Device, Lasso, Method, methods, reals, wide};

fn tight(iterations: usize) -> Stop {
    Stop { residual: 1e-9, gradient: 1e-9, ..Stop::after(iterations) }
}

#[test]
fn every_method_closes_the_duality_gap_of_lasso_in_every_dtype() {
    let mut random = Random(1);
    for dtype in DTYPES {
        let small = [[1, 5], [7, 1], [1, 1]];
        let sizes = [[12, 20], [20, 12]]
            .into_iter()
            .chain(small.into_iter().take(if dtype == DType::Float32 { 3 } else { 0 }));
        for size in sizes {
            let lasso = Lasso::new(dtype, size, 3.0, &mut random);
            for method in methods(tight(4000), 20) {
                let solution = lasso.solve(method).unwrap();
                let (objective, gap) = lasso.gap(&solution.x);
                let bound = if dtype.real() == DType::Float32 { 1e-5 } else { 1e-7 };
                assert!(
                    gap <= bound * objective,
                    "{dtype} {size:?} {method:?}: gap {gap:e} of {objective:e}, {:?} after {}",
                    solution.stopped,
                    solution.iterations
                );
            }
        }
    }
}

#[test]
fn an_ill_conditioned_lasso_is_solved_and_ten_thousand_iterations_more_change_nothing() {
    let mut random = Random(2);
    for dtype in [DType::Float32, DType::Float64] {
        for spread in [1e3] {
            let lasso = Lasso::new(dtype, [15, 10], spread, &mut random);
            let rounding = if dtype == DType::Float32 { 1e-5 } else { 1e-13 };
            let early = methods(Stop::after(2000), 1000);
            for (method, early) in methods(Stop::after(10_000), 1000).into_iter().zip(early) {
                let solution = lasso.solve(method).unwrap();
                let (objective, gap) = lasso.gap(&solution.x);
                let (_, before) = lasso.gap(&lasso.solve(early).unwrap().x);
                assert!(
                    gap <= before.max(rounding * objective) && gap <= 1e-5 * objective,
                    "{dtype} {spread} {method:?}: gap {gap:e} of {objective:e}, {before:e} before, {:?}",
                    solution.stopped
                );
            }
        }
    }
}

/// Three ways to the same: a dual method with a proven gap, and two that split.
#[test]
fn methods_agree_on_total_variation_denoising() {
    let mut random = Random(3);
    for (shape, isotropic) in [(vec![13, 11], true), (vec![13, 11], false), (vec![40], true)] {
        let space = Space::new(shape.clone(), DType::Float64).unwrap();
        let noisy = array(DType::Float64, &random.numbers(DType::Float64, space.len()), &shape);
        let mut tv = Tv::new(space.clone(), 0.3).unwrap();
        (tv.isotropic, tv.iterations, tv.tolerance) = (isotropic, 50_000, 1e-8);
        let expected = values(&tv.proximal(&noisy, 1.0).unwrap());
        let steps = vec![1.0; shape.len()];
        let a = Gradient::new(space, &steps, Scheme::Forward, Edge::Zero).unwrap();
        let start = || Array::zeros_like(&noisy).unwrap();
        let f = SquaredL2::new(1.0).unwrap().target(noisy.try_clone().unwrap());
        let (lengths, parts) = (L21::new(0.3, 0).unwrap(), L1::new(0.3).unwrap());
        let g: &dyn Proximal = if isotropic { &lengths } else { &parts };
        let problem = Split { f: &f, g, a: Some(&a) };
        let stop = tight(20_000);
        for steps in [Steps::Balanced, Steps::Fixed, Steps::StronglyConvex(1.0)] {
            let method = ChambollePock { stop, steps, ..ChambollePock::default() };
            let found = method.solve(problem, start()).unwrap();
            let off = distance(&values(&found.x), &expected);
            // The square of the distance falls as the square of the iterations.
            let bound = if matches!(steps, Steps::StronglyConvex(_)) { 2e-4 } else { 1e-6 };
            assert!(off < bound, "{shape:?} {steps:?}: {off:e}, {:?}", found.stopped);
        }
        let opaque = Composed::new(f.clone());
        for f in [&f as &dyn Proximal, &opaque] {
            let problem = Split { f, ..problem };
            let found = Admm { stop, ..Admm::default() }.solve(problem, start()).unwrap();
            let off = distance(&values(&found.x), &expected);
            assert!(off < 1e-6, "{shape:?} {f:?}: {off:e}, {:?}", found.stopped);
        }
    }
}

#[test]
fn a_strongly_convex_function_lets_the_dual_step_grow() {
    let mut random = Random(4);
    let space = Space::new([200], DType::Float64).unwrap();
    let noisy = array(DType::Float64, &random.numbers(DType::Float64, 200), &[200]);
    let a = FirstDerivative::new(space, 0, 1.0, Scheme::Forward, Edge::Zero).unwrap();
    let f = SquaredL2::new(1.0).unwrap().target(noisy.try_clone().unwrap());
    let g = L1::new(5.0).unwrap();
    let problem = Split { f: &f, g: &g, a: Some(&a) };
    let start = || Array::zeros_like(&noisy).unwrap();
    let solve = |steps, iterations| {
        let stop = Stop::after(iterations);
        let method = ChambollePock { norm: Some(2.0), steps, stop, ..ChambollePock::default() };
        values(&method.solve(problem, start()).unwrap().x)
    };
    let exact = solve(Steps::StronglyConvex(1.0), 30_000);
    let off = |steps| distance(&solve(steps, 300), &exact);
    let [growing, fixed] = [Steps::StronglyConvex(1.0), Steps::Fixed].map(off);
    assert!(growing < 0.5 * fixed, "{growing:e} against {fixed:e}");
}

#[test]
fn consensus_of_copies_is_the_sum_of_their_functions() {
    // ½ (x - 1)² + ½ (x - 2)² + |x|, with a copy for each.
    let space_of_one = |b: f64| SquaredL2::new(1.0).unwrap().target(wide(&[b, b], &[1, 2]));
    let f = Blocks::default()
        .and(1, space_of_one(1.0))
        .and(1, space_of_one(2.0))
        .and(1, L1::new(1.0).unwrap());
    let start = wide(&[0.0; 6], &[3, 2]);
    let method = Admm { stop: tight(2000), ..Admm::default() };
    let solution = method.solve(Split { f: &f, g: &Equal, a: None }, start).unwrap();
    assert_eq!(solution.stopped, Stopped::Residual);
    for x in reals(&solution.x) {
        assert!((x - 1.0).abs() < 1e-7, "{x}");
    }
}

#[test]
fn several_terms_behind_operators_are_one() {
    // ½ ‖x - b‖² + ‖D x‖₁ with x between 0 and 2.
    let mut random = Random(5);
    let space = Space::new([31], DType::Float64).unwrap();
    let noisy = array(DType::Float64, &random.numbers(DType::Float64, 31), &[31]);
    let slope = FirstDerivative::new(space.clone(), 0, 1.0, Scheme::Forward, Edge::Zero).unwrap();
    let a = vstack![&slope, Identity::new(space).unwrap()].unwrap();
    let (variation, between) = (L1::new(0.2).unwrap(), Bounds::new(0.0, 2.0).unwrap());
    let g = Blocks::default().and(31, variation).and(31, between);
    let f = SquaredL2::new(1.0).unwrap().target(noisy.try_clone().unwrap());
    let problem = Split { f: &f, g: &g, a: Some(&a) };
    let start = || Array::zeros_like(&noisy).unwrap();
    let stop = tight(20_000);
    let dual = ChambollePock { stop, ..ChambollePock::default() }.solve(problem, start()).unwrap();
    let admm = Admm { stop, ..Admm::default() }.solve(problem, start()).unwrap();
    let off = distance(&values(&admm.x), &values(&dual.x));
    assert!(off < 1e-6, "{off:e}: {:?} {:?}", admm.stopped, dual.stopped);
    assert!(reals(&dual.x).iter().all(|x| (-1e-7..2.0 + 1e-7).contains(x)));
}

#[test]
fn steps_that_are_too_long_are_made_shorter() {
    let mut random = Random(6);
    let lasso = Lasso::new(DType::Float64, [15, 10], 2.0, &mut random);
    for step in [1e3, 1e150] {
        let method =
            ProximalGradient { step: Some(step), stop: tight(5000), ..ProximalGradient::default() };
        let solution = lasso.solve(Method::Gradient(method)).unwrap();
        let (objective, gap) = lasso.gap(&solution.x);
        assert!(gap <= 1e-8 * objective, "{step:e}: {gap:e}, {:?}", solution.stopped);
        let method = ProximalGradient { backtracking: false, ..method };
        let solution = lasso.solve(Method::Gradient(method)).unwrap();
        assert_eq!(solution.stopped, Stopped::NotFinite, "{step:e}");
    }
}

#[test]
fn acceleration_takes_fewer_iterations() {
    let mut random = Random(7);
    let lasso = Lasso::new(DType::Float64, [30, 30], 30.0, &mut random);
    let iterations = |accelerated| {
        let stop = tight(100_000);
        let method = ProximalGradient { accelerated, stop, ..ProximalGradient::default() };
        let solution = lasso.solve(Method::Gradient(method)).unwrap();
        assert_eq!(solution.stopped, Stopped::Residual);
        solution.iterations
    };
    let (with, without) = (iterations(true), iterations(false));
    assert!(3 * with < without, "{with} against {without}");
}

#[test]
fn how_often_the_host_looks_changes_nothing_but_where_a_run_ends() {
    let mut random = Random(8);
    let lasso = Lasso::new(DType::Float64, [9, 14], 2.0, &mut random);
    let fixed = |stop, check_every| {
        let gradient = ProximalGradient { stop, check_every, ..ProximalGradient::default() };
        let admm = Admm { balances: false, stop, check_every, ..Admm::default() };
        let steps = Steps::Fixed;
        let dual = ChambollePock { steps, stop, check_every, ..ChambollePock::default() };
        [Method::Gradient(gradient), Method::Admm(admm), Method::ChambollePock(dual)]
    };
    let every = |check_every| fixed(Stop::after(41), check_every);
    let first = every(1).map(|method| lasso.solve(method).unwrap());
    for check_every in [7, 1000] {
        for (method, first) in every(check_every).into_iter().zip(&first) {
            let found = lasso.solve(method).unwrap();
            assert_eq!(values(&found.x), values(&first.x), "{method:?}");
            assert_eq!(found.residuals, first.residuals, "{method:?}");
            assert_eq!((found.iterations, found.stopped), (41, Stopped::Iterations));
            assert_eq!(found.residuals.len(), 42);
        }
    }
}

#[test]
fn a_run_is_led_step_by_step_and_watched() {
    let b = wide(&[3.0, -0.2, 1.0], &[3]);
    let f = SquaredL2::new(1.0).unwrap().target(b);
    let g = L1::new(0.5).unwrap();
    let problem = Composite { f: &f, g: &g };
    let method = ProximalGradient::default();
    let (on, mut scratch) = (on(Device::cpu()).unwrap(), Scratch::default());
    let start = || wide(&[0.0; 3], &[3]);
    let mut run = method.start(&mut scratch, &*on, problem, start()).unwrap();
    assert_eq!((run.stopped(), run.progress().iteration), (None, 0));
    assert!(run.progress().residual.is_infinite());
    while let ControlFlow::Continue(()) = run.step().unwrap() {}
    let solution = run.finish().unwrap();
    assert_eq!(solution.stopped, Stopped::Residual);
    let far = |found: &[f64]| (found[0] - 2.5).abs() + found[1].abs() + (found[2] - 0.5).abs();
    assert!(far(&reals(&solution.x)) < 1e-9);

    let mut seen = Vec::new();
    let mut watch = |progress: &Progress<'_>| {
        seen.push((progress.solver, progress.iteration));
        if progress.iteration < 20 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let method =
        ProximalGradient { stop: Stop::after(100), accelerated: false, step: Some(0.01), ..method };
    let solution = method.solve_in(&mut scratch, &*on, problem, start(), &mut watch).unwrap();
    assert_eq!((solution.stopped, solution.iterations), (Stopped::Observer, 20));
    assert_eq!(seen, [0, 10, 20].map(|at| ("ProximalGradient", at)));
}
