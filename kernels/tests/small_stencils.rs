//! Small arrays without gaps take a shorter way through the host than others: it gives the same.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

use arrayspan_kernels::bridge::devices::Device;
use arrayspan_kernels::bridge::{Array, DType, Relayout, View};
use arrayspan_kernels::{Band, Stencil, Tap, Update, on};

/// Numbers without a pattern, in rows that are `gap` longer than the last axis.
fn array(shape: &[usize], gap: usize, dtype: DType, seed: usize) -> Array {
    let (last, rows) = (shape[shape.len() - 1], shape[..shape.len() - 1].iter().product::<usize>());
    let number = |i: usize| ((i * 37 + seed) % 23) as f64 / 23.0 - 0.4;
    let parts = if dtype.is_complex() { 2 } else { 1 };
    let mut bytes: Vec<u8> = Vec::new();
    for row in 0..rows {
        for at in 0..(last + gap) * parts {
            let value = if at < last * parts { number(row * last * parts + at) } else { f64::NAN };
            match dtype.real() {
                DType::Float32 => bytes.extend((value as f32).to_ne_bytes()),
                _ => bytes.extend(value.to_ne_bytes()),
            }
        }
    }
    let mut whole = shape.to_vec();
    whole[shape.len() - 1] += gap;
    let mut array = Array::zeros(&whole, dtype, Device::cpu()).unwrap();
    array.bytes_mut().unwrap().as_mut_slice::<u8>().unwrap().copy_from_slice(&bytes);
    array
}

fn numbers(view: &View<'_>) -> Vec<f64> {
    let (mut same, on) = (
        Array::zeros(view.shape(), view.dtype(), Device::cpu()).unwrap(),
        on(Device::cpu()).unwrap(),
    );
    on.copy(view.clone(), same.view_mut(), Update::set()).unwrap();
    let bytes = same.bytes().unwrap();
    let bytes = bytes.as_slice::<u8>().unwrap();
    match view.dtype().real() {
        DType::Float32 => bytes
            .chunks_exact(4)
            .map(|four| f32::from_ne_bytes(four.try_into().unwrap()).into())
            .collect(),
        _ => bytes
            .chunks_exact(8)
            .map(|eight| f64::from_ne_bytes(eight.try_into().unwrap()))
            .collect(),
    }
}

/// Interior taps that reach both ways, and special first and last rows, one of them empty.
fn bands(len: usize) -> Vec<Band> {
    let tap = |(offset, weight): (isize, f64)| Tap { offset, weight: weight.into() };
    let long: Vec<(isize, f64)> = (-9..=7).map(|k| (k, 0.3 / (1.0 + (k * k) as f64))).collect();
    let edged = Band::from_rows(len, 1, move |i| match i {
        0 => vec![],
        _ if i + 1 == len => vec![tap((0, 2.0)), tap((-1, -2.0)), tap((-2, 0.5))],
        _ => vec![tap((-1, -0.5)), tap((1, 0.5))],
    });
    let centered = Band::uniform(len, [(-1, -0.5), (1, 0.5)]);
    vec![
        Band::uniform(len, long),
        edged.transpose(),
        edged,
        centered,
        Band::uniform(len, [(2, 3.0)]),
    ]
}

#[test]
fn they_give_what_arrays_with_gaps_give() {
    let on = on(Device::cpu()).unwrap();
    let shapes: [&[usize]; 9] =
        [&[1], &[2], &[3], &[17], &[1000], &[5, 1], &[31, 33], &[7, 11, 13], &[3, 5, 70]];
    let mut compared = 0;
    for dtype in [DType::Float32, DType::Float64, DType::Complex64, DType::Complex128] {
        let bound = if dtype.real() == DType::Float32 { 1e-6 } else { 1e-14 };
        for shape in shapes {
            let last = shape.len() - 1;
            let [x, wide] = [0, 3].map(|gap| array(shape, gap, dtype, 5));
            let wide_x = wide.view().sliced(last, 0, shape[last]).unwrap();
            for axis in 0..shape.len() {
                for band in bands(shape[axis]) {
                    let stencil = Stencil::along(axis, band).unwrap();
                    for update in [Update::set(), Update::new(2.0, 1.0), Update::new(-1.0, 0.5)] {
                        let [mut y, mut wide] = [0, 3].map(|gap| array(shape, gap, dtype, 11));
                        on.stencil(&stencil, x.view(), y.view_mut(), update).unwrap();
                        let wide_y = wide.view_mut().sliced(last, 0, shape[last]).unwrap();
                        on.stencil(&stencil, wide_x.clone(), wide_y, update).unwrap();
                        let wide_y = wide.view().sliced(last, 0, shape[last]).unwrap();
                        let (found, expected) = (numbers(&y.view()), numbers(&wide_y));
                        for (found, expected) in found.iter().zip(&expected) {
                            let off = (found - expected).abs();
                            assert!(off <= bound, "{dtype} {shape:?} {axis}: {found} {expected}");
                            compared += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(compared > 100_000);
}
