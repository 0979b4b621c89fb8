//! Sparse deconvolution: the few reflections that explain a gather of seismic traces, on any device.
//!
//! ```text
//! cargo run --release --example sparse_deconvolution -- --help
//! ```
#![allow(unreachable_pub, reason = "the modules of a program have no outside")]

#[path = "../common/file.rs"]
mod file;
mod gather;
#[path = "../poststack_inversion/picture.rs"]
mod picture;

use std::path::PathBuf;
use std::process::ExitCode;

use arrayspan::prelude::*;
use clap::Parser;
use ndarray::Array2;

use picture::Colours;

/// Finds few reflections whose convolution with a wavelet is a gather: ‖data - wavelet * reflections‖² + weight ‖reflections‖₁ by FISTA.
#[derive(Debug, Parser)]
#[command(name = "sparse_deconvolution")]
struct Arguments {
    /// Where to compute: cpu, cuda:N or opencl:N [default: the best device found]
    #[arg(long)]
    device: Option<String>,
    /// A gather, time along its last axis: FILE.npy of float32 or float64 [default: a generated one]
    #[arg(long, value_name = "FILE")]
    gather: Option<PathBuf>,
    /// Sampling interval in seconds
    #[arg(long, default_value_t = 0.004)]
    step: f64,
    /// Peak frequency of the wavelet in hertz
    #[arg(long, default_value_t = 20.0)]
    peak: f64,
    /// Weight of the norm, as a share of the one at which nothing is left
    #[arg(long, default_value_t = 0.02)]
    weight: f64,
    /// FISTA iterations
    #[arg(long, default_value_t = 300)]
    iterations: usize,
    /// Where the pictures go
    #[arg(long, default_value = "out/sparse_deconvolution", value_name = "DIR")]
    out: PathBuf,
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) if !error.use_stderr() => error.exit(),
        Err(error) => {
            let text = error.to_string();
            eprintln!("{}", text.lines().next().unwrap_or("error: bad arguments"));
            return ExitCode::from(2);
        }
    };
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> std::result::Result<(), Box<dyn std::error::Error>> {
    let Arguments { step, peak, weight, iterations, .. } = *arguments;
    let device = match &arguments.device {
        Some(name) => name.parse()?,
        None => Device::best(),
    };
    let wavelet = gather::wavelet(step, peak)?;
    let data = match &arguments.gather {
        Some(path) => file::numbers("--gather", path)?,
        None => gather::generate(&wavelet),
    };
    std::fs::create_dir_all(&arguments.out)?;
    println!("computing on {device}: {}", device.info().name);

    let (traces, samples) = data.dim();
    let space = Space::new([traces, samples], DType::Float32)?;
    let a = Convolve1D::new(space, 1, &wavelet, wavelet.len() / 2)?;
    let y = Array::from(data.mapv(|value| value as f32)).to(device)?.0;
    // With more weight than this nothing is worth its norm.
    let most = 2.0 * f64::from(a.adjoint(&y)?.abs().max()?.item::<f32>()?);
    let sparsity = Sparsity { weight: weight * most, ..Sparsity::default() };
    let stop = Stop::after(iterations);
    let solver = Fista { sparsity, restart: true, stop, ..Fista::default() };
    let solution = solver.solve(&a, &y)?;

    let host = |array: &Array| -> Result<Array2<f64>> {
        let values = array.to_vec::<f32>()?;
        Ok(Array2::from_shape_fn((samples, traces), |(sample, trace)| {
            f64::from(values[trace * samples + sample])
        }))
    };
    let (found, explained) = (host(&solution.x)?, host(&a.forward(&solution.x)?)?);
    let spikes = found.iter().filter(|value| **value != 0.0).count();
    println!(
        "{} iterations ({:?}): {:.1} % of the data left, {:.1} % of the samples are reflections",
        solution.iterations,
        solution.stopped,
        100.0 * solution.residuals[solution.iterations] / solution.residuals[0],
        100.0 * spikes as f64 / found.len() as f64,
    );
    let recorded = host(&y)?;
    let amplitude = |section: &Array2<f64>| {
        let (low, high) = picture::range(section);
        Colours::Seismic(high.max(-low).max(f64::MIN_POSITIVE))
    };
    let left = (&recorded - &explained).mapv(f64::abs);
    let most = picture::range(&recorded.mapv(f64::abs)).1;
    for (name, title, section, colours) in [
        ("data.png", "Data", &recorded, amplitude(&recorded)),
        ("reflections.png", "Reflections", &found, amplitude(&found)),
        ("explained.png", "Reflections with the wavelet", &explained, amplitude(&recorded)),
        ("left.png", "What is left", &left, Colours::Viridis(0.0, most.max(f64::MIN_POSITIVE))),
    ] {
        let path = arguments.out.join(name);
        picture::write(&path, title, "amplitude", section, step, colours)?;
        println!("wrote {}", path.display());
    }
    Ok(())
}
