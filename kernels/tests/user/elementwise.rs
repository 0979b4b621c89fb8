//! Elementwise kernels against loops.

use arrayspan_kernels::bridge::{Array, DType, Relayout, SharedArray};
use arrayspan_kernels::user::{ElementwiseKernel, Input};
use num_complex::{Complex32, Complex64};

use super::sample::{number, numbers, on_each, singles, upload};

fn kernel(name: &str, inputs: &str, outputs: &str, body: &str) -> ElementwiseKernel {
    // SAFETY: the bodies of these tests touch nothing but their values, and end.
    unsafe { ElementwiseKernel::new(name, inputs, outputs, body) }.unwrap()
}

const AXPY: [&str; 3] = ["T x, T y, T s", "T z", "z = T_add(T_mul(s, x), y);"];

#[test]
fn one_source_serves_every_computable_dtype() {
    let axpy = kernel("axpy", AXPY[0], AXPY[1], AXPY[2]);
    let (x, y) = (numbers(1, 257), numbers(2, 257));
    on_each(false, |on| {
        let (a, b) = (upload(on, &singles(1, 257), &[257]), upload(on, &singles(2, 257), &[257]));
        let z = axpy.apply(on, &[(&a).into(), (&b).into(), 0.5.into()]).unwrap().remove(0);
        let expected: Vec<f32> = x.iter().zip(&y).map(|(x, y)| (0.5 * x + y) as f32).collect();
        assert_eq!(z.view().to_vec::<f32>().unwrap(), expected);
    });
    on_each(true, |on| {
        let (a, b) = (upload(on, &x, &[257]), upload(on, &y, &[257]));
        let z = axpy.apply(on, &[(&a).into(), (&b).into(), (-0.25).into()]).unwrap().remove(0);
        let expected: Vec<f64> = x.iter().zip(&y).map(|(x, y)| y - 0.25 * x).collect();
        assert_eq!(z.view().to_vec::<f64>().unwrap(), expected);
    });
}

#[test]
fn one_source_serves_complex_numbers() {
    let axpy = kernel("axpy", AXPY[0], AXPY[1], AXPY[2]);
    let s = Complex64::new(0.5, -2.0);
    let of = |seed: usize, at: usize| Complex64::new(number(seed, at), number(seed + 7, at));
    let expected: Vec<Complex64> = (0..97).map(|at| s * of(1, at) + of(2, at)).collect();
    on_each(false, |on| {
        let single = |seed| {
            let values: Vec<Complex32> = (0..97)
                .map(|at| of(seed, at))
                .map(|z| Complex32::new(z.re as f32, z.im as f32))
                .collect();
            upload(on, &values, &[97])
        };
        let z = axpy
            .apply(on, &[(&single(1)).into(), (&single(2)).into(), s.into()])
            .unwrap()
            .remove(0);
        let found = z.view().to_vec::<Complex32>().unwrap();
        let found: Vec<Complex64> =
            found.iter().map(|z| Complex64::new(z.re.into(), z.im.into())).collect();
        assert_eq!(found, expected);
    });
    on_each(true, |on| {
        let double = |seed| upload(on, &(0..97).map(|at| of(seed, at)).collect::<Vec<_>>(), &[97]);
        let z = axpy
            .apply(on, &[(&double(1)).into(), (&double(2)).into(), s.into()])
            .unwrap()
            .remove(0);
        assert_eq!(z.view().to_vec::<Complex64>().unwrap(), expected);
    });
}

#[test]
fn helpers_compute_what_rust_computes() {
    let both = kernel(
        "both",
        "c64 x, c64 y",
        "c64 quotient, c64 root, f32 size, c64 e",
        "quotient = c64_div(x, y); root = c64_sqrt(x); size = c64_abs(x); e = c64_exp(y);",
    );
    let at = |seed: usize| {
        (0..31).map(move |at| {
            Complex32::new(number(seed, at) as f32, number(seed + 3, at) as f32 + 0.5)
        })
    };
    on_each(false, |on| {
        let (x, y): (Vec<_>, Vec<_>) = (at(1).collect(), at(2).collect());
        let arrays = both
            .apply(on, &[(&upload(on, &x, &[31])).into(), (&upload(on, &y, &[31])).into()])
            .unwrap();
        let close = |found: Complex32, expected: Complex32| {
            (found - expected).norm() <= 1e-5 * expected.norm()
        };
        let complex = |k: usize| arrays[k].view().to_vec::<Complex32>().unwrap();
        for (k, (x, y)) in x.iter().zip(&y).enumerate() {
            assert!(close(complex(0)[k], x / y), "{x} / {y}");
            assert!(close(complex(1)[k], x.sqrt()), "√{x}");
            assert!(
                close(arrays[2].view().to_vec::<f32>().unwrap()[k].into(), x.norm().into()),
                "|{x}|"
            );
            assert!(close(complex(3)[k], y.exp()), "exp {y}");
        }
    });
}

#[test]
fn inputs_broadcast_and_have_any_strides() {
    let axpy = kernel("axpy", AXPY[0], AXPY[1], AXPY[2]);
    on_each(false, |on| {
        let x = upload(on, &singles(1, 5 * 7), &[7, 5]);
        let y = upload(on, &singles(2, 3 * 10), &[3, 10]);
        let s = upload(on, &[3.0_f32], &[]);
        let turned = x.view().permuted(&[1, 0]).unwrap().reversed(1).unwrap(); // [5, 7]
        let column =
            y.view().selected(0, 1).unwrap().sliced(0, 1, 9).unwrap().stepped(0, 2).unwrap(); // [5]
        let column = column.reshaped(&[5, 1]).unwrap();
        let mut z = upload(on, &[9.0_f32; 14 * 5], &[5, 14]);
        let out = z.view_mut().stepped(1, 2).unwrap().reversed(0).unwrap();
        axpy.call(on, &[turned.into(), column.into(), (&s).into()], &mut [out]).unwrap();
        let found = z.view().to_vec::<f32>().unwrap();
        for i in 0..5 {
            for j in 0..7 {
                let expected = 3.0 * number(1, (6 - j) * 5 + i) + number(2, 10 + 1 + 2 * i);
                let at = (4 - i) * 14 + 2 * j;
                // The second one is beside, and stays.
                assert_eq!(found[at..at + 2], [expected as f32, 9.0], "[{i}, {j}]");
            }
        }
    });
}

#[test]
fn many_axes_that_do_not_merge_take_any_number_of_arguments() {
    let sum = kernel("sum", "T a, T b, T c, T d, T e", "T z", "z = a + b + c + d + e;");
    on_each(false, |on| {
        let shape = [2, 3, 2, 3, 2, 3, 2];
        let padded = shape.map(|extent| extent + 1);
        let len: usize = padded.iter().product();
        let whole = upload(on, &singles(1, len), &padded);
        let mut part = whole.view();
        for (axis, extent) in shape.into_iter().enumerate() {
            part = part.sliced(axis, 0, extent).unwrap();
        }
        let inputs: Vec<Input<'_>> = (0..5).map(|_| part.clone().into()).collect();
        let z = sum.apply(on, &inputs).unwrap().remove(0);
        let expected: Vec<f32> = part.to_vec::<f32>().unwrap().iter().map(|x| 5.0 * x).collect();
        assert_eq!(z.view().to_vec::<f32>().unwrap(), expected);
    });
}

#[test]
fn the_index_is_that_of_the_shape_whatever_the_strides() {
    let indices = kernel("indices", "", "i64 z", "z = 10 * i;");
    on_each(false, |on| {
        for shape in [&[][..], &[1], &[13], &[3, 5, 7]] {
            let mut z = Array::empty(shape, DType::Int64, on.stream()).unwrap();
            let len: usize = shape.iter().product();
            indices.call(on, &[], &mut [z.view_mut()]).unwrap();
            let expected: Vec<i64> = (0..len as i64).map(|i| 10 * i).collect();
            assert_eq!(z.view().to_vec::<i64>().unwrap(), expected, "{shape:?}");
        }
        let mut z = Array::empty(&[4, 3][..], DType::Int64, on.stream()).unwrap();
        let turned = z.view_mut().permuted(&[1, 0]).unwrap().reversed(0).unwrap();
        indices.call(on, &[], &mut [turned]).unwrap();
        let turned = z.view().permuted(&[1, 0]).unwrap().reversed(0).unwrap();
        assert_eq!(turned.to_vec::<i64>().unwrap(), (0..12).map(|i| 10 * i).collect::<Vec<_>>());
    });
}

#[test]
fn old_values_are_read_where_outputs_are_inout_and_zero_elsewhere() {
    let count = kernel(
        "count",
        "T x",
        "inout i32 seen, T positive",
        "if (x > 0) { seen += 1; positive = x; }",
    );
    on_each(false, |on| {
        let x = upload(on, &singles(5, 33), &[33]);
        let mut seen = upload(on, &[7_i32; 33], &[33]);
        let mut positive = upload(on, &[f32::NAN; 33], &[33]);
        count.call(on, &[(&x).into()], &mut [seen.view_mut(), positive.view_mut()]).unwrap();
        let expected: Vec<i32> = singles(5, 33).iter().map(|x| 7 + i32::from(*x > 0.0)).collect();
        assert_eq!(seen.view().to_vec::<i32>().unwrap(), expected);
        let expected: Vec<f32> = singles(5, 33).iter().map(|x| x.max(0.0)).collect();
        assert_eq!(positive.view().to_vec::<f32>().unwrap(), expected);
    });
}

#[test]
fn integers_of_every_width_come_by_value_and_in_arrays() {
    let mixed = kernel(
        "mixed",
        "i8 a, u16 b, i32 c, u32 d, i64 e, u64 f, u8 x",
        "i64 z",
        "z = (i64)a + b + c + d + e + (i64)f + x;",
    );
    on_each(false, |on| {
        let x = upload(on, &[250_u8, 3, 0], &[3]);
        let numbers = [
            (-100_i8).into(),
            60_000_u16.into(),
            (-70_000).into(),
            u32::MAX.into(),
            (-5_i64).into(),
            9.into(),
        ];
        let inputs: Vec<Input<'_>> = numbers.into_iter().chain([(&x).into()]).collect();
        let z = mixed.apply(on, &inputs).unwrap().remove(0);
        let sum = -100 + 60_000 - 70_000 + i64::from(u32::MAX) - 5 + 9;
        assert_eq!(z.view().to_vec::<i64>().unwrap(), [sum + 250, sum + 3, sum]);
    });
}

#[test]
fn empty_arrays_and_numbers_alone_are_shapes_like_others() {
    let twice = kernel("twice", "f32 x", "f32 z", "z = 2 * x;");
    on_each(false, |on| {
        let empty = Array::empty(&[3, 0][..], DType::Float32, on.stream()).unwrap();
        assert_eq!(twice.apply(on, &[(&empty).into()]).unwrap()[0].shape(), [3, 0]);
        let z = twice.apply(on, &[21.into()]).unwrap().remove(0);
        assert_eq!((z.shape(), z.view().to_vec::<f32>().unwrap()), (&[][..], vec![42.0]));
    });
}

#[test]
fn names_of_the_users_meet_none_of_the_generated_text() {
    // Macros and variables of the text around are called so.
    let body = "z0 = n1 + x0 + y0 + z + total + shared + p + q + idx + thread;";
    let names =
        "f32 n1, f32 x0, f32 y0, f32 z, f32 total, f32 shared, f32 p, f32 q, f32 idx, f32 thread";
    let sum = kernel("map", names, "f32 z0", body);
    on_each(false, |on| {
        let x = SharedArray::from(upload(on, &singles(1, 12), &[3, 4]));
        let column = x.view().sliced(1, 1, 1).unwrap();
        let inputs: Vec<Input<'_>> =
            (0..10).map(|k| if k == 2 { column.clone().into() } else { (&x).into() }).collect();
        let z = sum.apply(on, &inputs).unwrap().remove(0);
        let expected: Vec<f32> =
            (0..12).map(|at| (9.0 * number(1, at) + number(1, at / 4 * 4 + 1)) as f32).collect();
        assert_eq!(z.view().to_vec::<f32>().unwrap(), expected);
    });
}
