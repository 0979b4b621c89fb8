//! Reductions against loops.

use arrayspan_kernels::bridge::{Array, DType, Relayout};
use arrayspan_kernels::user::{ReductionKernel, ReductionSource};
use num_complex::Complex32;

use super::sample::{number, numbers, on_each, singles, upload};

fn kernel(name: &str, inputs: &str, outputs: &str, source: ReductionSource<'_>) -> ReductionKernel {
    // SAFETY: the sources of these tests touch nothing but their values, and end.
    unsafe { ReductionKernel::new(name, inputs, outputs, source) }.unwrap()
}

fn dot() -> ReductionKernel {
    let source = ReductionSource {
        total: "T",
        map: "T_mul(T_conj(x), y)",
        combine: "T_add(a, b)",
        identity: "T_make(0, 0)",
        finish: "sum = a; count = n;",
    };
    kernel("dot", "T x, T y", "T sum, i64 count", source)
}

/// A [5, 7, 3] array's sums over some axes, by index of the kept ones.
fn sums(axes: &[usize], value: impl Fn([usize; 3]) -> f64) -> Vec<f64> {
    let shape = [5, 7, 3];
    let extent = |axis: usize| if axes.contains(&axis) { 1 } else { shape[axis] };
    let mut sums = vec![0.0; extent(0) * extent(1) * extent(2)];
    for i in 0..5 {
        for j in 0..7 {
            for k in 0..3 {
                let kept = |axis: usize, at: usize| if axes.contains(&axis) { 0 } else { at };
                let at = (kept(0, i) * extent(1) + kept(1, j)) * extent(2) + kept(2, k);
                sums[at] += value([i, j, k]);
            }
        }
    }
    sums
}

#[test]
fn every_set_of_axes() {
    let dot = dot();
    on_each(false, |on| {
        let x = upload(on, &singles(1, 105), &[5, 7, 3]);
        let y = upload(on, &singles(2, 21), &[7, 3]);
        let value = |[i, j, k]: [usize; 3]| number(1, (i * 7 + j) * 3 + k) * number(2, j * 3 + k);
        for axes in [&[][..], &[0], &[1], &[2], &[1, 0], &[0, 2], &[2, 1], &[0, 1, 2]] {
            let found = dot.apply(on, &[(&x).into(), (&y).into()], Some(axes)).unwrap();
            let expected: Vec<f32> = sums(axes, value).into_iter().map(|sum| sum as f32).collect();
            assert_eq!(found[0].view().to_vec::<f32>().unwrap(), expected, "{axes:?}");
            let len: usize = axes.iter().map(|axis| [5, 7, 3][*axis]).product();
            assert_eq!(found[1].view().to_vec::<i64>().unwrap(), vec![len as i64; expected.len()]);
        }
    });
}

#[test]
fn turned_and_stepped_arrays_reduce_as_others() {
    let dot = dot();
    on_each(false, |on| {
        let x = upload(on, &singles(1, 105), &[3, 7, 5]);
        let turned =
            x.view().permuted(&[2, 1, 0]).unwrap().reversed(1).unwrap().reversed(0).unwrap();
        let value = |[i, j, k]: [usize; 3]| number(1, (k * 7 + 6 - j) * 5 + 4 - i) * 2.0;
        for axes in [&[0][..], &[1], &[0, 2], &[0, 1, 2]] {
            let found = dot.apply(on, &[turned.clone().into(), 2.0.into()], Some(axes)).unwrap();
            let expected: Vec<f32> = sums(axes, value).into_iter().map(|sum| sum as f32).collect();
            assert_eq!(found[0].view().to_vec::<f32>().unwrap(), expected, "{axes:?}");
        }
    });
}

#[test]
fn complex_numbers_and_64_bits() {
    let dot = dot();
    let of = |seed: usize, at: usize| {
        Complex32::new(number(seed, at) as f32, number(seed + 5, at) as f32)
    };
    on_each(false, |on| {
        let [x, y] = [1, 2]
            .map(|seed| upload(on, &(0..101).map(|at| of(seed, at)).collect::<Vec<_>>(), &[101]));
        let found = dot.apply(on, &[(&x).into(), (&y).into()], None).unwrap();
        let expected: Complex32 = (0..101).map(|at| of(1, at).conj() * of(2, at)).sum();
        assert_eq!(found[0].view().to_vec::<Complex32>().unwrap(), [expected]);
    });
    on_each(true, |on| {
        let x = upload(on, &numbers(1, 1009), &[1009]);
        let found = dot.apply(on, &[(&x).into(), (&x).into()], None).unwrap();
        let expected: f64 = numbers(1, 1009).iter().map(|x| x * x).sum();
        assert_eq!(found[0].view().to_vec::<f64>().unwrap(), [expected]);
    });
}

#[test]
fn long_arrays_are_shared_by_groups_and_give_the_same_bits_again() {
    let source = ReductionSource {
        total: "i64",
        map: "(i64)x * (i % 3)",
        combine: "a + b",
        identity: "0",
        finish: "y = a;",
    };
    let weighted = kernel("weighted", "i32 x", "i64 y", source);
    on_each(false, |on| {
        for (shape, axes) in
            [(&[300_007][..], &[0][..]), (&[2, 100_003], &[1]), (&[100_003, 3], &[0])]
        {
            let len: usize = shape.iter().product();
            let values: Vec<i32> = (0..len).map(|at| number(4, at) as i32).collect();
            let x = upload(on, &values, shape);
            let results = len / shape[axes[0]];
            let mut expected = vec![0_i64; results];
            for (at, x) in values.iter().enumerate() {
                let result = if shape.len() == 1 {
                    0
                } else if axes[0] == 1 {
                    at / shape[1]
                } else {
                    at % 3
                };
                expected[result] += i64::from(*x) * (at % 3) as i64;
            }
            for _ in 0..2 {
                let found = weighted.apply(on, &[(&x).into()], Some(axes)).unwrap();
                assert_eq!(found[0].view().to_vec::<i64>().unwrap(), expected, "{shape:?}");
            }
        }
    });
}

#[test]
fn nothing_reduces_to_the_identity() {
    let source = ReductionSource {
        total: "f32",
        map: "x",
        combine: "f32_max(a, b)",
        identity: "-1.0f",
        finish: "largest = a + n;",
    };
    let largest = kernel("largest", "f32 x", "f32 largest", source);
    on_each(false, |on| {
        let x = Array::empty(&[3, 0][..], DType::Float32, on.stream()).unwrap();
        let rows = largest.apply(on, &[(&x).into()], Some(&[1])).unwrap();
        assert_eq!(rows[0].view().to_vec::<f32>().unwrap(), [-1.0; 3]);
        assert_eq!(largest.apply(on, &[(&x).into()], Some(&[0])).unwrap()[0].shape(), [0]);
        let number = upload(on, &[5.0_f32], &[]);
        let whole = largest.apply(on, &[(&number).into()], None).unwrap();
        assert_eq!(whole[0].view().to_vec::<f32>().unwrap(), [6.0]);
    });
}
