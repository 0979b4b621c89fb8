//! What is added up in one pass: adjoints of stacks, sums of bands and weights.

use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::Cost;
use arrayspan_operators::prelude::*;
use num_complex::Complex64;

use crate::support::{self, assert_close, check, numbers, random};

const SHAPE: [usize; 2] = [31, 17];
const BYTES: usize = 31 * 17 * 8;

fn space() -> Space {
    Space::new(SHAPE, DType::Float64).unwrap()
}

fn derivative(axis: isize) -> Operator {
    FirstDerivative::new(space(), axis, 0.5, Scheme::Centered3, Edge::Reduced).unwrap()
}

fn laplacian() -> Operator {
    let terms = [0, 1].map(|axis| Along { axis, step: 0.5, weight: 1.0 });
    Laplacian::new(space(), &terms, Scheme::Centered3, Edge::Zero).unwrap()
}

fn weights(seed: u64) -> Operator {
    Diagonal::new(space(), random(&space(), seed).into_shared()).unwrap()
}

fn along(axis: isize, seed: u64) -> Operator {
    let of = Space::new([SHAPE[axis as usize]], DType::Float64).unwrap();
    Diagonal::along(space(), axis, random(&of, seed).into_shared()).unwrap()
}

/// What it costs when it is applied, which is what it says.
fn traced(a: &Operator, adjoint: bool) -> Cost {
    let cost = support::traced(a, adjoint);
    assert_eq!(a.cost(adjoint), Some(cost), "{}", a.describe());
    cost
}

/// Launches, arrays read and arrays written.
#[track_caller]
fn moves(a: &Operator, adjoint: bool, launches: usize, read: usize, written: usize) {
    let cost = traced(a, adjoint);
    let found = (cost.launches, cost.bytes_read, cost.bytes_written);
    assert_eq!(found, (launches, read, written), "{}", a.describe());
    check(a);
}

#[test]
fn the_adjoint_of_a_stack_of_derivatives_reads_each_part_once_and_writes_once() {
    let gradient = vstack([derivative(0), derivative(1)]).unwrap();
    moves(&gradient, true, 1, 2 * BYTES, BYTES);
    moves(&adjoint(&gradient), false, 1, 2 * BYTES, BYTES);
    // Each part of the data is a pass of its own.
    moves(&gradient, false, 2, 2 * BYTES, 2 * BYTES);
    let regularised = vstack([derivative(0), laplacian()]).unwrap();
    moves(&regularised, true, 1, 2 * BYTES, BYTES);
    let scaled = vstack([derivative(0), (0.1 * laplacian()).build().unwrap()]).unwrap();
    moves(&(2.0 * &scaled).build().unwrap(), true, 1, 2 * BYTES, BYTES);
}

#[test]
fn parts_may_be_weights_identities_and_stacks_themselves() {
    let identity = Identity::new(space()).unwrap();
    let mixed = hstack([derivative(0), weights(3), identity.clone(), laplacian()]).unwrap();
    moves(&mixed, false, 1, 5 * BYTES, BYTES);
    // Without bands it is an expression of elements.
    let plain = hstack([weights(3), along(1, 4), identity.clone()]).unwrap();
    moves(&plain, false, 1, 4 * BYTES + 17 * 8, BYTES);
    let inner = hstack([derivative(1), identity.clone()]).unwrap();
    let nested = hstack([inner, derivative(0)]).unwrap();
    moves(&nested, false, 1, 3 * BYTES, BYTES);
    // More than a pass takes: the second adds to the first.
    let many =
        hstack([derivative(0), derivative(1), laplacian(), identity, derivative(0), derivative(1)]);
    moves(&many.unwrap(), false, 2, 7 * BYTES, 2 * BYTES);
}

#[test]
fn what_a_pass_cannot_do_runs_beside_it() {
    let matrix = random(&Space::new([31, 31], DType::Float64).unwrap(), 1).into_shared();
    let matrix = MatrixMult::new(matrix, &[17]).unwrap();
    let stack = hstack([derivative(0), matrix, derivative(1)]).unwrap();
    let read = 2 * BYTES + (31 * 31 * 8 + BYTES) + BYTES;
    moves(&stack, false, 2, read, 2 * BYTES);
    // A long filter is bound by arithmetic, not by memory.
    let filter = Convolve1D::new(space(), 0, &[0.0625; 29], 14).unwrap();
    moves(&hstack([derivative(0), filter.clone()]).unwrap(), false, 2, 3 * BYTES, 2 * BYTES);
    let product = weights(3).after(filter).build().unwrap();
    moves(&product, false, 2, 3 * BYTES, 2 * BYTES);
}

#[test]
fn weights_before_and_behind_bands_take_no_pass() {
    let (a, b) = (weights(3), weights(4));
    moves(&a.after(derivative(0)).build().unwrap(), false, 1, 2 * BYTES, BYTES);
    moves(&derivative(1).after(&a).build().unwrap(), false, 1, 2 * BYTES, BYTES);
    let both = a.after(laplacian()).after(&b).build().unwrap();
    moves(&both, false, 1, 3 * BYTES, BYTES);
    moves(&both, true, 1, 3 * BYTES, BYTES);
    let row = along(1, 5).after(derivative(0)).build().unwrap();
    moves(&row, false, 1, BYTES + 17 * 8, BYTES);
    // Two such products are two passes.
    let twice = a.after(derivative(0)).after(&b).after(derivative(1)).build().unwrap();
    moves(&twice, false, 2, 4 * BYTES, 2 * BYTES);
}

#[test]
fn a_directional_derivative_is_one_pass_in_both_directions() {
    let (u, v) = (weights(3), weights(4));
    let directional = u.after(derivative(0)) + v.after(derivative(1)) - 0.5 * laplacian();
    let directional = directional.build().unwrap();
    moves(&directional, false, 1, 3 * BYTES, BYTES);
    moves(&directional, true, 1, 3 * BYTES, BYTES);
    let [first, second] =
        [0, 1].map(|axis| derivative(axis).after(if axis == 0 { &u } else { &v }));
    moves(&(first + second).build().unwrap(), false, 1, 3 * BYTES, BYTES);
    // Weights of a sum are those of its terms.
    let sum = u.after(derivative(0).after(&v) + derivative(1));
    moves(&sum.build().unwrap(), false, 1, 3 * BYTES, BYTES);
}

#[test]
fn the_normal_equations_of_a_stack_are_still_one_stencil() {
    let gradient = vstack([derivative(0), derivative(1)]).unwrap();
    let normal = adjoint(&gradient).after(&gradient).build().unwrap();
    assert_eq!(normal.describe().matches("forward: stencil of").count(), 1);
    moves(&normal, false, 1, BYTES, BYTES);
    assert!(normal.is_self_adjoint());
    let weighted = adjoint(&gradient)
        .after(block_diagonal([weights(3), weights(4)]).unwrap())
        .after(&gradient)
        .build()
        .unwrap();
    check(&weighted);
}

#[test]
fn a_pass_is_described_by_its_summands() {
    let directional = weights(3).after(derivative(0)) + derivative(1).after(weights(4));
    let text = directional.build().unwrap().describe();
    let line = "forward: sum of weights · stencil of 2 taps along axis 0 + stencil of 2 taps along axis 1 · weights\n";
    assert!(text.contains(line), "{text}");
    let parts = hstack([Identity::new(space()).unwrap(), weights(3)]).unwrap();
    assert!(parts.describe().contains("forward: sum of x + weights · x\n"), "{}", parts.describe());
}

#[test]
fn a_pass_knows_whether_it_is_real_and_its_own_adjoint() {
    let space = Space::new([5, 4], DType::Complex128).unwrap();
    let real = |axis| {
        FirstDerivative::new(space.clone(), axis, 1.0, Scheme::Centered3, Edge::Zero).unwrap()
    };
    let both = hstack([real(0), real(1)]).unwrap();
    assert!(both.is_real() && !both.is_self_adjoint());
    let turned = hstack([real(0), (Complex64::i() * real(1)).build().unwrap()]).unwrap();
    assert!(!turned.is_real());
    let field = Diagonal::new(space.clone(), random(&space, 1).into_shared()).unwrap();
    assert!(!field.after(real(0)).build().unwrap().is_real());
    let second = Convolve1D::new(space.clone(), 0, &[1.0, -2.0, 1.0], 1).unwrap();
    let congruent = field.after(&second).after(adjoint(&field)).build().unwrap();
    assert!(congruent.is_self_adjoint(), "{}", congruent.describe());
    check(&congruent);
}

/// `a` times a number, in Float32, where products of the numbers given would overflow or vanish.
#[test]
fn factors_that_would_leave_the_dtype_together_are_not_multiplied() {
    let space = Space::new([6, 5], DType::Float32).unwrap();
    let constant = |value: f32| {
        let array = Array::from_slice(&[value; 30], [6, 5]).unwrap().into_shared();
        Diagonal::new(space.clone(), array).unwrap()
    };
    let x = random(&space, 1);
    let stacked = random(&Space::new([12, 5], DType::Float32).unwrap(), 2);
    let slope = |step: f64| {
        FirstDerivative::new(space.clone(), 0, step, Scheme::Forward, Edge::Zero).unwrap()
    };
    let unit = numbers(&slope(1.0).forward(&x).unwrap());
    for (outer, scale, step, size) in [
        // outer · scale / step = size
        (1e-30_f32, 1e30, 1e-20, 1e20),
        (1e30, 1e-30, 1e20, 1e-20),
        (1e-20, 1e20, 1e-20, 1e20),
        (1e20, 1e-20, 1e18, 1e-18),
    ] {
        let product = (scale * constant(outer).after(slope(step))).build().unwrap();
        let expected: Vec<_> = unit.iter().map(|v| v * size).collect();
        let near = |found: &[Complex64], expected: &[Complex64]| {
            let [found, expected] =
                [found, expected].map(|all| all.iter().map(|v| v / size).collect::<Vec<_>>());
            assert_close(&found, &expected, DType::Float32, &product.describe());
        };
        near(&numbers(&product.forward(&x).unwrap()), &expected);
        // Beside another term, so that the factor is not the same for all.
        let sum = (&product + size * slope(1.0)).build().unwrap();
        let twice: Vec<_> = expected.iter().map(|v| 2.0 * v).collect();
        near(&numbers(&sum.forward(&x).unwrap()), &twice);
        let plain = (size * slope(1.0)).build().unwrap();
        let beside = hstack([product.clone(), plain]).unwrap().forward(&stacked).unwrap();
        let [a, b] = [0, 1].map(|at| {
            let part = crate::support::filled(&space, &numbers(&stacked)[30 * at..30 * (at + 1)]);
            numbers(&slope(1.0).forward(&part).unwrap())
        });
        let both: Vec<_> = a.iter().zip(&b).map(|(a, b)| size * (a + b)).collect();
        near(&numbers(&beside), &both);
    }
}

#[test]
fn a_factor_far_from_one_stays_behind_the_weights_beside_bands() {
    let space = Space::new([5], DType::Float32).unwrap();
    for exponent in [30, 25, 20, -20, -25, -30] {
        let (factor, weight) = (10_f64.powi(exponent), 10_f32.powi(-exponent));
        // On its own the factor takes such numbers beyond the dtype, at one end or the other.
        let element = if exponent > 0 { 1e20_f32 } else { 1e-20 };
        let weights = Array::from_vec(vec![weight; 5], [5]).unwrap().into_shared();
        let weights = Diagonal::new(space.clone(), weights).unwrap();
        let slope = FirstDerivative::new(space.clone(), 0, 1.0, Scheme::Forward, Edge::Zero);
        let sum = (factor * weights + slope.unwrap()).build().unwrap();
        let x = Array::from_vec(vec![element; 5], [5]).unwrap();
        // Of a constant the slope is zero.
        for y in sum.forward(&x).unwrap().view().to_vec::<f32>().unwrap() {
            assert!((y / element - 1.0).abs() < 1e-5, "1e{exponent}: {y}, expected {element}");
        }
    }
}
