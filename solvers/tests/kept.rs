//! Iterations that one run has recorded serve the next one in the same workspace only where it is like the first: whatever changes
//! between two runs, the second is what it would be in a workspace of its own, to the bit.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::on;
use arrayspan_operators::{
    Diagonal, Edge, FirstDerivative, LinearMap, Operator, Scheme, Space, adjoint, vstack,
};
use arrayspan_solvers::sparse::{Fista, Ista, Sparsity, Threshold};
use arrayspan_solvers::{
    Cg, Cgls, Gmres, Lsmr, Lsqr, SingleReductionCg, SingleReductionCgls, Solver, Stop,
};

const SHAPE: [usize; 2] = [37, 19];

fn array(shape: &[usize], seed: usize, device: Device) -> Array {
    let len: usize = shape.iter().product();
    let value = |i: usize| ((i * (37 + 2 * seed) + 11 * seed) % 23) as f32 / 23.0 - 0.4;
    let values: Vec<f32> = (0..len).map(value).collect();
    Array::from_vec(values, shape).unwrap().to(device).unwrap().0
}

/// A slope above weights: operators of one shape that differ in their weights.
fn stacked(seed: usize, device: Device) -> Operator {
    let space = Space::new(SHAPE, DType::Float32).unwrap();
    let slope = FirstDerivative::new(space.clone(), 0, 1.0, Scheme::Centered3, Edge::Zero).unwrap();
    let weights = Diagonal::new(space, array(&SHAPE, seed, device).into_shared()).unwrap();
    vstack![&slope, 0.5 * &weights].unwrap()
}

fn normal(seed: usize, device: Device) -> Operator {
    let a = stacked(seed, device);
    adjoint(&a).after(&a).build().unwrap()
}

/// All runs, one after the other in one workspace: operator, data and start of each.
fn compare<S: Solver>(
    runs: impl IntoIterator<Item = (S, Operator, Array, Option<Array>)>,
    device: Device,
) {
    let on = on(device).unwrap();
    let mut shared = None;
    let mut kept = Vec::new();
    for (number, (solver, a, y, start)) in runs.into_iter().enumerate() {
        let again = start.as_ref().map(|start| start.try_clone().unwrap());
        let mut own = solver.workspace(&a, &*on).unwrap();
        let expected = solver.solve_in(&mut own, &*on, &a, y.view(), again, &mut ()).unwrap();
        let workspace = shared.get_or_insert_with(|| solver.workspace(&a, &*on).unwrap());
        let found = solver.solve_in(workspace, &*on, &a, y.view(), start, &mut ()).unwrap();
        let name = S::NAME;
        assert_eq!(found.residuals, expected.residuals, "{device} {name}, run {number}");
        let [found_x, expected_x] = [&found.x, &expected.x].map(|x| x.to_vec::<f32>().unwrap());
        assert_eq!(found_x, expected_x, "{device} {name}, run {number}");
        // Every other solution stays: the next model lies elsewhere.
        if number % 2 == 1 {
            kept.push(found.x);
        }
    }
}

#[test]
fn runs_in_one_workspace_are_those_of_workspaces_of_their_own() {
    for device in Device::all() {
        let [first, second] = [1, 2].map(|seed| stacked(seed, device));
        let data = |seed| array(first.range().shape(), seed, device);
        let start = || Some(array(&SHAPE, 5, device));
        let (stop, every) = (Stop::after(30), 30);
        let cgls = |damping| Cgls { damping, stop, check_every: every };
        let lsqr = |damping| Lsqr { damping, stop, check_every: every };
        let runs = || {
            let scaled = (2.0 * &first).build().unwrap();
            vec![
                (0.0, first.clone(), data(3), None),
                (0.0, first.clone(), data(3), None),
                (0.0, first.clone(), data(4), None),
                (0.0, second.clone(), data(4), None),
                (0.0, first.clone(), data(4), None),
                (0.3, first.clone(), data(4), None),
                (0.2, first.clone(), data(4), None),
                (0.2, scaled.clone(), data(4), None),
                (0.0, scaled, data(4), None),
                (0.0, first.clone(), data(3), start()),
                (0.0, first.clone(), data(4), start()),
                (0.0, first.clone(), data(4), None),
            ]
        };
        compare(runs().into_iter().map(|(d, a, y, start)| (cgls(d), a, y, start)), device);
        let undamped = runs().into_iter().filter(|(d, .., start)| *d == 0.0 || start.is_none());
        let undamped: Vec<_> = undamped.collect();
        let each = || {
            undamped.iter().map(|(d, a, y, start)| {
                let start = start.as_ref().map(|start| start.try_clone().unwrap());
                (*d, a.clone(), y.try_clone().unwrap(), start)
            })
        };
        compare(each().map(|(d, a, y, start)| (lsqr(d), a, y, start)), device);
        let lsmr = |damping| Lsmr { damping, stop, check_every: every };
        compare(each().map(|(d, a, y, start)| (lsmr(d), a, y, start)), device);
        let single = |damping| SingleReductionCgls { damping, stop, check_every: every };
        compare(runs().into_iter().map(|(d, a, y, start)| (single(d), a, y, start)), device);
    }
}

#[test]
fn what_an_iteration_has_beside_the_operator_is_looked_at_too() {
    for device in Device::all() {
        let [first, second] = [1, 2].map(|seed| normal(seed, device));
        let data = |seed| array(&SHAPE, seed, device);
        let (stop, check_every) = (Stop::after(24), 24);
        let cg = |preconditioner: Option<&Operator>| Cg {
            preconditioner: preconditioner.cloned(),
            stop,
            check_every,
        };
        let space = || Space::new(SHAPE, DType::Float32).unwrap();
        let positive = |seed: usize| {
            let weights = array(&SHAPE, seed, Device::cpu()).to_vec::<f32>().unwrap();
            let weights = weights.iter().map(|w| 1.0 + w.abs()).collect::<Vec<_>>();
            let weights = Array::from_vec(weights, SHAPE).unwrap().to(device).unwrap().0;
            Diagonal::new(space(), weights.into_shared()).unwrap()
        };
        let conditioners = [6, 7].map(positive);
        let of = |at: usize| Some(&conditioners[at]);
        let runs = [of(0), of(0), of(1), of(0)].into_iter().enumerate();
        compare(runs.map(|(at, inner)| (cg(inner), first.clone(), data(3 + at), None)), device);
        let runs = || [&first, &first, &second, &first].into_iter().enumerate();
        compare(runs().map(|(at, a)| (cg(None), a.clone(), data(3 + at % 2), None)), device);
        let single = || SingleReductionCg { preconditioner: None, stop, check_every };
        compare(runs().map(|(at, a)| (single(), a.clone(), data(3 + at % 2), None)), device);

        let fista = |weight, step| Fista {
            sparsity: Sparsity { weight, ..Sparsity::default() },
            step: Some(step),
            stop,
            check_every,
            ..Fista::default()
        };
        let y = |seed| array(stacked(1, device).range().shape(), seed, device);
        let a = stacked(1, device);
        let runs = [(0.1, 0.1), (0.1, 0.1), (0.2, 0.1), (0.2, 0.05), (0.2, 0.05)];
        // Data that are often in the place of those before.
        let runs = runs.into_iter();
        compare(runs.map(|(weight, step)| (fista(weight, step), a.clone(), y(3), None)), device);
        let others = [3, 4, 3].map(|seed| (fista(0.1, 0.1), a.clone(), y(seed), None));
        compare(others, device);
    }
}

#[test]
fn methods_and_thresholds_are_told_apart() {
    for device in Device::all() {
        let (on, a) = (on(device).unwrap(), stacked(1, device));
        let y = array(a.range().shape(), 3, device);
        let (stop, check_every) = (Stop::after(24), 24);
        let fista = |threshold, decay: &[f64]| Fista {
            sparsity: Sparsity { threshold, decay: decay.to_vec(), ..Sparsity::default() },
            step: Some(0.1),
            stop,
            check_every,
            ..Fista::default()
        };
        let keeping = Threshold::SoftKeeping(20.0);
        let runs = [
            fista(Threshold::Soft, &[]),
            fista(keeping, &[]),
            fista(Threshold::Soft, &[]),
            fista(Threshold::Soft, &[8.0, 4.0, 2.0]),
            fista(Threshold::Hard, &[]),
            fista(Threshold::Soft, &[]),
        ];
        // All have what thresholds that keep a share need.
        let mut workspace = fista(keeping, &[]).workspace(&a, &*on).unwrap();
        for (number, solver) in runs.iter().enumerate() {
            let found = solver.solve_in(&mut workspace, &*on, &a, y.view(), None, &mut ());
            let expected = solver.solve(&a, &y).unwrap();
            assert_eq!(found.unwrap().residuals, expected.residuals, "{device}, run {number}");
        }
        let ista = Ista { step: Some(0.1), stop, check_every, ..Ista::default() };
        let fista = fista(Threshold::Soft, &[]);
        let mut workspace = fista.workspace(&a, &*on).unwrap();
        for number in 0..3 {
            let found = fista.solve_in(&mut workspace, &*on, &a, y.view(), None, &mut ()).unwrap();
            let expected = fista.solve(&a, &y).unwrap();
            assert_eq!(found.residuals, expected.residuals, "{device}: Fista {number}");
            let found = ista.solve_in(&mut workspace, &*on, &a, y.view(), None, &mut ()).unwrap();
            let expected = ista.solve(&a, &y).unwrap();
            assert_eq!(found.residuals, expected.residuals, "{device}: Ista {number}");
        }
        workspace.forget_last_run();
    }
}

/// An odd number of iterations leaves vectors in each other's places.
#[test]
fn runs_of_odd_lengths_are_none_the_worse() {
    for device in Device::all() {
        let a = stacked(1, device);
        let fista = |iterations| Fista {
            step: Some(0.1),
            stop: Stop::after(iterations),
            check_every: 40,
            ..Fista::default()
        };
        let y = |seed| array(a.range().shape(), seed, device);
        let runs = [24, 25, 24, 25, 27, 24].into_iter().enumerate();
        compare(runs.map(|(at, n)| (fista(n), a.clone(), y(3 + at % 2), None)), device);
    }
}

/// A workspace fits a run if all sizes are those of its own, not if their sum is.
#[test]
fn a_workspace_fits_runs_of_its_sizes_alone() {
    let device = Device::cpu();
    let on = on(device).unwrap();
    let (a, square) = (stacked(1, device), normal(1, device));
    let cgls = |check_every| Cgls { check_every, ..Cgls::default() };
    let workspace = cgls(7).workspace(&a, &*on).unwrap();
    assert!(
        cgls(7).fits(&workspace, &*on, &a) && cgls(7).fits(&workspace, &*on, &stacked(2, device))
    );
    assert!(!cgls(8).fits(&workspace, &*on, &a) && !cgls(7).fits(&workspace, &*on, &square));
    // As many bytes each.
    let gmres = |restart, check_every| Gmres { restart, check_every, ..Gmres::default() };
    let ones = Space::new([11], DType::Float64).unwrap();
    let small = FirstDerivative::new(ones, 0, 1.0, Scheme::Centered3, Edge::Zero).unwrap();
    let [first, second] = [gmres(2, 15), gmres(3, 10)];
    let [one, other] = [&first, &second].map(|of| of.memory(&small, &*on).unwrap());
    assert_eq!(one, other);
    let workspace = first.workspace(&small, &*on).unwrap();
    assert!(first.fits(&workspace, &*on, &small) && !second.fits(&workspace, &*on, &small));
}

/// Data that are an array of the operator's are not taken for the next ones.
#[test]
fn data_may_be_an_array_of_the_operators() {
    for device in Device::all() {
        let on = on(device).unwrap();
        let [weights, other] = [1, 2].map(|seed| array(&SHAPE, seed, device).into_shared());
        let space = Space::new(SHAPE, DType::Float32).unwrap();
        let a = Diagonal::new(space, weights.clone()).unwrap();
        let solver = Cgls { stop: Stop::after(24), check_every: 24, ..Cgls::default() };
        let mut workspace = solver.workspace(&a, &*on).unwrap();
        for y in [&weights, &weights, &other, &weights, &other, &other] {
            let y = y.view();
            let found =
                solver.solve_in(&mut workspace, &*on, &a, y.clone(), None, &mut ()).unwrap();
            let expected = solver.solve(&a, &y).unwrap();
            assert_eq!(found.residuals, expected.residuals, "{device}");
            let [found, expected] = [&found.x, &expected.x].map(|x| x.to_vec::<f32>().unwrap());
            assert_eq!(found, expected, "{device}");
        }
    }
}
