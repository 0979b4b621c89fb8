//! `FirstDerivative`, `SecondDerivative`, `Laplacian`. Values from PyLops 2.8.0, easily checked by hand.

use arrayspan_bridge::DType;
use arrayspan_kernels::Trace;
use arrayspan_operators::prelude::*;

use crate::support::{DTYPES, assert_close, check, dense, floats, host, numbers, random, read};
use Edge::{Reduced, Zero};
use Scheme::{Backward, Centered3, Centered5, Forward};

const X: [f64; 7] = [1.0, 4.0, 9.0, 2.0, -3.0, 5.0, 7.0];
const SCHEMES: [Scheme; 4] = [Forward, Backward, Centered3, Centered5];

fn line() -> Space {
    Space::new([7], DType::Float64).unwrap()
}

#[test]
fn first_derivatives_have_the_values_of_their_formula() {
    let cases: [(Scheme, Edge, [f64; 7]); 6] = [
        (Forward, Reduced, [1.5, 2.5, -3.5, -2.5, 4.0, 1.0, 0.0]),
        (Backward, Zero, [0.0, 1.5, 2.5, -3.5, -2.5, 4.0, 1.0]),
        (Centered3, Zero, [0.0, 2.0, -0.5, -3.0, 0.75, 2.5, 0.0]),
        (Centered3, Reduced, [1.5, 2.0, -0.5, -3.0, 0.75, 2.5, 1.0]),
        (Centered5, Zero, [0.0, 0.0, -0.5, -97.0 / 24.0, 26.0 / 24.0, 0.0, 0.0]),
        (Centered5, Reduced, [1.5, 2.0, -0.5, -97.0 / 24.0, 26.0 / 24.0, 2.5, 1.0]),
    ];
    for (scheme, edge, expected) in cases {
        let operator = FirstDerivative::new(line(), 0, 2.0, scheme, edge).unwrap();
        let y = operator.forward(floats(&[7], &X)).unwrap();
        let expected = expected.map(Into::into);
        assert_close(&numbers(&y), &expected, DType::Float64, &format!("{scheme:?} {edge:?}"));
    }
}

#[test]
fn second_derivatives_have_the_values_of_their_formula() {
    let cases: [(Scheme, Edge, [f64; 7]); 4] = [
        (Forward, Reduced, [0.5, -3.0, 0.5, 3.25, -1.5, 0.0, 0.0]),
        (Backward, Zero, [0.0, 0.0, 0.5, -3.0, 0.5, 3.25, -1.5]),
        (Centered3, Zero, [0.0, 0.5, -3.0, 0.5, 3.25, -1.5, 0.0]),
        (Centered3, Reduced, [0.5, 0.5, -3.0, 0.5, 3.25, -1.5, -1.5]),
    ];
    for (scheme, edge, expected) in cases {
        let operator = SecondDerivative::new(line(), 0, 2.0, scheme, edge).unwrap();
        let y = operator.forward(floats(&[7], &X)).unwrap();
        assert_eq!(read(&y), expected, "{scheme:?} {edge:?}");
    }
}

#[test]
fn derivatives_of_a_fourth_degree_polynomial_are_exact_with_five_samples() {
    let h = 0.5;
    let at = |i: usize| i as f64 * h;
    let x: Vec<f64> = (0..9).map(|i| at(i).powi(4) - 2.0 * at(i).powi(3)).collect();
    let space = Space::new([9], DType::Float64).unwrap();
    let first = FirstDerivative::new(space.clone(), 0, h, Centered5, Zero).unwrap();
    let second = SecondDerivative::new(space, 0, h, Centered5, Zero).unwrap();
    let x = floats(&[9], &x);
    let found = [read(&first.forward(&x).unwrap()), read(&second.forward(&x).unwrap())];
    for i in 2..7 {
        let exact =
            [4.0 * at(i).powi(3) - 6.0 * at(i).powi(2), 12.0 * at(i).powi(2) - 12.0 * at(i)];
        for (found, exact) in found.iter().zip(exact) {
            assert!((found[i] - exact).abs() < 1e-10, "{} is not {exact}", found[i]);
        }
    }
    assert_eq!(found[1][..2], [0.0, 0.0]);
}

#[test]
fn an_axis_too_short_for_the_scheme_gives_zeros() {
    for scheme in SCHEMES {
        for edge in [Zero, Reduced] {
            let single = Space::new([1, 2], DType::Float64).unwrap();
            let first = FirstDerivative::new(single, 0, 1.0, scheme, edge).unwrap();
            assert_eq!(read(&first.forward(floats(&[1, 2], &[3.0, 4.0])).unwrap()), [0.0; 2]);
            let pair = Space::new([2, 1], DType::Float64).unwrap();
            let second = SecondDerivative::new(pair, 0, 1.0, scheme, edge).unwrap();
            assert_eq!(read(&second.forward(floats(&[2, 1], &[3.0, 4.0])).unwrap()), [0.0; 2]);
        }
    }
}

#[test]
fn derivatives_hold_on_every_axis_of_odd_even_and_short_extents() {
    for scheme in SCHEMES {
        for edge in [Zero, Reduced] {
            for shape in [[1, 2, 3], [4, 5, 1], [3, 1, 7]] {
                for axis in 0..3 {
                    let space = Space::new(shape, DType::Float64).unwrap();
                    check(&FirstDerivative::new(space.clone(), axis, 0.5, scheme, edge).unwrap());
                    check(&SecondDerivative::new(space, axis, 0.5, scheme, edge).unwrap());
                }
            }
        }
    }
    for dtype in DTYPES {
        let space = Space::new([6, 7], dtype).unwrap();
        check(&FirstDerivative::new(space.clone(), 0, -0.5, Centered5, Reduced).unwrap());
        check(&SecondDerivative::new(space.clone(), 1, 0.5, Centered3, Reduced).unwrap());
        let terms = [0, 1].map(|axis| Along { axis, step: 0.5, weight: 1.5 });
        check(&Laplacian::new(space, &terms, Backward, Zero).unwrap());
    }
}

#[test]
fn a_laplacian_follows_its_scheme_along_every_axis() {
    let space = Space::new([3, 4], DType::Float64).unwrap();
    let x: Vec<f64> = (0..12).map(|i| f64::from(i * i)).collect();
    let terms =
        [Along { axis: 0, step: 1.0, weight: 2.0 }, Along { axis: 1, step: 2.0, weight: 3.0 }];
    let cases: [(Scheme, [f64; 12]); 2] = [
        // 64 along axis 0, where all three rows are, and 1.5 along axis 1.
        (Forward, [65.5, 65.5, 64.0, 64.0, 1.5, 1.5, 0.0, 0.0, 1.5, 1.5, 0.0, 0.0]),
        (Centered3, [65.5; 12]),
    ];
    for (scheme, expected) in cases {
        let laplacian = Laplacian::new(space.clone(), &terms, scheme, Reduced).unwrap();
        assert_eq!(read(&laplacian.forward(floats(&[3, 4], &x)).unwrap()), expected);
    }
}

#[test]
fn a_laplacian_is_the_weighted_sum_of_second_derivatives_in_one_pass() {
    let space = Space::new([4, 5, 3], DType::Float64).unwrap();
    let terms = [2, 0].map(|axis| Along { axis, step: 0.5, weight: 1.0 + axis as f64 });
    for scheme in SCHEMES {
        let laplacian = Laplacian::new(space.clone(), &terms, scheme, Reduced).unwrap();
        let [last, first] = terms.map(|Along { axis, step, weight }| {
            let second = SecondDerivative::new(space.clone(), axis, step, scheme, Reduced);
            (weight * Operator::new(second.unwrap())).build().unwrap()
        });
        let sum = (last + first).build().unwrap();
        for (found, expected) in dense(&laplacian).iter().zip(dense(&sum)) {
            assert_close(found, &expected, DType::Float64, "column");
        }
        let trace = Trace::of(host());
        let (x, mut y) = (random(&space, 1), random(&space, 2));
        laplacian.apply(&trace, x.view(), y.view_mut(), Update::set()).unwrap();
        let cost = trace.take();
        assert_eq!((cost.launches, cost.bytes()), (1, 2 * 60 * 8));
    }
}

#[test]
fn axes_that_are_negative_count_from_the_end() {
    let space = Space::new([3, 4, 5], DType::Float64).unwrap();
    let weights =
        |extent: usize| random(&Space::new([extent], DType::Float64).unwrap(), 5).into_shared();
    let extents = [3, 4, 5];
    let of = |axis: isize| -> [Operator; 6] {
        let place = axis.rem_euclid(3) as usize;
        let terms = [Along { axis, step: 0.5, weight: 2.0 }];
        let space = || space.clone();
        [
            FirstDerivative::new(space(), axis, 0.5, Centered3, Reduced).unwrap(),
            SecondDerivative::new(space(), axis, 0.5, Centered3, Reduced).unwrap(),
            Laplacian::new(space(), &terms, Centered3, Reduced).unwrap(),
            Convolve1D::new(space(), axis, &[1.0, 2.0, 4.0], 1).unwrap(),
            Diagonal::along(space(), axis, weights(extents[place])).unwrap(),
            Roll::new(space(), axis, 2).unwrap(),
        ]
    };
    for axis in 0..3 {
        for (from_the_end, from_the_start) in of(axis - 3).iter().zip(of(axis)) {
            assert_eq!(dense(from_the_end), dense(&from_the_start), "{from_the_end:?} {axis}");
        }
    }
}
