//! Expressions of many terms, factors and levels, on a stack of 512 KiB.

use std::thread;

use arrayspan_bridge::DType;
use arrayspan_operators::prelude::*;
use arrayspan_operators::scratch_bytes;
use num_complex::Complex64;

use crate::support::{array, check, dense, floats, hidden as hidden_of, numbers, random, read};

const MANY: usize = 10_000;

fn space() -> Space {
    Space::new([2], DType::Float64).unwrap()
}

fn identity() -> Operator {
    Identity::new(space()).unwrap()
}

/// `y = w x` with small weights, different ones for each seed.
fn diagonal(seed: usize) -> Operator {
    let weights = [1 + seed % 3, 2 + seed % 5].map(|weight| weight as f64);
    Diagonal::new(space(), floats(&[2], &weights).into_shared()).unwrap()
}

fn hidden() -> Operator {
    hidden_of(identity())
}

fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    thread::Builder::new().stack_size(512 << 10).spawn(test).unwrap().join().unwrap();
}

/// Everything that walks an operator, ending with its drop.
fn walk(a: Operator) -> [Vec<f64>; 2] {
    assert!(format!("{a:?}").len() < 10_000);
    assert_eq!((a.devices(), a.domain()), (a.clone().devices(), &space()));
    let x = floats(&[2], &[1.0, 2.0]);
    let both = [read(&a.forward(&x).unwrap()), read(&a.adjoint(&x).unwrap())];
    drop(a);
    both
}

#[test]
fn a_sum_of_ten_thousand_terms_is_built_applied_printed_and_dropped() {
    on_a_small_stack(|| {
        let terms = || (0..MANY).map(diagonal);
        let left = terms().reduce(|sum, term| (sum + term).build().unwrap()).unwrap();
        let right = terms().reduce(|sum, term| (term - -sum).build().unwrap()).unwrap();
        let expected: [usize; 2] = (0..MANY)
            .map(|seed| [1 + seed % 3, 2 * (2 + seed % 5)])
            .fold([0; 2], |sum, term| [sum[0] + term[0], sum[1] + term[1]]);
        let expected = expected.map(|sum| sum as f64).to_vec();
        assert_eq!(left.workspace(), 0);
        assert_eq!(walk(left), [expected.clone(), expected.clone()]);
        assert_eq!(walk(right), [expected.clone(), expected]);
    });
}

#[test]
fn a_chain_of_ten_thousand_factors_takes_two_arrays_between() {
    on_a_small_stack(|| {
        let scaled = |k| (if k % 2 == 0 { 0.5 } else { 2.0 } * hidden()).build().unwrap();
        let forward = (0..MANY).fold(hidden(), |chain, k| chain.after(scaled(k)).build().unwrap());
        assert_eq!(forward.workspace(), 2 * scratch_bytes(&space()));
        assert_eq!(walk(forward), [[1.0, 2.0], [1.0, 2.0]]);
        let back = (0..MANY).fold(hidden(), |chain, k| {
            let next = if k % 2 == 0 { hidden() } else { -hidden() };
            next.after(chain).build().unwrap()
        });
        assert_eq!(walk(adjoint_of(back)), [[1.0, 2.0], [1.0, 2.0]]);
    });
}

fn adjoint_of(a: Operator) -> Operator {
    adjoint(a)
}

#[test]
fn multiples_and_adjoints_of_each_other_go_as_deep_as_one_likes() {
    on_a_small_stack(|| {
        let a = (0..MANY).fold(diagonal(1), |a, k| {
            let a = (if k % 2 == 0 { 2.0 } else { 0.5 } * adjoint(a)).build().unwrap();
            -Operator::new(a)
        });
        assert_eq!(walk(a), [[2.0, 6.0], [2.0, 6.0]]);
    });
}

#[test]
fn sums_of_products_of_sums_go_as_deep_as_one_likes() {
    on_a_small_stack(|| {
        // p ← I + A p, as Horner's rule has it. Each level is done with before the next begins, so two arrays take turns.
        let levels = 2000;
        let nilpotent = || {
            let matrix = floats(&[2, 2], &[0.0, 1.0, 0.0, 0.0]).into_shared();
            MatrixMult::new(matrix, &[]).unwrap()
        };
        let p = (0..levels).fold(identity(), |p, _| {
            (identity() + nilpotent().after(p).build().unwrap()).build().unwrap()
        });
        assert_eq!(p.workspace(), 2 * scratch_bytes(&space()));
        assert_eq!(walk(p), [[3.0, 2.0], [1.0, 3.0]]);
    });
}

#[test]
fn shared_parts_are_kept_once() {
    on_a_small_stack(|| {
        // 2^200 factors, which nobody could apply; as many equal terms are one.
        let sum = (0..200).fold(hidden(), |a, _| (&a + &a).build().unwrap());
        let product = (0..200).fold(hidden(), |a, _| a.after(&a).build().unwrap());
        assert_eq!(sum.workspace(), 0);
        assert!(product.workspace() > 2 * scratch_bytes(&space()));
        let x = floats(&[2], &[1.0, 2.0]);
        let factor = 2.0_f64.powi(200);
        assert_eq!(read(&sum.forward(&x).unwrap()), [factor, 2.0 * factor]);
        // Of what is known, neither takes more than one step.
        let identities = (0..200).fold(identity(), |a, _| a.after(&a).build().unwrap());
        assert_eq!(read(&identities.forward(&x).unwrap()), [1.0, 2.0]);
        assert!(format!("{sum:?} {product:?}").len() < 10_000);
        let powers: Vec<Operator> = (0..MANY)
            .scan(identity(), |power, _| {
                *power = identity().after(power.clone()).build().unwrap();
                Some(power.clone())
            })
            .collect();
        assert_eq!(read(&powers[99].forward(floats(&[2], &[1.0, 2.0])).unwrap()), [1.0, 2.0]);
    });
}

#[test]
fn shared_parts_within_each_other_go_as_deep_as_one_likes() {
    on_a_small_stack(|| {
        let steps =
            || (0..65).map(|_| hidden()).reduce(|a, b| a.after(b).build().unwrap()).unwrap();
        // Each power is part of the next and, times zero, of the whole.
        let (mut power, mut parts) = (hidden(), Vec::new());
        for _ in 0..400 {
            power = steps().after(&power).build().unwrap();
            parts.push((0.0 * &power).build().unwrap());
        }
        parts.push(power);
        let whole = vstack(parts).unwrap();
        let y = read(&whole.forward(floats(&[2], &[1.0, 2.0])).unwrap());
        assert_eq!(y[800..], [1.0, 2.0]);
        assert_eq!((whole.is_real(), whole.cost(false)), (true, None));
        // Deeper than could be applied.
        let sum = (0..65).map(|_| hidden()).reduce(|a, b| (a + b).build().unwrap()).unwrap();
        let deep = (0..20_000).fold(hidden(), |a, _| (sum.after(&a) + &a).build().unwrap());
        assert!(deep.workspace() > 0);
        drop(deep);
    });
}

/// `A B`, both by columns.
fn times(a: &[Vec<Complex64>], b: &[Vec<Complex64>]) -> Vec<Vec<Complex64>> {
    let entry = |column: &Vec<Complex64>, row: usize| {
        column.iter().zip(a).map(|(factor, other)| factor * other[row]).sum()
    };
    b.iter().map(|column| (0..a.len()).map(|row| entry(column, row)).collect()).collect()
}

#[test]
fn shared_parts_within_stacks_within_shared_parts_are_what_was_written() {
    let small = Space::new([3, 3], DType::Complex128).unwrap();
    let matrix = |seed| MatrixMult::new(random(&small, seed).into_shared(), &[]).unwrap();
    // More terms than are copied, with intermediate results within.
    let terms = (0..70).map(|seed| 0.1 * hidden_of(matrix(seed)).after(matrix(99)));
    let mut shared = terms.reduce(|sum, term| sum + term).unwrap().build().unwrap();
    let mut expected = dense(&shared);
    for seed in 0..2 {
        let other = matrix(200 + seed);
        let across = hstack([&shared, &other, &shared]).unwrap();
        let middle = block_diagonal([&other, &shared, &shared]).unwrap();
        let down = vstack([&shared, &other, &other.conj()]).unwrap();
        let (a, b, c) = (expected, dense(&other), dense(&other.conj()));
        let parts =
            [times(&a, &times(&b, &a)), times(&b, &times(&a, &b)), times(&a, &times(&a, &c))];
        let sum = |row: usize, at: usize| parts.iter().map(|part| part[row][at]).sum::<Complex64>();
        expected = (0..3).map(|row| (0..3).map(|at| 0.05 * sum(row, at)).collect()).collect();
        shared = (0.05 * across.after(middle).after(down)).build().unwrap();
        assert!(shared.describe().contains("of a shared part"), "{}", shared.describe());
        for (found, expected) in dense(&shared).iter().zip(&expected) {
            crate::support::assert_close(found, expected, DType::Complex128, "shared parts");
        }
        check(&shared);
        check(&vstack([&shared, &shared.transpose()]).unwrap());
    }
}

#[test]
fn a_stack_grows_part_by_part() {
    on_a_small_stack(|| {
        let grow = |stack: Operator, part| vstack([stack, part]).unwrap();
        let stack = (0..1000).map(diagonal).reduce(grow).unwrap();
        let whole = vstack((0..1000).map(diagonal)).unwrap();
        assert_eq!(stack.range(), whole.range());
        let x = floats(&[2], &[1.0, -1.0]);
        assert_eq!(read(&stack.forward(&x).unwrap()), read(&whole.forward(&x).unwrap()));
        let alone = (0..1000).fold(stack.clone(), |stack, _| vstack([stack]).unwrap());
        assert_eq!(alone.range(), whole.range());
        let scaled = vstack([(2.0 * stack).build().unwrap(), identity()]).unwrap();
        let y = read(&scaled.forward(&x).unwrap());
        let expected =
            read(&whole.forward(&x).unwrap()).iter().map(|y| 2.0 * y).collect::<Vec<_>>();
        assert_eq!(y, [expected, vec![1.0, -1.0]].concat());
    });
}

#[test]
fn stacks_that_are_nested_too_deep_are_refused() {
    on_a_small_stack(|| {
        let mut nested = identity();
        let refused = loop {
            // A block diagonal in a stack in a block diagonal: neither takes over the parts of the other.
            let width = nested.domain().len();
            let zero = Identity::new(Space::new([width], DType::Float64).unwrap()).unwrap();
            let next = block_diagonal([nested.clone()]);
            match next.and_then(|diagonal| (diagonal + Operator::new(zero)).build()) {
                Ok(next) => nested = next,
                Err(error) => break error,
            }
        };
        assert!(refused.to_string().starts_with("block_diagonal: "), "{refused}");
        assert!(refused.to_string().contains("65 stacks within each other"), "{refused}");
        let y = read(&nested.forward(floats(&[2], &[1.0, 2.0])).unwrap());
        assert_eq!(y, [65.0, 130.0]);
        assert!(format!("{nested:?}").starts_with("block_diagonal + Identity"));
    });
}

#[test]
fn factors_within_products_and_sums_go_where_they_belong() {
    for dtype in crate::support::DTYPES {
        let matrix = |seed| {
            let square = Space::new([3, 3], dtype).unwrap();
            MatrixMult::new(random(&square, seed).into_shared(), &[]).unwrap()
        };
        let turn = |a: Operator| {
            let turned = Complex64::new(0.5, -2.0) * a.clone();
            turned.build().unwrap_or_else(|_| (0.5 * a).build().unwrap())
        };
        let product = turn(turn(matrix(1)).after(turn(matrix(2))).build().unwrap());
        let four = adjoint(turn(matrix(3))).after(adjoint(product)).build().unwrap();
        check(&turn(four.clone()));
        let sum = (turn(four.clone()) - matrix(4)).build().unwrap();
        check(&turn(adjoint(sum.clone())));
        check(
            &turn(sum.clone())
                .after(adjoint(sum).after(matrix(5)).build().unwrap())
                .build()
                .unwrap(),
        );
        check(&vstack([four.clone(), turn(four)]).unwrap());
    }
}

#[test]
fn an_operator_prints_as_its_formula() {
    let (a, b) = (identity(), diagonal(1));
    let sum = (a.clone() + (2.0 * b.clone()).build().unwrap()).build().unwrap();
    let product = adjoint(sum).after(adjoint(b).after(a).build().unwrap()).build().unwrap();
    let found = format!("{:?}", -product);
    let formula = "-1.0 ((Identity + 2.0 Diagonal)ᴴ Diagonalᴴ Identity)";
    assert_eq!(found, format!("{formula}: Float64 [2] to Float64 [2]"));
}

#[test]
fn sums_of_unknown_terms_keep_their_order_and_multiples_are_added_up_in_double_precision() {
    let ones = array(&[1], &[1.0_f32]);
    let space = Space::new([1], DType::Float32).unwrap();
    let identity = Identity::new(space.clone()).unwrap();
    let sum = |a: &Operator, b: &Operator, c: &Operator| {
        (1e8 * a + 1.0 * b + -1e8 * c).build().unwrap().forward(&ones).unwrap()
    };
    // From left to right: the small one is lost beside the large one, which then cancels.
    let [a, b, c] = [(); 3].map(|()| hidden_of(identity.clone()));
    assert_eq!(numbers(&sum(&a, &b, &c)), [0.0.into()]);
    assert_eq!(numbers(&sum(&identity, &identity, &identity)), [1.0.into()]);
}
