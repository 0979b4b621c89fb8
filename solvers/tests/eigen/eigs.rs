//! Eigenvalues of self-adjoint operators.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::on;
use arrayspan_operators::prelude::*;
use arrayspan_solvers::{Eigenpairs, Eigs, Error, PowerIteration, Stopped, Which, eigs};
use num_complex::Complex64;

use crate::support::{Random, epsilon, norm, values};
use crate::{DTYPES, devices, hermitian, operator};

/// How far values are from those expected, and vectors from being orthonormal eigenvectors of the matrix.
fn off(found: &Eigenpairs, matrix: &[Complex64], expected: &[f64]) -> [f64; 3] {
    let n = matrix.len().isqrt();
    let vectors = values(&found.vectors);
    let rows: Vec<&[Complex64]> = vectors.chunks(n).collect();
    let (mut value, mut residual, mut angle) = (0.0_f64, 0.0_f64, 0.0_f64);
    for (at, x) in rows.iter().enumerate() {
        value = value.max((found.values[at] - expected[at]).abs());
        let left = matrix.chunks(n).zip(*x).map(|(row, x)| {
            row.iter().zip(rows[at]).map(|(a, x)| a * x).sum::<Complex64>() - x * found.values[at]
        });
        residual = residual.max(norm(&left.collect::<Vec<_>>()));
        for (other, y) in rows.iter().enumerate() {
            let dot: Complex64 = x.iter().zip(*y).map(|(x, y)| x.conj() * y).sum();
            angle = angle.max((dot - f64::from(u8::from(at == other))).norm());
        }
    }
    [value, residual, angle]
}

/// Those wanted first, in descending order.
fn wanted(spectrum: &[f64], which: Which, count: usize) -> Vec<f64> {
    let mut all = spectrum.to_vec();
    all.sort_by(|a, b| b.total_cmp(a));
    let n = all.len();
    let mut some: Vec<f64> = match which {
        Which::Largest => all[..count].to_vec(),
        Which::Smallest => all[n - count..].to_vec(),
        Which::BothEnds => {
            let top = count.div_ceil(2);
            [&all[..top], &all[n - (count - top)..]].concat()
        }
        _ => {
            all.sort_by(|a, b| b.abs().total_cmp(&a.abs()));
            all[..count].to_vec()
        }
    };
    some.sort_by(|a, b| b.total_cmp(a));
    some
}

#[test]
fn both_ends_of_a_spectrum_are_found_on_every_device_in_every_dtype_at_every_scale() {
    let mut random = Random(1);
    let spectrum: Vec<f64> = (0..41).map(|k| f64::from(k - 13) * 0.3 + 0.01).collect();
    for dtype in DTYPES {
        for scale in [1e-20, 1.0, 1e20] {
            let scaled: Vec<f64> = spectrum.iter().map(|v| v * scale).collect();
            let matrix = hermitian(dtype, &scaled, &mut random);
            for device in devices(dtype) {
                let a = operator(dtype, &matrix, [41, 41], device);
                let solver =
                    Eigs { count: 4, which: Which::BothEnds, basis: Some(14), ..Eigs::default() };
                let found = solver.of(&a).unwrap();
                let size = 8.5 * scale;
                let [value, residual, angle] =
                    off(&found, &matrix, &wanted(&scaled, Which::BothEnds, 4));
                let level = 300.0 * epsilon(dtype) + 1e-9;
                let all = format!("{device} {dtype} {scale}: {found:?}");
                assert!(value <= level * size && residual <= level * size, "{all}");
                assert!(angle <= 100.0 * epsilon(dtype), "{angle} {all}");
                assert_eq!(found.stopped, Stopped::Residual, "{all}");
                let told = found.residuals.iter().copied().fold(0.0, f64::max);
                assert!(
                    residual <= 2.0 * told + 100.0 * epsilon(dtype) * size,
                    "{told} {residual} {all}"
                );
            }
        }
    }
}

#[test]
fn spectra_that_are_spread_clustered_multiple_singular_and_of_low_rank_are_found_whole() {
    let mut random = Random(5);
    let n = 60;
    let each = |f: &dyn Fn(f64) -> f64| (0..n).map(|k| f(k as f64)).collect::<Vec<f64>>();
    let spectra = [
        ("spread", each(&|k| k.sqrt())),
        ("clustered", each(&|k| if k < 5.0 { 1.0 + 1e-12 * k } else { 0.9 - 0.01 * k })),
        ("multiple", each(&|k| if k < 4.0 { 2.0 } else { 1.0 - k / 60.0 })),
        ("two values", each(&|k| if k < 30.0 { 1.0 } else { -1.0 })),
        ("identity", each(&|_| 1.0)),
        ("rank two", each(&|k| if k < 2.0 { 1.0 - 3.0 * k } else { 0.0 })),
        ("zero", each(&|_| 0.0)),
        ("indefinite", each(&|k| if k % 2.0 == 0.0 { k } else { -k })),
    ];
    for dtype in [DType::Float64, DType::Complex128] {
        for (name, spectrum) in &spectra {
            let matrix = hermitian(dtype, spectrum, &mut random);
            let a = operator(dtype, &matrix, [n, n], Device::cpu());
            for which in [Which::LargestMagnitude, Which::Largest, Which::Smallest, Which::BothEnds]
            {
                for (count, basis) in [(1, None), (5, None), (5, Some(8)), (60, None)] {
                    let found = Eigs { count, which, basis, ..Eigs::default() }.of(&a).unwrap();
                    let all = format!("{dtype} {name} {which:?} {count} {basis:?}: {found:?}");
                    let mut expected = wanted(spectrum, which, count);
                    if which == Which::LargestMagnitude {
                        // Of equal size: which sign comes is open.
                        let sorted = |v: &[f64]| {
                            let mut v: Vec<f64> = v.iter().map(|v| v.abs()).collect();
                            v.sort_by(f64::total_cmp);
                            v
                        };
                        for (found, expected) in sorted(&found.values).iter().zip(sorted(&expected))
                        {
                            assert!((found - expected).abs() < 1e-7, "{all}");
                        }
                        expected.clone_from(&found.values);
                    }
                    let [value, residual, angle] = off(&found, &matrix, &expected);
                    let size = spectrum.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
                    assert!(
                        value <= 1e-7 * size && residual <= 1e-8 * size + 1e-13,
                        "{value} {residual} {all}"
                    );
                    assert!(angle < 1e-11, "{angle} {all}");
                    assert_eq!(found.stopped, Stopped::Residual, "{all}");
                }
            }
        }
    }
}

#[test]
fn models_of_one_and_of_two_elements_have_as_many_eigenvalues() {
    for dtype in DTYPES {
        let one = operator(dtype, &[Complex64::from(-3.0)], [1, 1], Device::cpu());
        let found = eigs(&one, 1).unwrap();
        assert!((found.values[0] + 3.0).abs() < 1e-5 && found.vectors.shape() == [1, 1]);
        let i = if dtype.is_complex() { Complex64::I } else { Complex64::ONE };
        let two = operator(dtype, &[1.0.into(), i, i.conj(), 1.0.into()], [2, 2], Device::cpu());
        let found = eigs(&two, 2).unwrap();
        assert!((found.values[0] - 2.0).abs() < 1e-5 && found.values[1].abs() < 1e-5, "{found:?}");
    }
}

#[test]
fn vectors_have_the_shape_of_models_and_double_eigenvalues_of_a_square_come_twice() {
    let space = Space::new([19, 19], DType::Float64).unwrap();
    let axes = [0, 1].map(|axis| Along { axis, step: 1.0, weight: 1.0 });
    let a = Laplacian::new(space, &axes, Scheme::Centered3, Edge::Zero).unwrap();
    let normal = adjoint(&a).after(&a).build().unwrap();
    let found = eigs(&normal, 6).unwrap();
    assert_eq!(found.vectors.shape(), [6, 19, 19]);
    assert_eq!(found.stopped, Stopped::Residual);
    // What is symmetric about a diagonal has every other value twice.
    let all = Eigs { count: 6, basis: Some(361), ..Eigs::default() }.of(&normal).unwrap();
    for (found, exact) in found.values.iter().zip(&all.values) {
        assert!((found - exact).abs() < 1e-8 * all.values[0], "{found} {exact}");
    }
    assert!(all.values.windows(2).any(|pair| (pair[0] - pair[1]).abs() < 1e-10));
}

#[test]
fn an_operator_that_is_not_self_adjoint_is_refused_by_name() {
    let mut random = Random(4);
    for dtype in DTYPES {
        let matrix = random.numbers(dtype, 49);
        let error = eigs(&operator(dtype, &matrix, [7, 7], Device::cpu()), 2).unwrap_err();
        let said = error.to_string();
        assert!(said.contains("is not self-adjoint"), "{said}");
        // Imaginary parts are told of complex numbers alone.
        assert_eq!(said.contains(" i, and"), dtype.is_complex(), "{said}");
    }
    let matrix = random.numbers(DType::Float64, 42);
    let wide = operator(DType::Float64, &matrix, [6, 7], Device::cpu());
    assert!(matches!(eigs(&wide, 2), Err(Error::Parameter { .. })));
    let conj = Conj::new(Space::new([9], DType::Complex128).unwrap()).unwrap();
    assert!(eigs(&conj, 1).unwrap_err().to_string().contains("real numbers only"));
    let identity = Identity::new(Space::new([9], DType::Float64).unwrap()).unwrap();
    for wrong in [
        Eigs { count: 0, ..Eigs::default() },
        Eigs { count: 10, ..Eigs::default() },
        Eigs { tolerance: f64::NAN, ..Eigs::default() },
        Eigs { count: 5, basis: Some(5), ..Eigs::default() },
    ] {
        assert!(matches!(wrong.of(&identity), Err(Error::Parameter { .. })), "{wrong:?}");
    }
}

#[test]
fn what_is_not_finite_ends_so() {
    let mut random = Random(2);
    for bad in [f64::NAN, f64::INFINITY] {
        let mut matrix = hermitian(DType::Float64, &[1.0, 2.0, 3.0, 4.0], &mut random);
        matrix[5] = bad.into();
        let a = operator(DType::Float64, &matrix, [4, 4], Device::cpu());
        let found = eigs(&a, 2).unwrap();
        assert_eq!(found.stopped, Stopped::NotFinite);
        assert!(found.values.iter().all(|value| value.is_nan()));
        assert_eq!(PowerIteration::default().of(&a).unwrap().stopped, Stopped::NotFinite);
    }
}

#[test]
fn the_same_seed_gives_the_same_vectors_and_too_few_restarts_are_told() {
    let mut random = Random(8);
    let spectrum: Vec<f64> = (0..50).map(|k| 1.0 + f64::from(k) * 1e-3).collect();
    let matrix = hermitian(DType::Float64, &spectrum, &mut random);
    let a = operator(DType::Float64, &matrix, [50, 50], Device::cpu());
    let solver = Eigs { count: 2, basis: Some(6), ..Eigs::default() };
    let [first, second] = [1, 2].map(|_| values(&solver.of(&a).unwrap().vectors));
    assert_eq!(first, second);
    let few = Eigs { restarts: 1, ..solver }.of(&a).unwrap();
    assert_eq!(few.stopped, Stopped::Iterations);
    // Even so, an eigenvalue is within the residual of each value.
    for (value, residual) in few.values.iter().zip(&few.residuals) {
        let least = spectrum.iter().map(|v| (v - value).abs()).fold(f64::INFINITY, f64::min);
        assert!(least <= *residual + 1e-14, "{least} {residual}");
    }
}

/// As PyLops 2.8.0 does it: the value of ten iterations is below the largest eigenvalue by percents, and nothing says so.
#[test]
fn the_residual_of_a_power_iteration_says_what_its_value_does_not() {
    let space = Space::new([400], DType::Float64).unwrap();
    let slope = FirstDerivative::new(space, 0, 1.0, Scheme::Forward, Edge::Zero).unwrap();
    let a = adjoint(&slope).after(&slope).build().unwrap();
    let exact = 2.0 - 2.0 * (std::f64::consts::PI * 399.0 / 400.0).cos();
    let few = PowerIteration { iterations: 10, ..PowerIteration::default() }.of(&a).unwrap();
    assert_eq!(few.stopped, Stopped::Iterations);
    assert!(few.value.re < 0.98 * exact, "{few:?}");
    assert!(few.residual > 0.01 * exact, "{few:?}");
    // Near the end of a spectrum without gaps the value is near long before the vector is; the residual bounds both.
    let many = PowerIteration { iterations: 20_000, tolerance: 1e-3, ..PowerIteration::default() };
    let many = many.of(&a).unwrap();
    assert_eq!(many.stopped, Stopped::Residual);
    assert!((many.value.re - exact).abs() <= many.residual && many.residual <= 4e-3, "{many:?}");
}

#[test]
fn power_iteration_finds_the_largest_size_on_every_device_and_rests_there() {
    let mut random = Random(6);
    let spectrum: Vec<f64> = (0..23).map(|k| -3.0 * 0.7_f64.powi(k)).collect();
    for dtype in DTYPES {
        for scale in [1e-20, 1.0, 1e20] {
            let scaled: Vec<f64> = spectrum.iter().map(|v| v * scale).collect();
            let matrix = hermitian(dtype, &scaled, &mut random);
            for device in devices(dtype) {
                let a = operator(dtype, &matrix, [23, 23], device);
                let solver =
                    PowerIteration { tolerance: 0.0, check_every: 7, ..PowerIteration::default() };
                let found = solver.of(&a).unwrap();
                let level = 30.0 * epsilon(dtype) * 3.0 * scale;
                assert!(
                    (found.value + 3.0 * scale).norm() <= level,
                    "{device} {dtype} {scale} {found:?}"
                );
                assert!(found.residual <= level, "{device} {dtype} {scale} {found:?}");
                assert!(found.stopped == Stopped::Precision || found.iterations == 1000);
            }
        }
    }
    let zero = Zero::new(
        Space::new([5], DType::Float64).unwrap(),
        Space::new([5], DType::Float64).unwrap(),
    );
    let found = PowerIteration::default().of(&zero.unwrap()).unwrap();
    assert!(found.value.norm() < 1e-300 && found.residual < 1e-300);
    assert!((norm(&values(&found.vector)) - 1.0).abs() < 1e-14, "the vector stays as it is");
}

#[test]
fn the_memory_of_eigenvalues_and_norms_is_predicted_within_a_few_blocks() {
    let n = 4000;
    let weights = (0..n).map(f64::from).collect();
    let weights = Array::from_vec(weights, [n as usize]).unwrap().into_shared();
    let a = Diagonal::new(Space::new([n as usize], DType::Float64).unwrap(), weights).unwrap();
    let on = on(Device::cpu()).unwrap();
    let solver = Eigs { count: 3, basis: Some(12), ..Eigs::default() };
    let predicted = solver.memory(&a, &*on).unwrap();
    assert_eq!(predicted, 8 * (4000 * (13 + 12 + 3) + 13 + 3 * 12 + 4) + LinearMap::workspace(&a));
}
