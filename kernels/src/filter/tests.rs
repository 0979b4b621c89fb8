//! Which filters there are, and how lines are divided for them.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

use super::blocks::most_samples;
use super::*;
use crate::fourier::LOCAL;

#[test]
fn blocks_make_all_results_and_fit() {
    for taps in [1, 2, 41, 65, 1001, 1024] {
        let filter = Filter::new(0, &vec![Complex64::ONE; taps], taps / 2).unwrap();
        for dtype in [DType::Float32, DType::Complex64, DType::Float64, DType::Complex128] {
            for (extent, across) in [(1, false), (100, true), (8000, true), (1 << 20, false)] {
                let blocks = filter.blocks(extent, dtype, (LOCAL, across));
                assert!(blocks.results * blocks.count >= extent);
                assert!(blocks.results * (blocks.count - 1) < extent);
                assert_eq!(blocks.results + taps - 1, blocks.samples);
                assert!(blocks.samples <= most_samples(dtype, LOCAL));
            }
        }
    }
}

#[test]
fn the_adjoint_is_the_filter_the_other_way_round() {
    let taps = [1.0, 2.0, 3.0].map(|re| Complex64::new(re, -re));
    let filter = Filter::new(1, &taps, 0).unwrap();
    let turned = filter.adjoint();
    assert_eq!((turned.offset(), turned.taps()[0]), (2, Complex64::new(3.0, 3.0)));
    assert_eq!(turned.adjoint(), filter);
}

#[test]
fn what_is_no_filter_is_refused() {
    for (taps, offset) in [(vec![], 0), (vec![1.0], 1), (vec![f64::NAN], 0)] {
        let taps: Vec<Complex64> = taps.into_iter().map(Complex64::from).collect();
        assert!(Filter::new(0, &taps, offset).is_err());
    }
    let one = |taps: usize| Filter::new(0, &vec![Complex64::ONE; taps], 0).unwrap();
    assert!(one(4096).check(NAME, &[5], DType::Float32).is_ok());
    assert!(one(4097).check(NAME, &[5], DType::Float32).is_err());
    assert!(one(1).check(NAME, &[], DType::Float32).is_err());
    let large = Filter::new(0, &[1e38.into(); 8], 0).unwrap();
    assert!(large.check(NAME, &[5], DType::Float32).is_err());
    let turned = Filter::new(0, &[Complex64::I], 0).unwrap();
    assert!(turned.check(NAME, &[5], DType::Float64).is_err());
    let one = vec![Complex64::ONE; 9000];
    assert!(Filter::periodic(0, &[]).is_err());
    assert!(Filter::periodic(0, &[f64::INFINITY.into()]).is_err());
    assert!(Filter::periodic_real(0, 4, &one[..4]).is_err());
    assert!(Filter::periodic_real(0, 0, &one[..1]).is_err());
    let hidden = [Complex64::new(1.0, f64::NAN), Complex64::ONE];
    assert!(Filter::periodic_real(0, 2, &hidden).is_err());
    let whole = Filter::periodic(0, &one[..8]).unwrap();
    assert!(whole.check(NAME, &[8], DType::Float32).is_err());
    assert!(whole.check(NAME, &[8], DType::Complex64).is_ok());
    assert!(whole.check(NAME, &[9], DType::Complex64).is_err());
    let half = |points: usize| Filter::periodic_real(0, points, &one[..=points / 2]).unwrap();
    assert!(half(8192).check(NAME, &[8000], DType::Float32).is_ok());
    assert!(half(8200).check(NAME, &[8000], DType::Float32).is_err());
    assert!(half(17).check(NAME, &[5], DType::Float32).is_ok());
    assert!(half(4093).check(NAME, &[5], DType::Float32).is_ok());
    assert!(half(4099).check(NAME, &[5], DType::Float32).is_err());
    assert!(!Filter::takes_points(usize::MAX, DType::Float32));
    let large = Filter::periodic(0, &[1e39.into(); 8]).unwrap();
    assert!(large.check(NAME, &[5], DType::Complex64).is_err());
}

#[test]
fn operations_of_whatever_there_is_are_counted() {
    let long = Filter::new(0, &vec![Complex64::ONE; 10_000], 0).unwrap();
    assert!(long.flops(&[100], DType::Float32) > 0);
    assert_eq!(long.flops(&[usize::MAX, 3], DType::Float32), usize::MAX);
    assert_eq!(long.flops(&[0], DType::Float32), 0);
}
