//! `Convolve1D` and `PoststackLinearModelling`. Values from PyLops 2.8.0, easily checked by hand.

use arrayspan_bridge::DType;
use arrayspan_kernels::Trace;
use arrayspan_operators::prelude::*;
use num_complex::Complex64;

use crate::support::{
    DTYPES, array, assert_close, check, dense, filled, floats, host, numbers, random, read,
};

const X: [f64; 7] = [1.0, 4.0, 9.0, 2.0, -3.0, 5.0, 7.0];

fn line() -> Space {
    Space::new([7], DType::Float64).unwrap()
}

#[test]
fn a_convolution_is_zero_outside_and_starts_at_its_offset() {
    let cases: [(usize, [f64; 7]); 3] = [
        (0, [1.0, 6.0, 16.0, 19.0, 4.0, 24.0, 26.0]),
        (1, [6.0, 16.0, 19.0, 4.0, 24.0, 26.0, 0.0]),
        (3, [19.0, 4.0, 24.0, 26.0, 0.0, 8.0, 21.0]),
    ];
    for (offset, expected) in cases {
        let filter = Convolve1D::new(line(), 0, &[1.0, 2.0, -1.0, 3.0], offset).unwrap();
        assert_eq!(read(&filter.forward(floats(&[7], &X)).unwrap()), expected);
    }
}

#[test]
fn a_convolution_as_long_as_its_axis_is_allowed() {
    let filter = Convolve1D::new(line(), 0, &X, 6).unwrap();
    assert_eq!(
        read(&filter.forward(floats(&[7], &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])).unwrap()),
        X
    );
    check(&filter);
}

#[test]
fn the_adjoint_of_a_complex_filter_conjugates_it() {
    let i = Complex64::i();
    let filter =
        Convolve1D::new(Space::new([2], DType::Complex128).unwrap(), 0, &[1.0 + i, 2.0 * i], 0);
    let filter = filter.unwrap();
    let y = array(&[2], &[Complex64::new(1.0, 0.0), Complex64::new(1.0, 0.0)]);
    assert_eq!(numbers(&filter.adjoint(&y).unwrap()), [1.0 - 3.0 * i, 1.0 - i]);
    check(&filter);
}

#[test]
fn convolutions_hold_on_every_axis_dtype_and_offset() {
    for dtype in DTYPES {
        for (axis, extent) in (0..).zip([5, 1, 4]) {
            for taps in 1..=extent {
                for offset in 0..taps {
                    let filter: Vec<f64> = (1..=taps).map(|k| 1.0 / k as f64).collect();
                    let space = Space::new([5, 1, 4], dtype).unwrap();
                    check(&Convolve1D::new(space, axis, &filter, offset).unwrap());
                }
            }
        }
    }
}

#[test]
fn a_filter_of_the_most_taps_is_made_quickly() {
    let taps = Convolve1D::MOST_TAPS;
    let space = Space::new([2 * taps], DType::Float64).unwrap();
    let filter = Convolve1D::new(space.clone(), 0, &vec![1.0; taps], taps / 2).unwrap();
    let (x, y) = (random(&space, 1), random(&space, 2));
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let left = dot(&read(&filter.forward(&x).unwrap()), &read(&y));
    let right = dot(&read(&x), &read(&filter.adjoint(&y).unwrap()));
    assert!((left - right).abs() < 1e-10 * left.abs().max(1.0), "{left} is not {right}");
}

#[test]
fn poststack_modelling_has_the_values_of_wavelet_after_derivative() {
    type Case<'a> = (&'a [f64], Scheme, [f64; 7], [f64; 7]);
    let cases: [Case<'_>; 4] = [
        (
            &[1.0, 2.0, -1.0],
            Scheme::Forward,
            [11.0, 0.0, -24.0, 5.0, 23.0, -4.0, -2.0],
            [2.0, -2.0, -20.0, 4.0, 25.0, -9.0, 0.0],
        ),
        (
            &[1.0, 2.0, -1.0],
            Scheme::Centered3,
            [4.0, 7.0, -12.0, -9.5, 14.0, 8.5, -5.0],
            [0.0, -10.0, -8.0, 14.5, 8.0, -4.5, 0.0],
        ),
        (
            &[1.0, 2.0, -1.0, 3.0],
            Scheme::Forward,
            [0.0, -15.0, 20.0, 2.0, -19.0, 22.0, 6.0],
            [-11.0, -14.0, 19.0, -5.0, -20.0, 19.0, 12.0],
        ),
        (
            &[1.0, 2.0, -1.0, 3.0],
            Scheme::Centered3,
            [7.0, -12.0, 2.5, 11.0, -9.5, -0.5, 15.0],
            [-12.5, -3.0, 7.0, -12.5, -0.5, 15.5, 6.0],
        ),
    ];
    for (wavelet, scheme, forward, adjoint) in cases {
        let modelling = PoststackLinearModelling::new(line(), wavelet, scheme).unwrap();
        assert_eq!(read(&modelling.forward(floats(&[7], &X)).unwrap()), forward);
        assert_eq!(read(&modelling.adjoint(floats(&[7], &X)).unwrap()), adjoint);
    }
}

#[test]
fn poststack_modelling_is_the_same_in_one_pass_and_in_two() {
    // 61 taps and a centered difference reach over 63 samples, 63 and one over 65.
    for (taps, launches) in [(1, 1), (61, 1), (63, 2)] {
        let space = Space::new([80, 2], DType::Float64).unwrap();
        let wavelet: Vec<f64> = (0..taps).map(|k| f64::from(k % 7) - 2.5).collect();
        let scheme = Scheme::Centered3;
        let modelling = PoststackLinearModelling::new(space.clone(), &wavelet, scheme).unwrap();
        let derivative = FirstDerivative::new(space.clone(), 0, 1.0, scheme, Edge::Zero).unwrap();
        let product = Convolve1D::new(space.clone(), 0, &wavelet, wavelet.len() / 2).unwrap();
        let product = product.after(derivative).build().unwrap();
        for (found, expected) in dense(&modelling).iter().zip(dense(&product)) {
            assert_close(found, &expected, DType::Float64, "column");
        }
        let trace = Trace::of(host());
        let (x, mut y) = (random(&space, 1), random(&space, 2));
        modelling.apply(&trace, x.view(), y.view_mut(), Update::set()).unwrap();
        assert_eq!(trace.take().launches, launches, "{taps} taps");
    }
}

#[test]
fn poststack_modelling_holds_for_every_dtype() {
    for dtype in DTYPES {
        for scheme in [Scheme::Forward, Scheme::Centered3, Scheme::Centered5] {
            let space = Space::new([9, 2], dtype).unwrap();
            check(&PoststackLinearModelling::new(space, &[0.5, 1.0, -0.25], scheme).unwrap());
            let long = Space::new([70, 1], dtype).unwrap();
            check(&PoststackLinearModelling::new(long, &[0.25; 67], scheme).unwrap());
        }
    }
}

/// A weak halo around a peak adds up to more than rounding errors: it is no product of two filters.
#[test]
fn small_taps_are_not_taken_for_rounding_errors() {
    let taps = 31;
    for (dtype, weak) in [(DType::Float32, 4e-7), (DType::Float64, 8e-16)] {
        let mut filter = vec![weak; taps * taps];
        filter[taps / 2 * taps + taps / 2] = 1.0;
        let whole = Space::new([61, 61], dtype).unwrap();
        let filter = floats(&[taps, taps], &filter).into_shared();
        let ones = filled(&whole, &vec![Complex64::from(1.0); 61 * 61]);
        for method in [Convolution::Auto, Convolution::Direct] {
            let offset = [taps / 2, taps / 2];
            let blur = Convolve2D::new(whole.clone(), [0, 1], filter.clone(), offset, method);
            let y = numbers(&blur.unwrap().forward(&ones).unwrap());
            let (found, expected) = (y[30 * 61 + 30].re, 1.0 + weak * (taps * taps - 1) as f64);
            assert!(
                (found - expected).abs() < 0.1 * (expected - 1.0),
                "{dtype} {method:?}: {found}"
            );
        }
    }
}
