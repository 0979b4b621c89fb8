//! Total variation denoising of a picture, on any device: `min ½ ‖x - noisy‖² + weight TV(x)`, by three ways that agree.
//!
//! ```text
//! cargo run --release --example tv_denoising -- --image core_sample.png
//! ```

#[path = "../common/mod.rs"]
mod common;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use arrayspan::prelude::*;
use arrayspan::solvers::proximal::{
    Admm, ChambollePock, L21, Minimizer, Proximal, Split, SquaredL2, Steps, Tv,
};
use clap::Parser;
use common::Failure;
use common::picture::{given, noise, ratio, write};
use ndarray::{Array2, Axis, concatenate};

/// Total variation denoising of a grey picture: noise goes, edges stay.
#[derive(Debug, Parser)]
#[command(name = "tv_denoising")]
struct Arguments {
    /// Where to compute: cpu, cuda:N or opencl:N [default: the best device found]
    #[arg(long)]
    device: Option<String>,
    /// The picture, of which the brightness counts: FILE.png [default: a generated one]
    #[arg(long, value_name = "FILE")]
    image: Option<PathBuf>,
    /// Standard deviation of the noise that is added, beside a white of 1
    #[arg(long, default_value_t = 0.1, allow_negative_numbers = true)]
    noise: f64,
    /// Weight of the total variation
    #[arg(long, default_value_t = 0.12, allow_negative_numbers = true)]
    weight: f64,
    /// Seed of the noise
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Where the picture goes: the true one, the noisy one, the denoised one
    #[arg(long, default_value = "out/tv_denoising.png", value_name = "FILE")]
    out: PathBuf,
}

fn main() -> ExitCode {
    common::ended(run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    common::expect_not_negative("--noise", arguments.noise)?;
    let device = common::device(arguments.device.as_deref())?;
    let truth = given(arguments.image.as_deref())?;
    let noisy = &truth + &noise(truth.dim(), arguments.noise, arguments.seed);
    println!("peak signal to noise ratio: {:.2} dB before", ratio(&truth, &noisy));
    let found = denoised(&noisy, device, arguments.weight)?;
    let pictures = [truth.view(), noisy.view(), found.view()];
    write(&arguments.out, &concatenate(Axis(1), &pictures)?)?;
    println!("peak signal to noise ratio: {:.2} dB after", ratio(&truth, &found));
    println!("wrote {}", arguments.out.display());
    Ok(())
}

/// The denoised picture, by three ways.
fn denoised(noisy: &Array2<f64>, device: Device, weight: f64) -> Result<Array2<f64>, Failure> {
    let space = Space::new(noisy.shape(), DType::Float32)?;
    let (y, _) = Array::from(noisy.mapv(|value| value as f32)).into_device(device)?;
    let y = y.into_shared();
    let start = || y.view().compute();
    let a = Gradient::new(space.clone(), &[1.0, 1.0], Scheme::Forward, Edge::Zero)?;
    let (misfit, lengths) = (SquaredL2::new(1.0)?.target(y.clone()), L21::new(weight, 0)?);
    let problem = Split { f: &misfit, g: &lengths, a: Some(&a) };
    let stop = Stop { residual: 1e-4, gradient: 1e-4, ..Stop::after(1000) };
    let mut tv = Tv::new(space, weight)?;
    (tv.iterations, tv.tolerance) = (1000, 1e-3);

    let begin = Instant::now();
    let steps = Steps::StronglyConvex(1.0);
    let dual = ChambollePock { stop, steps, ..ChambollePock::default() };
    let solution = dual.solve(problem, start()?)?;
    report("Chambolle-Pock", Some(solution.iterations), begin.elapsed(), 0.0);

    let begin = Instant::now();
    let split = Admm { stop, rho: 2.0, ..Admm::default() }.solve(problem, start()?)?;
    let time = begin.elapsed();
    report("ADMM", Some(split.iterations), time, apart(&split.x, &solution.x)?);

    let begin = Instant::now();
    let projected = tv.proximal(&start()?, 1.0)?;
    report("gradient projection", None, begin.elapsed(), apart(&projected, &solution.x)?);
    let numbers = solution.x.to_vec::<f32>()?.into_iter().map(f64::from).collect();
    Ok(Array2::from_shape_vec(noisy.dim(), numbers)?)
}

/// The relative distance of two arrays.
fn apart(a: &Array, b: &Array) -> Result<f64, Failure> {
    Ok(((a - b).norm()?.item::<f64>()?) / b.norm()?.item::<f64>()?)
}

fn report(name: &str, iterations: Option<usize>, time: Duration, apart: f64) {
    let iterations = iterations.map(|n| format!("{n} iterations, ")).unwrap_or_default();
    println!("{name:>20}: {iterations}{time:.1?}, {apart:.1e} from the first one");
}
