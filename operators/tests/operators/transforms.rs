//! Wavelet and cosine transforms: inverses, matrices, what is refused.

use std::f64::consts::PI;

use arrayspan_bridge::DType;
use arrayspan_kernels::Cost;
use arrayspan_operators::prelude::*;
use arrayspan_operators::{Error, Result, check_adjoint};

use crate::support::{numbers, random};

fn space(shape: &[usize], dtype: DType) -> Space {
    Space::new(shape, dtype).unwrap()
}

/// Fails unless `inverse` undoes `operator`.
fn undone(operator: &Operator, inverse: &Operator, tolerance: f64) {
    let x = random(operator.domain(), 7);
    let back = inverse.forward(operator.forward(&x).unwrap()).unwrap();
    for (found, expected) in numbers(&back).iter().zip(numbers(&x)) {
        assert!((found - expected).norm() < tolerance, "{operator:?}: {found} for {expected}");
    }
}

#[test]
fn every_wavelet_has_its_inverse_of_samples_with_zeros_behind_them() {
    for name in Wavelet::names() {
        let wavelet = Wavelet::named(&name).unwrap();
        let tolerance = if name == "dmey" { 0.1 } else { 1e-9 };
        for (extent, levels) in [(13, 2), (16, 4), (1, 1)] {
            let space = space(&[extent, 2], DType::Float64);
            let forward = DWT::new(space.clone(), 0, &wavelet, levels).unwrap();
            let inverse = DWT::inverse(space, 0, &wavelet, levels).unwrap();
            undone(&forward, &inverse, tolerance);
        }
    }
}

#[test]
fn orthogonal_wavelets_are_undone_by_the_adjoint_along_any_axes() {
    let space = space(&[5, 3, 12], DType::Complex128);
    for name in ["haar", "db4", "coif3", "sym6"] {
        let wavelet = Wavelet::named(name).unwrap();
        assert!(wavelet.is_orthogonal());
        let plane = DWT2D::new(space.clone(), [2, 0], &wavelet, 2).unwrap();
        let volume = DWTND::new(space.clone(), &[0, 1, 2], &wavelet, 3).unwrap();
        assert_eq!(plane.range().shape(), [8, 3, 16]);
        assert_eq!(volume.range().shape(), [8, 8, 16]);
        for operator in [plane, volume] {
            undone(&operator, &adjoint(&operator), 1e-10);
            assert!(check_adjoint(&operator).unwrap().holds(), "{operator:?}");
            let many =
                operator.lifted(Lift::Leading(2)).unwrap().lifted(Lift::Trailing(3)).unwrap();
            undone(&many, &adjoint(&many), 1e-10);
        }
    }
}

#[test]
fn further_levels_are_of_the_corner_alone() {
    let wavelet = Wavelet::named("haar").unwrap();
    let plane = DWT2D::new(space(&[64, 64], DType::Float64), [0, 1], &wavelet, 1).unwrap();
    let deep = DWT2D::new(space(&[64, 64], DType::Float64), [0, 1], &wavelet, 6).unwrap();
    let bytes = |operator: &Operator| operator.cost(false).map_or(0, Cost::bytes);
    assert!(bytes(&deep) < 2 * bytes(&plane), "{} {}", bytes(&deep), bytes(&plane));
}

#[test]
fn cosines_are_those_of_the_formulas_at_every_length() {
    for extent in (1..70).chain([97, 128]) {
        let n = extent as f64;
        let element = |cosines, k: usize, j: usize| {
            let half = |at: usize| if at == 0 { 0.5_f64.sqrt() } else { 1.0 };
            let (k, j, [a, b]) = (k as f64, j as f64, [k, j].map(half));
            match cosines {
                Cosines::I => {
                    let last =
                        |at: f64, half: f64| if at > n - 1.5 { 0.5_f64.sqrt() } else { half };
                    let (a, b) = (last(k, a), last(j, b));
                    (2.0 / (n - 1.0)).sqrt() * a * b * (PI * j * k / (n - 1.0)).cos()
                }
                Cosines::II => (2.0 / n).sqrt() * a * (PI * k * (2.0 * j + 1.0) / (2.0 * n)).cos(),
                Cosines::III => (2.0 / n).sqrt() * b * (PI * j * (2.0 * k + 1.0) / (2.0 * n)).cos(),
                Cosines::IV => {
                    (2.0 / n).sqrt() * (PI * (2.0 * k + 1.0) * (2.0 * j + 1.0) / (4.0 * n)).cos()
                }
            }
        };
        for cosines in [Cosines::I, Cosines::II, Cosines::III, Cosines::IV] {
            if extent == 1 && cosines == Cosines::I {
                continue;
            }
            for dtype in [DType::Float64, DType::Complex128] {
                let operator = DCT::new(space(&[extent], dtype), &[0], cosines).unwrap();
                let x = random(operator.domain(), 3);
                let (given, found) = (numbers(&x), numbers(&operator.forward(&x).unwrap()));
                for (k, found) in found.iter().enumerate() {
                    let terms = given.iter().enumerate().map(|(j, x)| x * element(cosines, k, j));
                    let expected: num_complex::Complex64 = terms.sum();
                    assert!((found - expected).norm() < 1e-12, "{cosines:?} of {extent}, {k}");
                }
                undone(&operator, &adjoint(&operator), 1e-12);
            }
        }
    }
}

/// Lines that are convolved and others, short axes and long ones.
#[test]
fn cosines_along_several_axes_are_those_along_each() {
    for shape in [[34, 37, 2], [36, 34, 3], [34, 5, 40], [2, 51, 38], [35, 2, 33]] {
        for cosines in [Cosines::I, Cosines::II, Cosines::III, Cosines::IV] {
            let space = space(&shape, DType::Float64);
            let all = DCT::new(space.clone(), &[0, -1, 1], cosines).unwrap();
            let x = random(&space, 4);
            let mut expected = x.try_clone().unwrap();
            for axis in 0..3 {
                let one = DCT::new(space.clone(), &[axis], cosines).unwrap();
                expected = one.forward(expected).unwrap();
            }
            let found = numbers(&all.forward(&x).unwrap());
            for (found, expected) in found.iter().zip(numbers(&expected)) {
                assert!((found - expected).norm() < 1e-12, "{cosines:?} of {shape:?}");
            }
            assert!(check_adjoint(&all).unwrap().holds(), "{cosines:?} of {shape:?}");
            undone(&all, &all.inverse().unwrap(), 1e-12);
        }
    }
}

#[test]
fn what_cannot_be_transformed_is_refused() {
    let refused = |made: Result<Operator>, words: &[&str]| match made {
        Err(Error::Parameter { operator, why }) => {
            let text = format!("{operator}: {why}");
            assert!(words.iter().all(|word| text.contains(word)), "{text}");
        }
        other => panic!("{other:?}"),
    };
    let model = || space(&[5, 1], DType::Float32);
    let haar = Wavelet::named("haar").unwrap();
    refused(DWT::new(model(), 2, &haar, 1), &["DWT", "axis 2"]);
    refused(DWT::new(model(), 0, &haar, 200), &["DWT", "200 levels"]);
    refused(DWT2D::new(model(), [0, -2], &haar, 1), &["DWT2D", "axis 0 twice"]);
    assert!(matches!(DWT::new(model(), 0, &haar, 63), Err(Error::TooLarge { .. })));
    assert!(matches!(DWT::new(model(), 0, &haar, 70), Err(Error::TooLarge { .. })));
    refused(DCT::new(model(), &[], Cosines::II), &["DCT", "no axes"]);
    refused(DCT::new(model(), &[1, -1], Cosines::II), &["DCT", "axis 1 twice"]);
    refused(DCT::new(model(), &[1], Cosines::I), &["DCT", "type I", "one sample"]);
    refused(DCT::new(model(), &[3], Cosines::II), &["DCT", "axis 3"]);
}

#[test]
fn dual_trees_have_at_most_64_levels() {
    let transform = |levels| {
        let space = Space::new([8], DType::Float64).unwrap();
        DTCWT::new(space, 0, levels, Biorthogonal::default(), QuarterShift::default())
    };
    assert!(transform(64).is_ok());
    for levels in [65, 1 << 20, usize::MAX] {
        let told = transform(levels).unwrap_err().to_string();
        assert!(told.starts_with("DTCWT: ") && told.contains("at most 64"), "{told}");
    }
}
