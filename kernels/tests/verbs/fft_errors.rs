//! Wrong arguments of `fft`.

use arrayspan_kernels::bridge::{Array, DType};
use arrayspan_kernels::{Fourier, Update};

use crate::errors::{I, argument, array, dtype, host, not_computable, refused, shape};

#[test]
fn fft_checks_its_arguments() {
    let x = array(&[2, 6], DType::Complex64);
    let run = |fourier: Fourier, update| {
        let view = x.view();
        move |out: &mut Array| host().fft(&fourier, view, out.view_mut(), update)
    };
    let (six, set) = (Fourier::new(1, 6).unwrap(), Update::set());
    let words = ["fft", "y", "[2, 6]", "[6, 2]"];
    refused(&[6, 2], DType::Complex64, run(six, set), shape, &words);
    let words = ["fft", "x is Complex64", "Complex128"];
    refused(&[2, 6], DType::Complex128, run(six, set), dtype, &words);
    refused(&[2, 6], DType::Float32, run(six, set), dtype, &["fft", "y is Float32", "Complex64"]);
    refused(
        &[2, 4],
        DType::Complex64,
        run(six.half(), set),
        dtype,
        &["fft", "x is Complex64", "Float32"],
    );
    for out in [DType::Float16, DType::BFloat16, DType::UInt8] {
        refused(&[2, 6], out, run(six, set), not_computable, &["fft", &out.to_string()]);
    }
    for (axis, points) in [(0, 6), (1, 5), (2, 6), (usize::MAX, 6)] {
        let words = ["fft", "[2, 6]", "expected", "along axis"];
        let other = Fourier::new(axis, points).unwrap();
        refused(&[2, 6], DType::Complex64, run(other, set), argument, &words);
    }
    let heavy = six.scaled(1e60).unwrap();
    let words = ["fft", "1e60", "not a finite number of Complex64"];
    refused(&[2, 6], DType::Complex64, run(heavy, set), argument, &words);
    let both = Fourier::new(1, 6).unwrap().half().weighted(1e30).unwrap().scaled(1e20).unwrap();
    let real = array(&[2, 6], DType::Float32);
    let run_real = |out: &mut Array| host().fft(&both, real.view(), out.view_mut(), set);
    let words = ["fft", "scaled weight of 1e50", "not a finite number of Complex64"];
    refused(&[2, 4], DType::Complex64, run_real, argument, &words);
    let back = Fourier::new(1, 10).unwrap().half().adjoint();
    let words = ["fft", "alpha", "real", "Float32"];
    refused(&[2, 10], DType::Float32, run(back, Update::new(I, 0.0)), argument, &words);
}

#[test]
fn sixteen_bits_are_refused() {
    let x = array(&[4], DType::Float16);
    let half = Fourier::new(0, 4).unwrap().half();
    let run = |out: &mut Array| host().fft(&half, x.view(), out.view_mut(), Update::set());
    refused(&[3], DType::Complex64, run, not_computable, &["fft", "Float16"]);
}
