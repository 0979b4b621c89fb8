//! Expressions of operators, whatever they are rewritten to, against the matrices of what was written.

use arrayspan_bridge::{DType, View, ViewMut};
use arrayspan_kernels::{Cost, Trace};
use arrayspan_operators::form::IndexMap;
use arrayspan_operators::prelude::*;
use arrayspan_operators::{Context, Result};
use num_complex::Complex64;
use proptest::prelude::*;

use crate::support::{check, dense, dense_adjoint, hidden, host, numbers, random};

const SHAPE: [usize; 2] = [3, 4];
const LEN: usize = 12;

/// An expression of operators on arrays of [`SHAPE`].
#[derive(Clone, Debug)]
pub(crate) enum Tree {
    Zero,
    Identity,
    Diagonal(u64),
    Along(usize, u64),
    Derivative(usize, Scheme, Edge),
    Filter(usize, Vec<f64>),
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
        (0..2_usize, 4..6_u64).prop_map(|(axis, seed)| Tree::Along(axis, seed)),
        (0..2_usize, scheme, edge)
            .prop_map(|(axis, scheme, edge)| Tree::Derivative(axis, scheme, edge)),
        (0..2_usize, prop::collection::vec(-2.0..2.0, 1..4))
            .prop_map(|(a, taps)| Tree::Filter(a, taps)),
        (-2..2_isize, -5..6_isize).prop_map(|(axis, shift)| Tree::Roll(axis, shift)),
        (-2..2_isize).prop_map(Tree::Flip),
        (0..4_usize).prop_map(Tree::Crop),
        (6..8_u64).prop_map(Tree::Matrix),
        (8..10_u64).prop_map(Tree::Opaque),
    ]
}

pub(crate) fn trees() -> impl Strategy<Value = Tree> {
    leaves().prop_recursive(5, 24, 5, |inner| {
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
        ]
    })
}

/// A matrix by rows, and one of what is added up in absolute values: the measure of rounding.
#[derive(Clone)]
pub(crate) struct Exact {
    matrix: Vec<Vec<Complex64>>,
    size: Vec<Vec<f64>>,
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
        Tree::Along(axis, seed) => {
            leaf(&|t| Diagonal::along(space(t), *axis, weights(&[SHAPE[*axis]], *seed, t)).unwrap())
        }
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn what_is_rewritten_is_what_was_written_up_to_rounding(tree in trees()) {
        for dtype in [DType::Float32, DType::Complex128] {
            let (operator, exact) = built(&tree, dtype);
            close(&dense(&operator), &exact, dtype, &tree)?;
            let adjoint = exact.clone().transposed().each(|v| v.conj());
            close(&dense_adjoint(&operator), &adjoint, dtype, &tree)?;
            let entries = || exact.matrix.iter().flatten().zip(adjoint.matrix.iter().flatten());
            let bound = |exact: &Exact| 1e-5 * exact.size.iter().flatten().fold(1.0, |a: f64, b| a.max(*b));
            if operator.is_self_adjoint() {
                prop_assert!(entries().all(|(a, b)| (a - b).norm() <= bound(&exact)), "{tree:?}");
            }
            if operator.is_real() {
                prop_assert!(entries().all(|(a, _)| a.im.abs() <= bound(&exact)), "{tree:?}");
            }
            for turned in [false, true] {
                if let Some(cost) = operator.cost(turned) {
                    prop_assert_eq!(cost, traced(&operator, turned), "{:?} {}", tree, turned);
                }
            }
        }
    }

    #[test]
    fn rewriting_does_not_depend_on_anything_but_the_operator(tree in trees()) {
        let [a, b] = [(); 2].map(|()| built(&tree, DType::Float64).0.describe());
        prop_assert_eq!(a, b);
    }
}

fn derivative(axis: usize) -> Operator {
    let space = Space::new([31, 17], DType::Float64).unwrap();
    FirstDerivative::new(space, axis, 0.5, Scheme::Centered3, Edge::Zero).unwrap()
}

/// What it costs when it is applied.
fn traced(a: &Operator, turned: bool) -> Cost {
    let trace = Trace::of(host());
    let (mut x, mut y) = (random(a.domain(), 1), random(a.range(), 2));
    if turned {
        a.apply_adjoint(&trace, y.view(), x.view_mut(), Update::set()).unwrap();
    } else {
        a.apply(&trace, x.view(), y.view_mut(), Update::set()).unwrap();
    }
    trace.take()
}

fn launches(a: &Operator) -> usize {
    traced(a, false).launches
}

#[test]
fn what_one_pass_can_do_is_done_in_one() {
    let (a, b) = (derivative(0), derivative(1));
    let weights = random(a.domain(), 3).into_shared();
    let weights = Diagonal::new(a.domain().clone(), weights).unwrap();
    let identity = Identity::new(a.domain().clone()).unwrap();
    let one_pass = [
        a.after(&a),
        a.pow(6),
        &a + &b,
        adjoint(&a).after(&a) + adjoint(&b).after(&b) + 0.5 * &identity,
        weights.after(&weights).after(&weights),
        2.0 * &weights + 3.0 * weights.after(&weights) - &identity,
        identity.after(&a).after(&identity),
        adjoint(vstack([&a, &b]).unwrap()).after(vstack([&a, &b]).unwrap()),
    ];
    for formula in one_pass {
        let operator = formula.build().unwrap();
        assert_eq!(launches(&operator), 1, "{}", operator.describe());
        check(&operator);
    }
    let zero = (&a - &a).build().unwrap();
    assert_eq!(zero.cost(false).map(|cost| cost.bytes_read), Some(0), "{}", zero.describe());
    let two = a.after(&b).build().unwrap();
    assert_eq!(launches(&two), 2);
}

#[test]
fn long_bands_stay_apart() {
    let space = Space::new([301], DType::Float64).unwrap();
    let filter = Convolve1D::new(space, 0, &[0.125; 41], 20).unwrap();
    assert_eq!(launches(&filter.after(&filter).build().unwrap()), 2);
    assert_eq!(launches(&(&filter + 2.0 * &filter).build().unwrap()), 1);
}

#[test]
fn properties_follow_from_what_an_operator_is_made_of() {
    let a = derivative(0);
    let normal = adjoint(&a).after(&a).build().unwrap();
    assert!(normal.is_self_adjoint() && !a.is_self_adjoint());
    assert!(a.is_real());
    let space = Space::new([5], DType::Complex64).unwrap();
    let filter = |taps: &[Complex64]| Convolve1D::new(space.clone(), 0, taps, 0).unwrap();
    assert!(filter(&[1.0.into(), 2.0.into()]).is_real());
    let complex = filter(&[Complex64::i()]);
    assert!(!complex.is_real() && !complex.is_self_adjoint());
    assert!(complex.after(&complex).build().unwrap().is_real());
    assert!(complex.after(&complex).build().unwrap().is_self_adjoint());
    let opaque = hidden(a.clone());
    assert!(opaque.cost(false).is_none() && opaque.is_real());
    let trace = Trace::of(host());
    let (x, mut y) = (random(a.domain(), 1), random(a.range(), 2));
    a.apply(&trace, x.view(), y.view_mut(), Update::set()).unwrap();
    assert_eq!(a.cost(false), Some(trace.take()));
}

#[test]
fn the_dense_matrix_is_that_of_the_operator() {
    let space = Space::new([3, 2], DType::Complex128).unwrap();
    let roll = Roll::new(space, 0, 1).unwrap();
    let scaled = (Complex64::i() * &roll).build().unwrap();
    let matrix = scaled.to_dense().unwrap();
    assert_eq!(matrix.shape(), [6, 6]);
    let found = numbers(&matrix);
    for (j, column) in dense(&scaled).iter().enumerate() {
        for (i, value) in column.iter().enumerate() {
            assert_eq!(found[6 * i + j], *value);
        }
    }
}

#[test]
fn zero_times_an_operator_reads_nothing_wherever_it_stands() {
    let space = Space::new([3], DType::Float64).unwrap();
    let matrix = random(&Space::new([3, 3], DType::Float64).unwrap(), 1).into_shared();
    let a = MatrixMult::new(matrix, &[]).unwrap();
    let x = crate::support::floats(&[3], &[f64::NAN, f64::INFINITY, 1.0]);
    let zero = (0.0 * &a).build().unwrap();
    let sum = (0.0 * &a + 0.0 * &a.conj()).build().unwrap();
    for operator in [&zero, &adjoint(&zero), &zero.clone().named("none"), &sum] {
        assert_eq!(numbers(&operator.forward(&x).unwrap()), [Complex64::default(); 3]);
        assert_eq!(operator.cost(false).map(|cost| cost.bytes_read), Some(0), "{operator:?}");
        assert!(operator.is_self_adjoint());
        check(operator);
    }
    assert_eq!(format!("{zero:?}"), "0.0 MatrixMult: Float64 [3] to Float64 [3]");
    assert_eq!(zero.name(), "MatrixMult");
    assert_eq!(zero.domain(), &space);
}

/// From one dtype to another: nothing is known of it but that.
#[derive(Debug)]
struct Between(Space, Space);

impl LinearMap for Between {
    fn name(&self) -> &'static str {
        "Between"
    }

    fn domain(&self) -> &Space {
        &self.0
    }

    fn range(&self) -> &Space {
        &self.1
    }

    fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        Ok(on.copy(x, y, update)?)
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        Ok(on.copy(y, x, update)?)
    }
}

#[test]
fn an_operator_with_one_complex_space_may_be_complex() {
    let [real, complex] =
        [DType::Float64, DType::Complex128].map(|dtype| Space::new([3], dtype).unwrap());
    let steps = |a: &Operator| a.describe().matches("conjugate").count();
    for (domain, range) in [(&real, &complex), (&complex, &real)] {
        let a = Operator::new(Between(domain.clone(), range.clone()));
        assert!(!a.is_real() && !adjoint(&a).is_real());
        // Both directions of the conjugate take the conjugate before and after.
        assert_eq!((steps(&a), steps(&a.conj())), (0, 4), "{}", a.conj().describe());
    }
    let there = Operator::new(Between(real.clone(), complex.clone()));
    let back = Operator::new(Between(complex, real));
    assert!(back.after(&there).build().unwrap().is_real());
    assert!(!there.after(&back).build().unwrap().is_real());
}

#[test]
fn properties_of_a_power_are_told_at_once() {
    let space = Space::new([2, 9], DType::Complex128).unwrap();
    let slope =
        |axis| FirstDerivative::new(space.clone(), axis, 1.0, Scheme::Forward, Edge::Zero).unwrap();
    let both = slope(0).after(slope(1)).build().unwrap();
    // Nobody could count to so many.
    let power = both.pow(1 << 50).build().unwrap();
    assert!(power.is_real());
    assert_eq!(power.cost(false).map(|cost| cost.launches), Some(1 << 51));
    let most = both.pow(usize::MAX).build().unwrap();
    assert_eq!(most.cost(true).map(|cost| cost.launches), Some(usize::MAX));
}

#[test]
fn costs_of_index_maps_are_those_of_the_verbs_they_take() {
    let space = |shape: &[usize]| Space::new(shape, DType::Complex128).unwrap();
    let shape = [4, 3];
    let maps = [
        IndexMap::pad("pad", &shape, 0, 1, 2),
        IndexMap::slice("slice", &shape, 1, 1, 2, 1),
        IndexMap::slice("every second", &shape, 0, 3, 2, -2),
        IndexMap::select("select", &shape, 0, 2),
        IndexMap::repeat("repeat", &shape, 1, 5),
        IndexMap::tile("tile", &shape, 0, 3),
        IndexMap::symmetrize("symmetrize", &shape, 1),
        IndexMap::pad("pad nothing", &[4, 0], 0, 1, 2),
    ];
    for map in maps {
        let map = map.unwrap();
        let (from, to) = (space(map.domain()), space(map.range()));
        let map = Operator::of("map", from.clone(), to.clone(), Form::Index(map)).unwrap();
        let weights = Diagonal::new(to.clone(), random(&to, 1).into_shared()).unwrap();
        let sum = weights.after(&map) + 2.0 * &map + Complex64::i() * adjoint(map.transpose());
        let stack = vstack([&map, &map]).unwrap();
        for formula in [Formula::from(&map), -0.5 * &map, sum, adjoint(&stack).after(&stack)] {
            let operator = formula.build().unwrap();
            for turned in [false, true] {
                let found = traced(&operator, turned);
                assert_eq!(operator.cost(turned), Some(found), "{}", operator.describe());
            }
        }
    }
    let weights = random(&space(&[3]), 1).into_shared();
    let nothing = Diagonal::along(space(&[3, 0]), 0, weights).unwrap();
    assert_eq!(nothing.cost(false), Some(Cost::default()));
}
