//! What runs take and move.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::{Trace, on};
use arrayspan_operators::prelude::*;
use arrayspan_solvers::Stop;
use arrayspan_solvers::proximal::{
    Admm, ChambollePock, Composed, Composite, L1, L21, Minimizer, Proximal, ProximalGradient,
    Scratch, Split, SquaredL2, Tv,
};

const SHAPE: [usize; 2] = [60, 40];

fn space() -> Space {
    Space::new(SHAPE, DType::Float64).unwrap()
}

fn gradient() -> Operator {
    Gradient::new(space(), &[1.0, 1.0], Scheme::Forward, Edge::Zero).unwrap()
}

fn start() -> Array {
    let numbers: Vec<f64> = (0..2400).map(|i| f64::from(i * 37 % 101) / 101.0).collect();
    Array::from_slice(&numbers, SHAPE).unwrap()
}

/// What a run takes is predicted, nothing is missing in the end, and a second one takes nothing more.
fn predicts<M: Minimizer>(method: &M, problem: impl Fn() -> M::Problem<'static>) {
    let on = on(Device::cpu()).unwrap();
    let predicted = method.memory(problem(), &space()).unwrap();
    let mut scratch = Scratch::default();
    for run in 0..3 {
        method.solve_in(&mut scratch, &*on, problem(), start(), &mut ()).unwrap();
        let taken = scratch.bytes();
        assert!(taken <= predicted, "{method:?}, run {run}: {taken} bytes, predicted {predicted}");
        // Functions say what they take at most, of which some is shared.
        assert!(10 * taken >= 6 * predicted, "{method:?}: {taken} bytes, predicted {predicted}");
    }
}

fn kept<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

#[test]
fn the_memory_of_a_run_is_predicted_and_a_second_run_takes_no_more() {
    let stop = Stop::after(25);
    let near = kept(SquaredL2::new(1.0).unwrap().target(start()));
    let lengths = kept(L21::new(0.1, 0).unwrap());
    let opaque = kept(Composed::new(L1::new(0.1).unwrap()));
    let behind = kept(SquaredL2::new(1.0).unwrap().operator(gradient()));
    let a: &'static Operator = kept(gradient());
    let tv = kept(Tv::new(space(), 0.1).unwrap());
    let of = |f: &'static dyn Proximal| move || Split { f, g: lengths, a: Some(a) };
    let dual = ChambollePock { stop, norm: Some(3.0), ..ChambollePock::default() };
    predicts(&dual, of(near));
    predicts(&dual, of(opaque));
    let admm = Admm { stop, norm: Some(3.0), ..Admm::default() };
    predicts(&admm, of(near));
    predicts(&admm, of(opaque));
    predicts(&admm, of(behind));
    predicts(&admm, || Split { f: behind, g: opaque, a: None });
    predicts(&admm, || Split { f: near, g: tv, a: None });
    let gradient = ProximalGradient { stop, step: Some(0.1), ..ProximalGradient::default() };
    predicts(&gradient, || Composite { f: behind, g: opaque });
    predicts(&gradient, || Composite { f: near, g: tv });
}

/// Vectors that an iteration moves, in those of the models.
fn moved<M: Minimizer>(
    method: impl Fn(Stop) -> M,
    problem: impl Fn() -> M::Problem<'static>,
) -> f64 {
    let bytes = |iterations| {
        let trace = Trace::of(on(Device::cpu()).unwrap());
        let method = method(Stop::after(iterations));
        let mut scratch = Scratch::default();
        method.solve_in(&mut scratch, &trace, problem(), start(), &mut ()).unwrap();
        trace.take().bytes() as f64
    };
    (bytes(20) - bytes(10)) / 10.0 / (2400.0 * 8.0)
}

/// Functions and operators whose traffic is known: `L1` reads a vector and writes one, and so does the identity.
#[test]
fn an_iteration_moves_what_is_documented() {
    let l1 = kept(L1::new(1e-4).unwrap());
    let identity: &'static Operator = kept(Identity::new(space()).unwrap());
    let split = || Split { f: l1, g: l1, a: Some(identity) };
    let dual = |stop| ChambollePock { stop, norm: Some(1.0), ..ChambollePock::default() };
    // Two functions and two applications move 8.
    let found = moved(dual, split) - 8.0;
    assert!((21.0..21.5).contains(&found), "{found}");
    let near = kept(SquaredL2::new(1.0).unwrap());
    let step = Some(0.1);
    let gradient = |stop| ProximalGradient { step, stop, ..ProximalGradient::default() };
    // The gradient of a square without an operator moves 5, its value 3.
    let found = moved(gradient, || Composite { f: near, g: l1 }) - 10.0;
    assert!((21.0..21.5).contains(&found), "{found}");
    let gradient = |stop| ProximalGradient { backtracking: false, ..gradient(stop) };
    let found = moved(gradient, || Composite { f: near, g: l1 }) - 7.0;
    assert!((15.0..15.5).contains(&found), "{found}");
    let admm = |stop| Admm { stop, ..Admm::default() };
    // Two functions, a copy in the place of an application, and what the first function is applied to.
    let found = moved(admm, || Split { f: l1, g: l1, a: None }) - 9.0;
    assert!((14.0..14.5).contains(&found), "{found}");
}
