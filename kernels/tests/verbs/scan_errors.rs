//! Wrong arguments of `scan`.

use arrayspan_kernels::bridge::{Array, DType};
use arrayspan_kernels::{Scan, Update};

use crate::errors::{I, argument, array, dtype, host, not_computable, refused, shape};

#[test]
fn scan_checks_its_arguments() {
    let x = array(&[2, 3], DType::Float32);
    let run = |scan: Scan, update| {
        let view = x.view();
        move |out: &mut Array| host().scan(&scan, view, out.view_mut(), update)
    };
    let (sums, set) = (Scan::inclusive(1, 3), Update::set());
    let words = ["scan", "y", "[2, 3]", "[3, 2]"];
    refused(&[3, 2], DType::Float32, run(sums, set), shape, &words);
    let words = ["scan", "y", "[2, 2]", "[2, 3]"];
    refused(&[2, 3], DType::Float32, run(sums.without(1).unwrap(), set), shape, &words);
    let words = ["scan", "x is Float32", "Float64"];
    refused(&[2, 3], DType::Float64, run(sums, set), dtype, &words);
    refused(&[2, 3], DType::UInt8, run(sums, set), not_computable, &["scan", "UInt8"]);
    for (axis, extent) in [(0, 3), (1, 2), (2, 3), (usize::MAX, 3), (1, usize::MAX)] {
        let words = ["scan", "[2, 3]", "expected", "along axis"];
        refused(&[2, 3], DType::Float32, run(Scan::inclusive(axis, extent), set), argument, &words);
    }
    let heavy = Scan::weighted(1, 3, 0.5, 1e60, 1.0).unwrap();
    let words = ["scan", "1e60", "not a finite number of Float32"];
    refused(&[2, 3], DType::Float32, run(heavy, set), argument, &words);
    let words = ["scan", "alpha", "real", "Float32"];
    refused(&[2, 3], DType::Float32, run(sums, Update::new(I, 0.0)), argument, &words);
}
