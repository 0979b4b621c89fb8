//! An image from a few projections, on any device: back projection, least squares and total variation.
//!
//! ```text
//! cargo run --release --example tomography -- --image shepp_logan_phantom.npy
//! ```

#[path = "../common/mod.rs"]
mod common;
mod phantom;

use std::f64::consts::PI;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use arrayspan::prelude::*;
use clap::Parser;
use common::picture::{noise, ratio, write};
use common::{Failure, least_squares, report};
use ndarray::{Array2, Axis, concatenate};

/// Tomography of an image by parallel beams.
#[derive(Debug, Parser)]
#[command(name = "tomography")]
struct Arguments {
    /// Where to compute: cpu, cuda:N or opencl:N [default: the best device found]
    #[arg(long)]
    device: Option<String>,
    /// The image: FILE.npy of uint8 or float64 [default: a generated one]
    #[arg(long, value_name = "FILE")]
    image: Option<PathBuf>,
    /// Angles of projections, evenly over half a turn
    #[arg(long, default_value_t = 24)]
    angles: usize,
    /// Standard deviation of the noise that is added, beside the largest line integral
    #[arg(long, default_value_t = 0.002, allow_negative_numbers = true)]
    noise: f64,
    /// Weight of the Laplacian, in the least-squares problem
    #[arg(long, default_value_t = 0.1, allow_negative_numbers = true)]
    smooth: f64,
    /// Weight of the total variation
    #[arg(long, default_value_t = 0.0005, allow_negative_numbers = true)]
    variation: f64,
    /// Seed of the noise
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Where the picture goes: the true image, its back projection, what least squares and total variation make of it
    #[arg(long, default_value = "out/tomography.png", value_name = "FILE")]
    out: PathBuf,
}

fn main() -> ExitCode {
    common::ended(run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    common::expect_positive("--variation", arguments.variation)?;
    common::expect_not_negative("--noise", arguments.noise)?;
    let device = common::device(arguments.device.as_deref())?;
    let truth = match &arguments.image {
        Some(path) => phantom::read(path)?,
        None => phantom::generated(),
    };
    let a = projections(&truth, arguments.angles)?;
    let data = common::host(&a.forward(&common::on(device, &truth)?)?)?;
    let most = data.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    let data = &data + &noise(data.dim(), arguments.noise * most, arguments.seed);
    let y = common::on(device, &data)?;

    let begin = Instant::now();
    let smeared = common::host(&a.adjoint(&y)?)?;
    // The factor by which it is nearest to the image.
    let product = |a: &Array2<f64>, b: &Array2<f64>| (a * b).sum();
    let factor = product(&smeared, &truth) / product(&smeared, &smeared);
    let smeared = smeared * factor;
    report("back projection", &truth, &smeared, begin);
    let begin = Instant::now();
    let smooth = least_squares::smooth(&a, &y, arguments.smooth)?;
    report("least squares", &truth, &smooth, begin);
    let begin = Instant::now();
    let sharp = least_squares::total_variation(&a, &y, arguments.variation)?;
    report("total variation", &truth, &sharp, begin);
    println!("{} numbers from {}, {:.2} dB", truth.len(), data.len(), ratio(&truth, &sharp));
    let pictures = [truth.view(), smeared.view(), smooth.view(), sharp.view()];
    write(&arguments.out, &concatenate(Axis(1), &pictures)?)?;
    println!("wrote {}", arguments.out.display());
    Ok(())
}

/// Line integrals at angles that divide half a turn, by detectors from corner to corner. Divided by about its norm, so that
/// weights mean the same for all sizes.
fn projections(image: &Array2<f64>, angles: usize) -> Result<Operator, Failure> {
    let (height, width) = image.dim();
    let detectors = (height as f64).hypot(width as f64).ceil() as usize;
    let turns: Vec<f64> = (0..angles).map(|k| k as f64 * PI / angles as f64).collect();
    let space = Space::new([height, width], DType::Float32)?;
    let whole = CT2D::new(space, detectors, 1.0, &turns, BeamGeometry::Parallel)?;
    let norm = (detectors as f64 * angles as f64).sqrt();
    Ok((1.0 / norm * whole).build()?)
}
