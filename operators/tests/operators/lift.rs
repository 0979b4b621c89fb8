//! Operators on stacks of arrays, against what they do to each array.

use arrayspan_bridge::{Array, DType, Relayout};
use arrayspan_operators::author::*;
use arrayspan_operators::prelude::*;
use num_complex::Complex64;

use crate::support::{
    DTYPES, array, assert_close, filled, floats, hidden, host, numbers, random, read,
};

fn space(shape: &[usize], dtype: DType) -> Space {
    Space::new(shape, dtype).unwrap()
}

/// Operators of every form and of every way to combine them, most of them within `[4, 3]`.
fn operators(dtype: DType) -> Vec<Operator> {
    let whole = space(&[4, 3], dtype);
    let weights = |shape: &[usize], seed| random(&space(shape, dtype), seed).into_shared();
    let slope = |axis| {
        FirstDerivative::new(whole.clone(), axis, 0.5, Scheme::Centered3, Edge::Reduced).unwrap()
    };
    let full = Diagonal::new(whole.clone(), weights(&[4, 3], 1)).unwrap();
    let along = Diagonal::along(whole.clone(), 1, weights(&[3], 2)).unwrap();
    let picked = Restriction::new(whole.clone(), 0, [3, 1, 1]).unwrap();
    let matrix = MatrixMult::new(weights(&[5, 4], 3), &[3]).unwrap();
    let roll = Roll::new(whole.clone(), 0, 1).unwrap();
    let several =
        Gather::new(0, &[5], &[4, 3], vec![0, 2, 2, 3, 5, 6], vec![11, 0, 7, 7, 2, 1], None);
    let counted =
        Operator::of("Counted", whole.clone(), space(&[5], dtype), Form::Gather(several.unwrap()));
    let i = if dtype.is_complex() { Complex64::new(0.5, -1.5) } else { 0.5.into() };
    let conj = Conj::new(whole.clone()).unwrap();
    let counted = counted.unwrap();
    let flat = vstack![&picked, &counted].unwrap();
    let zeros = Pad::new(space(&[7], dtype), &[(3, 4)]).unwrap();
    vec![
        Identity::new(whole.clone()).unwrap(),
        Zero::new(whole.clone(), space(&[2], dtype)).unwrap(),
        Pad::new(whole.clone(), &[(1, 2), (0, 1)]).unwrap(),
        Flip::new(whole.clone(), &[0, 1]).unwrap(),
        Transpose::new(whole.clone(), &[1, 0]).unwrap(),
        Symmetrize::new(whole.clone(), 0).unwrap(),
        SumAlong::new(whole.clone(), 0).unwrap(),
        Restriction::new(whole.clone(), 1, [1]).unwrap(),
        Real::new(whole.clone()).unwrap(),
        adjoint(Imag::new(whole.clone()).unwrap()),
        hidden(slope(0)),
        Laplacian::new(
            whole.clone(),
            &[Along { axis: 0, step: 1.0, weight: 1.0 }, Along { axis: 1, step: 2.0, weight: 0.5 }],
            Scheme::Centered3,
            Edge::Zero,
        )
        .unwrap(),
        (0.5 * full.after(slope(1)) + slope(0).after(&along) - i * &conj).build().unwrap(),
        (i * full.after(hidden(conj.clone()).after(i * &roll))).build().unwrap(),
        picked.after(slope(0)).build().unwrap(),
        adjoint(matrix.after(adjoint(&picked)).build().unwrap()),
        vstack![&slope(0), 2.0 * &picked, &matrix].unwrap(),
        hstack![&flat, &zeros].unwrap(),
        block_diagonal([&picked, &full, &matrix]).unwrap(),
        stack([&slope(0), &slope(1), &full]).unwrap(),
        stack([&slope(0), &slope(1)]).unwrap(),
        adjoint(stack([&slope(0), &slope(1)]).unwrap().after(&full).build().unwrap()),
        flat.after(&full).build().unwrap().named("Named").conj(),
        Identity::new(space(&[], dtype)).unwrap(),
    ]
}

/// Array `at` of a stack, row-major.
fn one(stack: &Array, lift: Lift, at: usize) -> Array {
    let axis = if let Lift::Leading(_) = lift { 0 } else { stack.shape().len() - 1 };
    let view = stack.view().selected(axis, at).unwrap();
    let mut one = host().empty(view.shape(), view.dtype()).unwrap();
    host().copy(view, one.view_mut(), Update::set()).unwrap();
    one
}

#[test]
fn lifted_operators_do_to_each_array_what_they_do_to_one() {
    for dtype in DTYPES {
        for operator in operators(dtype) {
            for lift in [1, 2, 5].into_iter().flat_map(|n| [Lift::Leading(n), Lift::Trailing(n)]) {
                let lifted = operator.lifted(lift).unwrap();
                for (lifted, operator) in
                    [(&lifted, &operator), (&adjoint(&lifted), &adjoint(&operator))]
                {
                    let x = random(lifted.domain(), 7);
                    let y = lifted.forward(&x).unwrap();
                    for at in 0..lift.count() {
                        let expected = operator.forward(one(&x, lift, at)).unwrap();
                        let what = format!("{lift:?} {dtype} {operator:?}");
                        assert_close(
                            &numbers(&one(&y, lift, at)),
                            &numbers(&expected),
                            dtype,
                            &what,
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn lifted_operators_keep_all_laws() {
    for dtype in [DType::Float64, DType::Complex64] {
        for operator in operators(dtype) {
            for lift in [Lift::Leading(3), Lift::Trailing(2)] {
                let lifted = operator.lifted(lift).unwrap();
                let report = laws::check(&lifted).unwrap();
                assert!(report.holds(), "{lift:?}: {report}");
                assert_eq!(lifted.name(), operator.name());
                assert_eq!(lifted.is_complex_linear(), operator.is_complex_linear());
            }
        }
    }
}

#[test]
fn sparse_matrices_of_lifted_operators_are_their_dense_ones() {
    for dtype in [DType::Float64, DType::Complex128] {
        for operator in operators(dtype).into_iter().filter(Operator::is_complex_linear) {
            for lift in [Lift::Leading(3), Lift::Trailing(2)] {
                let lifted = operator.lifted(lift).unwrap();
                let sparse = numbers(&lifted.to_sparse().unwrap().to_dense().unwrap());
                let dense = numbers(&lifted.to_dense().unwrap());
                assert_close(&sparse, &dense, dtype, &format!("{lift:?} {operator:?}"));
            }
        }
    }
}

#[test]
fn stacks_of_lifted_stacks_have_the_arrays_of_these_one_after_the_other() {
    let [a, b] = [0, 1].map(|axis| {
        let space = space(&[4, 3], DType::Float64);
        FirstDerivative::new(space, axis, 0.5, Scheme::Centered3, Edge::Reduced).unwrap()
    });
    let picked = Restriction::new(space(&[4, 3], DType::Float64), 0, [3, 1]).unwrap();
    let columns = Restriction::new(space(&[4, 3], DType::Float64), 1, [2]).unwrap();
    let (beside, flat) = (vstack([&a, &picked]).unwrap(), vstack([&b, &columns]).unwrap());
    for (inner, lift, shape) in [
        (&beside, Lift::Leading(2), &[4, 6, 3][..]),
        (&beside, Lift::Trailing(2), &[12, 3, 2]),
        (&flat, Lift::Leading(2), &[4, 16]),
        (&flat, Lift::Trailing(2), &[32, 2]),
    ] {
        let lifted = inner.lifted(lift).unwrap();
        let whole = vstack([&lifted, &lifted]).unwrap();
        assert_eq!(whole.range().shape(), shape, "{lift:?} {inner:?}");
        let x = random(whole.domain(), 1);
        let once = numbers(&lifted.forward(&x).unwrap());
        assert_eq!(numbers(&whole.forward(&x).unwrap()), [&once[..], &once].concat());
        let turned = hstack([adjoint(&lifted), adjoint(&lifted)]).unwrap();
        assert_eq!(turned.domain().shape(), shape, "{lift:?} {inner:?}");
        let back = numbers(&turned.forward(random(turned.domain(), 2)).unwrap());
        let expected = numbers(&whole.adjoint(random(whole.range(), 2)).unwrap());
        assert_close(&back, &expected, DType::Float64, &format!("{lift:?} {inner:?}"));
    }
}

#[test]
fn a_stack_takes_as_many_launches_as_one_array() {
    for operator in operators(DType::Float64) {
        let Some(cost) = operator.cost(false) else { continue };
        let stacks =
            [Lift::Leading(7), Lift::Trailing(7)].map(|lift| operator.lifted(lift).unwrap());
        for lifted in stacks.into_iter().filter(|lifted| lifted.cost(false).is_some()) {
            assert_eq!(
                lifted.cost(false).unwrap().launches,
                cost.launches,
                "{}",
                lifted.describe()
            );
        }
    }
}

#[test]
fn stacks_of_none_and_of_nothing_are_allowed() {
    for operator in operators(DType::Float32) {
        for lift in [Lift::Leading(0), Lift::Trailing(0)] {
            let lifted = operator.lifted(lift).unwrap();
            let y = lifted.forward(random(lifted.domain(), 1)).unwrap();
            assert_eq!(y.shape(), lifted.range().shape());
        }
    }
}

#[test]
fn parts_that_are_shared_stay_shared_and_deep_ones_need_no_stack() {
    let space = space(&[3], DType::Float64);
    let weights = floats(&[3], &[0.5, 1.0, 2.0]).into_shared();
    let mut power: Operator = Diagonal::new(space, weights).unwrap();
    // More products than anybody could walk one by one, and a chain that no stack of calls would hold.
    for doubled in 0..200 {
        if doubled == 8 {
            let lifted = power.lifted(Lift::Trailing(2)).unwrap();
            let y = lifted.forward(floats(&[3, 2], &[0.0, 0.0, 1.0, -1.0, 0.0, 0.0])).unwrap();
            assert_eq!(read(&y), [0.0, 0.0, 1.0, -1.0, 0.0, 0.0]);
        }
        power = power.after(&power).build().unwrap();
    }
    assert_eq!(power.lifted(Lift::Leading(5)).unwrap().domain().shape(), [5, 3]);
    let mut chain = Identity::new(Space::new([2], DType::Float64).unwrap()).unwrap();
    for _ in 0..20_000 {
        chain = (&chain + &chain.clone().named("Part")).build().unwrap();
    }
    let lifted = chain.lifted(Lift::Leading(2)).unwrap();
    assert_eq!(lifted.domain().shape(), [2, 2]);
}

#[test]
fn many_right_hand_sides_are_the_columns_of_a_matrix() {
    let space = space(&[2, 2], DType::Float64);
    let slope = FirstDerivative::new(space, 0, 1.0, Scheme::Forward, Edge::Zero).unwrap();
    let x = floats(&[2, 2, 3], &[1., 2., 3., 4., 5., 6., 3., 5., 7., 9., 11., 13.]);
    assert_eq!(read(&slope.matmat(&x).unwrap()), [2., 3., 4., 5., 6., 7., 0., 0., 0., 0., 0., 0.]);
    let back = slope.rmatmat(&x).unwrap();
    assert_eq!(read(&back), [-1., -2., -3., -4., -5., -6., 1., 2., 3., 4., 5., 6.]);
    // Any strides, from first to last, too.
    let swapped = array(&[3, 2, 2], &read(&x)[..]);
    let swapped = slope.matmat(swapped.view().permuted(&[1, 2, 0]).unwrap()).unwrap();
    assert_eq!(swapped.shape(), [2, 2, 3]);
    assert_eq!(read(&swapped)[..3], [2., -2., 4.]);
}

#[test]
fn stacks_that_do_not_fit_are_refused() {
    let slope =
        FirstDerivative::new(space(&[2, 3], DType::Float64), 0, 1.0, Scheme::Forward, Edge::Zero);
    let slope = slope.unwrap();
    let error = |shape: &[usize]| {
        let len = shape.iter().product();
        slope.matmat(floats(shape, &vec![0.0; len])).unwrap_err().to_string()
    };
    let name = "FirstDerivative: stack of models has shape";
    assert_eq!(error(&[2, 3]), format!("{name} [2, 3], expected [2, 3, 1]"));
    assert_eq!(error(&[6, 5]), format!("{name} [6, 5], expected [2, 3, 1]"));
    assert_eq!(error(&[2, 3, 5, 1]), format!("{name} [2, 3, 5, 1], expected [2, 3, 5]"));
    let whole = error(&[3, 2, 5]);
    assert_eq!(whole, "FirstDerivative: model has shape [3, 2, 5], expected [2, 3, 5]");
    let float = filled(&space(&[2, 3, 1], DType::Float32), &[0.0.into(); 6]);
    assert!(slope.matmat(float).unwrap_err().to_string().contains("Float32, expected Float64"));
    for lift in [Lift::Leading(usize::MAX), Lift::Trailing(usize::MAX / 16)] {
        let error = slope.lifted(lift).unwrap_err();
        assert!(matches!(error, Error::TooLarge { .. }), "{error}");
    }
}
