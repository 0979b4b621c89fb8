//! Multiples taken out of a seismic gather, on any device: a sparse parabolic Radon transform tells them by their moveout.
//!
//! ```text
//! cargo run --release --example multiple_attenuation -- --gather mobil.npy --flat --cut 0.02
//! ```

#[path = "../common/mod.rs"]
mod common;
mod gather;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use arrayspan::prelude::*;
use clap::Parser;
use common::{Failure, file, section, sparse};
use ndarray::Array2;

use gather::Survey;

/// Attenuation of multiples: after the moveout of primaries is taken out, what still bends down is a multiple.
#[derive(Debug, Parser)]
#[command(name = "multiple_attenuation")]
struct Arguments {
    /// Where to compute: cpu, cuda:N or opencl:N [default: the best device found]
    #[arg(long)]
    device: Option<String>,
    /// A gather, an offset a row: FILE.npy of float32 or float64 [default: a generated one]
    #[arg(long, value_name = "FILE")]
    gather: Option<PathBuf>,
    /// The moveout of primaries has been taken out of the gather
    #[arg(long, requires = "gather")]
    flat: bool,
    /// Sampling interval in seconds
    #[arg(long, default_value_t = 0.004)]
    step: f64,
    /// The first offset, and from one to the next, in metres
    #[arg(long, value_delimiter = ',', default_values_t = [262.0, 50.0], allow_negative_numbers = true)]
    offsets: Vec<f64>,
    /// The velocity of primaries at time 0 in metres a second, and what it gains in each second
    #[arg(long, value_delimiter = ',', default_values_t = [1500.0, 350.0], allow_negative_numbers = true)]
    velocity: Vec<f64>,
    /// Multiples come so many seconds later at the farthest offset than primaries do
    #[arg(long, default_value_t = 0.06, allow_negative_numbers = true)]
    cut: f64,
    /// Weight of the norm, as a share of the one at which nothing is left
    #[arg(long, default_value_t = 0.01, allow_negative_numbers = true)]
    weight: f64,
    /// FISTA iterations
    #[arg(long, default_value_t = 100)]
    iterations: usize,
    /// Where the picture goes: the gather without moveout of primaries, its multiples, and what is left
    #[arg(long, default_value = "out/multiple_attenuation.png", value_name = "FILE")]
    out: PathBuf,
}

fn main() -> ExitCode {
    common::ended(run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    common::expect_positive("--step", arguments.step)?;
    common::expect_positive("--weight", arguments.weight)?;
    common::expect_positive("--cut", arguments.cut)?;
    let device = common::device(arguments.device.as_deref())?;
    let survey = Survey {
        step: arguments.step,
        offsets: pair("--offsets", &arguments.offsets)?,
        velocity: pair("--velocity", &arguments.velocity)?,
    };
    let (recorded, primaries) = match &arguments.gather {
        Some(path) => (file::numbers("--gather", path)?, None),
        None => survey.generated(),
    };
    let flat = if arguments.flat { recorded } else { survey.flattened(&recorded) };
    let truth = primaries.map(|primaries| survey.flattened(&primaries));

    let begin = Instant::now();
    let multiples = multiples(&flat, &survey, device, arguments)?;
    let left = &flat - &multiples;
    println!("multiples found in {:.1?}", begin.elapsed());
    let power = |section: &Array2<f64>| section.iter().map(|value| value * value).sum::<f64>();
    let share = 100.0 * power(&left) / power(&flat);
    println!("{share:.1} % of the power is left");
    if let Some(truth) = &truth {
        for (name, found) in [("with multiples", &flat), ("without", &left)] {
            let ratio = section::ratio(truth, found);
            println!("{name:>16}: signal to noise ratio of primaries {ratio:.2} dB");
        }
    }
    section::write(&arguments.out, &[&flat, &multiples, &left], section::loud(&flat))?;
    println!("wrote {}", arguments.out.display());
    Ok(())
}

/// Both numbers of an option.
fn pair(option: &str, numbers: &[f64]) -> Result<[f64; 2], Failure> {
    match numbers {
        [first, second] if first.is_finite() && second.is_finite() => Ok([*first, *second]),
        _ => Err(format!("{option}: two numbers are needed, as in {option} 1500,350").into()),
    }
}

/// The part of a gather that few parabolas of a moveout above the cut explain.
fn multiples(
    flat: &Array2<f64>,
    survey: &Survey,
    device: Device,
    arguments: &Arguments,
) -> Result<Array2<f64>, Failure> {
    const MOVEOUTS: usize = 121;
    // Seconds at the farthest offset, from what bends up a little to what bends down much.
    let moveouts: Vec<f64> = (0..MOVEOUTS).map(|k| -0.2 + 0.01 * k as f64).collect();
    let (offsets, samples) = flat.dim();
    let far = survey.farthest(offsets).max(f64::MIN_POSITIVE);
    let places: Vec<f64> = (0..offsets).map(|number| survey.offset(number) / far).collect();
    let space = Space::new([MOVEOUTS, samples], DType::Float32)?;
    let (kind, between) = (RadonKind::Parabolic, Interpolation::Linear);
    let a = Radon2D::new(space.clone(), survey.step, &moveouts, &places, kind, between)?;

    let y = common::on(device, flat)?;
    // With more weight than this nothing is worth its norm.
    let most = 2.0 * a.adjoint(&y)?.abs().max()?.item::<f64>()?;
    let found = sparse::model(&a, &y, arguments.weight * most, arguments.iterations)?;
    let bends: Vec<usize> = (0..MOVEOUTS).filter(|&k| moveouts[k] >= arguments.cut).collect();
    let kept = Restriction::new(space, 0, &bends)?;
    common::host(&a.forward(&kept.adjoint(&kept.forward(&found)?)?)?)
}
