//! A network of torch whose output goes through an operator and back into torch, without a copy.
//!
//! ```text
//! cargo run --features torch --example torch_operator -- --device cpu
//! ```
//!
//! Building needs libtorch 2.11: set `LIBTORCH` to its folder, and `LD_LIBRARY_PATH` to the `lib` in it. The
//! network smooths a picture; the operator takes its derivative, and by its adjoint the gradient of the energy
//! `½ ‖D f(x)‖²` goes back through the network. Both are compared with what torch finds alone.

mod handover;
mod network;

use std::process::ExitCode;

use arrayspan::prelude::*;
use arrayspan::torch::tch::{Kind, Tensor};
use arrayspan::torch::{self, TorchOptions};
use clap::Parser;

use network::Network;

/// A network whose output goes through an operator.
#[derive(Debug, Parser)]
#[command(name = "torch_operator")]
struct Arguments {
    /// Where to compute: cpu or cuda:N
    #[arg(long, default_value = "cpu")]
    device: Device,
    /// Rows and columns of the picture
    #[arg(long, default_value_t = 512)]
    size: usize,
}

/// In single precision, and with another order of summation.
const TOLERANCE: f64 = 1e-4;

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(difference) if difference < TOLERANCE => ExitCode::SUCCESS,
        Ok(difference) => {
            eprintln!("error: results differ by {difference:.1e}, more than {TOLERANCE:.1e}");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// How much the results differ at most from those of torch alone.
fn run(arguments: &Arguments) -> Result<f64> {
    handover::hand_over()?;
    let Arguments { device, size } = *arguments;
    let options = TorchOptions::default();
    // Brings CUDA into the program where it is asked for.
    let on = torch::device(device)?;
    let network = Network::new(on);
    let picture = Tensor::randn([1, 1, size as i64, size as i64], (Kind::Float, on));
    println!("computing on {device}: {}", device.info().name);

    // Out of torch: without gradients, so that the output is nobody else's.
    let output = network.without_gradients(&picture);
    let (output, crossing) = torch::import(output, options)?;
    println!("the network's output became an array: {crossing}");

    // Neither library waits for the other: their streams do.
    let space = Space::new([size, size], DType::Float32)?;
    let derivative = FirstDerivative::new(space, 0, 1.0, Scheme::Centered3, Edge::Zero)?;
    let slope = derivative.forward(&output)?;
    let gradient = derivative.adjoint(&slope)?;

    // Back into torch.
    let (slope, crossing) = torch::export(slope, options)?;
    println!("the derivative became a tensor: {crossing}");
    let (gradient, crossing) = torch::export(gradient, options)?;
    println!("the gradient became a tensor: {crossing}");
    let (output, crossing) = torch::export(output, options)?;
    println!("the output became the tensor it was: {crossing}");

    let alone = network::derivative(&output);
    let forward = difference(&slope, &alone);
    println!("the derivative differs from torch's by {forward:.1e}");
    let ours =
        network.parameter_gradients(|| (network.forward(&picture) * &gradient).sum(Kind::Float));
    let theirs = network.parameter_gradients(|| {
        network::derivative(&network.forward(&picture)).square().sum(Kind::Float) * 0.5
    });
    let backward = ours.iter().zip(&theirs).map(|(one, other)| difference(one, other));
    let backward = backward.fold(0.0, largest);
    println!("the parameters' gradients differ from torch's by {backward:.1e}");
    Ok(largest(forward, backward))
}

/// The larger, or what is no number.
fn largest(one: f64, other: f64) -> f64 {
    if one.is_nan() || one > other { one } else { other }
}

/// The largest difference, as a fraction of the largest value.
fn difference(one: &Tensor, other: &Tensor) -> f64 {
    let size = |tensor: &Tensor| tensor.abs().max().double_value(&[]);
    size(&(one - other)) / size(other).max(f64::MIN_POSITIVE)
}
