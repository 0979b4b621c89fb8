//! Real and imaginary parts, of arrays and of operators.

use arrayspan_bridge::DType;
use arrayspan_bridge::DType::{Complex128, Float64};
use arrayspan_operators::author::*;
use arrayspan_operators::prelude::{Identity, Imag, Real, Roll};
use num_complex::Complex64;

use crate::mix::{LEN, conjugate, space, weights};
use crate::support::{DTYPES, assert_close, filled, hidden, numbers, random};

#[test]
fn parts_of_complex_numbers_keep_all_laws_in_every_dtype_and_size() {
    for dtype in DTYPES {
        for shape in [&[1][..], &[7], &[3, 5], &[2, 1, 11], &[0, 3], &[]] {
            let whole = Space::new(shape, dtype).unwrap();
            let (re, im) = (Real::new(whole.clone()).unwrap(), Imag::new(whole.clone()).unwrap());
            let both = (2.0 * &re - &im).build().unwrap();
            for part in [&re, &im, &both, &adjoint(&both), &both.conj(), &im.transpose()] {
                let report = laws::check(part).unwrap();
                assert!(report.holds(), "{report}");
                let check = check_adjoint(part).unwrap();
                assert!(check.holds(), "{check}");
                assert_eq!(part.is_complex_linear(), !dtype.is_complex(), "{part:?}");
            }
            assert_eq!(re.range(), &Space::new(shape, dtype.real()).unwrap());
        }
    }
}

#[test]
fn parts_of_parts_are_one_step_or_none() {
    let complex = space(LEN, Complex128);
    let (re, im) = (Real::new(complex.clone()).unwrap(), Imag::new(complex.clone()).unwrap());
    let forward =
        |a: Formula| a.build().unwrap().describe().lines().rev().nth(1).unwrap().to_owned();
    assert_eq!(forward(re.after(adjoint(&re))), "forward: copy");
    assert_eq!(forward(im.after(adjoint(&im))), "forward: copy");
    assert_eq!(forward(re.after(adjoint(&im))), "forward: zero");
    assert_eq!(forward(im.after(adjoint(&re))), "forward: zero");
    assert_eq!(forward(re.after(conjugate(Complex128))), "forward: map");
    let projection = adjoint(&re).after(&re).build().unwrap();
    assert!(projection.is_self_adjoint() && projection.is_positive(), "{projection:?}");
    assert_eq!(projection.cost(false).unwrap().launches, 1);
    let whole = (adjoint(&re).after(&re) + adjoint(&im).after(&im)).build().unwrap();
    let x = random(&complex, 3);
    assert_eq!(numbers(&whole.forward(&x).unwrap()), numbers(&x));
    assert_eq!(whole.cost(false).unwrap().launches, 1, "{}", whole.describe());
}

#[test]
fn real_and_imaginary_parts_of_matrices_are_those_of_their_entries() {
    let complex = space(LEN, Complex128);
    let weights = weights(&[Complex64::new(0.5, -2.0), Complex64::new(-1.0, 0.25), Complex64::i()]);
    let roll = Roll::new(complex.clone(), 0, 1).unwrap();
    let i = Complex64::new(0.75, -1.5);
    let chain = (i * roll.after(&weights) + &roll).build().unwrap();
    let dtype = |a: &Operator| (a.domain().dtype(), a.range().dtype());
    for operator in [&weights, &chain, &hidden(chain.clone()), &adjoint(&chain)] {
        let whole = numbers(&operator.to_dense().unwrap());
        let parts = [operator.to_real().unwrap(), operator.to_imag().unwrap()];
        for (part, of) in parts.iter().zip([|v: &Complex64| v.re, |v: &Complex64| v.im]) {
            assert_eq!(dtype(part), (Float64, Float64));
            let expected: Vec<f64> = whole.iter().map(of).collect();
            for dense in [part.to_dense().unwrap(), adjoint(part.transpose()).to_dense().unwrap()] {
                assert_eq!(dense.view().as_slice::<f64>().unwrap(), expected, "{operator:?}");
            }
            let sparse = part.to_sparse().unwrap().to_dense().unwrap();
            assert_eq!(numbers(&sparse).iter().map(|v| v.re).collect::<Vec<_>>(), expected);
            assert!(part.is_complex_linear() && part.is_real());
            let report = laws::check(part).unwrap();
            assert!(report.holds(), "{report}");
        }
    }
    let real = Roll::new(space(LEN, Float64), 0, 1).unwrap();
    let (same, none) = (real.to_real().unwrap(), real.to_imag().unwrap());
    assert_eq!(same.describe().lines().last(), real.describe().lines().last());
    assert!(none.to_sparse().unwrap().indices.is_empty());
}

#[test]
fn parts_of_what_conjugates_are_those_of_its_results() {
    let complex = space(LEN, Complex128);
    let weights = weights(&[Complex64::new(0.5, -2.0), Complex64::new(-1.0, 0.25), Complex64::i()]);
    let (conj, i) = (conjugate(Complex128), Complex64::new(0.75, -1.5));
    for operator in [
        conj.clone(),
        (i * &conj).build().unwrap(),
        conj.after(i * &conj).build().unwrap(),
        conj.after(&weights).build().unwrap(),
        weights.after(i * &conj).build().unwrap(),
    ] {
        let parts = [operator.to_real().unwrap(), operator.to_imag().unwrap()];
        for (part, of) in parts.iter().zip([|v: &Complex64| v.re, |v: &Complex64| v.im]) {
            let x = random(part.domain(), 5);
            let whole = numbers(&operator.forward(filled(&complex, &numbers(&x))).unwrap());
            let expected: Vec<Complex64> = whole.iter().map(|v| of(v).into()).collect();
            let found = numbers(&part.forward(&x).unwrap());
            assert_close(&found, &expected, Float64, &format!("{part:?}"));
            let report = laws::check(part).unwrap();
            assert!(report.holds(), "{report}");
        }
    }
}

#[test]
fn parts_want_complex_numbers_and_the_real_ones_of_their_precision() {
    let of = |from: DType, to: DType| {
        Operator::of("Part", space(LEN, from), space(LEN, to), Form::Real).unwrap_err().to_string()
    };
    assert_eq!(
        of(Complex128, DType::Float32),
        "Part: takes parts of complex numbers, which Complex128 [3] to Float32 [3] does not"
    );
    assert!(of(Float64, Float64).starts_with("Part: takes parts"));
    assert!(of(Complex128, Complex128).starts_with("Part: takes parts"));
    let error = Real::new(space(LEN, DType::Int32)).unwrap_err().to_string();
    assert!(error.starts_with("Real: Int32 cannot be computed with"), "{error}");
    let re = Real::new(space(LEN, Complex128)).unwrap();
    let complex = (Complex64::i() * &re).build().unwrap_err().to_string();
    assert!(complex.contains("is complex and Float64 [3] is not"), "{complex}");
    let rows = vstack([&re, &Identity::new(space(LEN, Complex128)).unwrap()]).unwrap_err();
    assert!(rows.to_string().contains("range of Real and range of Identity"), "{rows}");
}
