//! Thresholds alone. (Golden data: the conformance suite.)

use arrayspan_bridge::{Array, DType};
use arrayspan_solvers::{Error, Threshold};
use num_complex::Complex64;

use super::DTYPES;
use super::support::{Random, array, epsilon, values};

/// The elements of a threshold of real numbers.
fn of(threshold: Threshold, x: &[f64], tau: f64) -> Vec<f64> {
    let x = Array::from_slice(x, [x.len()]).unwrap();
    threshold.apply(&x, tau).unwrap().to_vec::<f64>().unwrap()
}

/// Of `z` beside `x` with a threshold.
type Objective = fn(f64, f64, f64) -> f64;

#[test]
fn each_is_the_least_of_its_objective() {
    let x: Vec<f64> = (-60..=60).map(|i| f64::from(i) / 20.0).collect();
    for tau in [0.0, 1e-3, 0.2, 0.7, 1.5] {
        // Half: (z - x)² + τ √|z|. The others: (z - x)²/2 + τ |z|ᵖ.
        let objectives: [(Threshold, Objective); 3] = [
            (Threshold::Soft, |z, x, tau| 0.5 * (z - x).powi(2) + tau * z.abs()),
            (Threshold::Hard, |z, x, tau| 0.5 * (z - x).powi(2) + if z == 0.0 { 0.0 } else { tau }),
            (Threshold::Half, |z, x, tau| (z - x).powi(2) + tau * z.abs().sqrt()),
        ];
        for (threshold, objective) in objectives {
            for (found, &x) in of(threshold, &x, tau).into_iter().zip(&x) {
                let own = objective(found, x, tau);
                for i in -4000..=4000 {
                    let other = objective(f64::from(i) / 1000.0, x, tau);
                    assert!(own <= other + 1e-12, "{threshold:?} {tau}: {found} of {x}");
                }
            }
        }
    }
}

#[test]
fn the_half_threshold_is_the_cosine_of_its_reference_to_the_last_digits() {
    let x: Vec<f64> = (1..4000).map(|i| 1.002_f64.powi(i - 2000)).collect();
    for tau in [1e-2, 1.0, 30.0] {
        let level = 54_f64.cbrt() / 4.0 * f64::powf(tau, 2.0 / 3.0);
        for (found, x) in of(Threshold::Half, &x, tau).into_iter().zip(&x) {
            let third = std::f64::consts::FRAC_PI_3;
            let phi = 2.0 / 3.0 * (tau / 8.0 * (x / 3.0).powf(-1.5)).min(1.0).acos();
            let cosine = 2.0 / 3.0 * x * (1.0 + (2.0 * third - phi).cos());
            let expected = if *x <= level { 0.0 } else { cosine };
            assert!((found - expected).abs() <= 4e-15 * x, "{tau}: {found} of {x}, {expected}");
        }
    }
}

#[test]
fn elements_above_a_hard_threshold_and_all_without_a_threshold_are_left_as_they_are() {
    for dtype in DTYPES {
        let x = Random(7).numbers(dtype, 301);
        let x = array(dtype, &x, &[7, 43]);
        let hard = values(&Threshold::Hard.apply(&x, 0.08).unwrap());
        let kept = hard.iter().zip(values(&x)).filter(|(found, x)| **found == *x).count();
        let gone = hard.iter().filter(|found| found.norm() == 0.0).count();
        assert!(kept + gone == 301 && kept > 100 && gone > 10, "{dtype}: {kept} and {gone}");
        assert_eq!(values(&Threshold::Hard.apply(&x, 0.0).unwrap()), values(&x));
        for (threshold, exact) in [(Threshold::Soft, !dtype.is_complex()), (Threshold::Half, false)]
        {
            for (found, x) in values(&threshold.apply(&x, 0.0).unwrap()).iter().zip(values(&x)) {
                let bound = if exact { 0.0 } else { 4.0 * epsilon(dtype) * x.norm() };
                assert!((found - x).norm() <= bound, "{dtype} {threshold:?}: {found} of {x}");
            }
        }
    }
}

#[test]
fn complex_numbers_keep_their_phase_and_lose_as_much_as_their_size_would() {
    let sizes: Vec<f64> = (0..50).map(|i| f64::from(i) / 16.0).collect();
    let turned: Vec<Complex64> = sizes
        .iter()
        .enumerate()
        .map(|(i, &size)| Complex64::from_polar(size, 0.37 * i as f64))
        .collect();
    for threshold in [Threshold::Soft, Threshold::Hard, Threshold::Half] {
        let found = threshold.apply(array(DType::Complex128, &turned, &[50]), 0.71).unwrap();
        let plain = of(threshold, &sizes, 0.71);
        for (i, (found, plain)) in values(&found).iter().zip(plain).enumerate() {
            let expected = Complex64::from_polar(plain, 0.37 * i as f64);
            assert!((found - expected).norm() < 1e-14, "{threshold:?}: {found}, {expected}");
        }
    }
}

/// As `numpy.percentile` interpolates.
fn percentile(sizes: &[f64], percent: f64) -> f64 {
    let mut sorted = sizes.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = percent / 100.0 * (sorted.len() - 1) as f64;
    let (low, share) = (place.floor() as usize, place.fract());
    let next = sorted[(low + 1).min(sorted.len() - 1)];
    sorted[low] + share * (next - sorted[low])
}

#[test]
fn a_share_of_the_elements_is_kept_as_percentiles_say() {
    for dtype in DTYPES {
        for len in [1, 2, 3, 10, 101, 1000] {
            let mut x = Random(len as u64).numbers(dtype, len);
            // Many that are equal, and very small ones.
            for (i, x) in x.iter_mut().enumerate() {
                match i % 7 {
                    1 => *x = Complex64::new(0.25, 0.0),
                    2 => *x *= 1e-6,
                    3 if len > 100 => *x = Complex64::ZERO,
                    _ => {}
                }
                *x = super::support::rounded(dtype, *x);
            }
            let sizes: Vec<f64> = x.iter().map(|x| x.norm()).collect();
            for kept in [0.0, 1.0, 33.3, 50.0, 64.0, 90.0, 100.0] {
                let level = percentile(&sizes, 100.0 - kept);
                let found = Threshold::SoftKeeping(kept).apply(array(dtype, &x, &[len]), 0.0);
                for (found, x) in values(&found.unwrap()).iter().zip(&x) {
                    let expected = (x.norm() - level).max(0.0);
                    let off = (found.norm() - expected).abs();
                    assert!(off <= 4.0 * epsilon(dtype), "{dtype} {len} {kept} %: {found} of {x}");
                }
            }
        }
    }
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let x = Array::from_slice(&[1.0, 2.0], [2]).unwrap();
    let why = |threshold: Threshold, tau| match threshold.apply(&x, tau) {
        Err(Error::Parameter { solver: "Threshold", why }) => why,
        other => panic!("{other:?}"),
    };
    for tau in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(why(Threshold::Soft, tau).contains("tau"));
    }
    for kept in [-1.0, 100.1, f64::NAN] {
        assert!(why(Threshold::HalfKeeping(kept), 0.0).contains("share to keep"));
    }
    let integers = Array::from_slice(&[1_i32, 2], [2]).unwrap();
    assert!(Threshold::Soft.apply(&integers, 1.0).is_err());
    let none = Array::from_slice::<f64>(&[], [0]).unwrap();
    assert!(Threshold::Soft.apply(&none, 1.0).unwrap().to_vec::<f64>().unwrap().is_empty());
}

#[test]
fn elements_of_any_size_are_kept_or_not() {
    for scale in [1e-250, 1e-100, 1e-60, 1e-39, 1.0, 1e100, 1e250] {
        let x = Array::from_slice(&[3.0 * scale, -2.0 * scale, scale, 0.5 * scale], [4]).unwrap();
        let kept = |threshold: Threshold| -> Vec<f64> {
            let x = threshold.apply(&x, 0.0).unwrap().to_vec::<f64>().unwrap();
            x.iter().map(|v| v / scale).collect()
        };
        let off = |found: Vec<f64>, expected: [f64; 4]| {
            found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        assert!(
            off(kept(Threshold::HardKeeping(50.0)), [3.0, -2.0, 0.0, 0.0]) < 1e-14,
            "{scale:e}"
        );
        assert!(
            off(kept(Threshold::SoftKeeping(50.0)), [1.5, -0.5, 0.0, 0.0]) < 1e-14,
            "{scale:e}"
        );
        // As those near 1.
        let half = [2.695_453_151_015_772, -1.605_377_940_479_595_4, 0.0, 0.0];
        assert!(off(kept(Threshold::HalfKeeping(50.0)), half) < 1e-12, "{scale:e}");
    }
}
