//! How long a hand-over between torch and arrayspan takes, on the CPU and on the first CUDA device if there is one:
//! `cargo bench -p arrayspan-bridge --features torch --bench handover_torch`.
//!
//! Prints CSV, in nanoseconds: the median over batches, of which each hands over many different tensors or arrays. They
//! are made before and dropped after the clock runs.

use std::hint::black_box;
use std::time::Instant;

use arrayspan_bridge::devices::{Device, drain};
use arrayspan_bridge::torch::{self, TorchOptions, export, import, tch};
use arrayspan_bridge::{Array, DType, Result};
use tch::{Kind, Tensor};

const BATCH: usize = 1000;
const BATCHES: usize = 101;
const LEN: usize = 64;

fn main() -> Result<()> {
    println!("name,device,median_ns");
    // First of all, since torch looks for CUDA once.
    if let Err(error) = torch::load_cuda() {
        eprintln!("skipped: {error}");
    }
    for device in [Some(Device::cpu()), Device::cuda(0).ok()].into_iter().flatten() {
        let Ok(on) = torch::device(device) else { continue };
        let tensor = || Ok(Tensor::zeros([LEN as i64], (Kind::Float, on)));
        let array = || Array::empty([LEN], DType::Float32, &device.stream()?);
        let options = TorchOptions::default();
        report("torch to array", device, tensor, |tensor| Ok(import(tensor, options)?.0))?;
        report("array to torch", device, array, |array| Ok(export(array, options)?.0))?;
        let back = || Ok(import(tensor()?, options)?.0);
        report("array to the tensor it was", device, back, |array| Ok(export(array, options)?.0))?;
    }
    Ok(())
}

/// Times `hand_over` alone.
fn report<T, U>(
    name: &str,
    device: Device,
    make: impl Fn() -> Result<T>,
    hand_over: impl Fn(T) -> Result<U>,
) -> Result<()> {
    let mut times = Vec::with_capacity(BATCHES);
    for _ in 0..BATCHES {
        let given: Vec<T> = (0..BATCH).map(|_| make()).collect::<Result<_>>()?;
        device.stream()?.synchronize()?;
        let mut taken = Vec::with_capacity(BATCH);
        let clock = Instant::now();
        for one in given {
            taken.push(hand_over(one)?);
        }
        times.push(clock.elapsed().as_secs_f64() * 1e9 / BATCH as f64);
        drop(black_box(taken));
        drain();
    }
    times.sort_by(f64::total_cmp);
    println!("{name},{device},{:.0}", times[BATCHES / 2]);
    Ok(())
}
