//! Fourier transforms as operators: what they cancel, their inverses, delays, wrong arguments.

use std::f64::consts::TAU;

use arrayspan_bridge::{Array, DType, SharedArray};
use arrayspan_operators::kernels::Fourier;
use arrayspan_operators::prelude::*;
use arrayspan_operators::{Error, Result};
use num_complex::Complex64;

use crate::support::{dense, steps};

const NORMS: [FourierNorm; 3] = [FourierNorm::Ortho, FourierNorm::Unscaled, FourierNorm::OverN];

fn space(shape: &[usize], dtype: DType) -> Space {
    Space::new(shape, dtype).unwrap()
}

fn complex(shape: &[usize]) -> Space {
    space(shape, DType::Complex128)
}

fn fft(space: Space, axis: FourierAxis, norm: FourierNorm) -> Operator {
    FFT::new(space, axis, Spectrum::Full, norm).unwrap()
}

fn of_points(points: usize) -> FourierAxis {
    FourierAxis { points: Some(points), ..FourierAxis::new(0) }
}

/// Numbers without a pattern.
fn samples(len: usize) -> Vec<Complex64> {
    let part = |k: usize| ((k * 7919 + 13) % 101) as f64 / 50.0 - 1.0;
    (0..len).map(|k| Complex64::new(part(k), part(k + 1000))).collect()
}

#[track_caller]
fn expect_near(found: &[Complex64], expected: &[Complex64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).norm() < 1e-12, "{found} instead of {expected}");
    }
}

#[track_caller]
fn expect_refused(made: Result<Operator>, words: &[&str]) {
    let Err(Error::Parameter { operator, why }) = made else { panic!("{made:?}") };
    let text = format!("{operator}: {why}");
    assert!(words.iter().all(|word| text.contains(word)), "{text}");
}

#[test]
fn matrices_are_those_of_the_definition() {
    let (n, extent) = (6, 4);
    let matrix = dense(&fft(complex(&[extent]), of_points(n), FourierNorm::OverN));
    assert_eq!((matrix.len(), matrix[0].len()), (extent, n));
    for (j, column) in matrix.iter().enumerate() {
        for (k, found) in column.iter().enumerate() {
            let expected =
                Complex64::from_polar(1.0 / n as f64, -TAU * ((j * k) % n) as f64 / n as f64);
            assert!((found - expected).norm() < 1e-15, "{k}, {j}");
        }
    }
}

#[test]
fn a_transform_and_its_inverse_cancel() {
    for norm in NORMS {
        for axis in [
            FourierAxis::new(0),
            of_points(9),
            FourierAxis { fftshift_after: true, ..of_points(8) },
        ] {
            let forward = fft(complex(&[7, 3]), axis, norm);
            let there_and_back = forward.inverse().unwrap().after(&forward).build().unwrap();
            let [steps, _] = steps(&there_and_back);
            assert!(steps.len() == 1 && !steps[0].contains("fft"), "{norm:?}: {steps:?}");
            let x = samples(21);
            let y = there_and_back.forward(Array::from_slice(&x, [7, 3]).unwrap()).unwrap();
            expect_near(&y.to_vec().unwrap(), &x);
        }
    }
    // The other way round zeros behind a signal are no longer what a spectrum was made of.
    let padded = fft(complex(&[7]), of_points(9), FourierNorm::Ortho);
    let [steps, _] = steps(&padded.after(adjoint(&padded)).build().unwrap());
    assert_eq!(steps.len(), 2, "{steps:?}");
}

#[test]
fn inverses_bring_signals_back() {
    let real = [1.0, -2.0, 0.5, 3.0, 4.0, -1.0];
    for norm in NORMS {
        for (spectrum, points) in
            [(Spectrum::Full, 6), (Spectrum::Half, 6), (Spectrum::Half, 11), (Spectrum::Full, 17)]
        {
            let axis = FourierAxis { ifftshift_before: true, ..of_points(points) };
            let forward = FFT::new(space(&[6], DType::Float64), axis, spectrum, norm).unwrap();
            let y = forward.forward(Array::from_slice(&real, [6]).unwrap()).unwrap();
            let back = forward.inverse().unwrap().forward(&y).unwrap().to_vec::<f64>().unwrap();
            for (back, real) in back.iter().zip(real) {
                assert!(
                    (back - real).abs() < 1e-14,
                    "{norm:?} {spectrum:?} {points}: {back}, {real}"
                );
            }
        }
    }
    let axes = [0, 1].map(FourierAxis::new);
    let both = FFT2D::new(complex(&[3, 4]), axes, Spectrum::Full, FourierNorm::Unscaled).unwrap();
    let x = samples(12);
    let y = both.forward(Array::from_slice(&x, [3, 4]).unwrap()).unwrap();
    expect_near(&both.inverse().unwrap().forward(&y).unwrap().to_vec().unwrap(), &x);
    let cut = fft(complex(&[7]), of_points(5), FourierNorm::Ortho);
    assert!(matches!(cut.inverse(), Err(Error::NoInverse { .. })));
    // Spectra of real signals are some of all: what brings signals back is no inverse of the adjoint, but its adjoint is on one side.
    let half = FFT::new(
        space(&[6], DType::Float64),
        FourierAxis::new(0),
        Spectrum::Half,
        FourierNorm::OverN,
    );
    let half = half.unwrap();
    let y = adjoint(&half).inverse().unwrap().forward(Array::from_slice(&real, [6]).unwrap());
    let back = half.adjoint(y.unwrap()).unwrap().to_vec::<f64>().unwrap();
    assert!(back.iter().zip(real).all(|(back, real)| (back - real).abs() < 1e-14), "{back:?}");
}

#[test]
fn norms_keep_lengths_where_they_say_so() {
    let real: Vec<f64> = samples(30).iter().map(|x| x.re).collect();
    let size: f64 = real.iter().map(|x| x * x).sum();
    for points in [30, 37, 64] {
        for spectrum in [Spectrum::Full, Spectrum::Half] {
            let space = space(&[30], DType::Float64);
            let ortho = FFT::new(space, of_points(points), spectrum, FourierNorm::Ortho).unwrap();
            let y = ortho.forward(Array::from_slice(&real, [30]).unwrap()).unwrap();
            let found: f64 = y.to_vec::<Complex64>().unwrap().iter().map(Complex64::norm_sqr).sum();
            assert!((found - size).abs() < 1e-13 * size, "{points} {spectrum:?}: {found}, {size}");
        }
    }
}

#[test]
fn properties_are_those_of_the_spaces() {
    let of_complex = fft(complex(&[5]), FourierAxis::new(0), FourierNorm::Ortho);
    assert!(of_complex.is_complex_linear() && !of_complex.is_self_adjoint());
    let of_real = fft(space(&[5], DType::Float32), FourierAxis::new(0), FourierNorm::Ortho);
    assert!(!of_real.is_complex_linear());
    assert_eq!(of_real.range(), &space(&[5], DType::Complex64));
    // conj(F) takes the other sign.
    let (a, b) = (dense(&of_complex.conj()), dense(&of_complex));
    assert!(a.iter().flatten().zip(b.iter().flatten()).all(|(a, b)| (a - b.conj()).norm() < 1e-15));
}

#[test]
fn delays_by_whole_samples_roll() {
    let x = samples(24);
    for (axis, extent) in [(0, 6), (1, 4)] {
        let time = FourierAxis { step: 0.5, ..FourierAxis::new(axis) };
        let late = Shift::new(complex(&[6, 4]), time, 1.5).unwrap();
        let rolled = Roll::new(complex(&[6, 4]), axis, 3 % extent).unwrap();
        let x = Array::from_slice(&x, [6, 4]).unwrap();
        let found = late.forward(&x).unwrap().to_vec::<Complex64>().unwrap();
        expect_near(&found, &rolled.forward(&x).unwrap().to_vec().unwrap());
        // A shift of complex signals is undone by its adjoint.
        let back = adjoint(&late).after(&late).build().unwrap().forward(&x).unwrap();
        expect_near(&back.to_vec().unwrap(), &x.to_vec::<Complex64>().unwrap());
    }
    let delays = Array::from_slice(&[0.0, 1.0, -2.0], [3]).unwrap();
    let each = Shift::each(space(&[3, 4], DType::Float64), FourierAxis::new(-1), delays).unwrap();
    let x: Vec<f64> = (0..12).map(f64::from).collect();
    let y = each.forward(Array::from_slice(&x, [3, 4]).unwrap()).unwrap().to_vec::<f64>().unwrap();
    let expected = [0, 1, 2, 3, 7, 4, 5, 6, 10, 11, 8, 9];
    assert!(y.iter().zip(expected).all(|(y, k)| (y - f64::from(k)).abs() < 1e-14), "{y:?}");
}

/// Of steps so large or small that products with them leave the numbers.
#[test]
fn delays_are_counted_in_steps() {
    let x = Array::from_slice(&[1.0, 2.0, 3.0, 4.0], [4]).unwrap();
    for step in [1e308, 1e-310, f64::MAX] {
        let time = FourierAxis { step, ..FourierAxis::new(0) };
        let late = Shift::new(space(&[4], DType::Float64), time, step).unwrap();
        let found = late.forward(&x).unwrap().to_vec::<f64>().unwrap();
        let near = found.iter().zip([4.0, 1.0, 2.0, 3.0]).all(|(y, of)| (y - of).abs() < 1e-14);
        assert!(near, "{step:e}: {found:?}");
    }
}

/// A line that memory near the processor holds is delayed in one pass, and says so.
#[test]
fn delays_of_whole_lines_tell_what_they_cost() {
    let shift = Shift::new(space(&[90, 4], DType::Float32), of_points(96), 0.5).unwrap();
    let (cost, bytes) = (shift.cost(false).unwrap(), 90 * 4 * 4);
    assert_eq!([cost.launches, cost.bytes_read, cost.bytes_written], [1, bytes, bytes]);
    assert!(cost.flops > 0 && shift.describe().contains("96 points along axis 0"));
}

#[test]
fn wrong_arguments_are_named() {
    let axis = FourierAxis::new;
    let (full, ortho) = (Spectrum::Full, FourierNorm::Ortho);
    let one = |space, axis| FFT::new(space, axis, full, ortho);
    expect_refused(one(complex(&[4]), axis(1)), &["FFT", "no axis 1"]);
    expect_refused(one(complex(&[4]), of_points(0)), &["FFT", "0 points"]);
    expect_refused(one(complex(&[4]), of_points(usize::MAX)), &["FFT", "points"]);
    expect_refused(one(complex(&[0]), axis(0)), &["FFT", "0 points"]);
    for step in [0.0, f64::NAN, f64::INFINITY] {
        let axis = FourierAxis { step, ..axis(0) };
        expect_refused(one(complex(&[4]), axis), &["FFT", "a step of"]);
    }
    for dtype in [DType::Float16, DType::BFloat16, DType::Int32] {
        expect_refused(one(space(&[4], dtype), axis(0)), &["FFT", &dtype.to_string()]);
    }
    let form = Form::Fourier(Fourier::new(0, 4).unwrap().half());
    let (from, to) = (space(&[4], DType::Float16), space(&[3], DType::Complex128));
    expect_refused(Operator::of("own", from, to, form), &["own", "Float16"]);
    let half = FFT::new(complex(&[4]), axis(0), Spectrum::Half, ortho);
    expect_refused(half, &["FFT", "half the spectrum", "not real"]);
    let twice = FFTND::new(complex(&[4, 3]), &[axis(0), axis(-2)], full, ortho);
    expect_refused(twice, &["FFTND", "axis 0 twice"]);
    expect_refused(FFTND::new(complex(&[4]), &[], full, ortho), &["FFTND", "no axes"]);
    let large = one(space(&[1 << 40, 1 << 20], DType::UInt8), of_points(1 << 50));
    assert!(large.is_err());
    let shift = |axis, delay| Shift::new(complex(&[4, 3]), axis, delay);
    expect_refused(shift(axis(2), 1.0), &["Shift", "no axis 2"]);
    expect_refused(shift(axis(0), f64::NAN), &["Shift", "delay of NaN"]);
    let fine = FourierAxis { step: 1e-300, ..axis(0) };
    expect_refused(shift(fine, 1e300), &["Shift", "delay of 1e300", "steps of 1e-300"]);
    let endless = shift(of_points(1 << 57), 1.0).unwrap_err().to_string();
    assert!(endless.contains("out of memory"), "{endless}");
    expect_refused(
        shift(FourierAxis { fftshift_after: true, ..axis(0) }, 1.0),
        &["Shift", "fftshift_after"],
    );
    let each = |shape: &[usize], delay: f64| {
        let delays = Array::from_slice(&vec![delay; shape.iter().product()], shape).unwrap();
        Shift::each(complex(&[4, 3]), axis(0), delays)
    };
    expect_refused(each(&[4], 0.5), &["Shift", "[4]", "[3]"]);
    expect_refused(each(&[3], f64::INFINITY), &["Shift", "delay of inf"]);
    let turned: SharedArray = Array::from_slice(&samples(3), [3]).unwrap().into_shared();
    expect_refused(Shift::each(complex(&[4, 3]), axis(0), turned), &["Shift", "Complex128"]);
}
