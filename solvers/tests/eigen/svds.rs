//! Singular values and condition numbers.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::Device;
use arrayspan_operators::prelude::*;
use arrayspan_solvers::{SingularTriplets, Stopped, Svds, Which, cond, svds};
use num_complex::Complex64;

use crate::support::{Random, epsilon, norm, values};
use crate::{DTYPES, devices, operator, with_singular_values};

/// How far triplets are from being singular, and their vectors from being orthonormal.
fn off(found: &SingularTriplets, matrix: &[Complex64], [m, n]: [usize; 2]) -> [f64; 2] {
    let (left, right) = (values(&found.left), values(&found.right));
    let (mut residual, mut angle) = (0.0_f64, 0.0_f64);
    for (at, sigma) in found.values.iter().enumerate() {
        let (u, v) = (&left[at * m..(at + 1) * m], &right[at * n..(at + 1) * n]);
        let row = |i: usize| -> Complex64 { (0..n).map(|j| matrix[i * n + j] * v[j]).sum() };
        let forward: Vec<_> = (0..m).map(|i| row(i) - u[i] * sigma).collect();
        let column =
            |j: usize| -> Complex64 { (0..m).map(|i| matrix[i * n + j].conj() * u[i]).sum() };
        let adjoint: Vec<_> = (0..n).map(|j| column(j) - v[j] * sigma).collect();
        residual = residual.max(norm(&forward).hypot(norm(&adjoint)));
        for other in 0..found.values.len() {
            let same = f64::from(u8::from(at == other));
            for (own, all, len) in [(u, &left, m), (v, &right, n)] {
                let theirs = &all[other * len..(other + 1) * len];
                let dot: Complex64 = own.iter().zip(theirs).map(|(x, y)| x.conj() * y).sum();
                angle = angle.max((dot - same).norm());
            }
        }
    }
    [residual, angle]
}

#[test]
fn largest_and_smallest_values_are_found_on_every_device_in_every_dtype_at_every_scale() {
    let mut random = Random(1);
    let spectrum: Vec<f64> = (0..29).map(|k| 4.0 - 0.13 * f64::from(k)).collect();
    for dtype in DTYPES {
        for scale in [1e-20, 1.0, 1e20] {
            let scaled: Vec<f64> = spectrum.iter().map(|v| v * scale).collect();
            for [m, n] in [[37, 29], [29, 37]] {
                let matrix = with_singular_values(dtype, [m, n], &scaled, &mut random);
                for device in devices(dtype) {
                    let a = operator(dtype, &matrix, [m, n], device);
                    let solver = Svds {
                        count: 4,
                        which: Which::BothEnds,
                        basis: Some(12),
                        ..Svds::default()
                    };
                    let found = solver.of(&a).unwrap();
                    let all = format!("{device} {dtype} {scale} {m} {n}: {found:?}");
                    let level = (300.0 * epsilon(dtype) + 1e-9) * 4.0 * scale;
                    for (found, k) in found.values.iter().zip([0, 1, 27, 28]) {
                        assert!((found - scaled[k]).abs() <= level, "{all}");
                    }
                    let [residual, angle] = off(&found, &matrix, [m, n]);
                    assert!(
                        residual <= level && angle <= 100.0 * epsilon(dtype),
                        "{residual} {angle} {all}"
                    );
                    assert_eq!(found.stopped, Stopped::Residual, "{all}");
                }
            }
        }
    }
}

#[test]
fn multiple_values_rank_deficiency_and_zero_are_found_whole() {
    let mut random = Random(3);
    let each = |f: &dyn Fn(f64) -> f64| (0..24).map(|k| f(f64::from(k))).collect::<Vec<f64>>();
    for dtype in [DType::Float64, DType::Complex128] {
        for spectrum in [
            each(&|k| if k < 3.0 { 2.0 } else { 1.0 / (k + 1.0) }),
            each(&|k| if k < 2.0 { 1.0 } else { 0.0 }),
            each(&|_| 1.0),
            each(&|_| 0.0),
            each(&|k| 0.3_f64.powf(k)),
        ] {
            for [m, n] in [[24, 24], [50, 24], [24, 31]] {
                let matrix = with_singular_values(dtype, [m, n], &spectrum, &mut random);
                let a = operator(dtype, &matrix, [m, n], Device::cpu());
                for (count, basis) in [(1, Some(4)), (5, Some(9)), (24, None)] {
                    let found = Svds { count, basis, ..Svds::default() }.of(&a).unwrap();
                    let all = format!("{dtype} {spectrum:?} {m} {n} {count}: {found:?}");
                    for (found, exact) in found.values.iter().zip(&spectrum) {
                        assert!((found - exact).abs() <= 1e-7 * spectrum[0], "{all}");
                    }
                    let [residual, angle] = off(&found, &matrix, [m, n]);
                    assert!(
                        residual <= 1e-8 * spectrum[0] + 1e-13 && angle < 1e-11,
                        "{residual} {angle} {all}"
                    );
                }
            }
        }
    }
}

#[test]
fn conditions_are_exact_for_short_sides_and_infinite_or_beyond_rounding_for_singular_operators() {
    let mut random = Random(7);
    for dtype in DTYPES {
        let spectrum: Vec<f64> =
            (0..20).map(|k| 10.0_f64.powf(-3.0 * f64::from(k) / 19.0)).collect();
        for device in devices(dtype) {
            let matrix = with_singular_values(dtype, [31, 20], &spectrum, &mut random);
            let found = cond(&operator(dtype, &matrix, [31, 20], device)).unwrap();
            assert!((found.value / 1e3 - 1.0).abs() < 4e3 * epsilon(dtype), "{dtype} {found:?}");
            assert_eq!(found.stopped, Stopped::Residual);
        }
        let mut deficient = spectrum.clone();
        deficient[19] = 0.0;
        let matrix = with_singular_values(dtype, [20, 20], &deficient, &mut random);
        let found = cond(&operator(dtype, &matrix, [20, 20], Device::cpu())).unwrap();
        assert!(found.value > 0.01 / epsilon(dtype), "{dtype} {found:?}");
    }
    let one = Identity::new(Space::new([1], DType::Float64).unwrap()).unwrap();
    assert!((cond(&one).unwrap().value - 1.0).abs() < 1e-14);
    // Longer than the basis: 300 elements, and both ends well apart.
    let n = 300;
    let weights = (0..n).map(|k| 1.0 + 2.0 * k as f64 / n as f64).collect();
    let weights = arrayspan_bridge::Array::from_vec(weights, [n]).unwrap().into_shared();
    let a = Diagonal::new(Space::new([n], DType::Float64).unwrap(), weights).unwrap();
    let found = cond(&a).unwrap();
    assert!((found.value - (1.0 + 2.0 * 299.0 / 300.0)).abs() < 1e-8, "{found:?}");
}

#[test]
fn what_is_not_finite_has_values_that_are_no_numbers() {
    let mut random = Random(2);
    let mut matrix = random.numbers(DType::Float64, 35);
    matrix[4] = f64::NAN.into();
    let found = svds(&operator(DType::Float64, &matrix, [5, 7], Device::cpu()), 2).unwrap();
    assert_eq!(found.stopped, Stopped::NotFinite);
    assert!(found.values.iter().all(|value| value.is_nan()));
}
