//! What an operator costs as a function of tensors, beside what it costs as a function of arrays:
//! `cargo bench --features torch --bench torch_calls -- cuda:0`.
//!
//! Prints CSV: microseconds of one call, the median over 7 batches of back-to-back calls, the device waited for once at the end
//! of a batch. `array` is `forward` of an array, `no_grad` the same of a tensor, `recorded` of one that requires gradients,
//! `there_and_back` with the gradient of the sum.

use std::time::Instant;

use arrayspan::prelude::*;
use arrayspan::torch::tch::{Kind, Tensor, no_grad};
use arrayspan::torch::{self, TorchOptions};

type Failure = Box<dyn std::error::Error>;

/// Microseconds of one call.
fn time(device: Device, calls: usize, mut call: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut batches = Vec::new();
    for batch in 0..8 {
        let begin = Instant::now();
        for _ in 0..calls {
            call()?;
        }
        device.synchronize()?;
        // The first one builds kernels.
        if batch > 0 {
            batches.push(begin.elapsed().as_secs_f64() * 1e6 / calls as f64);
        }
    }
    batches.sort_by(f64::total_cmp);
    Ok(batches[batches.len() / 2])
}

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let device: Device = words.first().map_or("cpu", String::as_str).parse()?;
    let on = torch::device(device)?;
    println!("name,array_us,no_grad_us,recorded_us,there_and_back_us");
    for (name, batch, shape, calls) in [
        ("first_derivative_1000", None, vec![1000], 5000),
        ("first_derivative_10x1000", Some(10), vec![1000], 5000),
        ("first_derivative_1000x1000", None, vec![1000, 1000], 100),
    ] {
        let space = Space::new(shape.clone(), DType::Float32)?;
        let slope = FirstDerivative::new(space, 0, 1.0, Scheme::Centered3, Edge::Zero)?;
        let function = slope.torch();
        let size: Vec<i64> =
            batch.iter().copied().chain(shape).map(|extent| extent as i64).collect();
        let x = Tensor::randn(size, (Kind::Float, on));
        let many = batch.map(|count| slope.lifted(Lift::Leading(count))).transpose()?;
        let operator = many.unwrap_or(slope);
        let (array, _) = torch::import(x.copy(), TorchOptions::default())?;
        let arrays = time(device, calls, || {
            operator.forward(&array)?;
            Ok(())
        })?;
        let x = x.set_requires_grad(true);
        let without = time(device, calls, || {
            let _ = no_grad(|| function.forward(&x))?;
            Ok(())
        })?;
        let recorded = time(device, calls, || {
            let _ = function.forward(&x)?;
            Ok(())
        })?;
        let both = time(device, calls, || {
            let sum = function.forward(&x)?.sum(Kind::Float);
            Tensor::run_backward(&[&sum], &[&x], false, false);
            Ok(())
        })?;
        println!("{name},{arrays:.2},{without:.2},{recorded:.2},{both:.2}");
    }
    Ok(())
}
