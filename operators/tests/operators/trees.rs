//! Expressions of operators, drawn at random, with their matrices.

use arrayspan_bridge::DType;
use arrayspan_operators::Result;
use arrayspan_operators::form::IndexMap;
use arrayspan_operators::kernels::Gather;
use arrayspan_operators::prelude::*;
use num_complex::Complex64;
use proptest::prelude::*;

use crate::exact::Exact;
use crate::support::{hidden, numbers, random};

const SHAPE: [usize; 2] = [3, 4];
pub(crate) const LEN: usize = 12;

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
    /// A sparse matrix along an axis, or along both counted as one.
    Gather(Option<usize>, u64),
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
        (prop::option::of(0..2_usize), 10..14_u64)
            .prop_map(|(axis, seed)| Tree::Gather(axis, seed)),
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

/// Rows of none to three entries, some of one column twice; every second one picks and adds without weights.
fn gather(axis: Option<usize>, seed: u64, space: &Space) -> Operator {
    let extents = axis.map_or(SHAPE.to_vec(), |axis| vec![SHAPE[axis]]);
    let count: usize = extents.iter().product();
    let lengths = (0..count).map(|row| (row * 7 + seed as usize) % 4);
    let mut starts = vec![0];
    starts.extend(lengths.scan(0, |entries, len| {
        *entries += len;
        Some(*entries)
    }));
    let entries = starts[count];
    let indices = (0..entries).map(|at| (at * at + 3 * seed as usize) % count).collect();
    let im = if space.dtype().is_complex() { 0.5 } else { 0.0 };
    // Numbers that Float32 holds.
    let weight = |at: usize| Complex64::new(0.25 * (at % 5) as f64 - 0.625, im * (at % 3) as f64);
    let weights = (seed.is_multiple_of(2)).then(|| (0..entries).map(weight).collect());
    let axis = axis.unwrap_or(0);
    let gather = Gather::new(axis, &extents, &extents, starts, indices, weights).unwrap();
    Operator::of("gather", space.clone(), space.clone(), Form::Gather(gather)).unwrap()
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
        Tree::Gather(axis, seed) => leaf(&|t| gather(*axis, *seed, &space(t))),
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
