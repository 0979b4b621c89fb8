//! Runs of proximal methods that are saved and taken up later.

use std::io::ErrorKind;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::on;
use arrayspan_operators::prelude::*;
use arrayspan_solvers::proximal::{
    Admm, ChambollePock, Composed, Composite, L1, Minimizer, Minimizing, Proximal,
    ProximalGradient, SavedMinimizing, Scratch, Split, SquaredL2, Steps,
};
use arrayspan_solvers::{Error, Solution, Stop, Stopped};

use crate::support::{Problem, Random, array, first_elsewhere, values};

fn kept<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

fn led(mut run: Minimizing<'_>) -> Solution {
    while run.advance(usize::MAX).unwrap().is_continue() {}
    run.finish().unwrap()
}

#[track_caller]
fn same(found: &Solution, expected: &Solution, what: &str) {
    let bits = |all: &[f64]| all.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    let home = |x: &Array| values(&x.view().to(Device::cpu()).unwrap().0);
    assert_eq!(bits(&found.residuals), bits(&expected.residuals), "{what}");
    assert_eq!((found.iterations, found.stopped), (expected.iterations, expected.stopped));
    assert_eq!(home(&found.x), home(&expected.x), "{what}");
}

/// A run with a pause, the same led on, and one without, which looks every third time.
fn pauses<M: Minimizer>(method: &M, problem: impl Fn() -> M::Problem<'static>, start: &Array) {
    let on = on(start.device()).unwrap();
    let start = || start.try_clone().unwrap();
    let without = method.solve(problem(), start()).unwrap();
    assert_eq!(without.iterations, 15, "{method:?}: {:?}", without.stopped);
    for at in [0, 1, 3, 5, 9, 15] {
        let what = format!("{method:?} on {} after {at}", on.device());
        let mut scratch = Scratch::default();
        let mut run = method.start(&mut scratch, &*on, problem(), start()).unwrap();
        while run.progress().iteration < at {
            let _ = run.advance(at - run.progress().iteration).unwrap();
        }
        let saved = run.save().unwrap();
        assert_eq!((saved.solver(), saved.iterations()), (run.progress().solver, at));
        // The run may go on.
        let expected = led(run);
        if at % 3 == 0 {
            same(&expected, &without, &what);
        }
        let mut file = Vec::new();
        saved.to(Device::cpu()).unwrap().write_to(&mut file).unwrap();
        let read = SavedMinimizing::read_from(&*file).unwrap();
        assert_eq!((read.device(), read.residuals()), (Device::cpu(), saved.residuals()));
        let read = read.to(on.device()).unwrap();
        for saved in [saved, read] {
            // What is in the scratch is of the run before.
            let run = method.resume(&mut scratch, &*on, problem(), &saved).unwrap();
            assert_eq!(run.progress().iteration, at);
            same(&led(run), &expected, &what);
        }
    }
}

/// `½ ‖A x - y‖²` and its operator, where arrays are on a device.
fn misfit(dtype: DType, device: Device) -> (&'static SquaredL2, Array) {
    let problem = Problem::new(dtype, [23, 17], 3.0, false, &mut Random(7));
    let moved = |array: Array| array.to(device).unwrap().0;
    let matrix = moved(problem.operator().to_dense().unwrap()).into_shared();
    let a = MatrixMult::new(matrix, &[]).unwrap();
    let near = SquaredL2::new(1.0).unwrap().operator(a).target(moved(problem.data()));
    let start = array(dtype, &Random(3).numbers(dtype, 17), &[17]);
    (kept(near), moved(start))
}

#[test]
fn a_run_that_is_taken_up_gives_the_bits_of_one_without_a_pause() {
    for (dtype, device) in first_elsewhere() {
        let (near, start) = misfit(dtype, device);
        let few: &'static L1 = kept(L1::new(0.05).unwrap());
        let stop = Stop::after(15);
        // Each case compiles kernels of its own.
        let all = device.is_cpu();
        let kinds = [(true, true), (false, true), (true, false)];
        for (backtracking, accelerated) in kinds.into_iter().take(if all { 3 } else { 1 }) {
            let step = if backtracking { Some(10.0) } else { None };
            let check_every = 3;
            let method = ProximalGradient { step, backtracking, accelerated, stop, check_every };
            pauses(&method, || Composite { f: near, g: few }, &start);
        }
        let space = Space::new([17], dtype).unwrap();
        let slope = FirstDerivative::new(space, 0, 1.0, Scheme::Forward, Edge::Zero).unwrap();
        let slope: &'static Operator = kept(slope);
        let opaque = kept(Composed::new(L1::new(0.02).unwrap()));
        let split = |f: &'static dyn Proximal| move || Split { f, g: few, a: Some(slope) };
        for rho in [1.0, 30.0].into_iter().take(if all { 2 } else { 1 }) {
            let admm = Admm { rho, stop, check_every: 3, ..Admm::default() };
            pauses(&admm, split(near), &start);
            pauses(&admm, split(opaque), &start);
            pauses(&admm, || Split { f: near, g: few, a: None }, &start);
        }
        let steps = [Steps::Balanced, Steps::StronglyConvex(0.1), Steps::Fixed];
        for steps in steps.into_iter().take(if all { 3 } else { 2 }) {
            let (ratio, check_every) = (10.0, 3);
            let method =
                ChambollePock { steps, ratio, stop, check_every, ..ChambollePock::default() };
            pauses(&method, split(near), &start);
            pauses(&method, || Split { f: near, g: few, a: None }, &start);
        }
    }
}

fn gradient(iterations: usize) -> ProximalGradient {
    let (stop, check_every) = (Stop::after(iterations), 3);
    ProximalGradient { step: Some(10.0), stop, check_every, ..ProximalGradient::default() }
}

fn saved(method: &ProximalGradient, problem: Composite<'_>, start: &Array) -> SavedMinimizing {
    let on = on(start.device()).unwrap();
    let mut scratch = Scratch::default();
    let start = start.try_clone().unwrap();
    let mut run = method.start(&mut scratch, &*on, problem, start).unwrap();
    while run.advance(3).unwrap().is_continue() && run.progress().iteration < 6 {}
    run.save().unwrap()
}

#[test]
fn a_run_that_was_over_goes_on_with_another_stop() {
    let (near, start) = misfit(DType::Float64, Device::cpu());
    let on = on(Device::cpu()).unwrap();
    let few: &'static L1 = kept(L1::new(0.05).unwrap());
    let slope = {
        let space = Space::new([17], DType::Float64).unwrap();
        FirstDerivative::new(space, 0, 1.0, Scheme::Forward, Edge::Zero).unwrap()
    };
    let split = || Split { f: near, g: few, a: Some(&slope) };
    let after = |iterations| ChambollePock {
        ratio: 10.0,
        check_every: 3,
        stop: Stop::after(iterations),
        ..ChambollePock::default()
    };
    let (short, long) = (after(6), after(30));
    let copy = || start.try_clone().unwrap();
    let expected = long.solve(split(), copy()).unwrap();
    let mut scratch = Scratch::default();
    let mut run = short.start(&mut scratch, &*on, split(), copy()).unwrap();
    while run.advance(3).unwrap().is_continue() {}
    let state = run.save().unwrap();
    assert_eq!(run.finish().unwrap().stopped, Stopped::Iterations);
    // Steps are balanced at the look at which the short run ended, too.
    let run = long.resume(&mut scratch, &*on, split(), &state).unwrap();
    assert_eq!(run.stopped(), None);
    same(&led(run), &expected, "more iterations");
    let run = short.resume(&mut scratch, &*on, split(), &state).unwrap();
    assert_eq!(run.stopped(), Some(Stopped::Iterations));
}

#[test]
fn a_run_of_something_else_is_refused_by_name() {
    let (near, start) = misfit(DType::Float64, Device::cpu());
    let few = L1::new(0.05).unwrap();
    let problem = Composite { f: near, g: &few };
    let state = saved(&gradient(20), problem, &start);
    let host = on(Device::cpu()).unwrap();
    let mut scratch = Scratch::default();
    let plain = ProximalGradient { accelerated: false, ..gradient(20) };
    let error = plain.resume(&mut scratch, &*host, problem, &state).map(drop).unwrap_err();
    assert!(matches!(error, Error::Saved { solver: "ProximalGradient", .. }), "{error:?}");
    assert!(error.to_string().contains("acceleration was 1"), "{error}");
    let dual = ChambollePock::default();
    let split = Split { f: near, g: &few, a: None };
    let error = dual.resume(&mut scratch, &*host, split, &state).map(drop).unwrap_err();
    assert!(error.to_string().contains("it is one of ProximalGradient"), "{error}");
    let other = SquaredL2::new(1.0).unwrap().target(array(DType::Float64, &[1.0.into(); 5], &[5]));
    let other = Composite { f: &other, g: &few };
    assert!(gradient(20).resume(&mut scratch, &*host, other, &state).is_err());
}

#[test]
fn bytes_that_are_no_saved_run_are_an_error_and_nothing_worse() {
    let (near, start) = misfit(DType::Float32, Device::cpu());
    let few = L1::new(0.05).unwrap();
    let problem = Composite { f: near, g: &few };
    let method = gradient(20);
    let mut file = Vec::new();
    saved(&method, problem, &start).write_to(&mut file).unwrap();
    let kind =
        |bytes: &[u8]| SavedMinimizing::read_from(bytes).map(drop).map_err(|error| error.kind());
    assert_eq!(kind(&file), Ok(()));
    for len in 0..file.len() {
        assert_eq!(kind(&file[..len]), Err(ErrorKind::UnexpectedEof), "{len}");
    }
    assert_eq!(kind(b"something altogether else"), Err(ErrorKind::InvalidData));
    let (host, mut scratch, mut random) =
        (on(Device::cpu()).unwrap(), Scratch::default(), Random(5));
    let (dual, admm) = (ChambollePock::default(), Admm::default());
    let split = || Split { f: near, g: &few, a: None };
    // Those of methods with numbers of their own.
    let of_split = |run: &mut Minimizing<'_>| {
        let _ = run.advance(3).unwrap();
        let mut file = Vec::new();
        run.save().unwrap().write_to(&mut file).unwrap();
        file
    };
    let copy = || start.try_clone().unwrap();
    let files = [
        file,
        of_split(&mut dual.start(&mut Scratch::default(), &*host, split(), copy()).unwrap()),
        of_split(&mut admm.start(&mut Scratch::default(), &*host, split(), copy()).unwrap()),
    ];
    // Whatever is read is a run, or an error; whatever is taken up ends.
    for round in 0..3000 {
        let mut bytes = files[round % 3].clone();
        for _ in 0..2 {
            let at = (random.next().abs() * 400.0) as usize % bytes.len();
            bytes[at] = (random.next() * 128.0) as i8 as u8;
        }
        let Ok(state) = SavedMinimizing::read_from(&*bytes) else { continue };
        let run = match round % 3 {
            0 => method.resume(&mut scratch, &*host, problem, &state),
            1 => dual.resume(&mut scratch, &*host, split(), &state),
            _ => admm.resume(&mut scratch, &*host, split(), &state),
        };
        if let Ok(mut run) = run {
            let _ = run.advance(3).unwrap();
        }
    }
}
