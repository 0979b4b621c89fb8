//! Compositions, against the matrices of their parts.

use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::{Cost, Trace};
use arrayspan_operators::prelude::*;
use num_complex::Complex64;

use crate::support::{DTYPES, assert_close, check, dense, host, random};

type Matrix = Vec<Vec<Complex64>>;

/// A dense operator from `[columns, others…]` to `[rows, others…]`, without any pattern.
fn matrix(rows: usize, columns: usize, others: &[usize], dtype: DType, seed: u64) -> Operator {
    let matrix = random(&Space::new([rows, columns], dtype).unwrap(), seed).into_shared();
    MatrixMult::new(matrix, others).unwrap()
}

fn assert_equal(found: &Operator, expected: &Matrix) {
    let found_columns = dense(found);
    assert_eq!(found_columns.len(), expected.len());
    for (found_column, expected) in found_columns.iter().zip(expected) {
        assert_close(found_column, expected, found.range().dtype(), &format!("{found:?}"));
    }
}

fn times(a: &Matrix, b: &Matrix) -> Matrix {
    let column = |b: &Vec<Complex64>| {
        (0..a[0].len()).map(|i| a.iter().zip(b).map(|(a, b)| a[i] * b).sum()).collect()
    };
    b.iter().map(column).collect()
}

fn combined(a: &Matrix, b: &Matrix, each: impl Fn(Complex64, Complex64) -> Complex64) -> Matrix {
    let column = |(a, b): (&Vec<Complex64>, &Vec<Complex64>)| {
        a.iter().zip(b).map(|(&a, &b)| each(a, b)).collect()
    };
    a.iter().zip(b).map(column).collect()
}

fn above(a: &Matrix, b: &Matrix) -> Matrix {
    a.iter().zip(b).map(|(a, b)| [a.clone(), b.clone()].concat()).collect()
}

fn beside(a: &Matrix, b: &Matrix) -> Matrix {
    [a.clone(), b.clone()].concat()
}

/// The verbs one application costs.
fn cost(a: &Operator) -> Cost {
    let trace = Trace::of(host());
    let (x, mut y) = (random(a.domain(), 1), random(a.range(), 2));
    a.apply(&trace, x.view(), y.view_mut(), Update::set()).unwrap();
    trace.take()
}

#[test]
fn a_product_is_the_product_of_the_matrices() {
    for dtype in DTYPES {
        let (a, b) = (matrix(2, 3, &[2], dtype, 1), matrix(3, 4, &[2], dtype, 2));
        let c = matrix(4, 1, &[2], dtype, 3);
        let product = a.clone().after(b.clone()).build().unwrap();
        assert_equal(&product, &times(&dense(&a), &dense(&b)));
        check(&product);
        let left = product.after(c.clone()).build().unwrap();
        let right = a.after(b.after(c).build().unwrap()).build().unwrap();
        assert_equal(&left, &dense(&right));
        check(&right);
    }
}

#[test]
fn sums_and_differences_are_those_of_the_matrices() {
    for dtype in DTYPES {
        let (a, b) = (matrix(2, 3, &[2], dtype, 1), matrix(2, 3, &[2], dtype, 2));
        let (da, db) = (dense(&a), dense(&b));
        let sum = (a.clone() + b.clone()).build().unwrap();
        assert_equal(&sum, &combined(&da, &db, |a, b| a + b));
        check(&sum);
        let difference = (a - b).build().unwrap();
        assert_equal(&difference, &combined(&da, &db, |a, b| a - b));
        check(&difference);
    }
}

#[test]
fn multiples_are_those_of_the_matrices_and_cost_nothing() {
    let a = matrix(2, 3, &[], DType::Complex128, 1);
    let (factor, columns) = (Complex64::new(0.5, -2.0), dense(&a));
    let scaled = (factor * a.clone()).build().unwrap();
    assert_equal(&scaled, &combined(&columns, &columns, |a, _| factor * a));
    check(&scaled);
    let nested = -(3.0 * scaled).build().unwrap();
    assert_equal(&nested, &combined(&columns, &columns, |a, _| -3.0 * factor * a));
    check(&nested);
    check(&adjoint(nested.clone()));
    assert_eq!(cost(&nested), cost(&a));
}

#[test]
fn the_adjoint_of_an_adjoint_is_the_operator_again() {
    let a = (Complex64::new(1.0, 2.0) * matrix(2, 3, &[], DType::Complex128, 1)).build().unwrap();
    let adjoint_matrix = crate::support::dense_adjoint(&a);
    assert_equal(&adjoint(a.clone()), &adjoint_matrix);
    assert_equal(&adjoint(adjoint(a.clone())), &dense(&a));
    assert_eq!(adjoint(a.clone()).domain(), a.range());
}

#[test]
fn the_adjoint_of_a_product_swaps_its_factors() {
    let (a, b) = (matrix(2, 3, &[], DType::Complex128, 1), matrix(3, 4, &[], DType::Complex128, 2));
    let product = a.clone().after(b.clone()).build().unwrap();
    let swapped = adjoint(b).after(adjoint(a)).build().unwrap();
    assert_equal(&adjoint(product), &dense(&swapped));
}

#[test]
fn a_vertical_stack_joins_ranges_along_the_first_axis() {
    for dtype in DTYPES {
        let (a, b) = (matrix(2, 3, &[2], dtype, 1), matrix(4, 3, &[2], dtype, 2));
        let stack = vstack([a.clone(), b.clone()]).unwrap();
        assert_eq!(stack.range().shape(), [6, 2]);
        assert_equal(&stack, &above(&dense(&a), &dense(&b)));
        check(&stack);
    }
}

#[test]
fn stacks_of_spaces_that_differ_in_more_than_the_first_axis_are_flat() {
    let space = Space::new([3, 2], DType::Float64).unwrap();
    let a = matrix(2, 3, &[2], DType::Float64, 1);
    let narrow = Space::new([3, 1], DType::Float64).unwrap();
    let b = Identity::rectangular(space, narrow).unwrap();
    let stack = vstack([a.clone(), b.clone(), a.clone()]).unwrap();
    assert_eq!(stack.range().shape(), [11]);
    assert_equal(&stack, &above(&above(&dense(&a), &dense(&b)), &dense(&a)));
    check(&stack);
    let diagonal = block_diagonal([a, b]).unwrap();
    assert_eq!((diagonal.domain().shape(), diagonal.range().shape()), (&[6, 2][..], &[7][..]));
    check(&diagonal);
}

#[test]
fn stacks_of_scalars_are_flat() {
    let scalar = Identity::new(Space::new([], DType::Float64).unwrap()).unwrap();
    let stack = vstack([scalar.clone(), scalar]).unwrap();
    assert_eq!(stack.range().shape(), [2]);
    check(&stack);
}

#[test]
fn a_horizontal_stack_joins_domains_along_the_first_axis() {
    for dtype in DTYPES {
        let (a, b) = (matrix(3, 2, &[2], dtype, 1), matrix(3, 4, &[2], dtype, 2));
        let stack = hstack([a.clone(), b.clone()]).unwrap();
        assert_eq!(stack.domain().shape(), [6, 2]);
        assert_equal(&stack, &beside(&dense(&a), &dense(&b)));
        check(&stack);
    }
}

#[test]
fn a_block_diagonal_keeps_its_parts_apart() {
    for dtype in DTYPES {
        let (a, b) = (matrix(3, 2, &[2], dtype, 1), matrix(1, 4, &[2], dtype, 2));
        let diagonal = block_diagonal([a.clone(), b.clone()]).unwrap();
        let none =
            |rows: usize, a: &Operator| vec![vec![Complex64::default(); rows]; a.domain().len()];
        let (left, right) = (above(&dense(&a), &none(2, &a)), above(&none(6, &b), &dense(&b)));
        assert_equal(&diagonal, &beside(&left, &right));
        check(&diagonal);
    }
}

#[test]
fn a_stack_costs_what_its_parts_cost() {
    let (a, b) = (matrix(2, 3, &[2], DType::Float32, 1), matrix(4, 3, &[2], DType::Float32, 2));
    let mut sum = cost(&a);
    sum += cost(&b);
    assert_eq!(cost(&vstack([a.clone(), b.clone()]).unwrap()), sum);
    assert_eq!(cost(&block_diagonal([a, b]).unwrap()), sum);
}

#[test]
fn compositions_nest() {
    let space = Space::new([5, 3], DType::Complex64).unwrap();
    let slope = FirstDerivative::new(space.clone(), 0, 0.5, Scheme::Centered3, Edge::Zero).unwrap();
    let bend = SecondDerivative::new(space.clone(), 1, 0.5, Scheme::Centered3, Edge::Zero).unwrap();
    let tall = vstack([
        (2.0 * Operator::new(slope.clone())).build().unwrap(),
        Operator::new(bend.clone()),
    ])
    .unwrap();
    let wide = hstack([Operator::new(bend), -Operator::new(slope)]).unwrap();
    let product = wide.after(tall).build().unwrap();
    let all = (Identity::new(space).unwrap() + product).build().unwrap();
    check(&all);
    check(&adjoint(all));
}

#[test]
fn spaces_without_elements_are_no_special_case() {
    let to_nothing = matrix(0, 3, &[2], DType::Float64, 1);
    let from_nothing = matrix(4, 0, &[2], DType::Float64, 2);
    let zero = from_nothing.after(to_nothing).build().unwrap();
    check(&zero);
    let y: Array = zero.forward(random(zero.domain(), 1)).unwrap();
    assert!(crate::support::read(&y).iter().all(|&y| y == 0.0));
}
