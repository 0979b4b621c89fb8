//! Wrong arguments of `convolve`.

use arrayspan_kernels::bridge::{Array, DType};
use arrayspan_kernels::{Convolution, Update};
use num_complex::Complex64;

use crate::errors::{I, argument, array, dtype, host, not_computable, refused, shape};

#[test]
fn convolve_checks_its_arguments() {
    let x = array(&[2, 3], DType::Float32);
    let run = |own: &Convolution, update| {
        let (view, own) = (x.view(), own.clone());
        move |out: &mut Array| host().convolve(&own, view, out.view_mut(), update)
    };
    let of = |axes: &[usize], tap: Complex64| {
        let ones = vec![1; axes.len()];
        Convolution::new(axes, &ones, &[tap], &vec![0; axes.len()]).unwrap()
    };
    let (own, set) = (of(&[0, 1], Complex64::ONE), Update::set());
    let words = ["convolve", "x", "[2, 3]", "[3, 2]"];
    refused(&[3, 2], DType::Float32, run(&own, set), shape, &words);
    let words = ["convolve", "x is Float32", "Float64"];
    refused(&[2, 3], DType::Float64, run(&own, set), dtype, &words);
    for other in [DType::UInt8, DType::Float16, DType::BFloat16] {
        let words = ["convolve", &other.to_string()];
        refused(&[2, 3], other, run(&own, set), not_computable, &words);
    }
    let words = ["convolve", "axis 2", "[2, 3]"];
    refused(&[2, 3], DType::Float32, run(&of(&[1, 2], I), set), argument, &words);
    let words = ["convolve", "complex", "Float32"];
    refused(&[2, 3], DType::Float32, run(&of(&[1], I), set), argument, &words);
    let words = ["convolve", "1e60", "Float32"];
    refused(&[2, 3], DType::Float32, run(&of(&[1], 1e60.into()), set), argument, &words);
    let words = ["convolve", "alpha", "real", "Float32"];
    refused(&[2, 3], DType::Float32, run(&own, Update::new(I, 0.0)), argument, &words);
}
