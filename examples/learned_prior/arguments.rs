//! What the user may choose.

use std::path::PathBuf;

use arrayspan::prelude::*;
use clap::Parser;

/// Seismic post-stack inversion by a network that is trained with the modelling operator within.
#[derive(Debug, Parser)]
#[command(name = "learned_prior")]
pub struct Arguments {
    /// Where to compute: cpu or cuda:N
    #[arg(long, default_value = "cpu")]
    pub device: Device,
    /// A section of impedance, time or depth along the first axis: FILE.npz or FILE.npy [default: a generated one]
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// The array in an .npz file
    #[arg(long, default_value = "model")]
    pub key: String,
    /// Steps of the training
    #[arg(long, default_value_t = 200)]
    pub steps: usize,
    /// Pieces of the section in each step
    #[arg(long, default_value_t = 2)]
    pub batch: usize,
    /// Traces of a piece
    #[arg(long, default_value_t = 16)]
    pub traces: usize,
    /// Noise added to the data, as a fraction of their root mean square
    #[arg(long, default_value_t = 0.05, allow_negative_numbers = true)]
    pub noise: f64,
    /// Seed of the network and of all noise
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Where the pictures go
    #[arg(long, default_value = "out/learned_prior", value_name = "DIR")]
    pub out: PathBuf,
}

impl Arguments {
    pub fn check(&self) -> Result<(), String> {
        if !(self.noise.is_finite() && self.noise >= 0.0) {
            return Err(format!("--noise {}: must be a number of at least 0", self.noise));
        }
        if self.batch == 0 || self.traces == 0 {
            return Err("--batch and --traces: must be at least 1".into());
        }
        Ok(())
    }
}
