//! What is refused, and how it is called.

use std::sync::Arc;

use arrayspan_bridge::{Array, DType};
use arrayspan_operators::prelude::*;
use arrayspan_solvers::proximal::{
    Admm, Blocks, Bounds, ChambollePock, Composed, Composite, Equal, L1, L1Ball, L2, L21,
    Minimizer, Nuclear, Proximal, ProximalGradient, Simplex, Split, SquaredL2, Steps, Tv,
};
use arrayspan_solvers::{Error, Result, Stop};

use super::{Device, wide};

fn said<T: std::fmt::Debug>(result: Result<T>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn parameters_out_of_range_are_refused_by_name() {
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(said(L1::new(bad)).starts_with("L1: weight"), "{bad}");
        assert!(said(L2::new(bad)).starts_with("L2: weight"));
        assert!(said(L21::new(bad, 0)).starts_with("L21: weight"));
        assert!(said(SquaredL2::new(bad)).starts_with("SquaredL2: weight"));
        assert!(said(Nuclear::new(bad)).starts_with("Nuclear: weight"));
        assert!(said(Simplex::new(bad)).starts_with("Simplex: radius"));
        assert!(said(L1Ball::new(bad)).starts_with("L1Ball: radius"));
        let space = Space::new([3], DType::Float64).unwrap();
        assert!(said(Tv::new(space, bad)).starts_with("Tv: weight"));
        assert!(said(Composed::new(Equal).times(bad)).starts_with("Composed: factor"));
        let f = L1::new(1.0).unwrap();
        assert!(said(f.proximal(&wide(&[1.0], &[1]), bad)).starts_with("L1: step"));
    }
    assert!(said(Simplex::new(0.0)).contains("radius 0 is not"));
    assert!(said(Bounds::new(2.0, 1.0)).contains("nothing is between 2 and 1"));
    assert!(
        Bounds::new(f64::NAN, 1.0).is_err() && Bounds::new(f64::INFINITY, f64::INFINITY).is_err()
    );
    assert!(said(Composed::new(Equal).scaled(0.0)).starts_with("Composed: scale"));
    let twice = Composed::new(Equal).minus(wide(&[1.0], &[1])).unwrap().minus(wide(&[1.0], &[1]));
    assert!(said(twice).contains("already"));
}

#[test]
fn functions_refuse_arrays_they_are_no_function_of() {
    let complex = Array::zeros([2, 2], DType::Complex64, Device::cpu()).unwrap();
    for f in [&Bounds::new(0.0, 1.0).unwrap() as &dyn Proximal, &Simplex::new(1.0).unwrap()] {
        assert!(said(f.proximal(&complex, 1.0)).contains("complex numbers have no order"), "{f:?}");
    }
    let line = wide(&[1.0, 2.0], &[2]);
    assert!(said(Nuclear::new(1.0).unwrap().at(&line)).contains("is no matrix"));
    assert!(said(L21::new(1.0, 1).unwrap().at(&line)).contains("axis 1 is none"));
    assert!(said(L1::weighted(wide(&[1.0; 3], &[3])).at(&line)).contains("weights has shape [3]"));
    let near = SquaredL2::new(1.0).unwrap().target(wide(&[1.0], &[1]));
    assert!(said(near.at(&line)).contains("shape [1], expected [2]"));
    let tv = Tv::new(Space::new([3], DType::Float64).unwrap(), 1.0).unwrap();
    assert!(said(tv.at(&line)).starts_with("Tv: it is a function of"));
    let blocks = Blocks::default().and(3, Equal);
    assert!(said(blocks.at(&line)).contains("3 indices of axis 0"));
    let empty = Array::zeros([0], DType::Float64, Device::cpu()).unwrap();
    assert!(said(Equal.at(&empty)).contains("no copies"));
    let integers = Array::zeros([2], DType::Int32, Device::cpu()).unwrap();
    assert!(L1::new(1.0).unwrap().at(&integers).is_err());
}

#[test]
fn methods_refuse_parameters_out_of_range() {
    let b = wide(&[1.0, 2.0], &[2]);
    let f = SquaredL2::new(1.0).unwrap();
    let split = || Split { f: &f, g: &f, a: None };
    let start = || b.try_clone().unwrap();
    let dual = ChambollePock::default();
    for (method, name) in [
        (ChambollePock { ratio: 0.0, ..dual }, "ratio"),
        (ChambollePock { norm: Some(f64::NAN), ..dual }, "norm"),
        (ChambollePock { steps: Steps::StronglyConvex(-1.0), ..dual }, "constant"),
        (ChambollePock { check_every: 0, ..dual }, "check_every"),
        (ChambollePock { stop: Stop { residual: -1.0, ..Stop::default() }, ..dual }, "residual"),
    ] {
        let said = said(method.solve(split(), start()));
        assert!(said.starts_with("ChambollePock: ") && said.contains(name), "{said}");
    }
    let admm = Admm::default();
    for (method, name) in [
        (Admm { rho: 0.0, ..admm }, "rho"),
        (Admm { relaxation: 2.0, ..admm }, "relaxation"),
        (Admm { inner: 0, ..admm }, "inner"),
        (Admm { norm: Some(-1.0), ..admm }, "norm"),
        (Admm { check_every: 0, ..admm }, "check_every"),
    ] {
        let said = said(method.solve(split(), start()));
        assert!(said.starts_with("Admm: ") && said.contains(name), "{said}");
    }
    let problem = Composite { f: &f, g: &f };
    let gradient = ProximalGradient { step: Some(0.0), ..ProximalGradient::default() };
    assert!(said(gradient.solve(problem, start())).contains("step 0 is not"));
}

#[test]
fn what_does_not_fit_is_refused_before_anything_is_done() {
    let space = Space::new([3], DType::Float64).unwrap();
    let a = Identity::new(space).unwrap();
    let f = L1::new(1.0).unwrap();
    let start = wide(&[1.0, 2.0], &[2]);
    let problem = Split { f: &f, g: &f, a: Some(&a) };
    let error = ChambollePock::default().solve(problem, start).unwrap_err().to_string();
    assert!(error.contains("the start is"), "{error}");
    // The function behind the operator is asked, too.
    let g = SquaredL2::new(1.0).unwrap().target(wide(&[1.0], &[1]));
    let problem = Split { f: &f, g: &g, a: Some(&a) };
    let error = Admm::default().solve(problem, wide(&[0.0; 3], &[3])).unwrap_err().to_string();
    assert!(error.starts_with("SquaredL2: the data have shape [1], expected [3]"), "{error}");
    let integers = Array::zeros([3], DType::Int32, Device::cpu()).unwrap();
    assert!(Admm::default().solve(Split { f: &f, g: &f, a: None }, integers).is_err());
    let Some(other) = Device::all().into_iter().find(|device| !device.is_cpu()) else {
        println!("skipped: no device but the CPU");
        return;
    };
    let on = arrayspan_kernels::on(other).unwrap();
    let mut scratch = arrayspan_solvers::proximal::Scratch::default();
    let here = wide(&[0.0; 3], &[3]);
    let problem = Split { f: &f, g: &f, a: None };
    let error = Admm::default().solve_in(&mut scratch, &*on, problem, here, &mut ());
    assert!(matches!(error, Err(Error::WrongDevice { argument: "start", .. })));
}

#[test]
fn functions_may_be_shared() {
    let f: Arc<dyn Proximal> = Arc::new(L1::new(1.0).unwrap());
    let parts = Blocks::default().and(1, f.clone()).and(1, f);
    assert_eq!(parts.at(&wide(&[1.0, -2.0], &[2])).unwrap(), 3.0);
}
