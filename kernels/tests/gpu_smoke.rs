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
        for update in
            [Update::set(), Update::new(Complex64::new(2.0, 1.0), Complex64::new(0.0, 3.0))]
        {
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
                        let want = if update == Update::set() {
                            v
                        } else {
                            v * Complex32::new(2.0, 1.0) + old[0] * Complex32::new(0.0, 3.0)
                        };
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

fn tap(offset: isize, weight: f64) -> Tap {
    Tap { offset, weight: Complex64::new(weight, 0.0) }
}

/// A centered difference with one-sided ends.
fn derivative(n: usize) -> Band {
    Band::from_rows(n, 1, move |i| {
        if n == 1 {
            vec![]
        } else if i == 0 {
            vec![tap(0, -1.0), tap(1, 1.0)]
        } else if i + 1 == n {
            vec![tap(-1, -1.0), tap(0, 1.0)]
        } else {
            vec![tap(-1, -0.5), tap(1, 0.5)]
        }
    })
}

fn filter(n: usize, left: isize, right: isize) -> Band {
    Band::uniform(n, (-left..=right).map(|k| (k, 0.1 * k as f64 + 0.3)))
}

fn apply(stencil: &Stencil, shape: &[usize], x: &[Complex64]) -> Vec<Complex64> {
    let mut y = vec![Complex64::default(); x.len()];
    for (axis, band) in stencil.terms() {
        let stride: usize = shape[axis + 1..].iter().product();
        for (at, value) in y.iter_mut().enumerate() {
            let i = at / stride % shape[*axis];
            for tap in band.row(i) {
                *value += tap.weight * x[at.wrapping_add_signed(tap.offset * stride as isize)];
            }
        }
    }
    y
}

fn check_stencil<T: Element>(
    gpu: &Arc<dyn Executor>,
    stencil: &Stencil,
    shape: &[usize],
    into: impl Fn(Complex64) -> T,
    from: impl Fn(T) -> Complex64,
    what: &str,
) {
    let stream = gpu.stream();
    let n: usize = shape.iter().product();
    let x: Vec<Complex64> = (0..n)
        .map(|i| {
            from(into(Complex64::new((i * 37 % 101) as f64 * 0.02 - 1.0, (i % 7) as f64 * 0.1)))
        })
        .collect();
    let data: Vec<T> = x.iter().map(|v| into(*v)).collect();
    let want = apply(stencil, shape, &x);
    let array = upload(&data, shape, stream);
    let nan: Vec<T> = (0..n).map(|_| into(Complex64::new(f64::NAN, f64::NAN))).collect();
    let mut y = upload(&nan, shape, stream);
    gpu.stencil(stencil, array.view(), y.view_mut(), Update::set()).unwrap();
    let got: Vec<Complex64> = download::<T>(&y, stream).into_iter().map(&from).collect();
    for i in 0..n {
        assert!((got[i] - want[i]).norm() < 1e-4, "{what} {shape:?} {i}: {} {}", got[i], want[i]);
    }
    gpu.stencil(stencil, array.view(), y.view_mut(), Update::new(2.0, 0.5)).unwrap();
    let got: Vec<Complex64> = download::<T>(&y, stream).into_iter().map(&from).collect();
    for i in 0..n {
        assert!((got[i] - 2.5 * want[i]).norm() < 2e-4, "{what} update {shape:?} {i}");
    }
    // Both arrays as parts of larger ones, in another order of axes.
    let rank = shape.len();
    let order: Vec<usize> = (0..rank).rev().collect();
    let big: Vec<usize> = order.iter().map(|a| shape[*a] + 1).collect();
    let count: usize = big.iter().product();
    let filled: Vec<T> = (0..count).map(|_| into(Complex64::new(9.0, 9.0))).collect();
    let mut x_big = upload(&filled, &big, stream);
    let mut y_big = upload(&filled, &big, stream);
    fn part<V: Relayout>(v: V, order: &[usize], shape: &[usize]) -> V {
        let mut v = v.permuted(order).unwrap();
        for (axis, len) in shape.iter().enumerate() {
            v = v.sliced(axis, 1, *len).unwrap();
        }
        v
    }
    gpu.copy(array.view(), part(x_big.view_mut(), &order, shape), Update::set()).unwrap();
    gpu.stencil(
        stencil,
        part(x_big.view(), &order, shape),
        part(y_big.view_mut(), &order, shape),
        Update::set(),
    )
    .unwrap();
    let mut back = upload(&nan, shape, stream);
    gpu.copy(part(y_big.view(), &order, shape), back.view_mut(), Update::set()).unwrap();
    let got: Vec<Complex64> = download::<T>(&back, stream).into_iter().map(&from).collect();
    for i in 0..n {
        assert!(
            (got[i] - want[i]).norm() < 1e-4,
            "{what} turned {shape:?} {i}: {} {}",
            got[i],
            want[i]
        );
    }
}

#[test]
fn stencils_of_all_kinds() {
    let Some(device) = device() else { return };
    let stream = device.stream().unwrap();
    let gpu: Arc<dyn Executor> = Arc::new(Gpu::new(stream.clone()).unwrap());
    let all = |stencil: &Stencil, shape: &[usize], what: &str| {
        let started = std::time::Instant::now();
        check_stencil::<f32>(
            &gpu,
            stencil,
            shape,
            |v| v.re as f32,
            |v| Complex64::new(v as f64, 0.0),
            what,
        );
        eprintln!("{what} {shape:?} {:?}", started.elapsed());
    };
    for shape in [vec![64, 64], vec![37, 53], vec![3, 5], vec![1, 9], vec![100, 1], vec![2, 2]] {
        for axis in 0..2 {
            let n = shape[axis];
            all(&Stencil::along(axis, derivative(n)).unwrap(), &shape, "derivative");
            all(&Stencil::along(axis, filter(n, 2, 3)).unwrap(), &shape, "filter");
        }
        let both = Stencil::new([(0, derivative(shape[0])), (1, filter(shape[1], 1, 1))]).unwrap();
        all(&both, &shape, "both");
        all(&both.adjoint(), &shape, "adjoint");
    }
    for axis in 0..3 {
        let shape = [20, 24, 28];
        all(&Stencil::along(axis, derivative(shape[axis])).unwrap(), &shape, "3d");
    }
    let shape = [20, 24, 28];
    let three =
        (0..3).map(|axis| (axis, derivative(shape[axis]).after(&derivative(shape[axis])).unwrap()));
    all(&Stencil::new(three).unwrap(), &shape, "laplacian 3d");
    for axis in 0..2 {
        all(&Stencil::along(axis, filter(200, 10, 11)).unwrap(), &[200, 200], "22 taps");
        all(&Stencil::along(axis, filter(200, 50, 40)).unwrap(), &[200, 200], "91 taps");
        all(
            &Stencil::along(axis, Band::uniform(200, [(-90, 1.0), (100, 2.0)])).unwrap(),
            &[200, 200],
            "far taps",
        );
        let long = filter(100, 45, 45).after(&derivative(100)).unwrap();
        all(&Stencil::along(axis, long).unwrap(), &[100, 100], "long product");
        let long = filter(150, 70, 70).after(&derivative(150)).unwrap();
        all(&Stencil::along(axis, long).unwrap(), &[150, 150], "very long product");
    }
    all(&Stencil::new([]).unwrap(), &[5, 6], "nothing");
    let complex = Band::uniform_complex(
        31,
        [(-1, Complex64::new(0.5, 1.0)), (2, Complex64::new(-0.5, 0.25))],
    );
    for axis in 0..2 {
        let real = Stencil::along(axis, derivative(31)).unwrap();
        let complex = Stencil::along(axis, complex.after(&derivative(31)).unwrap()).unwrap();
        check_stencil::<f64>(&gpu, &real, &[31, 31], |v| v.re, Complex64::from, "f64");
        check_stencil::<Complex64>(&gpu, &real, &[31, 31], |v| v, |v| v, "c128 real");
        check_stencil::<Complex64>(&gpu, &complex, &[31, 31], |v| v, |v| v, "c128");
        let narrow = |v: Complex64| Complex32::new(v.re as f32, v.im as f32);
        let wide = |v: Complex32| Complex64::new(v.re.into(), v.im.into());
        check_stencil::<Complex32>(&gpu, &real, &[31, 31], narrow, wide, "c64 real");
        check_stencil::<Complex32>(&gpu, &complex, &[31, 31], narrow, wide, "c64");
    }
}
