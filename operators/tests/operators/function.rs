//! Operators of functions.

use std::fmt;

use arrayspan_bridge::{DType, Relayout};
use arrayspan_kernels::Trace;
use arrayspan_operators::author::*;
use arrayspan_operators::prelude::FunctionOperator;
use num_complex::Complex64;

use crate::support::{DTYPES, floats, host, numbers, random, read};

fn space(shape: &[usize], dtype: DType) -> Space {
    Space::new(shape, dtype).unwrap()
}

/// Every second row, twice.
fn every_second(rows: usize, dtype: DType) -> Operator {
    let [domain, range] = [rows, rows.div_ceil(2)].map(|rows| space(&[rows, 3], dtype));
    let picked = |on: Context<'_>, x: View<'_>, y: ViewMut<'_>| {
        Ok(on.copy(x.stepped(0, 2)?, y, Update::new(2.0, 0.0))?)
    };
    let spread = |on: Context<'_>, y: View<'_>, mut x: ViewMut<'_>| {
        on.map(&constant(0.0), &[], x.reborrow())?;
        Ok(on.copy(y, x.stepped(0, 2)?, Update::new(2.0, 0.0))?)
    };
    FunctionOperator::new(domain, range, picked, spread).unwrap()
}

#[test]
fn functions_keep_all_laws_in_every_dtype_and_size() {
    for dtype in DTYPES {
        for rows in [1, 2, 7, 13] {
            let operator = every_second(rows, dtype);
            let combined = (0.5 * adjoint(&operator).after(&operator)).build().unwrap();
            for operator in [&operator, &adjoint(&operator), &operator.conj(), &combined] {
                let report = laws::check(operator).unwrap();
                assert!(report.holds(), "{report}");
            }
        }
    }
}

#[test]
fn functions_are_what_they_say() {
    let complex = space(&[3], DType::Complex128);
    let negated = |on: Context<'_>, x: View<'_>, y: ViewMut<'_>| Ok(on.map(&-input(0), &[x], y)?);
    let own = FunctionOperator::self_adjoint(complex.clone(), negated).unwrap();
    assert!(own.is_self_adjoint() && own.is_complex_linear());
    let conj =
        |on: Context<'_>, x: View<'_>, y: ViewMut<'_>| Ok(on.map(&input(0).conj(), &[x], y)?);
    let real = FunctionOperator::real_linear(complex.clone(), complex.clone(), conj, conj).unwrap();
    assert!(!real.is_complex_linear());
    for operator in [own, real] {
        let report = laws::check(&operator).unwrap();
        assert!(report.holds(), "{report}");
        assert!(check_adjoint(&operator).unwrap().holds());
    }
    // One that says it is complex-linear is found out.
    let wrong = FunctionOperator::new(complex.clone(), complex, conj, conj).unwrap();
    assert!(!laws::check(&wrong).unwrap().holds());
}

#[test]
fn between_real_and_complex_spaces_functions_are_real_linear() {
    let (real, complex) = (space(&[5], DType::Float32), space(&[5], DType::Complex64));
    let up = |on: Context<'_>, x: View<'_>, y: ViewMut<'_>| {
        Ok(on.map(&(constant(Complex64::i()) * input(0)), &[x], y)?)
    };
    let down =
        |on: Context<'_>, x: View<'_>, y: ViewMut<'_>| Ok(on.map(&input(0).im(), &[x], y)?);
    let operator = FunctionOperator::new(real, complex, up, down).unwrap();
    assert!(!operator.is_complex_linear());
    let report = laws::check(&operator).unwrap();
    assert!(report.holds(), "{report}");
}

#[test]
fn functions_write_over_their_output_and_updates_take_one_launch_more() {
    let operator = every_second(4, DType::Float64);
    let x = random(operator.domain(), 1);
    let expected = numbers(&operator.forward(&x).unwrap());
    let mut y = floats(&[2, 3], &[f64::NAN; 6]);
    let trace = Trace::of(host());
    operator.apply(&trace, x.view(), y.view_mut(), Update::set()).unwrap();
    assert_eq!((trace.take().launches, numbers(&y)), (1, expected.clone()));
    operator.apply(&trace, x.view(), y.view_mut(), Update::new(-1.0, 1.0)).unwrap();
    assert_eq!((trace.take().launches, read(&y)), (2, vec![0.0; 6]));
    operator.apply(&trace, x.view(), y.view_mut(), Update::new(0.0, 0.0)).unwrap();
    assert_eq!(read(&y), [0.0; 6]);
}

#[test]
fn an_adjoint_that_was_not_given_is_a_typed_error() {
    let space = space(&[4], DType::Float64);
    let copied = |on: Context<'_>, x: View<'_>, y: ViewMut<'_>| Ok(on.copy(x, y, Update::set())?);
    let one_way =
        FunctionOperator::forward_only(space.clone(), space, copied).unwrap().named("Oneway");
    let x = floats(&[4], &[1.0, 2.0, 3.0, 4.0]);
    assert_eq!(read(&one_way.forward(&x).unwrap()), [1.0, 2.0, 3.0, 4.0]);
    let error = one_way.adjoint(&x).unwrap_err();
    assert!(matches!(&error, Error::NoAdjoint { operator } if operator == "FunctionOperator"));
    assert_eq!(
        error.to_string(),
        "FunctionOperator: it has no adjoint, only the direction that was given"
    );
}

#[derive(Debug)]
struct Weather;

impl fmt::Display for Weather {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it rains")
    }
}

impl std::error::Error for Weather {}

#[test]
fn errors_of_functions_come_out_as_they_are() {
    let space = space(&[4], DType::Float64);
    let fails = |_: Context<'_>, _: View<'_>, _: ViewMut<'_>| Err(Error::function(Weather));
    let small = |on: Context<'_>, x: View<'_>, y: ViewMut<'_>| {
        Ok(on.copy(x.sliced(0, 0, 3)?, y, Update::set())?)
    };
    let operator = FunctionOperator::new(space.clone(), space.clone(), fails, small).unwrap();
    let x = floats(&[4], &[1.0; 4]);
    let error = operator.forward(&x).unwrap_err();
    assert_eq!(error.to_string(), "it rains");
    assert!(matches!(&error, Error::Function(own) if own.is::<Weather>()), "{error:?}");
    let error = operator.adjoint(&x).unwrap_err().to_string();
    assert!(error.contains("[3]") && error.contains("[4]"), "{error}");
    // What does not fit does not reach the functions.
    let never = |_: Context<'_>, _: View<'_>, _: ViewMut<'_>| unreachable!();
    let operator = FunctionOperator::new(space.clone(), space, never, never).unwrap();
    let error = operator.forward(floats(&[5], &[1.0; 5])).unwrap_err().to_string();
    assert_eq!(error, "FunctionOperator: model has shape [5], expected [4]");
    let error = operator.adjoint(random(&self::space(&[4], DType::Float32), 1)).unwrap_err();
    assert_eq!(error.to_string(), "FunctionOperator: data is Float32, expected Float64");
    let integers = self::space(&[4], DType::Int32);
    let error = FunctionOperator::new(integers.clone(), integers, never, never).unwrap_err();
    assert!(error.to_string().starts_with("FunctionOperator: Int32 cannot"), "{error}");
}
