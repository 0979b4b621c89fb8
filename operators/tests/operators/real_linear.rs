//! Operators that are linear over the real numbers only, against real matrices.

use arrayspan_bridge::DType::{Complex128, Float64};
use arrayspan_operators::author::*;
use arrayspan_operators::prelude::{Identity, Imag, Real as RealPart, Roll};
use num_complex::Complex64;
use proptest::prelude::*;

use crate::mix::{LEN, conjugate, mix, space, weights};
use crate::support::{DTYPES, array, hidden, host, numbers, random};

const SIZE: usize = 2 * LEN;

/// A map of complex vectors as the real matrix of `[re, im]`: for it adjoints are transposes, whatever it is linear over.
type Real = [[f64; SIZE]; SIZE];

fn real(entry: impl Fn(usize, usize) -> f64) -> Real {
    std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)))
}

fn times(a: &Real, b: &Real) -> Real {
    real(|i, j| (0..SIZE).map(|k| a[i][k] * b[k][j]).sum())
}

/// Multiplication of each element by a number.
fn by(values: [Complex64; LEN]) -> Real {
    real(|i, j| match (i / LEN, j / LEN) {
        _ if i % LEN != j % LEN => 0.0,
        (0, 0) | (1, 1) => values[i % LEN].re,
        (0, _) => -values[i % LEN].im,
        _ => values[i % LEN].im,
    })
}

fn conjugation() -> Real {
    real(|i, j| match i == j {
        true if i < LEN => 1.0,
        true => -1.0,
        false => 0.0,
    })
}

#[derive(Clone, Debug)]
enum Tree {
    Conjugate,
    Mix(Complex64, Complex64),
    Weights([Complex64; LEN]),
    Roll(isize),
    /// A multiple of the real part and one of the imaginary part of `x`, as real or imaginary part of `y`.
    Part([f64; 2], bool),
    Hidden(Box<Tree>),
    Scaled(Complex64, Box<Tree>),
    Adjoint(Box<Tree>),
    Conj(Box<Tree>),
    Transpose(Box<Tree>),
    Sum(Box<Tree>, Box<Tree>),
    Product(Box<Tree>, Box<Tree>),
    /// `[a b] [c; d]`
    Stacks([Box<Tree>; 4]),
}

fn number() -> impl Strategy<Value = Complex64> {
    (-1.0..1.0, prop_oneof![Just(0.0), -1.0..1.0]).prop_map(|(re, im)| Complex64::new(re, im))
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaves = prop_oneof![
        Just(Tree::Conjugate),
        (number(), number()).prop_map(|(a, b)| Tree::Mix(a, b)),
        [number(), number(), number()].prop_map(Tree::Weights),
        (0..3_isize).prop_map(Tree::Roll),
        (number(), any::<bool>()).prop_map(|(c, to)| Tree::Part([c.re, c.im], to)),
    ];
    leaves.prop_recursive(5, 20, 4, |inner| {
        let one = || inner.clone().prop_map(Box::new);
        prop_oneof![
            one().prop_map(Tree::Hidden),
            (number(), one()).prop_map(|(c, a)| Tree::Scaled(c, a)),
            one().prop_map(Tree::Adjoint),
            one().prop_map(Tree::Conj),
            one().prop_map(Tree::Transpose),
            (one(), one()).prop_map(|(a, b)| Tree::Sum(a, b)),
            (one(), one()).prop_map(|(a, b)| Tree::Product(a, b)),
            [one(), one(), one(), one()].prop_map(Tree::Stacks),
        ]
    })
}

fn built(tree: &Tree) -> (Operator, Real) {
    let k = conjugation();
    let transposed = |a: Real| real(|i, j| a[j][i]);
    let plus = |a: Real, b: Real| real(|i, j| a[i][j] + b[i][j]);
    match tree {
        Tree::Conjugate => (conjugate(Complex128), k),
        Tree::Mix(a, b) => {
            (Operator::new(mix(*a, *b)), plus(by([*a; LEN]), times(&by([*b; LEN]), &k)))
        }
        Tree::Weights(values) => (weights(values), by(*values)),
        Tree::Roll(shift) => {
            let moved = |i: usize| (i as isize - shift).rem_euclid(LEN as isize) as usize;
            let matrix = real(|i, j| f64::from(i / LEN == j / LEN && moved(i % LEN) == j % LEN));
            (Roll::new(space(LEN, Complex128), 0, *shift).unwrap(), matrix)
        }
        Tree::Part(factors, imaginary) => {
            let [re, im] =
                [RealPart::new, Imag::new].map(|part| part(space(LEN, Complex128)).unwrap());
            let mixed = (factors[0] * &re + factors[1] * &im).build().unwrap();
            let to = if *imaginary { &im } else { &re };
            let matrix = real(|i, j| {
                let here = i % LEN == j % LEN && (i / LEN == 1) == *imaginary;
                if here { factors[j / LEN] } else { 0.0 }
            });
            (adjoint(to).after(mixed).build().unwrap(), matrix)
        }
        Tree::Hidden(a) => {
            let (a, x) = built(a);
            (hidden(a), x)
        }
        Tree::Scaled(c, a) => {
            let (a, x) = built(a);
            ((*c * a).build().unwrap(), times(&by([*c; LEN]), &x))
        }
        Tree::Adjoint(a) => {
            let (a, x) = built(a);
            (adjoint(a), transposed(x))
        }
        Tree::Conj(a) => {
            let (a, x) = built(a);
            (a.conj(), times(&k, &times(&x, &k)))
        }
        Tree::Transpose(a) => {
            let (a, x) = built(a);
            (a.transpose(), times(&k, &times(&transposed(x), &k)))
        }
        Tree::Sum(a, b) => {
            let ((a, x), (b, y)) = (built(a), built(b));
            ((a + b).build().unwrap(), plus(x, y))
        }
        Tree::Product(a, b) => {
            let ((a, x), (b, y)) = (built(a), built(b));
            (a.after(b).build().unwrap(), times(&x, &y))
        }
        Tree::Stacks([a, b, c, d]) => {
            let [(a, w), (b, x), (c, y), (d, z)] = [a, b, c, d].map(|part| built(part));
            let (wide, tall) = (hstack([a, b]).unwrap(), vstack([c, d]).unwrap());
            (wide.after(tall).build().unwrap(), plus(times(&w, &y), times(&x, &z)))
        }
    }
}

/// The operator, applied to the real and the imaginary unit vectors.
fn applied(a: &Operator, turned: bool) -> Real {
    let column = |j: usize| {
        let mut unit = [Complex64::default(); LEN];
        unit[j % LEN] = if j < LEN { 1.0.into() } else { Complex64::i() };
        let unit = array(&[LEN], &unit);
        numbers(&if turned { a.adjoint(&unit) } else { a.forward(&unit) }.unwrap())
    };
    let columns: Vec<_> = (0..SIZE).map(column).collect();
    real(|i, j| if i < LEN { columns[j][i].re } else { columns[j][i - LEN].im })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn whatever_is_linear_over_real_numbers_is_what_was_written(tree in trees()) {
        let (operator, expected) = built(&tree);
        let size = expected.iter().flatten().fold(1.0_f64, |size, entry| size.max(entry.abs()));
        let back = real(|i, j| expected[j][i]);
        for (turned, expected) in [(false, expected), (true, back)] {
            let found = applied(&operator, turned);
            for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
                prop_assert!((found - expected).abs() < 1e-11 * size, "{tree:?}\n{}", operator.describe());
            }
        }
        let entries = || expected.iter().enumerate().flat_map(|(i, row)| {
            row.iter().enumerate().map(move |(j, entry)| (i, j, *entry))
        });
        let near = |a: f64, b: f64| (a - b).abs() < 1e-11 * size;
        if operator.is_self_adjoint() {
            prop_assert!(entries().all(|(i, j, entry)| near(entry, expected[j][i])), "{tree:?}");
        }
        if operator.is_complex_linear() {
            let i = by([Complex64::i(); LEN]);
            let (left, right) = (times(&i, &expected), times(&expected, &i));
            let pairs = left.iter().flatten().zip(right.iter().flatten());
            prop_assert!(pairs.into_iter().all(|(a, b)| near(*a, *b)), "{tree:?}");
        }
        if operator.is_positive() {
            prop_assert!((0..SIZE).all(|i| expected[i][i] > -1e-11 * size), "{tree:?}");
        }
    }
}

#[test]
fn conjugates_keep_all_laws_in_every_dtype() {
    for dtype in DTYPES {
        let c = conjugate(dtype);
        let i = Complex64::new(0.5, if dtype.is_complex() { -2.0 } else { 0.0 });
        let left = (i * &c).build().unwrap();
        let inner = (i * Identity::new(space(LEN, dtype)).unwrap()).build().unwrap();
        let right = c.after(&inner).build().unwrap();
        for operator in [
            &c,
            &left,
            &right,
            &adjoint(&left),
            &vstack([&left, &right]).unwrap(),
            &hidden(left.clone()),
        ] {
            let report = laws::check(operator).unwrap();
            assert!(report.holds(), "{report}");
            let check = check_adjoint(operator).unwrap();
            assert!(check.holds(), "{check}");
            assert_eq!(operator.is_complex_linear(), !dtype.is_complex(), "{operator:?}");
        }
        assert!(c.is_self_adjoint());
        let twice = c.after(&c).build().unwrap();
        assert!(twice.describe().contains("forward: copy"), "{}", twice.describe());
    }
}

#[test]
fn complex_factors_stay_where_they_are_written() {
    let (c, i) = (conjugate(Complex128), Complex64::i());
    let one = Identity::new(space(LEN, Complex128)).unwrap();
    let x = random(&space(LEN, Complex128), 1);
    let before = numbers(&x);
    let expected =
        |f: &dyn Fn(Complex64) -> Complex64| before.iter().map(|v| f(*v)).collect::<Vec<_>>();
    let left = (i * &c).build().unwrap();
    let right = c.after(i * &one).build().unwrap();
    assert_eq!(numbers(&left.forward(&x).unwrap()), expected(&|v| i * v.conj()));
    assert_eq!(numbers(&right.forward(&x).unwrap()), expected(&|v| (i * v).conj()));
    assert_eq!(numbers(&left.adjoint(&x).unwrap()), expected(&|v| (-i * v).conj()));
    let update = Update::new(i, 0.0);
    let mut y = random(&space(LEN, Complex128), 2);
    right.apply(&*host(), x.view(), y.view_mut(), update).unwrap();
    assert_eq!(numbers(&y), expected(&|v| i * (i * v).conj()));
    // Real factors go anywhere.
    let real = (2.0 * c.after(3.0 * &one)).build().unwrap();
    assert!(real.describe().contains("forward: conjugate"), "{}", real.describe());
}

#[test]
fn what_is_not_complex_linear_says_so_and_has_no_matrix_over_complex_numbers() {
    let c = conjugate(Complex128);
    let first = c.describe().lines().next().unwrap().to_owned();
    assert_eq!(first, "Conjugate: Complex128 [3] to Complex128 [3]; real-linear");
    assert!(!c.is_real() && !c.is_complex_linear());
    for error in [c.to_dense().err(), c.to_sparse().err()] {
        let error = error.unwrap().to_string();
        assert!(error.starts_with("Conjugate: it has no matrix over complex numbers"), "{error}");
    }
    let real = conjugate(Float64);
    assert!(real.is_real() && real.is_complex_linear());
    assert_eq!(real.to_sparse().unwrap().indices, [0, 1, 2]);
    assert!(!real.describe().contains("real-linear"));
}
