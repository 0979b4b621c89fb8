//! The laws, on operators that keep them and on operators that break one each.

use arrayspan_bridge::{DType, SharedArray};
use arrayspan_operators::author::*;
use arrayspan_operators::form::index::IndexMap;
use arrayspan_operators::laws::Law;
use arrayspan_operators::prelude::{Edge, FirstDerivative, Roll, Scheme};
use arrayspan_operators::{Diagonal, Identity, MatrixMult};

use crate::mistakes::{Wrong, same, scaled};
use crate::support::{DTYPES, array, hidden, host, random};

fn space(shape: &[usize], dtype: DType) -> Space {
    Space::new(shape, dtype).unwrap()
}

fn weights(shape: &[usize], dtype: DType) -> SharedArray {
    random(&space(shape, dtype), 1).into_shared()
}

fn kept(operator: &Operator) {
    let check = check_adjoint(operator).unwrap();
    assert!(check.holds(), "{check}");
    let report = laws::check(operator).unwrap();
    assert!(report.holds(), "{report}");
    assert_eq!(report.findings.len(), Law::ALL.len());
}

#[test]
fn operators_of_every_form_and_dtype_keep_all_laws() {
    for dtype in DTYPES {
        let plane = space(&[5, 4], dtype);
        let slope = |axis| {
            FirstDerivative::new(plane.clone(), axis, 0.5, Scheme::Centered3, Edge::Reduced)
                .unwrap()
        };
        let matrix = MatrixMult::new(weights(&[3, 5], dtype), &[4]).unwrap();
        let diagonal = Diagonal::new(plane.clone(), weights(&[5, 4], dtype)).unwrap();
        let repeat = IndexMap::repeat("repeat", &[5, 4], 1, 3).unwrap();
        let repeat =
            Operator::of("repeat", plane.clone(), space(&[5, 3, 4], dtype), Form::Index(repeat));
        let zero = Operator::of("zero", plane.clone(), space(&[2], dtype), Form::Zero).unwrap();
        let product = matrix.after(slope(1)).after(&diagonal).build().unwrap();
        for operator in [
            Identity::rectangular(plane.clone(), space(&[3, 6], dtype)).unwrap(),
            Roll::new(plane.clone(), -1, 3).unwrap(),
            hidden(product.clone()),
            adjoint(&product),
            vstack([&slope(0), &diagonal]).unwrap(),
            hstack([&slope(0), &slope(1)]).unwrap(),
            block_diagonal([&matrix, &zero]).unwrap(),
            repeat.unwrap(),
            (1e30 * &slope(0)).build().unwrap(),
        ] {
            kept(&operator);
        }
    }
}

#[test]
fn arrays_of_any_rank_and_without_elements_are_no_special_case() {
    for shape in [&[][..], &[0], &[3, 0, 2], &[1], &[1, 1, 7], &[2, 1, 2, 3]] {
        for dtype in [DType::Float32, DType::Complex128] {
            kept(&Identity::new(space(shape, dtype)).unwrap());
            kept(&Diagonal::new(space(shape, dtype), weights(shape, dtype)).unwrap());
            kept(&hidden(Identity::new(space(shape, dtype)).unwrap()));
        }
    }
}

#[test]
fn spaces_may_be_real_and_complex_or_of_two_precisions() {
    for (from, to) in [(DType::Float64, DType::Complex128), (DType::Complex64, DType::Float64)] {
        let (from, to) = (space(&[3, 2], from), space(&[4], to));
        let zero = Operator::of("zero", from, to, Form::Zero).unwrap();
        kept(&zero);
        let matrix = zero.to_sparse().unwrap();
        assert_eq!((matrix.shape, matrix.indices.len()), ([4, 6], 0));
    }
}

/// What laws say of a mistake: `law` finds it, and says `why`.
fn broken(wrong: Wrong, dtype: DType, law: Law, why: &str) -> Vec<Law> {
    let operator = scaled(&space(&[20, 30], dtype), wrong);
    let report = laws::check(&operator).unwrap();
    let found = report.why(law).unwrap_or_else(|| panic!("{law} holds: {report}"));
    assert!(found.contains(why), "{report}");
    assert!(!report.holds() && report.to_string().contains("does not hold"), "{report}");
    Law::ALL.into_iter().filter(|&law| report.why(law).is_some()).collect()
}

#[test]
fn each_mistake_is_found_by_its_law_which_says_what_is_wrong() {
    for dtype in [DType::Float64, DType::Complex64] {
        let right = scaled(&space(&[20, 30], dtype), Wrong::Nothing);
        let report = laws::check(&right).unwrap();
        assert!(report.holds(), "{report}");
        let find = |wrong, law, why| broken(wrong, dtype, law, why);
        let adjoint = find(Wrong::Adjoint, Law::Adjoint, "products differ by more than rounding");
        assert_eq!(adjoint, [Law::Adjoint]);
        let linear = find(Wrong::Linear, Law::Linearity, "A (a x + b z)");
        assert_eq!(linear, [Law::Adjoint, Law::Linearity]);
        let update = find(Wrong::Update, Law::Update, "with alpha");
        assert_eq!(update, [Law::Update, Law::Strides]);
        assert_eq!(find(Wrong::Reads, Law::Update, "over NaN"), [Law::Update]);
        assert_eq!(find(Wrong::Loaded, Law::Update, "on the device"), [Law::Update]);
        // It says nothing of itself.
        let others = [Law::Arguments, Law::Properties];
        let all = Law::ALL.into_iter().filter(|law| !others.contains(law)).collect::<Vec<_>>();
        assert_eq!(find(Wrong::Little, Law::Workspace, "fails"), all);
        assert_eq!(find(Wrong::NaN, Law::Adjoint, "A x is NaN at [0, 0]"), all);
        // What else breaks depends on what the memory held.
        find(Wrong::Dirty, Law::Workspace, "workspace of NaN");
    }
    let strides = broken(Wrong::Strides, DType::Float64, Law::Strides, "A fails");
    assert_eq!(strides, [Law::Strides]);
}

#[test]
fn a_check_of_adjoints_says_what_it_compared() {
    let wrong = scaled(&space(&[20, 30], DType::Complex64), Wrong::Adjoint);
    let check = check_adjoint(&Operator::new(wrong)).unwrap();
    assert!(!check.holds() && check.difference > check.tolerance, "{check}");
    let text = check.to_string();
    for part in ["Scaled: Complex64 [20, 30]", "⟨A x, y⟩", "n = 600", "Float32", "seed 1"] {
        assert!(text.contains(part), "{text}");
    }
    let nan = scaled(&space(&[3], DType::Float64), Wrong::NaN);
    let check = check_adjoint(&nan).unwrap();
    assert_eq!(check.why.as_deref(), Some("A x is NaN at [0]"), "{check}");
    let text = check.to_string();
    assert!(text.contains("does not hold") && check.difference.is_nan(), "{text}");
}

#[test]
fn an_adjoint_that_is_wrong_is_found_in_long_arrays_of_little_precision() {
    let long = space(&[3_000_000], DType::Float32);
    let wrong = scaled(&long, Wrong::Nothing);
    assert!(check_adjoint(&wrong).unwrap().holds());
    // The adjoint of a roll is not the roll.
    let roll = Roll::new(long, 0, 1).unwrap();
    assert!(check_adjoint(&roll).unwrap().holds());
    let check = check_adjoint(&same(roll)).unwrap();
    assert!(!check.holds() && check.difference > 0.05, "{check}");
}

#[test]
fn results_at_the_limits_of_the_dtype_are_compared_as_others_are() {
    for (dtype, factor) in [
        (DType::Float64, 1e307),
        (DType::Float64, 1e-307),
        (DType::Float32, 1e38),
        (DType::Float32, 2e-38),
    ] {
        let identity = Identity::new(space(&[50], dtype)).unwrap();
        let check = check_adjoint(&(factor * &identity).build().unwrap()).unwrap();
        assert!(check.holds(), "{check}");
    }
    let overflow =
        Diagonal::new(space(&[1], DType::Float32), array(&[1], &[3e38_f32]).into_shared());
    let overflow = overflow.unwrap();
    let check = check_adjoint(&hidden(overflow.clone()).after(hidden(overflow)).build().unwrap());
    let check = check.unwrap();
    assert!(check.why.as_deref().is_some_and(|why| why.contains("inf")), "{check}");
}

#[test]
fn a_check_runs_where_it_is_told_with_other_numbers_for_each_seed() {
    let roll = Roll::new(space(&[5, 4], DType::Float64), 0, 1).unwrap();
    let checks = [1, 2, 1].map(|seed| check_adjoint_on(&roll, &*host(), seed).unwrap());
    assert_eq!(checks[0], checks[2]);
    assert_ne!(checks[0].products, checks[1].products);
    for seed in 0..20 {
        let report = laws::check_on(&roll, &*host(), seed).unwrap();
        assert!(report.holds(), "{report}");
        assert_eq!(report.why(Law::Strides), None);
    }
}

#[test]
fn spaces_that_cannot_be_computed_with_are_an_error() {
    let wrong = scaled(&space(&[3], DType::Int32), Wrong::Nothing);
    assert!(check_adjoint(&wrong).unwrap_err().to_string().contains("Scaled: Int32"));
    assert!(laws::check(&wrong).unwrap_err().to_string().contains("Scaled: Int32"));
}
