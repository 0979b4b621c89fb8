//! What operators are known to be, or say of themselves: self-adjoint, positive.

use arrayspan_bridge::DType::Complex64 as C64;
use arrayspan_operators::Diagonal;
use arrayspan_operators::author::*;
use arrayspan_operators::laws::Law;
use arrayspan_operators::prelude::{Edge, FirstDerivative, Identity, Roll, Scheme};
use num_complex::Complex64;

use crate::mix::{mix, space};
use crate::support::{filled, hidden};

#[test]
fn positive_operators_are_known_by_what_they_are_made_of() {
    let slope =
        FirstDerivative::new(space(7, C64), 0, 0.5, Scheme::Centered3, Edge::Reduced).unwrap();
    let one = Identity::new(space(7, C64)).unwrap();
    let roll = Roll::new(space(7, C64), 0, 2).unwrap();
    let weights = |values: [f64; 7]| {
        let values: Vec<Complex64> = values.iter().map(|v| Complex64::from(*v)).collect();
        Diagonal::new(space(7, C64), filled(&space(7, C64), &values).into_shared()).unwrap()
    };
    let good = weights([0.0, 1.0, 2.0, 0.5, 3.0, 0.0, 1.0]);
    let bad = weights([0.0, 1.0, -2.0, 0.5, 3.0, 0.0, 1.0]);
    let normal = adjoint(&slope).after(&slope).build().unwrap();
    let build = |formula: Formula| formula.build().unwrap();
    for positive in [
        one.clone(),
        good.clone(),
        normal.clone(),
        normal.clone().named("Normal"),
        normal.conj(),
        build(2.0 * &normal + 0.5 * &one + &good),
        build(adjoint(&slope).after(good.after(&slope))),
        build(adjoint(&slope).after(&good).after(&slope)),
        build(adjoint(roll.after(&slope).build().unwrap()).after(roll.after(&slope))),
        build(normal.after(&normal)),
        build(normal.pow(3)),
        build((Complex64::new(0.0, 0.0)) * Formula::from(&bad)),
        block_diagonal([&normal, &good]).unwrap(),
    ] {
        assert!(positive.is_positive(), "{positive:?}");
        assert!(positive.properties().positive);
        let report = laws::check(&positive).unwrap();
        assert!(report.holds(), "{report}");
    }
    for unknown in [
        bad.clone(),
        slope.clone(),
        -&normal,
        build(&normal - &one),
        build(Complex64::i() * &normal),
        build(adjoint(&slope).after(&bad).after(&slope)),
        build(slope.after(&slope)),
        vstack([&normal, &good]).unwrap(),
        build(slope.pow(1 << 40)),
        hidden(bad.clone()),
    ] {
        assert!(!unknown.is_positive(), "{unknown:?}");
    }
}

#[test]
fn laws_try_what_an_operator_says_of_itself() {
    let one = Complex64::new(1.0, 0.0);
    let said = |a: Complex64, b: Complex64, said: fn(Properties) -> Properties| {
        laws::check(&mix(a, b).saying(said)).unwrap()
    };
    // The real part: its own adjoint, and positive.
    let report = said(0.5 * one, 0.5 * one, Properties::positive);
    assert!(report.holds(), "{report}");
    let report = said(-one, one * 0.0, Properties::positive);
    assert!(report.why(Law::Properties).unwrap().contains("said to be positive"), "{report}");
    let report = said(Complex64::i(), one, Properties::self_adjoint);
    assert!(report.why(Law::Properties).unwrap().contains("its own adjoint"), "{report}");
    let report = said(one, one, |mut said| {
        said.complex_linear = true;
        said
    });
    assert!(report.why(Law::Linearity).is_some() && report.why(Law::Adjoint).is_some(), "{report}");
    // What is said is used.
    let mix = Operator::new(mix(one, one).saying(Properties::positive));
    assert!(mix.is_self_adjoint() && mix.is_positive());
    assert!((&mix + &mix.conj()).build().unwrap().is_positive());
}
