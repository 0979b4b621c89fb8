//! Running sums along an axis, and the operator made of them.

use arrayspan_bridge::{Array, DType};
use arrayspan_operators::kernels::Scan;
use arrayspan_operators::prelude::*;
use arrayspan_operators::{Error, laws};
use num_complex::Complex64;

use crate::support::{dense, steps};

const ALL: [Integral; 3] = [Integral::Full, Integral::Half, Integral::Trapezoidal];

fn space(shape: &[usize], dtype: DType) -> Space {
    Space::new(shape, dtype).unwrap()
}

fn integral(shape: &[usize], axis: isize, integral: Integral) -> Operator {
    CausalIntegration::new(space(shape, DType::Float64), axis, 0.5, integral).unwrap()
}

fn forward(operator: &Operator, x: &[f64]) -> Vec<f64> {
    let x = Array::from_slice(x, operator.domain().shape()).unwrap();
    operator.forward(&x).unwrap().to_vec().unwrap()
}

#[test]
fn integrals_are_those_of_the_formulas() {
    let x = [3.0, -1.0, 5.0, 2.0];
    let wanted = [[1.5, 1.0, 3.5, 4.5], [0.75, 1.25, 2.25, 4.0], [0.0, 0.5, 1.5, 3.25]];
    for (kind, wanted) in ALL.into_iter().zip(wanted) {
        assert_eq!(forward(&integral(&[4], 0, kind), &x), wanted, "{kind:?}");
        let less = CausalIntegration::without_first(space(&[4], DType::Float64), -1, 0.5, kind);
        assert_eq!(forward(&less.unwrap(), &x), wanted[1..], "{kind:?}");
    }
}

/// PyLops 2.8.0 says that the integral of no interval is half a sample: 1 here.
#[test]
fn trapezoidal_integrals_begin_with_zero_unlike_those_of_pylops() {
    let x = [4.0, 4.0, 4.0];
    assert_eq!(forward(&integral(&[3], 0, Integral::Trapezoidal), &x), [0.0, 2.0, 4.0]);
    // The rule is exact for straight lines.
    let line: Vec<f64> = (0..9).map(|k| 3.0 - f64::from(k)).collect();
    let found = forward(&integral(&[9], 0, Integral::Trapezoidal), &line);
    let exact = |k: f64| 0.5 * (3.0 * k - k * k / 2.0);
    for (k, found) in found.into_iter().enumerate() {
        assert!((found - exact(k as f64)).abs() < 1e-15, "{k}: {found}");
    }
}

#[test]
fn both_directions_are_one_step_and_the_step_is_part_of_it() {
    for kind in ALL {
        let operator = integral(&[5, 6], 0, kind);
        let [forward, adjoint] = steps(&operator);
        assert_eq!((forward.len(), adjoint.len()), (1, 1), "{forward:?} {adjoint:?}");
        assert!(forward[0].contains("scan: running sums along axis 0"), "{forward:?}");
        assert!(adjoint[0].contains("running sums along axis 0 from its end"), "{adjoint:?}");
    }
    let complex = CausalIntegration::new(space(&[7], DType::Complex64), 0, 0.25, Integral::Full);
    let scaled = (Complex64::new(0.0, 2.0) * &complex.unwrap()).build().unwrap();
    assert_eq!(steps(&scaled)[0].len(), 1);
}

#[test]
fn laws_hold_and_the_sparse_matrix_is_the_dense_one() {
    for (shape, axis) in [(&[7][..], 0), (&[3, 5], 1), (&[3, 5], 0), (&[2, 1, 4], 1)] {
        for kind in ALL {
            for dtype in [DType::Float64, DType::Complex128] {
                let whole = CausalIntegration::new(space(shape, dtype), axis, -0.3, kind).unwrap();
                let less = CausalIntegration::without_first(space(shape, dtype), axis, 2.0, kind);
                for operator in [&whole, &less.unwrap()] {
                    if operator.range().len() == 0 {
                        continue;
                    }
                    let report = laws::check(operator).unwrap();
                    assert!(report.holds(), "{report}");
                    let sparse = operator.to_sparse().unwrap();
                    for (column, entries) in dense(operator).iter().enumerate() {
                        for (row, entry) in entries.iter().enumerate() {
                            let found: Complex64 = sparse
                                .row(row)
                                .filter(|(at, _)| *at == column)
                                .map(|(_, value)| value)
                                .sum();
                            assert!((found - entry).norm() < 1e-14, "({row}, {column})");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_sum_of_the_same_sums_is_one() {
    let a = integral(&[4, 3], 1, Integral::Half);
    let twice = (&a + &a).build().unwrap();
    assert_eq!(steps(&twice)[0].len(), 1);
    assert_eq!(forward(&twice, &[1.0; 12])[..3], [0.5, 1.5, 2.5]);
}

#[test]
fn wrong_parameters_are_refused() {
    let new = |shape: &[usize], dtype, axis, step| {
        CausalIntegration::new(space(shape, dtype), axis, step, Integral::Full)
    };
    let refused = |result: Result<Operator, Error>, words: &[&str]| {
        let error = result.unwrap_err();
        assert!(matches!(error, Error::Parameter { .. }), "{error:?}");
        let text = error.to_string();
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    };
    refused(new(&[4], DType::Float32, 1, 1.0), &["CausalIntegration", "1"]);
    refused(new(&[4], DType::Float32, 0, 0.0), &["CausalIntegration", "step of zero"]);
    refused(new(&[4], DType::Float32, 0, f64::NAN), &["CausalIntegration", "NaN"]);
    refused(new(&[4], DType::Float32, 0, 1e60), &["CausalIntegration", "step", "Float32"]);
    refused(new(&[4], DType::Int32, 0, 1.0), &["CausalIntegration", "Int32"]);
    let none = space(&[0, 3], DType::Float32);
    let less = CausalIntegration::without_first(none, 0, 1.0, Integral::Full);
    refused(less, &["CausalIntegration", "no sample", "axis 0"]);

    let (domain, range) = (space(&[4, 3], DType::Float32), space(&[3, 3], DType::Float32));
    let of = |scan| Operator::of("Sums", domain.clone(), range.clone(), Form::Scan(scan));
    refused(of(Scan::inclusive(0, 4)), &["Sums", "axis 0"]);
    refused(of(Scan::inclusive(2, 4)), &["Sums", "axis 2"]);
    assert!(of(Scan::inclusive(0, 4).without(1).unwrap()).is_ok());
    let heavy = Scan::weighted(0, 4, 1e60, 1.0, 1.0).unwrap().without(1).unwrap();
    refused(of(heavy), &["Sums", "weight", "Float32"]);
}
