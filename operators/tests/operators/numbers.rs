//! Numbers that the dtype of an operator cannot hold are refused where they are given.

use arrayspan_bridge::DType::{self, Complex64, Complex128, Float32, Float64};
use arrayspan_operators::form::IndexMap;
use arrayspan_operators::prelude::*;
use arrayspan_operators::{Error, Result};

use crate::support::{array, host, numbers};

fn space(dtype: DType) -> Space {
    Space::new([7], dtype).unwrap()
}

fn identity(dtype: DType) -> Operator {
    Identity::new(space(dtype)).unwrap()
}

/// The message of a parameter error, which names the number and the dtype.
fn refused<T>(result: Result<T>, naming: &[&str]) {
    let message = match result {
        Err(error @ Error::Parameter { .. }) => error.to_string(),
        Err(error) => panic!("another error: {error}"),
        Ok(_) => panic!("no error naming {naming:?}"),
    };
    for name in naming {
        assert!(message.contains(name), "{message} does not name {name}");
    }
}

const SCHEMES: [Scheme; 4] =
    [Scheme::Forward, Scheme::Backward, Scheme::Centered3, Scheme::Centered5];

#[test]
fn steps_whose_weights_the_dtype_cannot_hold_are_refused() {
    for scheme in SCHEMES {
        let first =
            |dtype, step| FirstDerivative::new(space(dtype), 0, step, scheme, Edge::Reduced);
        let second =
            |dtype, step| SecondDerivative::new(space(dtype), 0, step, scheme, Edge::Reduced);
        for dtype in [Float32, Complex64] {
            let name = &format!("{dtype}");
            refused(first(dtype, 1e-40), &["FirstDerivative", "step of 1e-40", name]);
            refused(first(dtype, -1e40), &["FirstDerivative", "step of -1e40", name]);
            refused(second(dtype, 1e-20), &["SecondDerivative", "step of 1e-20", name]);
            refused(second(dtype, 1e20), &["SecondDerivative", "step of 1e20", name]);
        }
        for dtype in [Float64, Complex128] {
            assert!(first(dtype, 1e-40).is_ok() && second(dtype, 1e-20).is_ok());
            refused(second(dtype, 1e-200), &["step of 1e-200"]);
            refused(second(dtype, 1e200), &["step of 1e200"]);
            refused(first(dtype, 1e-320), &["step of 1e-320"]);
        }
        // Unusual but sound: in SI units, electrons and galaxies.
        assert!(first(Float32, 1e-31).is_ok() && first(Float32, 1e30).is_ok());
    }
}

#[test]
fn weights_of_a_laplacian_are_judged_with_their_steps() {
    let along = |terms: &[Along]| {
        Laplacian::new(space(Float32), terms, Scheme::Centered3, Edge::Zero).map(|_| ())
    };
    let term = Along { axis: 0, step: 1.0, weight: 1.0 };
    refused(along(&[Along { weight: 1e300, ..term }]), &["weight of 1e300", "Float32"]);
    refused(along(&[Along { weight: 1e-300, ..term }]), &["weight of 1e-300", "Float32"]);
    refused(along(&[Along { step: 1e-20, ..term }]), &["step of 1e-20", "Float32"]);
    // Their quotient is an ordinary number.
    assert!(along(&[Along { step: 1e-20, weight: 1e-37, ..term }]).is_ok());
    assert!(along(&[Along { weight: 0.0, ..term }]).is_ok());
    // One by one they fit, their sum does not.
    let large = Along { weight: 1.2e38, ..term };
    assert!(along(&[large]).is_ok());
    refused(along(&[large, large]), &["sum", "axis 0", "Float32"]);
}

#[test]
fn taps_of_a_filter_may_only_be_lost_beside_larger_ones() {
    let filter = |taps: &[f64]| Convolve1D::new(space(Float32), 0, taps, 0).map(|_| ());
    refused(filter(&[1.0, 1e300]), &["Convolve1D", "tap of 1e300", "Float32"]);
    refused(filter(&[1e-50]), &["tap of 1e-50", "Float32"]);
    refused(filter(&[1e-37, 1e-39]), &["tap of 1e-39", "Float32"]);
    refused(filter(&[f64::INFINITY]), &["tap of inf"]);
    // The ends of a wavelet: far less than the rounding error of its middle.
    assert!(filter(&[1e-50, 1.0, 1e-50]).is_ok());
    let wavelet = |taps: &[f64]| {
        PoststackLinearModelling::new(space(Float32), taps, Scheme::Centered3).map(|_| ())
    };
    refused(wavelet(&[1e39]), &["PoststackLinearModelling", "tap of 1e39"]);
    // Half of it is no normal number, so the two factors stay apart.
    assert!(wavelet(&[1.5e-38]).is_ok());
    assert!(wavelet(&[1e-60, 0.5, 1.0, 0.5, 1e-60]).is_ok());
}

#[test]
fn factors_are_refused_by_themselves_and_times_those_that_are_there() {
    for dtype in [Float32, Complex64] {
        let a = || identity(dtype);
        refused((1e300 * a()).build(), &["Identity", "factor 1e300", &format!("{dtype}")]);
        refused((1e-40 * a()).build(), &["factor 1e-40", &format!("{dtype}")]);
        refused((f64::NAN * a()).build(), &["factor NaN"]);
        refused((f64::NEG_INFINITY * a()).build(), &["factor -inf"]);
        let large = (1e30 * a()).build().unwrap();
        refused((1e10 * large.clone()).build(), &["factor 1e10", "1e40"]);
        refused((1e10 * (a() + large.clone()).build().unwrap()).build(), &["sum", "factor 1e10"]);
        refused((1e10 * vstack([a(), large.clone()]).unwrap()).build(), &["vstack", "factor 1e10"]);
        refused(
            (1e10 * adjoint(block_diagonal([large.clone()]).unwrap())).build(),
            &["block_diagonal"],
        );
        // Forward the large factor comes after the other, adjoint before it.
        refused(
            (1e10 * large.clone().after(a()).build().unwrap()).build(),
            &["product", "factor 1e10"],
        );
        refused(
            (1e10 * a().after(large.clone()).build().unwrap()).build(),
            &["product", "factor 1e10"],
        );
        assert!((1e-30 * large).build().is_ok() && (0.0 * a()).build().is_ok());
        refused((1e-20 * (1e-20 * a()).build().unwrap()).build(), &["factor 1e-20", "1e-40"]);
    }
    assert!((1e300 * identity(Float64)).build().is_ok());
    let turned = num_complex::Complex64::new(0.0, 1e39) * identity(Complex64);
    refused(turned.build(), &["factor 0.0+1e39i", "Complex64"]);
}

#[test]
fn updates_are_refused_before_anything_is_written() {
    let a = identity(Float32);
    let scaled = (1e20 * a.clone()).build().unwrap();
    let sum = (a.clone() + scaled).build().unwrap();
    let x = array(&[7], &[1.0_f32; 7]);
    for (operator, alpha, beta, name) in [
        (&a, 1e300, 0.0, "alpha 1e300"),
        (&a, 1.0, 1e300, "beta 1e300"),
        (&a, 1e-60, 0.0, "alpha 1e-60"),
        (&a, 1.0, f64::NAN, "beta NaN"),
        (&sum, 1e30, 0.0, "alpha times the factors of its parts is 1e50"),
    ] {
        let mut y = array(&[7], &[5.0_f32; 7]);
        let update = Update::new(alpha, beta);
        let forward = operator.apply(&*host(), x.view(), y.view_mut(), update);
        refused(forward, &[operator.name(), name, "Float32"]);
        let adjoint = operator.apply_adjoint(&*host(), x.view(), y.view_mut(), update);
        refused(adjoint, &[operator.name(), name, "Float32"]);
        assert_eq!(numbers(&y), [5.0.into(); 7], "{name}");
    }
    let mut y = array(&[7], &[5.0_f32; 7]);
    sum.apply(&*host(), x.view(), y.view_mut(), Update::new(0.0, 1.0)).unwrap();
    assert_eq!(numbers(&y), [5.0.into(); 7]);
}

#[test]
fn multiples_of_the_identity_whose_product_leaves_the_dtype_are_applied_one_after_the_other() {
    let weights = array(&[7], &[2.0_f32; 7]).into_shared();
    let weights = Diagonal::new(space(Float32), weights).unwrap();
    let roll = Roll::new(space(Float32), 0, 1).unwrap();
    for (factor, x) in [(1e30, 1e-30_f32), (1e-30, 1e30)] {
        let once = (factor * identity(Float32)).build().unwrap();
        let twice = once.after(&once).build().unwrap();
        let x = array(&[7], &[x; 7]);
        let cases = [
            (1.0, Formula::from(&twice)),
            (2.0, weights.after(&twice)),
            (2.0, twice.after(&weights)),
            (1.0, roll.after(&twice)),
            (1.0, twice.after(&roll)),
            (1.0, roll.after(&twice).after(&roll)),
            (1.0, &twice + 0.0 * &roll),
            (2.0, &twice + roll.after(&twice)),
        ];
        for (multiple, formula) in cases {
            let operator = formula.build().unwrap();
            let expected = multiple * f64::from(factor as f32);
            for y in [operator.forward(&x).unwrap(), operator.adjoint(&x).unwrap()] {
                for found in numbers(&y) {
                    assert!((found.re / expected - 1.0).abs() < 1e-6, "{operator:?}: {found}");
                }
            }
        }
    }
}

#[test]
fn a_factor_far_from_one_stays_before_weights_that_are() {
    let weights = array(&[7], &[1e30_f32; 7]).into_shared();
    let large = Diagonal::new(space(Float32), weights).unwrap();
    let filter = Convolve1D::new(space(Float32), 0, &[2.0], 0).unwrap();
    for (inner, multiple) in [(filter, 2.0), (Roll::new(space(Float32), 0, 1).unwrap(), 1.0)] {
        let product = large.after(1e-30 * &inner).build().unwrap();
        let x = array(&[7], &[1e10_f32; 7]);
        for found in numbers(&product.forward(&x).unwrap()) {
            assert!((found.re / (multiple * 1e10) - 1.0).abs() < 1e-6, "{found}");
        }
        // The factor is part of the weights, and no pass of its own.
        assert!(product.cost(false).unwrap().launches <= inner.cost(false).unwrap().launches + 1);
    }
}

#[test]
fn factors_whose_product_vanishes_are_applied_one_after_the_other() {
    let small = |operator: &Operator| (1e-200 * operator).build().unwrap();
    let roll = Roll::new(space(Float64), 0, 1).unwrap();
    let filter = Convolve1D::new(space(Float64), 0, &[2.0], 0).unwrap();
    let x = array(&[7], &[1e300_f64; 7]);
    for (outer, inner, multiple) in
        [(&roll, &roll, 1.0), (&roll, &filter, 2.0), (&filter, &roll, 2.0), (&filter, &filter, 4.0)]
    {
        let product = small(outer).after(small(inner)).build().unwrap();
        for y in [product.forward(&x).unwrap(), product.adjoint(&x).unwrap()] {
            for found in numbers(&y) {
                assert!((found.re / (multiple * 1e-100) - 1.0).abs() < 1e-14, "{found}");
            }
        }
    }
}

#[test]
fn factors_within_a_shared_part_and_without_are_applied_one_after_the_other() {
    let space = Space::new([80], Float32).unwrap();
    let rolls = (0..80).map(|shift| Roll::new(space.clone(), 0, shift).unwrap());
    let shared = rolls.map(|roll| 1e30 * roll).reduce(|sum, term| sum + term).unwrap();
    let shared = shared.build().unwrap();
    let flip = IndexMap::flip("flip", &[80], &[0]).unwrap();
    let flip = Operator::of("flip", space.clone(), space.clone(), Form::Index(flip)).unwrap();
    let once = (1e30 * Identity::new(space.clone()).unwrap()).build().unwrap();
    // What the shared part writes is an intermediate result.
    let stencil = FirstDerivative::new(space, 0, 1.0, Scheme::Forward, Edge::Zero).unwrap();
    let operator = stencil.after(once.after(&shared) + flip.after(&shared)).build().unwrap();
    let mut impulse = [0.0_f32; 80];
    impulse[0] = 1e-30;
    for y in [operator.forward(array(&[80], &impulse)), operator.adjoint(array(&[80], &impulse))] {
        assert!(numbers(&y.unwrap()).iter().all(|found| found.is_finite()));
    }
    let sum = (flip.after(once.after(&shared) + flip.after(&shared))).build().unwrap();
    for found in numbers(&sum.forward(array(&[80], &impulse)).unwrap()) {
        assert!((found.re / 1e30 - 1.0).abs() < 1e-6, "{found}");
    }
}
