//! What is refused, and that the message says what was wrong.

use arrayspan_bridge::DType;
use arrayspan_bridge::DType::{Complex128, Float32, Float64};
use arrayspan_bridge::devices::Device;
use arrayspan_operators::prelude::*;
use arrayspan_operators::{Error, Result};
use num_complex::Complex64;

use crate::support::{bound, floats, host, random, read};

fn space(shape: &[usize]) -> Space {
    Space::new(shape, Float64).unwrap()
}

/// The message of a parameter error.
fn parameter<T>(result: Result<T>) -> String {
    match result {
        Err(error @ Error::Parameter { .. }) => error.to_string(),
        Err(error) => panic!("another error: {error}"),
        Ok(_) => panic!("no error"),
    }
}

fn slope(space: Space, axis: isize, step: f64) -> Result<Operator> {
    FirstDerivative::new(space, axis, step, Scheme::Forward, Edge::Zero)
}

#[test]
fn derivatives_refuse_missing_axes_bad_steps_and_dtypes() {
    assert_eq!(
        parameter(slope(space(&[5, 4]), 2, 1.0)),
        "FirstDerivative: there is no axis 2 in an array of rank 2"
    );
    for axis in [-3, isize::MIN, isize::MAX] {
        let why = format!("there is no axis {axis} in an array of rank 2");
        assert!(parameter(slope(space(&[5, 4]), axis, 1.0)).contains(&why));
    }
    assert!(parameter(slope(space(&[5]), 0, 0.0)).contains("a step of 0"));
    assert!(parameter(slope(space(&[5]), 0, f64::NAN)).contains("a step of NaN"));
    assert!(parameter(slope(Space::new([5], DType::Int32).unwrap(), 0, 1.0)).contains("Int32"));
    let second =
        |axis, step| SecondDerivative::new(space(&[5]), axis, step, Scheme::Forward, Edge::Zero);
    assert!(parameter(second(1, 1.0)).starts_with("SecondDerivative: "));
    assert!(parameter(second(0, f64::INFINITY)).contains("a step of inf"));
}

#[test]
fn laplacians_refuse_no_terms_and_weights_that_are_not_finite() {
    let along =
        |terms: &[Along]| Laplacian::new(space(&[5, 4]), terms, Scheme::Centered3, Edge::Zero);
    assert_eq!(parameter(along(&[])), "Laplacian: no terms are given for Float64 [5, 4]");
    let term = Along { axis: 0, step: 1.0, weight: f64::NAN };
    assert!(parameter(along(&[term])).contains("a weight of NaN"));
    assert!(parameter(along(&[Along { axis: 7, weight: 1.0, ..term }])).contains("axis 7"));
}

#[test]
fn filters_refuse_what_they_cannot_be() {
    let filter = |taps: &[f64], offset| Convolve1D::new(space(&[3, 9]), 0, taps, offset);
    let long = parameter(filter(&[1.0; 4], 0));
    assert!(long.contains("4 taps") && long.contains("1 to 3"), "{long}");
    assert!(parameter(filter(&[], 0)).contains("0 taps"));
    assert!(parameter(filter(&[1.0, 2.0], 2)).contains("offset 2"));
    assert!(parameter(filter(&[f64::NAN], 0)).contains("not a finite"));
    let most = vec![1.0; Convolve1D::MOST_TAPS + 1];
    // More taps than that are for transforms.
    let direct = Convolve1D::by(space(&[9999]), 0, &most, 0, Convolution::Direct);
    assert!(parameter(direct).contains("directly 1 to 4096"));
    let blocks =
        |taps| Convolve1D::by(space(&[99_999]), 0, &vec![1.0; taps], 0, Convolution::Blocks);
    assert!(parameter(blocks(20_000)).contains("no room for 20000 taps"));
    assert!(blocks(300).is_ok());
    assert!(Convolve1D::new(space(&[9999]), 0, &most, 0).is_ok());
    let complex = Convolve1D::new(space(&[3]), 0, &[Complex64::i()], 0);
    assert!(parameter(complex).contains("complex taps for Float64 [3]"));
    let wavelet = PoststackLinearModelling::new(space(&[3]), &[1.0; 5], Scheme::Forward);
    assert!(parameter(wavelet).starts_with("PoststackLinearModelling: 5 taps"));
}

#[test]
fn basic_operators_refuse_arrays_that_do_not_fit() {
    let weights = || floats(&[3], &[1.0; 3]).into_shared();
    let whole = parameter(Diagonal::new(space(&[3, 1]), weights()));
    assert_eq!(whole, "Diagonal: weights of shape [3] for Float64 [3, 1]");
    let along = parameter(Diagonal::along(space(&[3, 4]), 1, weights()));
    assert_eq!(along, "Diagonal: weights of shape [3] along axis 1 of Float64 [3, 4]");
    let dtype = parameter(Diagonal::new(Space::new([3], Complex128).unwrap(), weights()));
    assert_eq!(dtype, "Diagonal: weights of dtype Float64 for Complex128 [3], expected Complex128");
    assert!(parameter(MatrixMult::new(weights(), &[])).contains("shape [3]"));
    let matrix = || floats(&[2, 3], &[1.0; 6]).into_shared();
    let axis = parameter(MatrixMult::along(space(&[4, 3]), 2, matrix()));
    assert_eq!(axis, "MatrixMult: there is no axis 2 in an array of rank 2");
    let columns = parameter(MatrixMult::along(space(&[4, 3]), 0, matrix()));
    assert_eq!(
        columns,
        "MatrixMult: a matrix of shape [2, 3] along axis 0 does not map Float64 [4, 3] to Float64 [2, 3]"
    );
    let other = parameter(MatrixMult::along(Space::new([3], Float32).unwrap(), 0, matrix()));
    assert_eq!(other, "MatrixMult: a matrix of dtype Float64 for Float32 [3]");
    assert!(parameter(MatrixMult::along(space(&[3]), 0, weights())).contains("shape [3]"));
    let matrix = floats(&[1, 1], &[1.0]).into_shared();
    let large = MatrixMult::new(matrix, &[usize::MAX]).unwrap_err();
    assert!(large.to_string().starts_with("MatrixMult: Float64 [1, 18446744073709551615] takes"));
    let ranks = Identity::rectangular(space(&[3]), space(&[3, 1]));
    let which =
        "Identity: rank or dtype of domain and range differ: Float64 [3] and Float64 [3, 1]";
    assert_eq!(ranks.unwrap_err().to_string(), which);
}

#[test]
fn compositions_refuse_spaces_that_do_not_meet() {
    let identity = |shape: &[usize]| Identity::new(space(shape)).unwrap();
    let message = |result: Result<Operator>| match result {
        Err(error @ Error::Spaces { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    };
    let product = message(identity(&[3]).after(identity(&[4])).build());
    let differ = "differ: Float64 [3] and Float64 [4]";
    assert_eq!(product, format!("after: domain of Identity and range of Identity {differ}"));
    let domains = format!("domain of Identity and domain of Identity {differ}");
    let ranges = format!("range of Identity and range of Identity {differ}");
    let sum = message((identity(&[3]) + identity(&[4])).build());
    assert_eq!(sum, format!("+: {domains}"));
    let difference = message((identity(&[3]) - identity(&[4])).build());
    assert_eq!(difference, format!("-: {domains}"));
    assert_eq!(message(vstack([identity(&[3]), identity(&[4])])), format!("vstack: {domains}"));
    assert_eq!(message(hstack([identity(&[3]), identity(&[4])])), format!("hstack: {ranges}"));
    let crop = Identity::rectangular(space(&[3]), space(&[2])).unwrap().named("Crop");
    let (narrow, square) =
        (message(crop.pow(2).build()), message((&crop + identity(&[3])).build()));
    assert_eq!(narrow, "pow: range of Crop and domain of Crop differ: Float64 [2] and Float64 [3]");
    let which = "+: range of Crop and range of Identity differ: Float64 [2] and Float64 [3]";
    assert_eq!(square, which);
    let other = Identity::new(Space::new([3], Float32).unwrap()).unwrap();
    let mixed = message(block_diagonal([identity(&[3]), other]));
    let which = "block_diagonal: domain of Identity and domain of Identity differ";
    assert_eq!(mixed, format!("{which}: Float64 [3] and Float32 [3]"));
    let none: [Operator; 0] = [];
    assert_eq!(parameter(vstack(none)), "vstack: no operators are given");
}

#[test]
fn a_complex_factor_is_refused_on_real_spaces() {
    let real = Identity::new(space(&[3])).unwrap();
    assert!(parameter((Complex64::i() * real.clone()).build()).contains("Float64 [3] is not"));
    let scaled = (Complex64::new(2.0, 0.0) * real).build().unwrap();
    let x = random(scaled.domain(), 1);
    let mut y = floats(&[3], &[5.0; 3]);
    let update = Update::new(Complex64::i(), 0.0);
    let error = parameter(scaled.apply(&*host(), x.view(), y.view_mut(), update));
    assert!(error.contains("must be real for Float64 [3]"), "{error}");
    assert_eq!(read(&y), [5.0; 3]);
}

#[test]
fn arrays_that_do_not_fit_are_refused_before_anything_is_written() {
    let operator = slope(space(&[5, 4]), 0, 1.0).unwrap();
    let error = operator.forward(random(&space(&[19]), 1)).unwrap_err();
    assert_eq!(error.to_string(), "FirstDerivative: model has shape [19], expected [5, 4]");
    let error = operator.adjoint(random(&Space::new([5, 4], Float32).unwrap(), 1)).unwrap_err();
    assert_eq!(error.to_string(), "FirstDerivative: data is Float32, expected Float64");
    let mut y = floats(&[2], &[5.0; 2]);
    let x = random(operator.domain(), 1);
    let error = operator.apply(&*host(), x.view(), y.view_mut(), Update::set()).unwrap_err();
    assert_eq!(error.to_string(), "FirstDerivative: data has shape [2], expected [5, 4]");
    assert_eq!(read(&y), [5.0; 2]);
}

#[test]
fn operators_of_different_devices_do_not_combine_and_do_not_run_elsewhere() {
    let Some(other) = Device::all().into_iter().find(|device| !device.is_cpu()) else {
        println!("skipped: no device but the CPU");
        return;
    };
    let identity = |device| bound(Identity::new(space(&[3])).unwrap(), device);
    let (here, there) = (identity(Device::cpu()), identity(other));
    for both in [
        here.after(&there).build(),
        (&here + &there).build(),
        vstack([here.clone(), there.clone()]),
        hstack([here.clone(), there.clone()]),
        block_diagonal([here.clone(), there.clone()]),
    ] {
        assert!(matches!(both, Err(Error::Devices { .. })), "{both:?}");
    }
    assert_eq!(
        (here.clone() + here).build().unwrap().devices(),
        Some(Devices::both(Device::cpu()))
    );
    let error = there.forward(random(&space(&[3]), 1)).unwrap_err();
    let found = matches!(error, Error::WrongDevice { expected, .. } if expected == other);
    assert!(found, "{error}");
}
