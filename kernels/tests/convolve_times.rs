//! How long dense convolutions take, with some results compared with the host's. Prints a table.
//!
//! ```sh
//! cargo test --release -p arrayspan-kernels --test convolve_times -- --ignored --nocapture
//! ```

#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod times;

use arrayspan_kernels::bridge::devices::Device;
use arrayspan_kernels::bridge::{Array, DType, Relayout, Transfer};
use arrayspan_kernels::{Convolution, Update, on};
use num_complex::Complex64;
use times::milliseconds;

/// Pseudo-random numbers around zero (a linear congruence: Knuth).
fn numbers(count: usize) -> impl Iterator<Item = f64> {
    let mut state = 1_u64;
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 40) as f64 / f64::from(1 << 24) - 0.5
    })
    .take(count)
}

fn random(shape: &[usize], dtype: DType) -> Array {
    let len = shape.iter().product();
    match dtype {
        DType::Float32 => Array::from_vec(numbers(len).map(|x| x as f32).collect(), shape),
        DType::Float64 => Array::from_vec(numbers(len).collect(), shape),
        _ => {
            let parts = numbers(len).map(|x| num_complex::Complex32::new(x as f32, -x as f32));
            Array::from_vec(parts.collect(), shape)
        }
    }
    .unwrap()
}

/// The first planes of the host's results beside those of the device: the largest difference.
fn difference(own: &Convolution, x: &Array, y: &Array, planes: usize) -> f64 {
    let cpu = on(Device::cpu()).unwrap();
    let part = x.view().sliced(0, 0, planes + own.extents()[0]).unwrap();
    let mut expected = cpu.empty(part.shape(), x.dtype()).unwrap();
    cpu.convolve(own, part, expected.view_mut(), Update::set()).unwrap();
    let parts = |array: &Array| -> Vec<f64> {
        match array.dtype() {
            DType::Float32 => array.to_vec::<f32>().unwrap().into_iter().map(f64::from).collect(),
            DType::Float64 => array.to_vec::<f64>().unwrap(),
            _ => {
                let all = array.to_vec::<num_complex::Complex32>().unwrap();
                all.into_iter().flat_map(|z| [z.re.into(), z.im.into()]).collect()
            }
        }
    };
    let count = planes * x.shape()[1..].iter().product::<usize>();
    let pairs = parts(&expected).into_iter().zip(parts(y)).take(count);
    pairs.fold(0.0, |most, (a, b)| if (a - b).abs() <= most { most } else { (a - b).abs() })
}

#[test]
#[ignore = "a measurement"]
fn convolutions() {
    let (device, calls) = match Device::cuda(0) {
        Ok(device) => (device, 10),
        Err(_) => (Device::cpu(), 1),
    };
    let scale = if device.is_cpu() { 4 } else { 1 };
    let on = on(device).unwrap();
    let cases: [(&[usize], &[usize]); 6] = [
        (&[8000 / scale, 8000 / scale], &[3, 3]),
        (&[8000 / scale, 8000 / scale], &[15, 15]),
        (&[7919 / scale, 8191 / scale], &[15, 15]),
        (&[400 / scale; 3], &[7, 7, 7]),
        (&[257 / scale, 389 / scale, 641 / scale], &[5, 5, 5]),
        (&[1000, 1000], &[31, 31]),
    ];
    println!("{device}: milliseconds, and the largest difference from the host");
    for dtype in [DType::Float32, DType::Float64, DType::Complex64] {
        for (shape, extents) in cases {
            let taps: Vec<Complex64> =
                numbers(extents.iter().product()).map(Complex64::from).collect();
            let offsets: Vec<usize> = extents.iter().map(|extent| extent / 2).collect();
            let axes: Vec<usize> = (0..shape.len()).collect();
            let own = Convolution::new(&axes, extents, &taps, &offsets).unwrap();
            let host = random(shape, dtype);
            let mut y = on.empty(shape, dtype).unwrap();
            let mut x = on.empty(shape, dtype).unwrap();
            x.bytes_mut().unwrap().copy_from(&host.bytes().unwrap(), on.stream()).unwrap();
            let time = milliseconds(&*on, calls, &mut || {
                on.convolve(&own, x.view(), y.view_mut(), Update::set()).unwrap();
            });
            let (y, _) =
                y.into_device_with(Device::cpu(), Transfer::CopyIfNeeded, on.stream()).unwrap();
            let planes = if shape.len() == 2 { 20 } else { 5 };
            let apart = difference(&own, &host, &y, planes);
            println!("{dtype} {shape:?} {extents:?}  {time:.4} ms  {apart:.1e}");
            let bound = if dtype == DType::Float64 { 1e-12 } else { 1e-4 };
            assert!(apart <= bound, "results are {apart} apart");
        }
    }
}
