//! A network of torch whose output goes through an operator: gradients go back through both.
//!
//! ```text
//! cargo run --features torch --example torch_operator -- --device cpu
//! ```
//!
//! Building needs libtorch 2.11: set `LIBTORCH` to its folder, and `LD_LIBRARY_PATH` to the `lib` in it. The
//! network smooths pictures; the operator takes their derivative, as a layer like any other, and the gradients of the energy
//! `½ ‖D f(x)‖²` are compared with what torch finds alone.

mod handover;
mod network;

use std::process::ExitCode;

use arrayspan::prelude::*;
use arrayspan::torch;
use arrayspan::torch::tch::{Kind, Tensor};
use clap::Parser;

use network::Network;

/// A network whose output goes through an operator.
#[derive(Debug, Parser)]
#[command(name = "torch_operator")]
struct Arguments {
    /// Where to compute: cpu or cuda:N
    #[arg(long, default_value = "cpu")]
    device: Device,
    /// Rows and columns of the pictures
    #[arg(long, default_value_t = 512)]
    size: usize,
    /// How many pictures
    #[arg(long, default_value_t = 2)]
    batch: usize,
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
    let Arguments { device, size, batch } = *arguments;
    // Brings CUDA into the program where it is asked for.
    let on = torch::device(device)?;
    let network = Network::new(on);
    let pictures = Tensor::randn([batch as i64, 1, size as i64, size as i64], (Kind::Float, on));
    println!("computing on {device}: {}", device.info().name);

    // An operator of one picture, which takes any number of them as a function of tensors.
    let space = Space::new([size, size], DType::Float32)?;
    let derivative = FirstDerivative::new(space, 0, 1.0, Scheme::Centered3, Edge::Zero)?.torch();
    let output = network.forward(&pictures);
    let slope = derivative.forward(&output)?;
    let forward = difference(&slope, &network::derivative(&output));
    println!("the derivative differs from torch's by {forward:.1e}");

    // The way back is torch's: through the operator by its adjoint.
    let ours = network.gradients(&(slope.square().sum(Kind::Float) * 0.5));
    let output = network.forward(&pictures);
    let theirs = network.gradients(&(network::derivative(&output).square().sum(Kind::Float) * 0.5));
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
