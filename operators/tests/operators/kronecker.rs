//! `Kronecker` against the Kronecker product of the matrices of its factors.

use arrayspan_bridge::DType;
use arrayspan_operators::prelude::*;
use arrayspan_operators::{Error, Result};
use num_complex::Complex64;

use crate::support::{DTYPES, array, assert_close, check, dense, floats, hidden, numbers, random};

fn matrix(shape: [usize; 2], dtype: DType, seed: u64) -> Operator {
    MatrixMult::new(random(&Space::new(shape, dtype).unwrap(), seed), &[]).unwrap()
}

/// One operator of each kind there is, of few elements.
fn all(dtype: DType) -> Vec<Operator> {
    let space = |shape: &[usize]| Space::new(shape, dtype).unwrap();
    let weights = random(&space(&[3, 2]), 3);
    let slope = FirstDerivative::new(space(&[3, 2]), 0, 0.5, Scheme::Forward, Edge::Zero).unwrap();
    let bend =
        SecondDerivative::new(space(&[3, 2]), 0, 1.0, Scheme::Centered3, Edge::Zero).unwrap();
    let loose = vstack([
        MatrixMult::new(random(&space(&[2, 3]), 6), &[2]).unwrap(),
        SumAlong::new(space(&[3, 2]), 0).unwrap(),
    ]);
    let mut all = vec![
        matrix([3, 5], dtype, 1),
        matrix([4, 1], dtype, 2),
        Identity::new(space(&[4])).unwrap(),
        Zero::new(space(&[2, 2]), space(&[3])).unwrap(),
        Diagonal::new(space(&[3, 2]), weights).unwrap(),
        slope.clone(),
        Flip::new(space(&[3, 2]), &[1]).unwrap(),
        Transpose::new(space(&[3, 2]), &[1, 0]).unwrap(),
        Pad::new(space(&[2, 2]), &[(1, 0), (0, 2)]).unwrap(),
        SumAlong::new(space(&[4]), 0).unwrap(),
        Restriction::new(space(&[2, 5]), 1, [4, 0, 0]).unwrap(),
        adjoint(Restriction::new(space(&[5]), 0, [4, 0, 0]).unwrap()),
        (&slope + 2.0 * &bend).build().unwrap(),
        slope.after(&bend).build().unwrap(),
        (-0.5 * adjoint(&slope)).build().unwrap(),
        vstack([slope.clone(), bend.clone()]).unwrap(),
        hstack([&slope, &bend]).unwrap(),
        stack([&slope, &bend]).unwrap(),
        block_diagonal([slope.clone(), bend]).unwrap(),
        loose.unwrap(),
        hidden(slope),
        Regression::along(space(&[4]), 0, random(&Space::new([4], dtype.real()).unwrap(), 7), 2)
            .unwrap(),
    ];
    if dtype.is_complex() {
        let turned = matrix([2, 3], dtype, 8);
        all.extend([
            turned.conj(),
            turned.transpose(),
            (Complex64::i() * &turned).build().unwrap(),
        ]);
    }
    all
}

/// Column by column: the columns of the first for each of the second.
fn expected(a: &[Vec<Complex64>], b: &[Vec<Complex64>]) -> Vec<Vec<Complex64>> {
    let column = |one: &[Complex64], other: &[Complex64]| {
        one.iter().flat_map(|x| other.iter().map(move |y| x * y)).collect()
    };
    a.iter().flat_map(|one| b.iter().map(move |other| column(one, other))).collect()
}

#[test]
fn products_of_every_kind_of_operator_are_those_of_their_matrices() {
    for dtype in DTYPES {
        let (small, all) = (matrix([2, 3], dtype, 9), all(dtype));
        for other in &all {
            for (a, b) in [(&small, other), (other, &small), (other, other)] {
                let both = Kronecker::new(a, b).unwrap();
                let what = format!("{a:?} and {b:?}");
                let (found, matrices) = (dense(&both), expected(&dense(a), &dense(b)));
                assert_eq!(found.len(), matrices.len(), "{what}");
                for (found, expected) in found.iter().zip(&matrices) {
                    assert_close(found, expected, dtype, &what);
                }
                let shapes = |one: &Space, other: &Space| [one.shape(), other.shape()].concat();
                assert_eq!(both.domain().shape(), shapes(a.domain(), b.domain()), "{what}");
                assert_eq!(both.range().shape(), shapes(a.range(), b.range()), "{what}");
            }
            check(&Kronecker::new(&small, other).unwrap());
            check(&Kronecker::new(other, &small).unwrap());
        }
    }
}

#[test]
fn bands_of_both_sides_and_the_identity_cost_what_they_cost_alone() {
    let space = |shape: &[usize]| Space::new(shape, DType::Float64).unwrap();
    let slope =
        |len| FirstDerivative::new(space(&[len]), 0, 0.5, Scheme::Forward, Edge::Zero).unwrap();
    let identity = |len| Identity::new(space(&[len])).unwrap();
    let along = Kronecker::new(slope(7), identity(5)).unwrap();
    let own = FirstDerivative::new(space(&[7, 5]), 0, 0.5, Scheme::Forward, Edge::Zero).unwrap();
    assert_eq!(along.cost(false), own.cost(false));
    // A Kronecker sum is one stencil along two axes.
    let both = Kronecker::new(slope(7), identity(5)).unwrap()
        + Kronecker::new(identity(7), slope(5)).unwrap();
    assert_eq!(both.build().unwrap().cost(false).map(|cost| cost.launches), Some(1));
}

#[test]
fn the_cheaper_of_both_orders_is_taken() {
    let [wide, tall] = [[1, 40], [40, 1]].map(|shape| matrix(shape, DType::Float64, 1));
    for both in [Kronecker::new(&wide, &tall), Kronecker::new(&tall, &wide)] {
        let cost = both.unwrap().cost(false).unwrap();
        // The wide one first: one number is between both, instead of 1600.
        assert_eq!(cost.bytes_written, 8 * 41);
    }
}

#[test]
fn shared_parts_and_deep_products_are_lifted_once() {
    let mut power = matrix([3, 3], DType::Float64, 1);
    for _ in 0..40 {
        power = (0.5 * power.after(&power)).build().unwrap();
    }
    assert!(Kronecker::new(&power, matrix([2, 2], DType::Float64, 2)).is_ok());
    let mut sum = matrix([3, 3], DType::Float64, 1);
    for seed in 0..20_000 {
        let factor = 1.0 / f64::from(seed + 2);
        sum = (&sum + factor * matrix([3, 3], DType::Float64, 2)).build().unwrap();
    }
    assert!(Kronecker::new(matrix([2, 2], DType::Float64, 2), sum).is_ok());
}

fn message(result: Result<Operator>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn operators_that_have_no_product_are_refused() {
    let [single, double] = [DType::Float32, DType::Float64].map(|dtype| matrix([2, 3], dtype, 1));
    let dtypes = message(Kronecker::new(&single, &double));
    assert!(dtypes.starts_with("Kronecker: dtypes of MatrixMult and MatrixMult"), "{dtypes}");
    let complex = Conj::new(Space::new([3], DType::Complex128).unwrap()).unwrap();
    let linear = message(Kronecker::new(&complex, matrix([2, 2], DType::Complex128, 1)));
    assert_eq!(linear, "Kronecker: Conj is linear over the real numbers only");
    // Between real spaces that is linear, as the real part of a matrix is.
    let weights = array(&[2], &[Complex64::new(3.0, 1.0), Complex64::new(0.5, -2.0)]);
    let complex = Space::new([2], DType::Complex128).unwrap();
    let part = Diagonal::new(complex, weights).unwrap().to_real().unwrap();
    let both = numbers(&Kronecker::new(&part, &part).unwrap().to_dense().unwrap());
    let diagonal: Vec<f64> = (0..4).map(|at| both[5 * at].re).collect();
    assert_eq!(diagonal, [9.0, 1.5, 1.5, 0.25]);
    let long = Identity::new(Space::new([1 << 40], DType::Float64).unwrap()).unwrap();
    assert!(matches!(Kronecker::new(&long, &long), Err(Error::TooLarge { .. })));
    let wrong = MatrixMult::new(floats(&[3], &[1.0; 3]), &[]);
    assert!(message(Kronecker::new(wrong, &double)).contains("shape [3]"));
}
