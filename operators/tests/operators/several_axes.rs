//! Fourier transforms that follow each other.

use arrayspan_bridge::DType;
use arrayspan_operators::prelude::*;

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
