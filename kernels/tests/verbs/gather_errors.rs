//! Wrong arguments of `gather`.

use arrayspan_kernels::bridge::{Array, DType};
use arrayspan_kernels::{Gather, Update};
use num_complex::Complex64;

use crate::errors::{I, argument, array, dtype, host, not_computable, refused, shape};

#[test]
fn gather_checks_its_arguments() {
    let x = array(&[2, 3], DType::Float32);
    let pick = |axis, extent| Gather::pick(axis, extent, [1, 0, 1, 1]).unwrap();
    let run = |gather: Gather, update| {
        let view = x.view();
        move |out: &mut Array| host().gather(&gather, view, out.view_mut(), update)
    };
    let set = Update::set();
    let words = ["gather", "y", "[2, 4]", "[4, 2]"];
    refused(&[4, 2], DType::Float32, run(pick(1, 3), set), shape, &words);
    let words = ["gather", "x is Float32", "Float64"];
    refused(&[2, 4], DType::Float64, run(pick(1, 3), set), dtype, &words);
    refused(&[2, 4], DType::UInt8, run(pick(1, 3), set), not_computable, &["gather", "UInt8"]);
    for (axis, extent) in [(0, 3), (1, 2), (2, 3), (usize::MAX, 3)] {
        let words = ["gather", "[2, 3]", "expected", "from axis"];
        refused(&[2, 4], DType::Float32, run(pick(axis, extent), set), argument, &words);
    }
    let weighted = |weight: Complex64| {
        let weights = Some(vec![weight; 2]);
        Gather::new(1, &[2], &[3], vec![0, 1, 2], vec![0, 2], weights).unwrap()
    };
    let words = ["gather", "weights are complex", "Float32"];
    refused(&[2, 2], DType::Float32, run(weighted(I), set), argument, &words);
    let words = ["gather", "1e60", "not a finite number of Float32"];
    refused(&[2, 2], DType::Float32, run(weighted(1e60.into()), set), argument, &words);
    let words = ["gather", "alpha", "real", "Float32"];
    refused(&[2, 4], DType::Float32, run(pick(1, 3), Update::new(I, 0.0)), argument, &words);
}
