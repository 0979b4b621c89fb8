use arrayspan_bridge::{Array, DType};

use super::*;
use crate::{Factor, Update, constant, input, previous};

#[test]
fn an_update_names_what_it_needs() {
    let text = |alpha: f64, beta: f64| {
        let factors = Factors::new("a test", Update::new(alpha, beta), DType::Float64).unwrap();
        Formula::update(&factors, Element(DType::Float64)).0.expression()
    };
    assert_eq!(text(1.0, 0.0), "OF(x0)");
    assert_eq!(text(1.0, 1.0), "e_add(OF(x0), OF(y))");
    let both = "e_add(e_mul(OF(x0), c0), e_mul(OF(y), c1))";
    assert_eq!(text(2.0, 3.0), both);
}

#[test]
fn factors_on_the_device_are_read_once_and_a_beta_of_zero_there_makes_nothing_of_y() {
    let scalar = Array::from_slice(&[0.5], []).unwrap();
    let text = |update: Update<'_>, dtype| {
        let factors = Factors::new("a test", update, dtype).unwrap();
        let element = Element(dtype);
        let (formula, constants) = Formula::update(&factors, element);
        let [declared, prologue] = [formula.declare(element), formula.prologue(element)];
        (formula.expression(), declared, prologue, constants.len())
    };
    let place = |c: usize| format!(", const GLOBAL wide* RESTRICT c{c}_p, i64 c{c}_at");
    let (found, declared, prologue, count) =
        text(Update::new(&scalar, -Factor::from(&scalar)), DType::Complex64);
    assert_eq!(found, "e_add(e_mul(OF(x0), c0), e_mul_or_zero(OF(y), c1))");
    assert_eq!(declared, place(0) + &place(1) + ", wide c1_re, wide c1_im");
    let value = |name: &str| format!("(real)(c1_{name} * c1_p[c1_at])");
    let expected = format!(
        " const elem c0 = e_make((real)c0_p[c0_at], R(0.0)); const elem c1 = e_make({}, {});",
        value("re"),
        value("im")
    );
    assert_eq!((prologue, count), (expected, 2));
    // Known to be zero, whatever it is times.
    let none = text(Update::new(1.0, Factor::from(&scalar) * 0.0), DType::Float32);
    assert_eq!((none.0.as_str(), none.1.as_str(), none.3), ("OF(x0)", "", 0));
    // The number before a constant of the host keeps its place.
    let (found, declared, ..) = text(Update::new(2.0, &scalar), DType::Float32);
    assert_eq!(found, "e_add(e_mul(OF(x0), c0), e_mul_or_zero(OF(y), c1))");
    assert_eq!(declared, ", real c0_re".to_owned() + &place(1));
}

#[test]
fn nested_products_are_written_once_each() {
    let nested = (0..40).fold(input(0), |all, _| input(0).mul_or_zero(all));
    let text = Formula::of(&nested).expression();
    assert_eq!(text.matches("OF(x0)").count(), 41);
    // Functions, not macros, which would write what stands in them again at every level.
    assert!(super::super::element::PRELUDE.contains("FN elem e_mul_or_zero("));
}

#[test]
fn a_formula_knows_its_structure_and_not_its_constants() {
    let a = constant(2.0) * input(0) + previous();
    let b = constant(3.0) * input(0) + previous();
    assert_eq!(Formula::of(&a), Formula::of(&b));
    assert_ne!(Formula::of(&a), Formula::of(&(previous() + constant(2.0) * input(0))));
    let text = Formula::of(&(a - constant(1.0) / input(1).conj())).expression();
    let inner = "e_sub(e_add(e_mul(c0, OF(x0)), OF(y)), e_div(c1, e_conj(OF(x1))))";
    assert_eq!(text, inner);
}

#[test]
fn numbers_of_a_wider_dtype_are_rounded_where_they_meet_elements() {
    let wide = |number: usize| number == 0 || number == 2;
    let ratio = constant(2.0) * input(0) / input(2);
    let formula = Formula::mixed(&(input(3) + ratio * input(1) * constant(3.0)), &wide);
    let (text, rounded) = formula.written();
    assert_eq!(text, "e_add(OF(x1), e_mul(e_mul(w0, OF(x0)), c1))");
    assert_eq!(rounded, ["w_div(w_mul(c0, s0[s0_at]), s1[s1_at])"]);
    assert_eq!(formula.constants().collect::<Vec<_>>(), [true, false]);
    let (text, rounded) = Formula::mixed(&-input(0), &wide).written();
    assert_eq!((text.as_str(), rounded), ("w0", vec!["w_neg(s0[s0_at])".to_owned()]));
}
