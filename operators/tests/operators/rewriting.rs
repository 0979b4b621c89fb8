//! Expressions of operators, whatever they are rewritten to, against the matrices of what was written.

use arrayspan_bridge::DType;
use arrayspan_kernels::{Cost, Trace};
use arrayspan_operators::form::IndexMap;
use arrayspan_operators::prelude::*;
use num_complex::Complex64;
use proptest::prelude::*;

use crate::exact::{Exact, close};
use crate::support::{Opaque, check, dense, dense_adjoint, hidden, host, numbers, random, traced};
use crate::trees::{built, trees};

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

fn derivative(axis: isize) -> Operator {
    let space = Space::new([31, 17], DType::Float64).unwrap();
    FirstDerivative::new(space, axis, 0.5, Scheme::Centered3, Edge::Zero).unwrap()
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
fn between(domain: &Space, range: &Space) -> Operator {
    Operator::new(Opaque::copying("Between", [domain, range]))
}

#[test]
fn an_operator_with_one_complex_space_may_be_complex() {
    let [real, complex] =
        [DType::Float64, DType::Complex128].map(|dtype| Space::new([3], dtype).unwrap());
    let steps = |a: &Operator| a.describe().matches("conjugate").count();
    for (domain, range) in [(&real, &complex), (&complex, &real)] {
        let a = between(domain, range);
        assert!(!a.is_real() && !adjoint(&a).is_real());
        // Both directions of the conjugate take the conjugate before and after.
        assert_eq!((steps(&a), steps(&a.conj())), (0, 4), "{}", a.conj().describe());
    }
    let (there, back) = (between(&real, &complex), between(&complex, &real));
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
