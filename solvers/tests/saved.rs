//! Runs that are saved and taken up later.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod support;

use std::io::ErrorKind;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::{Vector, on};
use arrayspan_operators::{LinearMap, LinearOperator, Operator, adjoint};
use arrayspan_solvers::{
    BiCgStab, Cg, Cgls, Error, Fista, Gmres, Ista, Lsmr, Lsqr, Minres, Saved, SingleReductionCg,
    SingleReductionCgls, Solution, Solver, Sparsity, Stop, Stopped, Threshold,
};
use support::{Problem, Random, first_elsewhere, values};

fn problem(dtype: DType) -> (Operator, Array) {
    let problem = Problem::new(dtype, [23, 17], 20.0, false, &mut Random(7));
    (problem.operator(), problem.data())
}

fn same(found: &Solution, expected: &Solution, what: &str) {
    assert_eq!(found.residuals, expected.residuals, "{what}");
    assert_eq!(found.stopped, expected.stopped, "{what}");
    assert_eq!(values(&moved(&found.x)), values(&moved(&expected.x)), "{what}");
}

fn moved(array: &Array) -> Array {
    array.view().to(Device::cpu()).unwrap().0
}

/// That of [`problem`], on a device.
fn problem_on(dtype: DType, device: Device) -> (Operator, Array) {
    let (a, y) = problem(dtype);
    let matrix = a.to_dense().unwrap();
    let (matrix, y) = (matrix.view().to(device).unwrap().0, y.view().to(device).unwrap().0);
    (arrayspan_operators::MatrixMult::new(matrix.into_shared(), &[]).unwrap(), y)
}

/// A run without a pause, and the same with one after so many iterations, in another workspace.
fn pauses<S: Solver>(solver: &S, a: &Operator, y: &Array, start: Option<&Array>) {
    let on = on(y.device()).unwrap();
    let copy = || start.map(|start| start.try_clone().unwrap());
    let expected = solver.solve_from(a, y, copy(), &mut ()).unwrap();
    assert!(expected.iterations > 11, "{solver:?}: {:?}", expected.stopped);
    for at in [0, 1, 5, 11] {
        let what = format!("{solver:?} on {} after {at}", y.device());
        let mut workspace = solver.workspace(a, &*on).unwrap();
        let mut run = solver.start(&mut workspace, &*on, a, y.view(), copy()).unwrap();
        while run.progress().iteration < at {
            let left = at - run.progress().iteration;
            assert!(run.advance(left).unwrap().is_continue(), "{what}");
        }
        let saved = run.save().unwrap();
        let tries = if format!("{solver:?}").contains("backtracking: true") {
            " with backtracking"
        } else {
            ""
        };
        assert_eq!(saved.solver(), format!("{}{tries}", run.progress().solver));
        assert_eq!(saved.iterations(), at);
        // The run may go on.
        same(&run.drive(&mut ()).unwrap(), &expected, &what);

        let mut file = Vec::new();
        saved.to(Device::cpu()).unwrap().write_to(&mut file).unwrap();
        let read = Saved::read_from(&*file).unwrap();
        assert_eq!(read.device(), Device::cpu());
        assert_eq!(read.residuals(), saved.residuals());
        let read = read.to(y.device()).unwrap();
        for saved in [saved, read] {
            let mut other = solver.workspace(a, &*on).unwrap();
            let run = solver.resume(&mut other, &*on, a, y.view(), &saved).unwrap();
            assert_eq!(run.progress().iteration, at);
            same(&run.drive(&mut ()).unwrap(), &expected, &what);
        }
    }
}

#[test]
fn a_run_that_is_taken_up_gives_the_bits_of_one_without_a_pause() {
    for (dtype, device) in first_elsewhere() {
        let (a, y) = problem_on(dtype, device);
        let stop = Stop::after(14);
        for damping in [0.0, 0.3] {
            pauses(&Cgls { damping, stop, check_every: 3 }, &a, &y, None);
            pauses(&Lsqr { damping, stop, check_every: 4 }, &a, &y, None);
            pauses(&Lsmr { damping, stop, check_every: 4 }, &a, &y, None);
            pauses(&SingleReductionCgls { damping, stop, check_every: 4 }, &a, &y, None);
        }
        let start = a.adjoint(&y).unwrap();
        pauses(&Cgls { damping: 0.3, stop, check_every: 5 }, &a, &y, Some(&start));
        let normal = adjoint(&a).after(&a).build().unwrap();
        let y = normal.forward(&start).unwrap();
        pauses(&Minres { stop, check_every: 3 }, &normal, &y, None);
        let cg = Cg { preconditioner: None, stop, check_every: 3 };
        pauses(&cg, &normal, &y, None);
        pauses(&Cg { preconditioner: Some(normal.clone()), ..cg }, &normal, &y, None);
        for preconditioner in [None, Some(normal.clone())] {
            let m = || preconditioner.clone();
            let solver = SingleReductionCg { preconditioner: m(), stop, check_every: 3 };
            pauses(&solver, &normal, &y, None);
            let solver = BiCgStab { preconditioner: m(), stop, check_every: 3 };
            pauses(&solver, &normal, &y, None);
            for restart in [5, 40] {
                let solver = Gmres { restart, preconditioner: m(), stop, check_every: 3 };
                pauses(&solver, &normal, &y, None);
            }
        }
    }
}

#[test]
fn what_is_scaled_is_saved_with_its_scale() {
    for (operator, data) in [(1.0, 1e-200), (1e150, 1.0), (1e-150, 1e200)] {
        let mut problem = Problem::new(DType::Float64, [23, 17], 20.0, false, &mut Random(7));
        problem.matrix.iter_mut().for_each(|a| *a *= operator);
        problem.y.iter_mut().for_each(|y| *y *= data);
        let (a, y) = (problem.operator(), problem.data());
        let stop = Stop::after(14);
        pauses(&Cgls { damping: 0.1 * operator, stop, check_every: 3 }, &a, &y, None);
        pauses(&Lsqr { damping: 0.0, stop, check_every: 3 }, &a, &y, None);
    }
}

#[test]
fn a_run_that_was_over_goes_on_with_another_stop_and_stays_over_at_rounding_level() {
    let (a, y) = problem(DType::Float64);
    let host = on(Device::cpu()).unwrap();
    let after = |iterations| Cgls { stop: Stop::after(iterations), ..Cgls::default() };
    let (short, long) = (after(6), after(300));
    let expected = long.solve(&a, &y).unwrap();
    assert_eq!(expected.stopped, Stopped::Precision);
    let mut workspace = long.workspace(&a, &*host).unwrap();
    let mut run = short.start(&mut workspace, &*host, &a, y.view(), None).unwrap();
    while run.advance(10).unwrap().is_continue() {}
    let saved = run.save().unwrap();
    drop(run);
    let mut run = long.resume(&mut workspace, &*host, &a, y.view(), &saved).unwrap();
    assert_eq!(run.stopped(), None);
    while run.advance(10).unwrap().is_continue() {}
    let last = run.save().unwrap();
    same(&run.finish().unwrap(), &expected, "more iterations");
    let run = long.resume(&mut workspace, &*host, &a, y.view(), &last).unwrap();
    assert_eq!(run.stopped(), Some(Stopped::Precision));
    same(&run.drive(&mut ()).unwrap(), &expected, "none");
}

fn saved(solver: &Cgls, a: &Operator, y: &Array) -> Saved {
    let on = on(y.device()).unwrap();
    let mut workspace = solver.workspace(a, &*on).unwrap();
    let mut run = solver.start(&mut workspace, &*on, a, y.view(), None).unwrap();
    let _ = run.advance(3).unwrap();
    run.save().unwrap()
}

#[test]
fn a_run_of_something_else_is_refused_by_name() {
    let (a, y) = problem(DType::Float64);
    let host = on(Device::cpu()).unwrap();
    let damped = Cgls { damping: 0.5, ..Cgls::default() };
    let state = saved(&damped, &a, &y);
    let says = |error: Error, word: &str| assert!(error.to_string().contains(word), "{error}");
    let mut workspace = damped.workspace(&a, &*host).unwrap();
    let mut resume = |solver: &Cgls, a: &Operator, y: &Array| {
        solver.resume(&mut workspace, &*host, a, y.view(), &state).map(drop).unwrap_err()
    };
    says(resume(&Cgls::default(), &a, &y), "its damping was 5e-1, and that of the solver is 0e0");
    let twice = (2.0 * &y).compute().unwrap();
    says(resume(&damped, &a, &twice), "‖y‖ was");
    let smaller = Problem::new(DType::Float64, [23, 5], 2.0, false, &mut Random(7));
    let (b, z) = (smaller.operator(), smaller.data());
    says(resume(&damped, &b, &z), "the workspace's gradient");
    let mut other = damped.workspace(&b, &*host).unwrap();
    let error = damped.resume(&mut other, &*host, &b, z.view(), &state).map(drop).unwrap_err();
    says(error, "the saved model has shape [17], expected [5]");
    let lsqr = Lsqr { damping: 0.5, ..Lsqr::default() };
    let mut own = lsqr.workspace(&a, &*host).unwrap();
    let error = lsqr.resume(&mut own, &*host, &a, y.view(), &state).map(drop).unwrap_err();
    says(error, "Lsqr: the saved run: it is one of Cgls");
}

#[test]
fn bytes_that_are_no_saved_run_are_an_error_and_nothing_worse() {
    let (a, y) = problem(DType::Float32);
    let mut file = Vec::new();
    saved(&Cgls::default(), &a, &y).write_to(&mut file).unwrap();
    let kind = |bytes: &[u8]| Saved::read_from(bytes).map(drop).map_err(|error| error.kind());
    assert_eq!(kind(&file), Ok(()));
    for len in 0..file.len() {
        assert_eq!(kind(&file[..len]), Err(ErrorKind::UnexpectedEof), "{len}");
    }
    assert_eq!(kind(b"something altogether else"), Err(ErrorKind::InvalidData));
    let (b, host) = (a.clone(), on(Device::cpu()).unwrap());
    let solver = Cgls { stop: Stop::after(20), ..Cgls::default() };
    let mut workspace = solver.workspace(&b, &*host).unwrap();
    let mut random = Random(5);
    // Whatever is read is a run, or an error; whatever is taken up ends.
    for _ in 0..3000 {
        let mut bytes = file.clone();
        for _ in 0..2 {
            let at = (random.next().abs() * 400.0) as usize % bytes.len();
            bytes[at] = (random.next() * 128.0) as i8 as u8;
        }
        if let Ok(state) = Saved::read_from(&*bytes)
            && let Ok(run) = solver.resume(&mut workspace, &*host, &b, y.view(), &state)
        {
            run.drive(&mut ()).unwrap();
        }
    }
}

/// What is in its basis depends on where in a cycle it is.
#[test]
fn a_run_of_gmres_goes_on_in_cycles_of_the_same_length_alone() {
    let (a, y) = problem(DType::Float64);
    let normal = adjoint(&a).after(&a).build().unwrap();
    let y = a.adjoint(&y).unwrap();
    let on = on(y.device()).unwrap();
    let solver = Gmres { restart: 5, ..Gmres::default() };
    let mut workspace = solver.workspace(&normal, &*on).unwrap();
    let mut run = solver.start(&mut workspace, &*on, &normal, y.view(), None).unwrap();
    let _ = run.advance(4).unwrap();
    let saved = run.save().unwrap();
    drop(run);
    let shorter = Gmres { restart: 4, ..Gmres::default() };
    let error = shorter.resume(&mut workspace, &*on, &normal, y.view(), &saved).unwrap_err();
    assert!(matches!(error, Error::Saved { solver: "Gmres", .. }), "{error:?}");
    assert!(error.to_string().contains("cycles had 5 iterations"), "{error}");
    // As a workspace with less room does.
    let mut small = shorter.workspace(&normal, &*on).unwrap();
    let error = solver.resume(&mut small, &*on, &normal, y.view(), &saved).unwrap_err();
    assert!(error.to_string().contains("those of the solver have 4"), "{error}");
    assert!(solver.resume(&mut workspace, &*on, &normal, y.view(), &saved).is_ok());
}

#[test]
fn runs_for_sparse_models_are_taken_up_with_their_momentum() {
    for (dtype, device) in first_elsewhere() {
        let (a, y) = problem_on(dtype, device);
        let stop = Stop::after(14);
        let flip = arrayspan_operators::Flip::new(a.domain().clone(), &[0]).unwrap();
        for (threshold, basis) in [
            (Threshold::Soft, None),
            (Threshold::HardKeeping(40.0), None),
            (Threshold::Soft, Some(flip)),
        ] {
            let decay = vec![2.0, 1.5, 1.0, 0.9];
            let sparsity = Sparsity { weight: 0.02, threshold, basis, decay };
            let ista = Ista { sparsity: sparsity.clone(), stop, check_every: 3, ..Ista::default() };
            pauses(&ista, &a, &y, None);
            // Of the first tries none is taken.
            let (step, backtracking) = (Some(1.0), true);
            pauses(&Ista { step, backtracking, ..ista }, &a, &y, None);
            let start = a.adjoint(&y).unwrap();
            for restart in [false, true] {
                let sparsity = sparsity.clone();
                let fista = Fista { sparsity, restart, stop, check_every: 3, ..Fista::default() };
                pauses(&fista, &a, &y, None);
                pauses(&fista, &a, &y, Some(&start));
                let fista = Fista { step, backtracking, ..fista };
                pauses(&fista, &a, &y, None);
                pauses(&fista, &a, &y, Some(&start));
            }
        }
    }
}
