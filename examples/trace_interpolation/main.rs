//! Missing traces of a seismic section, from those that there are, on any device: in small patches the section is a few plane waves.
//!
//! ```text
//! cargo run --release --example trace_interpolation -- --section sigmoid.npz
//! ```

#[path = "../common/mod.rs"]
mod common;
mod traces;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use arrayspan::prelude::*;
use clap::Parser;
use common::{Failure, section, sparse};
use num_complex::Complex;

/// Samples and traces of a patch; neighbours share half of them.
const PATCH: usize = 32;

/// Interpolation of missing traces by plane waves in patches: ‖data - R P Fᴴ x‖² + weight ‖x‖₁ by FISTA.
#[derive(Debug, Parser)]
#[command(name = "trace_interpolation")]
struct Arguments {
    /// Where to compute: cpu, cuda:N or opencl:N [default: the best device found]
    #[arg(long)]
    device: Option<String>,
    /// A section, traces along its first axis: FILE.npy, or the first array of FILE.npz, of float64 [default: a generated one]
    #[arg(long, value_name = "FILE")]
    section: Option<PathBuf>,
    /// The share of traces that is missing
    #[arg(long, default_value_t = 0.4, allow_negative_numbers = true)]
    missing: f64,
    /// Weight of the norm, as a share of the one at which nothing is left
    #[arg(long, default_value_t = 0.002, allow_negative_numbers = true)]
    weight: f64,
    /// FISTA iterations
    #[arg(long, default_value_t = 200)]
    iterations: usize,
    /// Seed of the choice of traces
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Where the picture goes: the true section, what there is of it, what is made of that
    #[arg(long, default_value = "out/trace_interpolation.png", value_name = "FILE")]
    out: PathBuf,
}

fn main() -> ExitCode {
    common::ended(run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    common::expect_positive("--weight", arguments.weight)?;
    if !(0.0..1.0).contains(&arguments.missing) {
        return Err(format!("--missing {}: must be from 0 to below 1", arguments.missing).into());
    }
    let device = common::device(arguments.device.as_deref())?;
    let truth = match &arguments.section {
        Some(path) => traces::read(path)?,
        None => traces::generated(),
    };
    let kept = traces::kept(truth.nrows(), arguments.missing, arguments.seed);
    let space = Space::new(truth.shape(), DType::Float32)?;
    let waves = plane_waves(&space)?;
    let restriction = Restriction::new(space, 0, &kept)?;
    let a = restriction.after(&waves).build()?;

    let y = restriction.forward(&common::on(device, &truth)?)?;
    let there = common::host(&restriction.adjoint(&y)?)?;
    println!("{} of {} traces are missing", truth.nrows() - kept.len(), truth.nrows());
    println!("{:>16}: signal to noise ratio {:.2} dB", "zeros", section::ratio(&truth, &there));
    let begin = Instant::now();
    // With more weight than this nothing is worth its norm.
    let waves_of_data = a.adjoint(&y)?.to_vec::<Complex<f32>>()?;
    let most = waves_of_data.iter().fold(0.0_f32, |most, wave| most.max(2.0 * wave.norm()));
    let weight = arguments.weight * f64::from(most);
    let model = sparse::model(&a, &y, weight, arguments.iterations)?;
    let found = common::host(&waves.forward(&model)?)?;
    let (ratio, time) = (section::ratio(&truth, &found), begin.elapsed());
    println!("{:>16}: signal to noise ratio {ratio:.2} dB, {time:.1?}", "plane waves");
    section::write(&arguments.out, &[&truth, &there, &found], section::loud(&truth))?;
    println!("wrote {}", arguments.out.display());
    Ok(())
}

/// From spectra of patches that overlap to a section of `space`: what lies in the last patches behind its ends is cut off.
fn plane_waves(space: &Space) -> Result<Operator, Failure> {
    let step = PATCH / 2;
    let covered = |extent: usize| (extent.max(PATCH) - step).div_ceil(step) * step + step;
    let shape = [covered(space.shape()[0]), covered(space.shape()[1])];
    let behind = [0, 1].map(|axis| (0, shape[axis] - space.shape()[axis]));
    let patch = Space::new([PATCH, PATCH], space.dtype())?;
    let axes = [FourierAxis::new(0), FourierAxis::new(1)];
    let fourier = FFT2D::new(patch, axes, Spectrum::Half, FourierNorm::Ortho)?;
    let windows = [Windows::new(PATCH, step); 2];
    let patches = Patch2D::new(adjoint(&fourier), shape, windows)?;
    Ok(adjoint(&Pad::new(space.clone(), &behind)?).after(patches).build()?)
}
