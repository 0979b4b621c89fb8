//! A blurred and noisy picture made sharp again, on any device, by a least-squares problem and by total variation.
//!
//! ```text
//! cargo run --release --example deblurring -- --image core_sample.png
//! ```

#[path = "../tv_denoising/picture.rs"]
mod picture;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use arrayspan::prelude::*;
use arrayspan::solvers::least_squares::regularized;
use arrayspan::solvers::sparse::{Shrunk, SplitBregman};
use clap::Parser;
use ndarray::{Array2, Axis, concatenate};
use picture::{generated, noise, ratio, read, write};

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

/// Any failure, for one line on the screen.
type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    for (name, value) in [("--blur", arguments.blur), ("--variation", arguments.variation)] {
        if !(value.is_finite() && value > 0.0) {
            return Err(format!("{name} {value}: must be a number greater than 0").into());
        }
    }
    if !(arguments.noise.is_finite() && arguments.noise >= 0.0) {
        return Err(format!("--noise {}: must be a number of at least 0", arguments.noise).into());
    }
    let device = match &arguments.device {
        Some(name) => name.parse().map_err(|error| format!("--device {name}: {error}"))?,
        None => Device::best(),
    };
    println!("computing on {device}: {}", device.info().name);
    let truth = match &arguments.image {
        Some(path) => read(path).map_err(|why| format!("--image {}: {why}", path.display()))?,
        None => generated(),
    };
    let space = Space::new(truth.shape(), DType::Float32)?;
    let a = blur(&space, arguments.blur)?;
    let (model, _) = Array::from(truth.mapv(|value| value as f32)).into_device(device)?;
    let blurred = host(&a.forward(&model)?)? + noise(truth.dim(), arguments.noise, arguments.seed);
    let (y, _) = Array::from(blurred.mapv(|value| value as f32)).into_device(device)?;

    println!("{:>16}: peak signal to noise ratio {:.2} dB", "blurred", ratio(&truth, &blurred));
    let begin = Instant::now();
    let found = least_squares(&a, &y, arguments.smooth)?;
    report("least squares", &truth, &found, begin);
    let begin = Instant::now();
    let sharp = total_variation(&a, &y, arguments.variation)?;
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

/// `min ‖y - A x‖² + smooth² ‖∇² x‖²`
fn least_squares(a: &Operator, y: &Array, smooth: f64) -> Result<Array2<f64>, Failure> {
    let axes = [0, 1].map(|axis| Along { axis, step: 1.0, weight: 1.0 });
    let bend = Laplacian::new(a.domain().clone(), &axes, Scheme::Centered3, Edge::Zero)?;
    let problem = regularized(a, y, &[(smooth, &bend, None)])?;
    let stop = Stop { residual: 1e-4, gradient: 1e-4, ..Stop::after(200) };
    host(&problem.solve(&Cgls { stop, ..Cgls::default() })?.x)
}

/// `min ½ ‖y - A x‖² + weight TV(x)`
fn total_variation(a: &Operator, y: &Array, weight: f64) -> Result<Array2<f64>, Failure> {
    let operator = Gradient::new(a.domain().clone(), &[1.0, 1.0], Scheme::Forward, Edge::Zero)?;
    // The square of its weight is that of the norm. What is small takes small steps; `mu` beside it sets their size.
    let edges = Shrunk { operator, weight: weight.sqrt(), isotropic: true };
    let stop = Stop { residual: 1e-4, gradient: 1e-3, ..Stop::after(20) };
    let solver = SplitBregman {
        l1: vec![edges],
        iterations: 60,
        inner: 1,
        tolerance: 1e-4,
        least_squares: Lsqr { stop, ..Lsqr::default() },
        ..SplitBregman::default()
    };
    host(&solver.solve(a, y)?.x)
}

fn host(x: &Array) -> Result<Array2<f64>, Failure> {
    let shape = (x.shape()[0], x.shape()[1]);
    let numbers = x.to_vec::<f32>()?.into_iter().map(f64::from).collect();
    Ok(Array2::from_shape_vec(shape, numbers)?)
}

fn report(name: &str, truth: &Array2<f64>, found: &Array2<f64>, begin: Instant) {
    let (ratio, time) = (ratio(truth, found), begin.elapsed());
    println!("{name:>16}: peak signal to noise ratio {ratio:.2} dB, {time:.1?}");
}
