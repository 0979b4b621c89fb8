//! Expressions of operators, drawn at random, with their matrices.

use arrayspan_bridge::DType;
use arrayspan_operators::Result;
use arrayspan_operators::form::IndexMap;
use arrayspan_operators::prelude::*;
use num_complex::Complex64;
use proptest::prelude::*;

use crate::support::{dense, hidden, numbers, random};

const SHAPE: [usize; 2] = [3, 4];
const LEN: usize = 12;

/// An expression of operators on arrays of [`SHAPE`].
#[derive(Clone, Debug)]
pub(crate) enum Tree {
    Zero,
    Identity,
    Diagonal(u64),
    Along(isize, u64),
    Derivative(isize, Scheme, Edge),
    Filter(isize, Vec<f64>),
    Roll(isize, isize),
    Flip(isize),
    Crop(usize),
    Matrix(u64),
    Opaque(u64),
    Scaled(Complex64, Box<Tree>),
    Adjoint(Box<Tree>),
    Conj(Box<Tree>),
    Transpose(Box<Tree>),
    Sum(Box<Tree>, Box<Tree>),
    Difference(Box<Tree>, Box<Tree>),
    Product(Box<Tree>, Box<Tree>),
    Square(Box<Tree>),
    /// `[a b] [c; d]`
    Stacks([Box<Tree>; 4]),
    /// `[a b] diag(c, d) [e; e]`
    Blocks([Box<Tree>; 5]),
    /// `[a b] P [c; d]`, where `P` swaps both halves: unlike [`Stacks`](Self::Stacks) it stays a product of stacks.
    Swapped([Box<Tree>; 4]),
}

fn leaves() -> impl Strategy<Value = Tree> {
    let scheme = prop_oneof![
        Just(Scheme::Forward),
        Just(Scheme::Backward),
        Just(Scheme::Centered3),
        Just(Scheme::Centered5)
    ];
    let edge = prop_oneof![Just(Edge::Zero), Just(Edge::Reduced)];
    prop_oneof![
        Just(Tree::Zero),
        Just(Tree::Identity),
        (1..4_u64).prop_map(Tree::Diagonal),
        (-2..2_isize, 4..6_u64).prop_map(|(axis, seed)| Tree::Along(axis, seed)),
        (-2..2_isize, scheme, edge)
            .prop_map(|(axis, scheme, edge)| Tree::Derivative(axis, scheme, edge)),
        (-2..2_isize, prop::collection::vec(-2.0..2.0, 1..4))
            .prop_map(|(a, taps)| Tree::Filter(a, taps)),
        (-2..2_isize, -5..6_isize).prop_map(|(axis, shift)| Tree::Roll(axis, shift)),
        (-2..2_isize).prop_map(Tree::Flip),
        (0..4_usize).prop_map(Tree::Crop),
        (6..8_u64).prop_map(Tree::Matrix),
        (8..10_u64).prop_map(Tree::Opaque),
    ]
}

/// Bands and weights, one behind the other: what a single pass can do, or nearly.
fn weighted() -> BoxedStrategy<Tree> {
    let weights = || {
        prop_oneof![
            (1..4_u64).prop_map(Tree::Diagonal),
            (-2..2_isize, 4..6_u64).prop_map(|(axis, seed)| Tree::Along(axis, seed)),
            (1..4_u64).prop_map(|seed| Tree::Conj(Box::new(Tree::Diagonal(seed)))),
        ]
    };
    let bands = || {
        prop_oneof![
            (-2..2_isize).prop_map(|axis| Tree::Derivative(axis, Scheme::Centered3, Edge::Reduced)),
            (-2..2_isize, prop::collection::vec(-2.0..2.0, 1..4))
                .prop_map(|(axis, taps)| Tree::Filter(axis, taps)),
        ]
    };
    let product = |a: Tree, b: Tree| Tree::Product(Box::new(a), Box::new(b));
    prop_oneof![
        Just(Tree::Identity),
        weights(),
        bands(),
        (weights(), bands()).prop_map(move |(a, b)| product(a, b)),
        (bands(), weights()).prop_map(move |(a, b)| product(a, b)),
        (weights(), bands(), weights()).prop_map(move |(a, b, c)| product(product(a, b), c)),
        (weights(), bands(), weights(), bands())
            .prop_map(move |(a, b, c, d)| product(a, product(b, product(c, d)))),
        (-2.0..2.0, -1.0..1.0, weights(), bands()).prop_map(move |(re, im, a, b)| {
            Tree::Scaled(Complex64::new(re, im), Box::new(product(a, b)))
        }),
    ]
    .boxed()
}

/// Sums and stacks of what a single pass can do.
fn sums() -> BoxedStrategy<Tree> {
    let one = || weighted().prop_map(Box::new);
    prop_oneof![
        (one(), one()).prop_map(|(a, b)| Tree::Sum(a, b)),
        (one(), one(), one()).prop_map(|(a, b, c)| Tree::Difference(Box::new(Tree::Sum(a, b)), c)),
        (one(), one(), one()).prop_map(|(a, b, c)| Tree::Product(a, Box::new(Tree::Sum(b, c)))),
        [one(), one(), one(), one()].prop_map(Tree::Swapped),
    ]
    .boxed()
}

pub(crate) fn trees() -> impl Strategy<Value = Tree> {
    prop_oneof![3 => leaves(), 1 => weighted(), 2 => sums()].prop_recursive(5, 24, 5, |inner| {
        let one = || inner.clone().prop_map(Box::new);
        prop_oneof![
            (prop_oneof![Just(0.0), Just(1.0), -2.0..2.0], -1.0..1.0, one())
                .prop_map(|(re, im, a)| Tree::Scaled(Complex64::new(re, im), a)),
            one().prop_map(Tree::Adjoint),
            one().prop_map(Tree::Conj),
            one().prop_map(Tree::Transpose),
            (one(), one()).prop_map(|(a, b)| Tree::Sum(a, b)),
            (one(), one()).prop_map(|(a, b)| Tree::Difference(a, b)),
            (one(), one()).prop_map(|(a, b)| Tree::Product(a, b)),
            one().prop_map(Tree::Square),
            [one(), one(), one(), one()].prop_map(Tree::Stacks),
            [one(), one(), one(), one(), one()].prop_map(Tree::Blocks),
            [one(), one(), one(), one()].prop_map(Tree::Swapped),
        ]
    })
}

/// A matrix by rows, and one of what is added up in absolute values: the measure of rounding.
#[derive(Clone)]
pub(crate) struct Exact {
    pub(crate) matrix: Vec<Vec<Complex64>>,
    pub(crate) size: Vec<Vec<f64>>,
    /// Operations from a value to a result, about.
    depth: f64,
}

impl Exact {
    fn of(operator: &Operator) -> Self {
        let columns = dense(operator);
        let entry = |i: usize, j: usize| columns[j][i];
        let rows = |i| (0..LEN).map(|j| entry(i, j)).collect::<Vec<_>>();
        let matrix: Vec<_> = (0..LEN).map(rows).collect();
        let size = matrix.iter().map(|row| row.iter().map(|v| v.norm()).collect()).collect();
        Self { matrix, size, depth: 8.0 }
    }

    pub(crate) fn each(self, change: impl Fn(Complex64) -> Complex64) -> Self {
        let matrix: Vec<Vec<_>> =
            self.matrix.iter().map(|row| row.iter().map(|v| change(*v)).collect()).collect();
        // None of the changes makes more than a multiple of what there was.
        let factor = change(1.0.into()).norm();
        let size = self.size.iter().map(|row| row.iter().map(|v| v * factor).collect()).collect();
        Self { matrix, size, depth: self.depth + 1.0 }
    }

    pub(crate) fn transposed(self) -> Self {
        let matrix = (0..LEN).map(|i| (0..LEN).map(|j| self.matrix[j][i]).collect()).collect();
        let size = (0..LEN).map(|i| (0..LEN).map(|j| self.size[j][i]).collect()).collect();
        Self { matrix, size, depth: self.depth }
    }

    fn plus(self, other: &Self) -> Self {
        let sum = |a: &[Complex64], b: &[Complex64]| a.iter().zip(b).map(|(a, b)| a + b).collect();
        let sizes = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + b).collect();
        Self {
            matrix: self.matrix.iter().zip(&other.matrix).map(|(a, b)| sum(a, b)).collect(),
            size: self.size.iter().zip(&other.size).map(|(a, b)| sizes(a, b)).collect(),
            depth: self.depth + other.depth,
        }
    }

    fn times(self, other: &Self) -> Self {
        let row = |i: usize| {
            (0..LEN)
                .map(|j| (0..LEN).map(|k| self.matrix[i][k] * other.matrix[k][j]).sum())
                .collect()
        };
        let sizes = |i: usize| {
            (0..LEN).map(|j| (0..LEN).map(|k| self.size[i][k] * other.size[k][j]).sum()).collect()
        };
        Self {
            matrix: (0..LEN).map(row).collect(),
            size: (0..LEN).map(sizes).collect(),
            depth: self.depth + other.depth + LEN as f64,
        }
    }
}

/// The operator of a tree, in a dtype, and its matrix in double precision.
pub(crate) fn built(tree: &Tree, dtype: DType) -> (Operator, Exact) {
    let wide = if dtype.is_complex() { DType::Complex128 } else { DType::Float64 };
    let space = |dtype| Space::new(SHAPE, dtype).unwrap();
    let leaf = |make: &dyn Fn(DType) -> Operator| (make(dtype), Exact::of(&make(wide)));
    // Numbers that Float32 holds.
    let weights = |shape: &[usize], seed, dtype: DType| {
        let narrow = if dtype.is_complex() { DType::Complex64 } else { DType::Float32 };
        let drawn = numbers(&random(&Space::new(shape, narrow).unwrap(), seed));
        crate::support::filled(&Space::new(shape, dtype).unwrap(), &drawn).into_shared()
    };
    let index = |map: Result<IndexMap>, dtype| {
        Operator::of("index", space(dtype), space(dtype), Form::Index(map.unwrap())).unwrap()
    };
    let matrix = |seed, dtype| MatrixMult::new(weights(&[3, 3], seed, dtype), &[4]).unwrap();
    let both = |a: &Tree, b: &Tree| (built(a, dtype), built(b, dtype));
    match tree {
        Tree::Zero => leaf(&|t| Operator::of("zero", space(t), space(t), Form::Zero).unwrap()),
        Tree::Identity => leaf(&|t| Identity::new(space(t)).unwrap()),
        Tree::Diagonal(seed) => {
            leaf(&|t| Diagonal::new(space(t), weights(&SHAPE, *seed, t)).unwrap())
        }
        Tree::Along(axis, seed) => leaf(&|t| {
            Diagonal::along(
                space(t),
                *axis,
                weights(&[SHAPE[axis.rem_euclid(2) as usize]], *seed, t),
            )
            .unwrap()
        }),
        Tree::Derivative(axis, scheme, edge) => {
            leaf(&|t| FirstDerivative::new(space(t), *axis, 0.5, *scheme, *edge).unwrap())
        }
        Tree::Filter(axis, taps) => {
            leaf(&|t| Convolve1D::new(space(t), *axis, taps, taps.len() / 2).unwrap())
        }
        Tree::Roll(axis, shift) => leaf(&|t| Roll::new(space(t), *axis, *shift).unwrap()),
        Tree::Flip(axis) => leaf(&|t| index(IndexMap::flip("flip", &SHAPE, &[*axis]), t)),
        Tree::Crop(kept) => leaf(&|t| {
            let cut = Identity::rectangular(space(t), Space::new([3, *kept], t).unwrap()).unwrap();
            adjoint(&cut).after(&cut).build().unwrap()
        }),
        Tree::Matrix(seed) => leaf(&|t| matrix(*seed, t)),
        Tree::Opaque(seed) => leaf(&|t| hidden(matrix(*seed, t))),
        Tree::Scaled(factor, a) => {
            let (a, exact) = built(a, dtype);
            let im = if dtype.is_complex() { factor.im } else { 0.0 };
            let factor = Complex64::new(factor.re, im);
            ((factor * a).build().unwrap(), exact.each(|v| factor * v))
        }
        Tree::Adjoint(a) => {
            let (a, exact) = built(a, dtype);
            (adjoint(a), exact.transposed().each(|v| v.conj()))
        }
        Tree::Conj(a) => {
            let (a, exact) = built(a, dtype);
            (a.conj(), exact.each(|v| v.conj()))
        }
        Tree::Transpose(a) => {
            let (a, exact) = built(a, dtype);
            (a.transpose(), exact.transposed())
        }
        Tree::Sum(a, b) => {
            let ((a, x), (b, y)) = both(a, b);
            ((a + b).build().unwrap(), x.plus(&y))
        }
        Tree::Difference(a, b) => {
            let ((a, x), (b, y)) = both(a, b);
            ((&a - &b).build().unwrap(), x.plus(&y.each(|v| -v)))
        }
        Tree::Product(a, b) => {
            let ((a, x), (b, y)) = both(a, b);
            (a.after(&b).build().unwrap(), x.times(&y))
        }
        Tree::Square(a) => {
            let (a, x) = built(a, dtype);
            (a.pow(2).build().unwrap(), x.clone().times(&x))
        }
        Tree::Stacks([a, b, c, d]) => {
            let ((a, w), (b, x)) = both(a, b);
            let ((c, y), (d, z)) = both(c, d);
            let (wide, tall) = (hstack([a, b]).unwrap(), vstack([c, d]).unwrap());
            (wide.after(&tall).build().unwrap(), w.times(&y).plus(&x.times(&z)))
        }
        Tree::Swapped([a, b, c, d]) => {
            let ((a, w), (b, x)) = both(a, b);
            let ((c, y), (d, z)) = both(c, d);
            let (wide, tall) = (hstack([a, b]).unwrap(), vstack([c, d]).unwrap());
            let swap = Roll::new(tall.range().clone(), 0, SHAPE[0] as isize).unwrap();
            let exact = w.times(&z).plus(&x.times(&y));
            (wide.after(&swap).after(&tall).build().unwrap(), exact)
        }
        Tree::Blocks([a, b, c, d, e]) => {
            let ((a, v), (b, w)) = both(a, b);
            let ((c, x), (d, y)) = both(c, d);
            let (e, z) = built(e, dtype);
            let (wide, tall) = (hstack([a, b]).unwrap(), vstack([&e, &e]).unwrap());
            let middle = block_diagonal([c, d]).unwrap();
            let exact = v.times(&x.times(&z)).plus(&w.times(&y.times(&z)));
            (wide.after(&middle).after(&tall).build().unwrap(), exact)
        }
    }
}

pub(crate) fn close(
    found: &[Vec<Complex64>],
    exact: &Exact,
    dtype: DType,
    tree: &Tree,
) -> Result<(), TestCaseError> {
    let single = dtype.real() == DType::Float32;
    let epsilon = if single { f64::from(f32::EPSILON) } else { f64::EPSILON };
    for (j, column) in found.iter().enumerate() {
        for (i, value) in column.iter().enumerate() {
            let (expected, size) = (exact.matrix[i][j], exact.size[i][j]);
            let bound = 2.0 * epsilon * exact.depth * size;
            prop_assert!(
                (value - expected).norm() <= bound,
                "{tree:?} in {dtype}: ({i}, {j}) is {value}, expected {expected} within {bound:e}"
            );
        }
    }
    Ok(())
}
