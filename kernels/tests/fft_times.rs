//! How long Fourier transforms take by our own kernels and by cuFFT: what the choice between them rests on. Prints a table, and fails
//! never.
//!
//! ```sh
//! cargo test --release -p arrayspan-kernels --test fft_times -- --ignored --nocapture
//! ```

#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

use std::time::Instant;

use arrayspan_kernels::bridge::DType;
use arrayspan_kernels::bridge::devices::{Device, DeviceKind};
use arrayspan_kernels::{Executor, Fourier, Gpu, Transforms, Update};

/// Calls that are timed together, and how often.
const CALLS: usize = 10;
const TIMES: usize = 5;

/// Milliseconds of a call, the least of several times.
fn milliseconds(gpu: &Gpu, fourier: &Fourier, shape: &[usize], dtype: DType) -> f64 {
    let executor: &dyn Executor = gpu;
    let mut domain = shape.to_vec();
    domain[fourier.axis()] = fourier.extents()[0];
    let range = fourier.range_of(&domain).unwrap();
    let [of_x, of_y] = fourier.dtypes(dtype);
    let mut x = executor.empty(&domain, of_x).unwrap();
    executor.map(&arrayspan_kernels::constant(1.0), &[], x.view_mut()).unwrap();
    let mut y = executor.empty(&range, of_y).unwrap();
    let mut call = || executor.fft(fourier, x.view(), y.view_mut(), Update::set()).unwrap();
    (0..3).for_each(|_| call());
    executor.stream().synchronize().unwrap();
    let mut least = f64::INFINITY;
    for _ in 0..TIMES {
        let begin = Instant::now();
        (0..CALLS).for_each(|_| call());
        executor.stream().synchronize().unwrap();
        least = least.min(begin.elapsed().as_secs_f64() * 1e3 / CALLS as f64);
    }
    least
}

/// As operators have them: orthonormal.
fn orthonormal(fourier: Fourier) -> Fourier {
    let fourier = fourier.scaled(1.0 / (fourier.points() as f64).sqrt()).unwrap();
    fourier.weighted(2.0_f64.sqrt()).unwrap_or(fourier)
}

#[test]
#[ignore = "a measurement"]
fn own_kernels_beside_the_library() {
    let Ok(device) = Device::cuda(0) else {
        println!("skipped: no CUDA device");
        return;
    };
    let executor =
        |by: Transforms| Gpu::new(device.new_stream().unwrap()).unwrap().transforming(by);
    let all = [Transforms::Own, Transforms::Library, Transforms::Either].map(executor);
    let shapes: [(&[usize], usize); 23] = [
        (&[2048, 32_768], 1),
        (&[1024, 65_536], 1),
        (&[640, 100_000], 1),
        (&[40_000, 1000], 0),
        (&[64, 1 << 20], 1),
        (&[1000, 1000], 1),
        (&[1000, 1000], 0),
        (&[2000, 2000], 1),
        (&[2000, 2000], 0),
        (&[4000, 4000], 1),
        (&[4000, 4000], 0),
        (&[8000, 8000], 1),
        (&[8000, 8000], 0),
        (&[7919, 8191], 1),
        (&[7919, 8191], 0),
        (&[1000, 1021], 1),
        (&[1 << 20, 64], 1),
        (&[100_000, 512], 1),
        (&[200, 200, 200], 2),
        (&[400, 400, 400], 2),
        (&[400, 400, 400], 1),
        (&[400, 400, 400], 0),
        (&[8, 4000, 2000], 1),
    ];
    println!("{:>20} {:>4} {:>24}  own, library, chosen (ms; there / back)", "shape", "axis", "");
    for (shape, axis) in shapes {
        let fourier = Fourier::new(axis, shape[axis]).unwrap();
        let kinds = [
            ("half, Float32", orthonormal(fourier.half()), DType::Float32),
            ("complex, Float32", orthonormal(fourier), DType::Complex64),
            ("complex, unscaled", fourier, DType::Complex64),
            ("half, Float64", orthonormal(fourier.half()), DType::Float64),
        ];
        for (name, fourier, dtype) in kinds {
            let of = |gpu: &Gpu| {
                let times = [fourier, fourier.adjoint()]
                    .map(|fourier| milliseconds(gpu, &fourier, shape, dtype));
                format!("{:.3}/{:.3}", times[0], times[1])
            };
            let [own, library, chosen] = all.each_ref().map(of);
            println!(
                "{:>20} {axis:>4} {name:>24}  {own}  {library}  {chosen}",
                format!("{shape:?}")
            );
        }
    }
}

/// Complex numbers of a table's arrays: many times what caches hold.
const ELEMENTS: usize = 1 << 25;

#[test]
#[ignore = "a measurement"]
fn opencl_beside_the_library() {
    let (Ok(device), Some(other)) = (Device::cuda(0), nvidia_opencl()) else {
        println!("skipped: no CUDA device, or none of NVIDIA's OpenCL");
        return;
    };
    let cuda = Gpu::new(device.new_stream().unwrap()).unwrap();
    let cuda = cuda.transforming(Transforms::Library);
    let opencl = Gpu::new(other.new_stream().unwrap()).unwrap();
    let mut lengths: Vec<usize> = vec![5, 6, 7, 9, 10, 12, 14, 15, 18, 20, 21, 24, 25, 27, 28, 30];
    lengths.extend([36, 40, 45, 48, 50, 54, 60, 72, 75, 81, 90, 100, 125, 144, 225, 525, 675, 729]);
    lengths.extend([64, 105, 128, 210, 243, 343, 512, 625, 1000, 1024, 2000]);
    lengths.extend([2187, 2401, 3000, 3125, 4000, 4096, 5000, 6144, 8000, 8192, 10_000, 16_384]);
    lengths.extend([19_683, 32_768, 65_536, 100_000, 117_649, 262_144, 1 << 20]);
    if let Ok(chosen) = std::env::var("ARRAYSPAN_TEST_POINTS") {
        lengths = chosen.split(',').map(|points| points.parse().unwrap()).collect();
    }
    println!("{:>10}  OpenCL, cuFFT (ms; complex, real to half), ratios", "points");
    for points in lengths {
        let lines = (ELEMENTS / points).max(1);
        let fourier = Fourier::new(1, points).unwrap();
        let kinds = [(fourier, DType::Complex64), (fourier.half(), DType::Float32)];
        let cells = kinds.map(|(fourier, dtype)| {
            let times =
                [&opencl, &cuda].map(|gpu| milliseconds(gpu, &fourier, &[lines, points], dtype));
            format!("{:.3} {:.3} {:.2}", times[0], times[1], times[0] / times[1])
        });
        println!("{points:>10}  {}", cells.join("  |  "));
    }
}

/// The first device of NVIDIA's OpenCL.
fn nvidia_opencl() -> Option<Device> {
    let all = Device::all().into_iter();
    let mut found = all.filter(|device| device.kind() == DeviceKind::OpenCl);
    found.find(|device| device.info().name.contains("NVIDIA"))
}

/// Runs kernels of each kind once, for `compute-sanitizer`: lines in local memory, in registers and in several passes, near each other and
/// apart.
#[test]
#[ignore = "for compute-sanitizer"]
fn kernels_of_each_kind() {
    let Ok(device) = Device::cuda(0) else {
        println!("skipped: no CUDA device");
        return;
    };
    let gpu = Gpu::new(device.new_stream().unwrap()).unwrap().transforming(Transforms::Own);
    let executor: &dyn Executor = &gpu;
    for points in [6, 64, 105, 250, 625, 1024, 4000, 4096, 8000, 8191, 10_000, 16_384, 40_000] {
        for (axis, shape) in [(1, [3, points]), (0, [points, 5])] {
            let fourier = Fourier::new(axis, points).unwrap();
            let (half, dtype) = (orthonormal(fourier.half()), DType::Float32);
            let kinds = [(fourier, DType::Complex64), (half, dtype), (fourier.cosines(), dtype)];
            for (fourier, dtype) in kinds {
                for fourier in [fourier, fourier.adjoint(), fourier.turned([3, 2]).adjoint()] {
                    let mut domain = shape;
                    domain[axis] = fourier.extents()[0];
                    let [of_x, of_y] = fourier.dtypes(dtype);
                    let mut x = executor.empty(&domain, of_x).unwrap();
                    executor.map(&arrayspan_kernels::constant(1.0), &[], x.view_mut()).unwrap();
                    let range = fourier.range_of(&domain).unwrap();
                    let mut y = executor.empty(&range, of_y).unwrap();
                    executor.fft(&fourier, x.view(), y.view_mut(), Update::set()).unwrap();
                }
            }
        }
    }
    gpu.stream().synchronize().unwrap();
}
