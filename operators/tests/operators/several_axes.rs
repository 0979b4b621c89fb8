//! Fourier transforms that follow each other.

use arrayspan_bridge::{Array, DType};
use arrayspan_operators::prelude::*;
use num_complex::Complex64;

fn fftnd(shape: &[usize], axes: &[isize]) -> Operator {
    let space = Space::new(shape.to_vec(), DType::Float32).unwrap();
    let axes: Vec<FourierAxis> = axes.iter().copied().map(FourierAxis::new).collect();
    FFTND::new(space, &axes, Spectrum::Half, FourierNorm::Ortho).unwrap()
}

/// How often a step of an operator is several transforms, in both directions.
fn joined(operator: &Operator) -> usize {
    operator.describe().lines().filter(|line| line.contains(", then ")).count()
}

#[test]
fn those_along_the_last_axes_are_one_step() {
    let plane = fftnd(&[6, 8], &[0, 1]);
    assert_eq!(joined(&plane), 2, "{}", plane.describe());
    // The axes are not the last ones, or there is but one.
    for (shape, axes) in [(&[6, 8, 2][..], &[0, 1][..]), (&[6, 8, 2], &[0, 2]), (&[6, 8], &[1])] {
        let operator = fftnd(shape, axes);
        assert_eq!(joined(&operator), 0, "{}", operator.describe());
    }
    // Three of four, in both directions.
    let all = fftnd(&[2, 3, 4, 5], &[0, 1, 2, 3]);
    for operator in [all.clone(), adjoint(&all)] {
        assert_eq!(joined(&operator), 2, "{}", operator.describe());
    }
}

#[test]
fn one_of_another_sign_is_a_step_of_its_own() {
    let plane = fftnd(&[3, 4, 5], &[1, 2]);
    let other = plane.range().clone();
    let axis = FourierAxis::new(0);
    let other = FFT::new(other, axis, Spectrum::Full, FourierNorm::Ortho).unwrap();
    let same = other.after(&plane).build().unwrap();
    assert_eq!(same.describe().matches(", then ").count(), 4, "{}", same.describe());
    let opposite = other.conj().after(&plane).build().unwrap();
    assert_eq!(opposite.describe().matches(", then ").count(), 2, "{}", opposite.describe());
}

/// As where a signal is filtered by a transform of more points.
#[test]
fn two_along_one_axis_are_two_steps() {
    let signals = Space::new([3, 5], DType::Complex128).unwrap();
    let line = |space: Space, points: usize| {
        let axis = FourierAxis { points: Some(points), ..FourierAxis::new(1) };
        FFT::new(space, axis, Spectrum::Full, FourierNorm::Ortho).unwrap()
    };
    let first = line(signals, 5);
    let second = line(first.range().clone(), 8);
    let both = second.after(&first).build().unwrap();
    assert_eq!(joined(&both), 0, "{}", both.describe());
    let x: Vec<Complex64> = (0..15).map(|at| Complex64::new(f64::from(at), 1.0)).collect();
    let x = Array::from_slice(&x, [3, 5]).unwrap();
    let expected = second.forward(first.forward(&x).unwrap()).unwrap();
    let found = both.forward(&x).unwrap();
    assert_eq!(found.to_vec::<Complex64>().unwrap(), expected.to_vec::<Complex64>().unwrap());
}
