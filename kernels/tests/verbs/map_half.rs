//! Elementwise expressions of 16-bit floats: widened, computed in `Float32` and rounded once, to the nearest, ties to even.

use arrayspan_kernels::bridge::Array;
use arrayspan_kernels::{Expression, Update, constant, input};

use crate::cell::Cell;
use crate::halves::{Half, halves};

/// What an operation makes of `Float32`.
type Operation = fn(f32) -> f32;

/// All that 16 bits can say, and what one operation of `Float32`, rounded once, makes of it. Subnormal numbers of `Float32`, which
/// devices may take for zero, are left out.
pub fn results_are_the_nearest_numbers_and_ties_are_even<T: Half>(cell: &Cell) {
    let cases: [(Expression, Operation, bool); 5] = [
        (input(0), |x| x, false),
        (-input(0), |x| -x, false),
        (input(0) + constant(1.0), |x| x + 1.0, true),
        (input(0) * constant(0.75), |x| x * 0.75, true),
        (input(0) * constant(1024.0), |x| x * 1024.0, false),
    ];
    let patterns: Vec<T> = (0..=u16::MAX).map(T::from_bits).collect();
    let host = Array::from_vec(patterns.clone(), [1 << 16]).unwrap();
    let x = cell.moved(&host, cell.executor.device());
    for (expression, operation, rounds) in cases {
        let mut y = cell.moved(&host, cell.executor.device());
        cell.executor.map(&expression, &[x.view()], y.view_mut()).unwrap();
        let found = cell.moved(&y, host.device());
        let mut rounded = 0;
        for (pattern, found) in patterns.iter().zip(found.view().as_slice::<T>().unwrap()) {
            let (x, exact) = (pattern.wide(), operation(pattern.wide()));
            if x.is_subnormal() || exact.is_subnormal() {
                continue;
            }
            let expected = T::of(exact);
            let both = found.wide().is_nan() && exact.is_nan();
            assert!(both || found.bits() == expected.bits(), "{x}: {found:?}, not {expected:?}");
            let finite = expected.wide().is_finite();
            rounded += usize::from(finite && expected.wide().to_bits() != exact.to_bits());
        }
        assert_eq!(rounded > 1000, rounds, "{expression:?}");
    }
}

pub fn factors_are_those_of_float32<T: Half>(cell: &Cell) {
    let values: Vec<T> = (0..1000).map(|at| T::of(at as f32 / 8.0 - 60.0)).collect();
    let host = Array::from_vec(values.clone(), [1000]).unwrap();
    let x = cell.moved(&host, cell.executor.device());
    // Neither factor is a number of 16 bits; on the device they are those of `Float32`.
    let (alpha, beta) = (1.0 / 3.0_f32, -1.0 / 7.0_f32);
    let scalar = |value: f32| {
        let host = Array::from_slice(&[value], []).unwrap();
        cell.moved(&host, cell.executor.device())
    };
    let [on_device_alpha, on_device_beta] = [alpha, beta].map(scalar);
    let updates = [
        Update::new(f64::from(alpha), f64::from(beta)),
        Update::new(&on_device_alpha, &on_device_beta),
    ];
    for update in updates {
        for copied in [false, true] {
            let mut y = cell.moved(&host, cell.executor.device());
            if copied {
                cell.executor.copy(x.view(), y.view_mut(), update).unwrap();
            } else {
                let one = input(0) + constant(0.0);
                cell.executor.map_updated(&one, &[x.view()], y.view_mut(), update).unwrap();
            }
            let found = cell.moved(&y, host.device());
            for (value, found) in values.iter().zip(found.view().as_slice::<T>().unwrap()) {
                let exact = (f64::from(alpha) + f64::from(beta)) * f64::from(value.wide());
                let apart = f64::from(T::STEP) / 2.0 * exact.abs() + 1e-5;
                assert!((f64::from(found.wide()) - exact).abs() <= apart, "{value:?}: {found:?}");
            }
        }
    }
}

halves! {
    map_half:
        results_are_the_nearest_numbers_and_ties_are_even
        factors_are_those_of_float32
}
