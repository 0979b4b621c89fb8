//! Traces, exact and estimated.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::Device;
use arrayspan_operators::author::*;
use arrayspan_operators::prelude::*;
use arrayspan_operators::{Sampler, TraceEstimator, TraceMethod};
use num_complex::Complex64;

use crate::support::{DTYPES, filled, hidden, numbers, random};

const METHODS: [TraceMethod; 3] =
    [TraceMethod::Hutchinson, TraceMethod::HutchPlusPlus, TraceMethod::NaHutchPlusPlus];
const SAMPLERS: [Sampler; 2] = [Sampler::Rademacher, Sampler::Gaussian];

fn space(shape: &[usize], dtype: DType) -> Space {
    Space::new(shape, dtype).unwrap()
}

/// A matrix of random numbers.
fn matrix(rows: usize, columns: usize, dtype: DType, seed: u64) -> Operator {
    MatrixMult::new(random(&space(&[rows, columns], dtype), seed), &[]).unwrap()
}

fn diagonal(operator: &Operator) -> Complex64 {
    let (dense, len) = (numbers(&operator.to_dense().unwrap()), operator.domain().len());
    (0..len).map(|at| dense[at * len + at]).sum()
}

#[test]
fn the_trace_is_the_sum_of_the_diagonal() {
    for dtype in DTYPES {
        let whole = space(&[7, 5], dtype);
        let slope =
            FirstDerivative::new(whole.clone(), 0, 0.5, Scheme::Centered3, Edge::Reduced).unwrap();
        let full = Diagonal::new(whole.clone(), random(&whole, 3)).unwrap();
        let both = (0.5 * slope.after(&full) + Identity::new(whole).unwrap()).build().unwrap();
        for operator in [
            &slope,
            &full,
            &both,
            &hidden(both.clone()),
            &adjoint(&both),
            &matrix(13, 13, dtype, 1),
        ] {
            let (found, expected) = (operator.trace().unwrap(), diagonal(operator));
            let bound = if dtype.real() == DType::Float32 { 1e-4 } else { 1e-12 };
            assert!(
                (found - expected).norm() < bound * (1.0 + expected.norm()),
                "{operator:?}: {found}"
            );
        }
    }
    for len in [0, 1] {
        let one = Identity::new(space(&[len], DType::Float64)).unwrap();
        assert_eq!(one.trace().unwrap(), Complex64::from(len as f64));
    }
}

#[test]
fn diagonals_have_no_variance_with_signs() {
    for dtype in DTYPES {
        let whole = space(&[11, 3], dtype);
        let weights = random(&whole, 5);
        let expected: Complex64 = numbers(&weights).iter().sum();
        let diagonal = Diagonal::new(whole, weights).unwrap();
        for seed in [1, 2, 99] {
            let estimator = TraceEstimator {
                method: TraceMethod::Hutchinson,
                evaluations: 3,
                seed,
                ..TraceEstimator::default()
            };
            let found = estimator.of(&diagonal).unwrap();
            assert!((found - expected).norm() < 1e-5, "{dtype}: {found} {expected}");
        }
    }
}

#[test]
fn a_low_rank_is_found_exactly_also_of_complex_and_unsymmetric_matrices() {
    for dtype in DTYPES {
        let bound = if dtype.real() == DType::Float32 { 2e-3 } else { 1e-9 };
        for (rank, scale) in [(1, 1.0), (4, 1.0), (4, 1e25), (4, 1e-25)] {
            let low = matrix(37, rank, dtype, 1).after(matrix(rank, 37, dtype, 2)).build().unwrap();
            let low = (scale * low).build().unwrap();
            let expected = diagonal(&low);
            for (method, evaluations) in [
                (TraceMethod::HutchPlusPlus, 3 * rank + 7),
                (TraceMethod::NaHutchPlusPlus, 6 * rank + 5),
            ] {
                for sampler in SAMPLERS {
                    let estimator = TraceEstimator { method, sampler, evaluations, seed: 4 };
                    let found = estimator.of(&low).unwrap();
                    let error = (found - expected).norm() / expected.norm();
                    assert!(
                        error < bound,
                        "{dtype} {method:?} {sampler:?} {rank} {scale}: {error}"
                    );
                }
            }
        }
    }
}

#[test]
fn estimates_are_right_in_the_mean() {
    // Not symmetric, and complex: the mean over seeds has to come near the trace, imaginary part and all.
    let operator = matrix(41, 41, DType::Complex128, 8);
    let expected = diagonal(&operator);
    let size =
        numbers(&operator.to_dense().unwrap()).iter().map(Complex64::norm_sqr).sum::<f64>().sqrt();
    for method in METHODS {
        for sampler in SAMPLERS {
            let seeds = 400;
            let of = |seed| {
                TraceEstimator { method, sampler, evaluations: 18, seed }.of(&operator).unwrap()
            };
            let all: Vec<Complex64> = (0..seeds).map(of).collect();
            let mean = all.iter().sum::<Complex64>() / seeds as f64;
            let variance = all.iter().map(|v| (v - mean).norm_sqr()).sum::<f64>() / seeds as f64;
            let bound = 4.0 * (variance / seeds as f64).sqrt();
            assert!(
                (mean - expected).norm() < bound,
                "{method:?} {sampler:?}: {mean}, not {expected} ± {bound}"
            );
            assert!(
                variance.sqrt() > 1e-3 * size && variance.sqrt() < 3.0 * size,
                "{method:?} {variance}"
            );
        }
    }
}

#[test]
fn more_evaluations_and_deflation_bring_estimates_nearer() {
    // Eigenvalues 1/k²: a few hold most of the trace.
    let len = 200;
    let weights: Vec<Complex64> =
        (1..=len).map(|k| Complex64::from(1.0 / f64::from(k * k))).collect();
    let whole = space(&[len as usize], DType::Float64);
    let decaying = Diagonal::new(whole.clone(), filled(&whole, &weights)).unwrap();
    // Turned, so that signs do not give it away.
    let turned = Convolve1D::new(whole, 0, &[0.25, 0.5, 0.25], 1).unwrap();
    let operator = adjoint(&turned).after(decaying.after(&turned)).build().unwrap();
    let expected = operator.trace().unwrap().re;
    let error = |method, evaluations| {
        let of = |seed| {
            let estimator =
                TraceEstimator { method, evaluations, seed, ..TraceEstimator::default() };
            (estimator.of(&operator).unwrap().re / expected - 1.0).powi(2)
        };
        ((0..30).map(of).sum::<f64>() / 30.0).sqrt()
    };
    let plain = error(TraceMethod::Hutchinson, 30);
    let deflated = error(TraceMethod::HutchPlusPlus, 30);
    let beforehand = error(TraceMethod::NaHutchPlusPlus, 60);
    assert!(deflated < 0.2 * plain && beforehand < 0.5 * plain, "{plain} {deflated} {beforehand}");
    assert!(error(TraceMethod::Hutchinson, 480) < 0.5 * plain);
}

#[test]
fn the_same_seed_gives_the_same_estimate_and_another_another() {
    let operator = matrix(23, 23, DType::Float64, 6);
    for method in METHODS {
        let of = |seed| {
            TraceEstimator { method, evaluations: 12, seed, ..TraceEstimator::default() }
                .of(&operator)
        };
        assert_eq!(of(3).unwrap(), of(3).unwrap());
        assert_ne!(of(3).unwrap(), of(4).unwrap());
    }
}

#[test]
fn every_device_gives_the_same_estimate_up_to_rounding() {
    let whole = space(&[17, 3], DType::Float32);
    let slope = FirstDerivative::new(whole, 0, 0.5, Scheme::Forward, Edge::Reduced).unwrap();
    let normal = adjoint(&slope).after(&slope).build().unwrap();
    for device in Device::all() {
        let on = arrayspan_kernels::on(device).unwrap();
        assert!((normal.trace_on(&*on).unwrap() - normal.trace().unwrap()).norm() < 1e-2);
        for method in METHODS {
            let estimator = TraceEstimator { method, evaluations: 12, ..TraceEstimator::default() };
            let (found, expected) =
                (estimator.of_on(&normal, &*on).unwrap(), estimator.of(&normal).unwrap());
            assert!(
                (found - expected).norm() < 1e-3 * expected.norm(),
                "{device} {method:?}: {found} {expected}"
            );
        }
    }
}

#[test]
fn what_has_no_trace_is_refused() {
    let wide = matrix(3, 4, DType::Float64, 1);
    let estimate = |a: &Operator, method, evaluations| {
        TraceEstimator { method, evaluations, ..TraceEstimator::default() }
            .of(a)
            .map_err(|error| error.to_string())
    };
    let expected = "trace: domain and range of MatrixMult differ: Float64 [4] and Float64 [3]";
    assert_eq!(wide.trace().unwrap_err().to_string(), expected);
    assert_eq!(estimate(&wide, TraceMethod::Hutchinson, 5).unwrap_err(), expected);
    let conj = Conj::new(space(&[3], DType::Complex128)).unwrap();
    let error = conj.trace().unwrap_err().to_string();
    assert!(error.starts_with("Conj: it has no matrix over complex numbers"), "{error}");
    let square = matrix(3, 3, DType::Float64, 1);
    for (method, least) in METHODS.into_iter().zip([1, 3, 6]) {
        let error = estimate(&square, method, least - 1).unwrap_err();
        assert_eq!(
            error,
            format!("trace: {method:?} takes at least {least} evaluations, not {}", least - 1)
        );
        assert!(estimate(&square, method, least).is_ok());
        // More evaluations than elements are no error.
        assert!(estimate(&square, method, 50).unwrap().re.is_finite());
        // More than anyone waits for are.
        for too_many in [usize::MAX, usize::MAX / 8, 1 << 50, (1 << 20) + 1] {
            let error = estimate(&square, method, too_many).unwrap_err();
            assert_eq!(error, format!("trace: {too_many} evaluations; at most 1048576 are made"));
        }
    }
}

#[test]
fn more_vectors_than_span_all_models_take_no_more_memory_and_are_exact() {
    let square = matrix(7, 7, DType::Float64, 3);
    let exact = square.trace().unwrap().re;
    for method in [TraceMethod::HutchPlusPlus, TraceMethod::NaHutchPlusPlus] {
        let of = |evaluations| {
            let estimator = TraceEstimator { method, evaluations, ..TraceEstimator::default() };
            estimator.of(&square).unwrap().re
        };
        let most = of(1 << 20);
        assert!((most - exact).abs() < 1e-9, "{method:?}: {most}, not {exact}");
        assert_eq!(most.to_bits(), of(1 << 19).to_bits());
    }
}

/// Few signs are often the same again: two in a plane are in each other's line every second time.
#[test]
fn many_vectors_of_few_elements_span_all_models() {
    for len in 1..5 {
        let operator = matrix(len, len, DType::Float64, 7);
        let exact = operator.trace().unwrap();
        for seed in 0..40 {
            let method = TraceMethod::NaHutchPlusPlus;
            let estimator =
                TraceEstimator { method, evaluations: 1 << 20, seed, ..TraceEstimator::default() };
            let off = (estimator.of(&operator).unwrap() - exact).norm();
            assert!(off < 1e-9, "{len} {seed}: off by {off:e}");
        }
    }
}
