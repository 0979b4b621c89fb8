//! Noise taken out of a picture, on any device: its coefficients in wavelets are few and large, those of noise many and small.
//!
//! ```text
//! cargo run --release --example wavelet_denoising -- --image core_sample.png
//! ```

#[path = "../common/mod.rs"]
mod common;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use arrayspan::prelude::*;
use arrayspan::solvers::proximal::{L1, Proximal};
use clap::Parser;
use common::picture::{given, noise, ratio, write};
use common::{Failure, report};
use ndarray::{Array2, Axis, concatenate};

/// Wavelet denoising of a grey picture.
#[derive(Debug, Parser)]
#[command(name = "wavelet_denoising")]
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
    /// An orthogonal wavelet: haar, db4, sym8
    #[arg(long, default_value = "haar")]
    wavelet: String,
    /// Levels of the transform
    #[arg(long, default_value_t = 4)]
    levels: usize,
    /// What coefficients are made smaller by, in standard deviations of the noise
    #[arg(long, default_value_t = 1.2, allow_negative_numbers = true)]
    threshold: f64,
    /// Places along both axes that the picture is shifted to; the mean of all hides where wavelets begin
    #[arg(long, default_value_t = 4)]
    shifts: usize,
    /// Seed of the noise
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Where the picture goes: the true one, the noisy one, without and with shifts
    #[arg(long, default_value = "out/wavelet_denoising.png", value_name = "FILE")]
    out: PathBuf,
}

fn main() -> ExitCode {
    common::ended(run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    common::expect_not_negative("--noise", arguments.noise)?;
    common::expect_not_negative("--threshold", arguments.threshold)?;
    if arguments.shifts == 0 {
        return Err("--shifts 0: must be a number greater than 0".into());
    }
    let device = common::device(arguments.device.as_deref())?;
    let truth = given(arguments.image.as_deref())?;
    let noisy = &truth + &noise(truth.dim(), arguments.noise, arguments.seed);
    println!("{:>16}: peak signal to noise ratio {:.2} dB", "noisy", ratio(&truth, &noisy));
    let mut pictures = vec![truth.clone(), noisy.clone()];
    for (name, shifts) in [("one transform", 1), ("shifted", arguments.shifts)] {
        let begin = Instant::now();
        let found = denoised(&noisy, device, arguments, shifts)?;
        report(name, &truth, &found, begin);
        pictures.push(found);
    }
    let views: Vec<_> = pictures.iter().map(|picture| picture.view()).collect();
    write(&arguments.out, &concatenate(Axis(1), &views)?)?;
    println!("wrote {}", arguments.out.display());
    Ok(())
}

/// The mean over shifts of pictures whose coefficients are thresholded.
fn denoised(
    noisy: &Array2<f64>,
    device: Device,
    arguments: &Arguments,
    shifts: usize,
) -> Result<Array2<f64>, Failure> {
    let space = Space::new(noisy.shape(), DType::Float32)?;
    let wavelet = Wavelet::named(&arguments.wavelet)?;
    if !wavelet.is_orthogonal() {
        let name = &arguments.wavelet;
        return Err(format!(
            "--wavelet {name}: coefficients of noise are alike in orthogonal ones alone"
        )
        .into());
    }
    let analysis = DWT2D::new(space.clone(), [0, 1], &wavelet, arguments.levels)?;
    let threshold = L1::new(1.0)?;
    let step = arguments.threshold * arguments.noise;
    let x = common::on(device, noisy)?;
    let mut sum = Array2::zeros(noisy.dim());
    for at in 0..shifts * shifts {
        let [down, right] = [at / shifts, at % shifts].map(|places| places as isize);
        let shift = Roll::new(space.clone(), 1, right)?.after(Roll::new(space.clone(), 0, down)?);
        let transform = analysis.after(shift).build()?;
        let coefficients = threshold.proximal(&transform.forward(&x)?, step)?;
        sum = sum + common::host(&transform.adjoint(&coefficients)?)?;
    }
    Ok(sum / (shifts * shifts) as f64)
}
