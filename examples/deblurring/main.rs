//! A blurred and noisy picture made sharp again, on any device, by a least-squares problem and by total variation.
//!
//! ```text
//! cargo run --release --example deblurring -- --image core_sample.png
//! ```

#[path = "../common/mod.rs"]
mod common;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use arrayspan::prelude::*;
use clap::Parser;
use common::picture::{given, noise, ratio, write};
use common::{Failure, least_squares, report};
use ndarray::{Axis, concatenate};

/// Deblurring of a grey picture.
#[derive(Debug, Parser)]
#[command(name = "deblurring")]
struct Arguments {
    /// Where to compute: cpu, cuda:N or opencl:N [default: the best device found]
    #[arg(long)]
    device: Option<String>,
    /// The picture, of which the brightness counts: FILE.png [default: a generated one]
    #[arg(long, value_name = "FILE")]
    image: Option<PathBuf>,
    /// Standard deviation of the blur, in pixels
    #[arg(long, default_value_t = 2.0, allow_negative_numbers = true)]
    blur: f64,
    /// Standard deviation of the noise that is added, beside a white of 1
    #[arg(long, default_value_t = 0.01, allow_negative_numbers = true)]
    noise: f64,
    /// Weight of the Laplacian, in the least-squares problem
    #[arg(long, default_value_t = 0.1, allow_negative_numbers = true)]
    smooth: f64,
    /// Weight of the total variation
    #[arg(long, default_value_t = 0.001, allow_negative_numbers = true)]
    variation: f64,
    /// Seed of the noise
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Where the picture goes: the true one, the blurred one, what least squares and total variation make of it
    #[arg(long, default_value = "out/deblurring.png", value_name = "FILE")]
    out: PathBuf,
}

fn main() -> ExitCode {
    common::ended(run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    common::expect_positive("--blur", arguments.blur)?;
    common::expect_positive("--variation", arguments.variation)?;
    common::expect_not_negative("--noise", arguments.noise)?;
    let device = common::device(arguments.device.as_deref())?;
    let truth = given(arguments.image.as_deref())?;
    let space = Space::new(truth.shape(), DType::Float32)?;
    let a = blur(&space, arguments.blur)?;
    let model = common::on(device, &truth)?;
    let noise = noise(truth.dim(), arguments.noise, arguments.seed);
    let blurred = common::host(&a.forward(&model)?)? + noise;
    let y = common::on(device, &blurred)?;

    println!("{:>16}: peak signal to noise ratio {:.2} dB", "blurred", ratio(&truth, &blurred));
    let begin = Instant::now();
    let found = least_squares::smooth(&a, &y, arguments.smooth)?;
    report("least squares", &truth, &found, begin);
    let begin = Instant::now();
    let sharp = least_squares::total_variation(&a, &y, arguments.variation)?;
    report("total variation", &truth, &sharp, begin);
    let pictures = [truth.view(), blurred.view(), found.view(), sharp.view()];
    write(&arguments.out, &concatenate(Axis(1), &pictures)?)?;
    println!("wrote {}", arguments.out.display());
    Ok(())
}

/// A Gaussian along both axes, cut at four times its standard deviation or at the size of the picture.
fn blur(space: &Space, deviation: f64) -> Result<Operator, Failure> {
    let mut whole = Identity::new(space.clone())?;
    for (axis, &extent) in (0_isize..).zip(space.shape()) {
        let half = ((4.0 * deviation).ceil() as usize).min(extent.saturating_sub(1) / 2);
        let weight = |k: usize| (-0.5 * ((k as f64 - half as f64) / deviation).powi(2)).exp();
        let taps: Vec<f64> = (0..=2 * half).map(weight).collect();
        let sum: f64 = taps.iter().sum();
        let taps: Vec<f64> = taps.iter().map(|tap| tap / sum).collect();
        // What is next to nothing beside the others would be no number of the dtype.
        let kept: Vec<f64> = taps.iter().map(|&tap| if tap < 1e-12 { 0.0 } else { tap }).collect();
        whole = Convolve1D::new(space.clone(), axis, &kept, half)?.after(&whole).build()?;
    }
    Ok(whole)
}
