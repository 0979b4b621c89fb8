//! Temporary: every verb on the first device that runs kernels against naive loops.

use arrayspan_bridge::devices::{Device, Stream};
use arrayspan_bridge::{Array, DType, Element, Relayout, View, ViewMut};
use arrayspan_kernels::*;
use num_complex::{Complex32, Complex64};
use std::sync::Arc;

pub fn device() -> Option<Device> {
    match Device::opencl(0) {
        Ok(d) => Some(d),
        Err(e) => {
            eprintln!("skipped: no OpenCL device ({e})");
            None
        }
    }
}

pub fn upload<T: Element>(data: &[T], shape: &[usize], stream: &Stream) -> Array {
    let cpu = Device::cpu().stream().unwrap();
    let mut host = Array::empty(shape, T::DTYPE, &cpu).unwrap();
    host.view_mut().as_mut_slice::<T>().unwrap().copy_from_slice(data);
    let array = Array::empty(shape, T::DTYPE, stream).unwrap();
    host.memory().copy_to(0, array.memory(), 0, std::mem::size_of_val(data), stream).unwrap();
    stream.synchronize().unwrap();
    array
}

pub fn download<T: Element>(array: &Array, stream: &Stream) -> Vec<T> {
    let cpu = Device::cpu().stream().unwrap();
    let host = Array::empty(array.shape(), T::DTYPE, &cpu).unwrap();
    let bytes = array.layout().len() * size_of::<T>();
    array.memory().copy_to(0, host.memory(), 0, bytes, stream).unwrap();
    stream.synchronize().unwrap();
    host.view().as_slice::<T>().unwrap().to_vec()
}

fn ramp(n: usize) -> Vec<f32> {
    (0..n).map(|i| ((i * 37 % 101) as f32) * 0.25 - 7.0).collect()
}

#[test]
fn map_of_contiguous_and_strided() {
    let Some(device) = device() else { return };
    let stream = device.stream().unwrap();
    let gpu: Arc<dyn Executor> = Arc::new(Gpu::new(stream.clone()).unwrap());
    for n in [1, 3, 4, 1001, 100_000] {
        let (a, b) = (ramp(n), ramp(n).into_iter().rev().collect::<Vec<_>>());
        let (x0, x1) = (upload(&a, &[n], &stream), upload(&b, &[n], &stream));
        let s = upload(&[3.0_f32], &[], &stream);
        let mut y = upload(&a, &[n], &stream);
        let e = constant(2.0) * input(0) * input(2) + input(1).abs() - previous();
        gpu.map(&e, &[x0.view(), x1.view(), s.view()], y.view_mut()).unwrap();
        let got = download::<f32>(&y, &stream);
        for i in 0..n {
            assert_eq!(got[i], 2.0 * a[i] * 3.0 + b[i].abs() - a[i], "{n} {i}");
        }
    }
    let a = ramp(7 * 11 * 13);
    let x = upload(&a, &[7, 11, 13], &stream);
    let mut y = upload(&vec![0.0_f32; 7 * 11 * 13], &[13, 7, 11], &stream);
    let xv = x.view().permuted(&[2, 0, 1]).unwrap().reversed(1).unwrap();
    gpu.map(&(input(0) + constant(1.0)), &[xv], y.view_mut()).unwrap();
    let got = download::<f32>(&y, &stream);
    for i in 0..13 {
        for j in 0..7 {
            for k in 0..11 {
                assert_eq!(got[(i * 7 + j) * 11 + k], a[((6 - j) * 11 + k) * 13 + i] + 1.0);
            }
        }
    }
}

#[test]
fn copies_permute_and_update() {
    let Some(device) = device() else { return };
    let stream = device.stream().unwrap();
    let gpu: Arc<dyn Executor> = Arc::new(Gpu::new(stream.clone()).unwrap());
    let shape = [5, 37, 70];
    let n: usize = shape.iter().product();
    let a: Vec<Complex32> = ramp(n).iter().map(|&v| Complex32::new(v, 1.0 - v)).collect();
    let x = upload(&a, &shape, &stream);
    for axes in [[0, 1, 2], [0, 2, 1], [2, 1, 0], [1, 2, 0], [2, 0, 1], [1, 0, 2]] {
        let target: Vec<usize> = axes.iter().map(|&a| shape[a]).collect();
        let old = vec![Complex32::new(0.5, -1.0); n];
        for update in [Update::set(), Update::new(Complex64::new(2.0, 1.0), Complex64::new(0.0, 3.0))] {
            let mut y = upload(&old, &target, &stream);
            gpu.copy(x.view().permuted(&axes).unwrap(), y.view_mut(), update).unwrap();
            let got = download::<Complex32>(&y, &stream);
            let mut at = 0;
            for i in 0..target[0] {
                for j in 0..target[1] {
                    for k in 0..target[2] {
                        let mut source = [0; 3];
                        source[axes[0]] = i;
                        source[axes[1]] = j;
                        source[axes[2]] = k;
                        let v = a[(source[0] * shape[1] + source[1]) * shape[2] + source[2]];
                        let want = if update == Update::set() { v } else { v * Complex32::new(2.0, 1.0) + old[0] * Complex32::new(0.0, 3.0) };
                        assert!((got[at] - want).norm() < 1e-4, "{axes:?} {at} {} {want}", got[at]);
                        at += 1;
                    }
                }
            }
        }
    }
    let bytes: Vec<u8> = (0..7 * 33).map(|i| i as u8).collect();
    let x = upload(&bytes, &[7, 33], &stream);
    let mut y = upload(&bytes, &[7, 33], &stream);
    gpu.copy(x.view().reversed(0).unwrap(), y.view_mut(), Update::set()).unwrap();
    let got = download::<u8>(&y, &stream);
    for i in 0..7 {
        assert_eq!(got[i * 33..(i + 1) * 33], bytes[(6 - i) * 33..(7 - i) * 33]);
    }
}
