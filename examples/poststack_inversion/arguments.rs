//! What the user may choose.

use std::path::PathBuf;

use arrayspan::prelude::*;
use clap::Parser;

/// Seismic post-stack inversion: models band-limited data from an acoustic-impedance (or velocity) section,
/// adds noise, and finds the section again from the data.
#[derive(Debug, Parser)]
#[command(name = "poststack_inversion")]
pub struct Arguments {
    /// Where to compute: cpu, cuda:N or opencl:N [default: the best device found]
    #[arg(long)]
    pub device: Option<String>,
    /// A section to invert, time or depth along the first axis: FILE.npz or FILE.npy [default: a generated one]
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// The array in an .npz file
    #[arg(long, default_value = "model")]
    pub key: String,
    /// CGLS iterations
    #[arg(long, default_value_t = 100)]
    pub iterations: usize,
    /// Noise added to the data, as a fraction of their root mean square
    #[arg(long, default_value_t = 0.05, allow_negative_numbers = true)]
    pub noise: f64,
    /// Weight of the Laplacian that keeps the answer smooth
    #[arg(long, default_value_t = 0.05, allow_negative_numbers = true)]
    pub smoothing: f64,
    /// CGLS damping: weight of the size of the answer
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    pub damping: f64,
    /// Precision: float32 or float64
    #[arg(long, default_value = "float32", value_parser = precision)]
    pub dtype: DType,
    /// Seed of the noise
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Where the pictures go
    #[arg(long, default_value = "out/poststack_inversion", value_name = "DIR")]
    pub out: PathBuf,
    /// Run on every device found and compare the answers
    #[arg(long)]
    pub compare: bool,
}

impl Arguments {
    /// Reads the command line. A mistake is one line.
    pub fn read() -> Result<Self, String> {
        let arguments = match Self::try_parse() {
            Ok(arguments) => arguments,
            Err(error) if !error.use_stderr() => error.exit(),
            Err(error) => {
                let text = error.to_string();
                let line = text.lines().next().unwrap_or("bad arguments");
                return Err(line.trim_start_matches("error: ").into());
            }
        };
        arguments.check()?;
        Ok(arguments)
    }

    fn check(&self) -> Result<(), String> {
        let weights =
            [("noise", self.noise), ("smoothing", self.smoothing), ("damping", self.damping)];
        for (name, value) in weights {
            if !(value.is_finite() && value >= 0.0) {
                return Err(format!("--{name} {value}: must be a number of at least 0"));
            }
        }
        if self.compare && self.device.is_some() {
            return Err("--compare runs on every device: leave out --device".into());
        }
        Ok(())
    }

    /// The devices to run on, the first one being the one whose answer is shown.
    pub fn devices(&self) -> Result<Vec<Device>, String> {
        if self.compare {
            return Ok(Device::all());
        }
        let device = match &self.device {
            Some(name) => name.parse().map_err(|error| format!("--device {name}: {error}"))?,
            None => Device::best(),
        };
        Ok(vec![device])
    }
}

fn precision(text: &str) -> Result<DType, String> {
    match text {
        "float32" => Ok(DType::Float32),
        "float64" => Ok(DType::Float64),
        _ => Err("expected float32 or float64".into()),
    }
}
