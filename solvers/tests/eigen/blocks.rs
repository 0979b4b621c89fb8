//! What works on blocks of vectors, and what follows from spectra: LOBPCG, random projections, determinants.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType};
use arrayspan_operators::prelude::*;
use arrayspan_solvers::{Eigs, Error, Lobpcg, LogDet, RandomizedSvd, Stopped, Which, log_det};
use num_complex::Complex64;

use crate::support::{Random, epsilon, norm, values};
use crate::{DTYPES, devices, hermitian, operator, with_singular_values};

fn diagonal(weights: Vec<f64>) -> Operator {
    let n = weights.len();
    let weights = Array::from_vec(weights, [n]).unwrap().into_shared();
    Diagonal::new(Space::new([n], DType::Float64).unwrap(), weights).unwrap()
}

#[test]
fn a_block_finds_one_end_on_every_device_in_every_dtype_at_every_scale() {
    let mut random = Random(1);
    let spectrum: Vec<f64> = (0..37).map(|k| f64::from(k - 9) * 0.5).collect();
    for dtype in DTYPES {
        for scale in [1e-20, 1.0, 1e20] {
            let scaled: Vec<f64> = spectrum.iter().map(|v| v * scale).collect();
            let matrix = hermitian(dtype, &scaled, &mut random);
            for device in devices(dtype) {
                let a = operator(dtype, &matrix, [37, 37], device);
                for which in [Which::Largest, Which::Smallest] {
                    let found = Lobpcg { count: 3, which, ..Lobpcg::default() }.of(&a).unwrap();
                    let all = format!("{device} {dtype} {scale} {which:?}: {found:?}");
                    assert_eq!(found.stopped, Stopped::Residual, "{all}");
                    let ends = if which == Which::Largest { [36, 35, 34] } else { [2, 1, 0] };
                    let level = (200.0 * epsilon(dtype) + 1e-7) * 14.0 * scale;
                    for ((value, residual), end) in
                        found.values.iter().zip(&found.residuals).zip(ends)
                    {
                        assert!(
                            (value - scaled[end]).abs() <= level && *residual <= level,
                            "{all}"
                        );
                    }
                    let x = values(&found.vectors);
                    for (i, own) in x.chunks(37).enumerate() {
                        for (j, other) in x.chunks(37).enumerate() {
                            let dot: Complex64 =
                                own.iter().zip(other).map(|(a, b)| a.conj() * b).sum();
                            let same = f64::from(u8::from(i == j));
                            assert!(
                                (dot - same).norm() <= 100.0 * epsilon(dtype),
                                "{i} {j} {dot} {all}"
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn multiple_and_clustered_values_come_as_often_as_they_are_and_rank_deficient_blocks_are_none() {
    for (weights, which, expected) in [
        (vec![1.0; 30], Which::Largest, [1.0; 4]),
        (vec![0.0; 30], Which::Smallest, [0.0; 4]),
        (
            (0..30).map(|k| if k < 4 { 2.0 } else { f64::from(k) / 30.0 }).collect(),
            Which::Largest,
            [2.0; 4],
        ),
        (
            (0..30).map(|k| if k < 2 { 1.0 } else { 0.0 }).collect(),
            Which::Largest,
            [1.0, 1.0, 0.0, 0.0],
        ),
        ((0..30).map(|k| f64::from(k / 2)).collect(), Which::Smallest, [1.0, 1.0, 0.0, 0.0]),
    ] {
        let a = diagonal(weights);
        let found = Lobpcg { count: 4, which, ..Lobpcg::default() }.of(&a).unwrap();
        assert!(matches!(found.stopped, Stopped::Residual | Stopped::Precision), "{found:?}");
        for (value, expected) in found.values.iter().zip(expected) {
            assert!((value - expected).abs() < 1e-8, "{found:?}");
        }
    }
}

#[test]
fn a_preconditioner_near_the_inverse_saves_most_iterations() {
    let weights: Vec<f64> = (0..300).map(|k| 1.0 + f64::from(k).powi(2)).collect();
    let inverse = diagonal(weights.iter().map(|w| 1.0 / w).collect());
    let a = diagonal(weights);
    let plain = Lobpcg { count: 3, ..Lobpcg::default() };
    let with = Lobpcg { preconditioner: Some(inverse), ..plain.clone() }.of(&a).unwrap();
    let plain = plain.of(&a).unwrap();
    assert_eq!(with.stopped, Stopped::Residual);
    assert!(
        3 * with.applications < plain.applications,
        "{} {}",
        with.applications,
        plain.applications
    );
    for (value, expected) in with.values.iter().zip([5.0, 2.0, 1.0]) {
        assert!((value - expected).abs() < 1e-4, "{with:?}");
    }
}

#[test]
fn blocks_agree_with_one_vector_after_the_other_and_wrong_arguments_are_named() {
    let space = Space::new([11, 13], DType::Float64).unwrap();
    let axes = [0, 1].map(|axis| Along { axis, step: 1.0, weight: -1.0 });
    let a = Laplacian::new(space.clone(), &axes, Scheme::Centered3, Edge::Zero).unwrap();
    let a = adjoint(&a).after(&a).build().unwrap();
    let block = Lobpcg { count: 5, which: Which::Largest, ..Lobpcg::default() }.of(&a).unwrap();
    let single = Eigs { count: 5, which: Which::Largest, ..Eigs::default() }.of(&a).unwrap();
    assert_eq!(block.vectors.shape(), [5, 11, 13]);
    for (block, single) in block.values.iter().zip(&single.values) {
        assert!((block - single).abs() < 1e-7 * single, "{block} {single}");
    }
    let small = Identity::new(Space::new([4], DType::Float64).unwrap()).unwrap();
    for wrong in [
        Lobpcg { count: 0, ..Lobpcg::default() },
        Lobpcg { count: 60, ..Lobpcg::default() },
        Lobpcg { which: Which::BothEnds, ..Lobpcg::default() },
        Lobpcg { tolerance: -1.0, ..Lobpcg::default() },
        Lobpcg { preconditioner: Some(small), ..Lobpcg::default() },
    ] {
        assert!(matches!(wrong.of(&a), Err(Error::Parameter { .. })), "{wrong:?}");
    }
    let mut random = Random(3);
    let matrix = random.numbers(DType::Complex128, 144);
    let error =
        Lobpcg::default().of(&operator(DType::Complex128, &matrix, [12, 12], Device::cpu()));
    assert!(error.unwrap_err().to_string().contains("not self-adjoint"));
    let mut matrix = hermitian(DType::Float64, &[1.0; 12], &mut random);
    matrix[13] = f64::NAN.into();
    let found = Lobpcg::default().of(&operator(DType::Float64, &matrix, [12, 12], Device::cpu()));
    assert_eq!(found.unwrap().stopped, Stopped::NotFinite);
}

#[test]
fn random_projections_find_what_falls_and_say_what_they_leave_out() {
    let mut random = Random(2);
    let spectrum: Vec<f64> = (0..40).map(|k| 5.0 * 0.6_f64.powi(k)).collect();
    for dtype in DTYPES {
        for scale in [1e-20, 1.0, 1e20] {
            let scaled: Vec<f64> = spectrum.iter().map(|v| v * scale).collect();
            for [m, n] in [[40, 61], [61, 40]] {
                let matrix = with_singular_values(dtype, [m, n], &scaled, &mut random);
                for device in devices(dtype) {
                    let a = operator(dtype, &matrix, [m, n], device);
                    let found =
                        RandomizedSvd { count: 5, ..RandomizedSvd::default() }.of(&a).unwrap();
                    let all = format!("{device} {dtype} {scale} {m} {n}: {found:?}");
                    let level = (300.0 * epsilon(dtype) + 1e-9) * 5.0 * scale;
                    for (value, exact) in found.values.iter().zip(&scaled) {
                        assert!((value - exact).abs() <= level, "{all}");
                    }
                    // The bound holds, and is not ten times too large.
                    assert!(
                        found.error >= scaled[5] * 0.999 && found.error <= 2.0 * scaled[5],
                        "{all}"
                    );
                    let (left, right) = (values(&found.left), values(&found.right));
                    let mut rest = matrix.clone();
                    for (k, value) in found.values.iter().enumerate() {
                        for i in 0..m {
                            for j in 0..n {
                                rest[i * n + j] -=
                                    left[k * m + i] * *value * right[k * n + j].conj();
                            }
                        }
                    }
                    let tail: f64 = scaled[5..].iter().map(|v| v * v).sum::<f64>().sqrt();
                    assert!(
                        norm(&rest) <= 1.001 * tail + 10.0 * level,
                        "{} {tail} {all}",
                        norm(&rest)
                    );
                }
            }
        }
    }
}

#[test]
fn with_a_tolerance_the_rank_is_what_it_takes() {
    let mut random = Random(6);
    let spectrum: Vec<f64> =
        (0..50).map(|k| if k < 17 { 3.0 - f64::from(k) * 0.1 } else { 1e-9 }).collect();
    let matrix = with_singular_values(DType::Float64, [80, 50], &spectrum, &mut random);
    let a = operator(DType::Float64, &matrix, [80, 50], Device::cpu());
    let solver = RandomizedSvd {
        count: 2,
        oversampling: 2,
        tolerance: Some(1e-6),
        ..RandomizedSvd::default()
    };
    let found = solver.of(&a).unwrap();
    assert_eq!((found.values.len(), found.stopped), (17, Stopped::Residual));
    assert!(found.error <= 3e-6 && found.left.shape() == [17, 80], "{found:?}");
    // Of what has no more rank than one.
    let one = RandomizedSvd::default()
        .of(&diagonal((0..20).map(|k| f64::from(u8::from(k == 3))).collect()));
    let one = one.unwrap();
    assert!(
        (one.values[0] - 1.0).abs() < 1e-14 && one.values[1..].iter().all(|v| *v < 1e-14),
        "{one:?}"
    );
    let zero = RandomizedSvd::default().of(&diagonal(vec![0.0; 9])).unwrap();
    assert!(zero.values.iter().all(|v| *v < 1e-300) && zero.error < 1e-300, "{zero:?}");
}

#[test]
fn determinants_of_small_operators_are_exact_and_estimates_are_within_a_few_errors() {
    let mut random = Random(9);
    for dtype in DTYPES {
        let spectrum: Vec<f64> = (0..25).map(|k| 0.3 + 0.2 * f64::from(k)).collect();
        let exact: f64 = spectrum.iter().map(|v| v.ln()).sum();
        let matrix = hermitian(dtype, &spectrum, &mut random);
        for device in devices(dtype) {
            let found = log_det(&operator(dtype, &matrix, [25, 25], device)).unwrap();
            assert!(
                (found.value - exact).abs() < 1e4 * epsilon(dtype),
                "{device} {dtype} {found:?}"
            );
            assert_eq!(found.stopped, Stopped::Precision);
        }
    }
    let weights: Vec<f64> = (0..1000).map(|k| 0.1 + f64::from(k % 97) / 20.0).collect();
    let exact: f64 = weights.iter().map(|v| v.ln()).sum();
    let a = diagonal(weights);
    let mut within = 0;
    for seed in 0..20 {
        let found = LogDet { seed, ..LogDet::default() }.of(&a).unwrap();
        assert!((found.value - exact).abs() < 5.0 * found.error, "{exact} {found:?}");
        assert!(found.error < 0.1 * exact.abs() + 30.0, "{found:?}");
        within += usize::from((found.value - exact).abs() < 1.5 * found.error);
    }
    assert!(within > 10, "{within} of 20");
}

#[test]
fn logarithms_that_are_none_are_named() {
    for (weights, expected) in [
        (vec![1.0, -2.0, 3.0], Stopped::Indefinite),
        (vec![1.0, 0.0, 3.0], Stopped::Indefinite),
        (vec![1.0, f64::NAN, 3.0], Stopped::NotFinite),
    ] {
        let found = log_det(&diagonal(weights)).unwrap();
        assert!(found.value.is_nan() && found.stopped == expected, "{found:?}");
    }
    let negative = diagonal((0..500).map(|k| f64::from(k) - 10.0).collect());
    assert_eq!(log_det(&negative).unwrap().stopped, Stopped::Indefinite);
    let wrong = LogDet { probes: 1, ..LogDet::default() }.of(&negative);
    assert!(matches!(wrong, Err(Error::Parameter { .. })));
}
