use num_complex::Complex64;

use super::self_adjoint::Eigen;
use super::singular::Singular;
use super::*;

/// Numbers in ±1 of a seed.
fn random(seed: u64) -> impl FnMut() -> Complex64 {
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        ((state ^ (state >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    move || Complex64::new(next(), next())
}

fn orthonormal(columns: &Small<Complex64>) -> bool {
    let n = columns.ncols();
    (columns.adjoint() * columns - Small::identity(n, n)).norm() < 1e-13 * (n as f64 + 1.0)
}

/// Products `Q D Qᴴ` with `D` spread, clustered, multiple, graded, of rank one and zero.
fn spectra(n: usize) -> Vec<Vec<f64>> {
    let each = |f: &dyn Fn(f64) -> f64| (0..n).map(|k| f(k as f64)).collect::<Vec<_>>();
    vec![
        each(&|k| k - 2.0),
        each(&|k| 1.0 + 1e-14 * k),
        each(&|k| if k < 3.0 { 2.0 } else { -1.0 }),
        each(&|k| 10.0_f64.powf(-k)),
        each(&|k| f64::from(u8::from(k == 0.0))),
        each(&|_| 0.0),
    ]
}

#[test]
fn matrices_are_what_their_decompositions_multiply_to() {
    let mut next = random(1);
    for n in [1, 2, 3, 5, 17, 31] {
        let q = Small::from_fn(n, n, |_, _| next()).qr().q();
        for spectrum in spectra(n) {
            for scale in [1e-300, 1e-20, 1.0, 1e20, 1e300] {
                let d = |k: usize| Complex64::from(spectrum[k] * scale);
                let a = &q * Small::from_fn(n, n, |i, j| if i == j { d(i) } else { 0.0.into() });
                let a = a * q.adjoint();
                let a = (&a + a.adjoint()).map(|v| v * 0.5);
                let found = self_adjoint(&a).unwrap();
                let size = spectrum.iter().fold(0.0, |most: f64, v| most.max(v.abs())) * scale;
                let mut expected = spectrum.clone();
                expected.sort_by(f64::total_cmp);
                for (found, expected) in found.values.iter().zip(&expected) {
                    assert!((found - expected * scale).abs() <= 1e-13 * n as f64 * size);
                }
                assert!(orthonormal(&found.vectors));
                let back = &found.vectors
                    * Small::from_fn(n, n, |i, j| {
                        Complex64::from(if i == j { found.values[i] / scale } else { 0.0 })
                    })
                    * found.vectors.adjoint();
                let off = a.map(|v| v / scale) - back;
                assert!(off.norm() <= 1e-13 * n as f64 * size / scale, "{n} {scale}");
                let singular = singular(&a).unwrap();
                assert!(orthonormal(&singular.left) && orthonormal(&singular.right));
                let mut sizes: Vec<f64> = expected.iter().map(|v| v.abs() * scale).collect();
                sizes.sort_by(|a, b| b.total_cmp(a));
                for (found, expected) in singular.values.iter().zip(&sizes) {
                    assert!((found - expected).abs() <= 1e-13 * n as f64 * size);
                }
            }
        }
    }
}

#[test]
fn matrices_that_are_not_square_have_as_many_singular_values_as_their_shorter_side() {
    let mut next = random(5);
    for [m, n] in [[1, 4], [4, 1], [7, 3], [3, 7], [40, 11], [0, 3]] {
        let a = Small::from_fn(m, n, |_, _| next());
        let Singular { left, values, right } = singular(&a).unwrap();
        assert_eq!(values.len(), m.min(n));
        assert!(orthonormal(&left) && orthonormal(&right));
        let d = Small::from_fn(values.len(), values.len(), |i, j| {
            Complex64::from(if i == j { values[i] } else { 0.0 })
        });
        assert!((&left * d * right.adjoint() - &a).norm() <= 1e-13 * (a.norm() + 1.0));
        assert!(values.is_sorted_by(|a, b| a >= b));
    }
}

/// What a restarted bidiagonalisation projects to: an arrow, and couplings of any size beside it. nalgebra's own vectors are off here.
#[test]
fn arrows_with_couplings_of_all_sizes_are_decomposed_to_rounding() {
    let mut next = random(7);
    for trial in 0..300 {
        let kept = trial % 12;
        let a = Small::from_fn(12, 12, |i, j| {
            let (size, value) = (next(), next().re);
            if i == j {
                4.0 - 0.3 * i as f64 + 0.01 * value
            } else if j == kept && i < kept {
                10.0_f64.powf(-8.0 * (size.re + 1.0)) * value
            } else if j == i + 1 && i >= kept {
                value
            } else {
                0.0
            }
        });
        let Singular { left, values, right } = singular(&a).unwrap();
        let d = Small::from_fn(12, 12, |i, j| if i == j { values[i] } else { 0.0 });
        assert!((&left * d * right.adjoint() - &a).norm() < 1e-13, "{trial}");
        let both = &a + a.adjoint();
        let Eigen { values, vectors } = self_adjoint(&both).unwrap();
        let d = Small::from_fn(12, 12, |i, j| if i == j { values[i] } else { 0.0 });
        assert!((&vectors * d * vectors.adjoint() - &both).norm() < 1e-13, "{trial}");
    }
}

#[test]
fn what_is_not_finite_has_no_decomposition() {
    for bad in [f64::NAN, f64::INFINITY] {
        let a = Small::from_fn(3, 3, |i, j| if i + j == 2 { bad } else { 1.0 });
        assert!(self_adjoint(&a).is_none() && singular(&a).is_none());
    }
}

/// Of products of columns with themselves, whose lengths differ by `10⁻⁷` and more.
#[test]
fn small_eigenvectors_of_graded_products_are_as_exact_as_large_ones() {
    let mut next = random(11);
    for n in [1, 2, 5, 12] {
        let columns = Small::from_fn(3 * n, n, |_, j| next() * 10.0_f64.powi(-(j as i32)));
        let vectors = eigenvectors(columns.adjoint() * &columns);
        assert!(orthonormal(&vectors));
        let turned = columns * vectors;
        for i in 0..n {
            for j in 0..i {
                let (a, b) = (turned.column(i), turned.column(j));
                let (overlap, size) = (a.dotc(&b).norm(), a.norm() * b.norm());
                assert!(overlap <= 1e-13 * size, "{n} {i} {j}: {}", overlap / size);
            }
        }
    }
}
