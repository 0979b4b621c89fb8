//! Wrong arguments of `stencil` and `stencil_sum`, and factors that no dtype holds.

use arrayspan_kernels::bridge::{Array, DType};
use arrayspan_kernels::{Band, Coefficients, Error, Stencil, StencilTerm, Update};
use num_complex::Complex64;

use crate::errors::{I, argument, array, dtype, host, not_computable, refused, shape};

#[test]
fn stencil_checks_its_arguments() {
    let x = array(&[2, 3], DType::Float32);
    let band = |len| Band::uniform(len, [(0, 1.0), (1, 2.0)]);
    let along = |axis, len| Stencil::along(axis, band(len)).unwrap();
    let run = |stencil, update| {
        let view = x.view();
        move |out: &mut Array| host().stencil(&stencil, view, out.view_mut(), update)
    };
    let set = Update::set();
    let words = ["stencil", "x", "[2, 3]", "[3, 2]"];
    refused(&[3, 2], DType::Float32, run(along(0, 3), set), shape, &words);
    let words = ["stencil", "x is Float32", "Float64"];
    refused(&[2, 3], DType::Float64, run(along(0, 2), set), dtype, &words);
    refused(&[2, 3], DType::UInt8, run(along(0, 2), set), not_computable, &["stencil", "UInt8"]);
    let words = ["stencil", "length 5", "axis 1", "[2, 3]"];
    refused(&[2, 3], DType::Float32, run(along(1, 5), set), argument, &words);
    let words = ["stencil", "axis 2", "[2, 3]"];
    refused(&[2, 3], DType::Float32, run(along(2, 3), set), argument, &words);
    let complex = Stencil::along(0, Band::uniform_complex(2, [(0, I)])).unwrap();
    let words = ["stencil", "weights are complex", "Float32"];
    refused(&[2, 3], DType::Float32, run(complex, set), argument, &words);
    let words = ["stencil", "alpha", "real", "Float32"];
    refused(&[2, 3], DType::Float32, run(along(0, 2), Update::new(I, 0.0)), argument, &words);
}

#[test]
fn stencil_sum_checks_its_arguments() {
    let (x, other) = (array(&[2, 3], DType::Float32), array(&[4], DType::Float32));
    let wide = array(&[2, 3], DType::Float64);
    let along = |axis, len| Stencil::along(axis, Band::uniform(len, [(0, 1.0), (1, 2.0)])).unwrap();
    let term = |stencil: &Stencil| StencilTerm::new(stencil, x.view());
    let (plain, set) = (term(&along(0, 2)), Update::set());
    let run = |terms: &[StencilTerm<'_>], update, size: &[usize], of, kind, words: &[&str]| {
        let verb = |out: &mut Array| host().stencil_sum(terms, out.view_mut(), update);
        refused(size, of, verb, kind, &[&["stencil_sum"], words].concat());
    };
    let (is, two) = (DType::Float32, [2, 3]);
    run(&vec![plain.clone(); 5], set, &two, is, argument, &["5 terms", "more than 4"]);
    let words = ["x of term 0", "[2, 3]", "[3, 2]"];
    run(&[plain.clone(), plain.clone()], set, &[3, 2], is, shape, &words);
    let words = ["x of term 0 is Float32", "Float64"];
    run(&[plain.clone(), plain.clone()], set, &two, DType::Float64, dtype, &words);
    run(&[plain.clone(), plain.clone()], set, &two, DType::UInt8, not_computable, &["UInt8"]);
    run(
        &[plain.clone(), term(&along(1, 5))],
        set,
        &two,
        is,
        argument,
        &["length 5", "axis 1", "[2, 3]"],
    );
    let complex = Stencil::along(0, Band::uniform_complex(2, [(0, I)])).unwrap();
    run(
        &[plain.clone(), term(&complex)],
        set,
        &two,
        is,
        argument,
        &["weights are complex", "Float32"],
    );
    let before = StencilTerm { before: Some(Coefficients::new(other.view())), ..plain.clone() };
    run(&[plain.clone(), before], set, &two, is, shape, &["before of term 1", "[4]", "[2, 3]"]);
    let after = StencilTerm { after: Some(Coefficients::new(wide.view())), ..plain.clone() };
    run(&[after], set, &two, is, dtype, &["after of term 0 is Float64", "Float32"]);
    let words = ["alpha", "real", "Float32"];
    run(&[plain.clone(), plain.clone()], Update::new(I, 0.0), &two, is, argument, &words);
}

#[test]
fn stencils_are_checked_when_they_are_made() {
    let lengths = Stencil::new([(1, Band::uniform(4, [])), (1, Band::uniform(5, []))]).unwrap_err();
    assert!(matches!(lengths, Error::Argument { verb: "stencil", .. }));
    assert!(lengths.to_string().contains("length 4 and 5 along axis 1"), "{lengths}");
    for weight in [f64::NAN, f64::INFINITY] {
        let weights = Stencil::along(2, Band::uniform(4, [(0, weight)])).unwrap_err();
        assert!(matches!(weights, Error::Argument { verb: "stencil", .. }));
        assert!(weights.to_string().contains("weight along axis 2 is not finite"), "{weights}");
    }
}

#[test]
fn factors_that_the_dtype_cannot_hold_are_refused() {
    let [x, mut y] = [0; 2].map(|_| Array::from_slice(&[1.0_f32, 2.0], [2]).unwrap());
    let on = host();
    for (update, name) in [
        (Update::new(1e300, 0.0), "alpha"),
        (Update::new(f64::NAN, 0.0), "alpha"),
        (Update::new(1.0, -1e39), "beta"),
    ] {
        let error = on.copy(x.view(), y.view_mut(), update).unwrap_err();
        let found = error.to_string();
        assert!(found.starts_with(&format!("copy: {name} ")), "{found}");
        assert!(found.ends_with("is not a finite number of Float32"), "{found}");
        assert_eq!(y.view().to_vec::<f32>().unwrap(), [1.0, 2.0]);
    }
    let mut wide = Array::from_slice(&[1.0, 2.0], [2]).unwrap();
    for weight in [Complex64::new(-1e300, 0.0), Complex64::new(0.0, 3.5e38)] {
        let band = Band::uniform_complex(2, [(0, Complex64::new(1.0, 0.0)), (1, weight)]);
        let stencil = Stencil::along(0, band).unwrap().adjoint();
        if weight.im != 0.0 {
            let x = array(&[2], DType::Complex64);
            let mut y = array(&[2], DType::Complex64);
            on.stencil(&stencil, x.view(), y.view_mut(), Update::set()).unwrap_err();
            continue;
        }
        let error = on.stencil(&stencil, x.view(), y.view_mut(), Update::set()).unwrap_err();
        let found = error.to_string();
        assert_eq!(found, "stencil: a weight of 1e300 is not a finite number of Float32");
        let x = Array::from_slice(&[1.0, 2.0], [2]).unwrap();
        on.stencil(&stencil, x.view(), wide.view_mut(), Update::set()).unwrap();
    }
    // Below the normal numbers of Float32: as good as zero, which a verb may be given.
    on.copy(x.view(), y.view_mut(), Update::new(1e-60, 1.0)).unwrap();
    assert_eq!(y.view().to_vec::<f32>().unwrap(), [1.0, 2.0]);
}
