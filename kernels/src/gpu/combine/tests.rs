//! Both ways of joining parts give the same, on every device that has both.

use std::io::Write as _;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType, Transfer};
use num_complex::Complex32;

use super::*;
use crate::{Executor, Expression, input};

/// Runs on every device that runs kernels, with executors that join parts in the same launch, where the device can, and
/// in a second one.
fn on_each(test: impl Fn(&[Gpu])) {
    let devices: Vec<Device> = Device::all().into_iter().filter(|d| !d.is_cpu()).collect();
    if devices.is_empty() {
        // A closed stderr is no reason to fail.
        let _ = writeln!(std::io::stderr(), "skipped: no device that runs kernels");
    }
    for device in devices {
        let gpu = || Gpu::new(device.new_stream().unwrap()).unwrap();
        let fenced = gpu();
        if !fenced.device_fence {
            let _ = writeln!(std::io::stderr(), "skipped: one launch on {device}, without fences");
        }
        let apart = Gpu { device_fence: false, ..gpu() };
        let both: Vec<Gpu> = [fenced].into_iter().filter(|gpu| gpu.device_fence).collect();
        test(&both.into_iter().chain([apart]).collect::<Vec<_>>());
    }
}

fn sent<T: arrayspan_bridge::Element>(gpu: &Gpu, values: &[T]) -> Array {
    let array = Array::from_vec(values.to_vec(), [values.len()]).unwrap();
    array.into_device_with(gpu.stream.device(), Transfer::CopyIfNeeded, &gpu.stream).unwrap().0
}

/// Pseudo-random numbers in [-1, 1).
fn numbers(len: usize) -> impl Iterator<Item = f32> {
    let mut state = 1_u32;
    (0..len).map(move |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    })
}

fn reduced<T: arrayspan_bridge::Element>(
    gpu: &Gpu,
    reduction: Reduction,
    expression: &Expression,
    x: &Array,
    dtype: DType,
) -> T {
    let executor: &dyn Executor = gpu;
    let mut out = executor.empty(&[], dtype).unwrap();
    let before = gpu.launches();
    executor.reduce(reduction, expression, &[x.view()], &[0], out.view_mut()).unwrap();
    assert_eq!(gpu.launches() - before, if gpu.device_fence { 1 } else { 2 });
    out.view().to_vec::<T>().unwrap()[0]
}

#[test]
fn both_ways_give_the_same_bits() {
    on_each(|gpus| {
        for len in [4097, 5003, 100_003, 1_000_003] {
            let x: Vec<f32> = numbers(len).collect();
            let exact: f64 = numbers(len).map(f64::from).sum();
            let most = numbers(len).fold(f32::NEG_INFINITY, f32::max);
            let least = numbers(len).fold(f32::INFINITY, f32::min);
            let found = |gpu: &Gpu| {
                let x = sent(gpu, &x);
                let of = |reduction| reduced::<f32>(gpu, reduction, &input(0), &x, DType::Float32);
                [Reduction::Sum, Reduction::Maximum, Reduction::Minimum].map(of)
            };
            let found: Vec<[f32; 3]> = gpus.iter().map(found).collect();
            for [sum, max, min] in &found {
                assert!((f64::from(*sum) - exact).abs() < 1e-3, "{sum}, {exact}");
                assert_eq!([max.to_bits(), min.to_bits()], [most.to_bits(), least.to_bits()]);
            }
            assert!(found.iter().all(|each| each.map(f32::to_bits) == found[0].map(f32::to_bits)));
        }
    });
}

#[test]
fn complex_and_wider_results_are_joined_apart_too() {
    on_each(|gpus| {
        const LEN: usize = 70_001;
        let pairs = numbers(LEN).zip(numbers(2 * LEN).skip(LEN));
        let values: Vec<_> = pairs.map(|(re, im)| Complex32::new(re, im)).collect();
        let wide = |value: f32| f64::from(value);
        let re: f64 = values.iter().map(|value| wide(value.re)).sum();
        let im: f64 = values.iter().map(|value| wide(value.im)).sum();
        let squares: f64 =
            values.iter().map(|v| wide(v.re) * wide(v.re) + wide(v.im) * wide(v.im)).sum();
        for gpu in gpus {
            let x = sent(gpu, &values);
            let sum: Complex32 = reduced(gpu, Reduction::Sum, &input(0), &x, DType::Complex64);
            assert!((wide(sum.re) - re).abs() < 1e-3 && (wide(sum.im) - im).abs() < 1e-3, "{sum}");
            if gpu.stream.device().info().float64 {
                let abs2 = input(0).abs2();
                let found: f64 = reduced(gpu, Reduction::Sum, &abs2, &x, DType::Float64);
                assert!((found - squares).abs() < 1e-9 * squares, "{found}, {squares}");
            }
        }
    });
}

/// The parts of one thread's result are no other's, though all use one executor.
#[test]
fn threads_share_an_executor_whose_parts_are_joined_apart() {
    on_each(|gpus| {
        const LEN: usize = 50_021;
        let gpu = gpus.last().unwrap();
        std::thread::scope(|scope| {
            for thread in 1..=4_u16 {
                scope.spawn(move || {
                    let value = f32::from(thread);
                    let x = sent(gpu, &vec![value; LEN]);
                    for _ in 0..20 {
                        let found: f32 = reduced_uncounted(gpu, &x);
                        assert!((f64::from(found) - f64::from(value) * LEN as f64).abs() < 0.02);
                    }
                });
            }
        });
        assert!(gpu.rooms.lock().len() <= 4);
    });
}

fn reduced_uncounted(gpu: &Gpu, x: &Array) -> f32 {
    let executor: &dyn Executor = gpu;
    let mut out = executor.empty(&[], DType::Float32).unwrap();
    executor.sum(&input(0), &[x.view()], out.view_mut()).unwrap();
    out.view().to_vec::<f32>().unwrap()[0]
}
