//! `cargo xtask bench`: our figures, beside those of the peers, measured in the same run.

use std::path::PathBuf;
use std::process::Command;

use crate::Result;
use crate::process::{cargo, output};
use crate::setup;
use crate::table::Figures;

/// What is timed, and against whom.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// cpu, cuda:N or opencl:N
    #[arg(long, default_value = "cpu")]
    device: String,
    /// 1m: about a million elements; 64m: 64 million
    #[arg(long, default_value = "1m")]
    size: String,
    /// A Python script that is called with `numpy` or `cupy` and the size, and prints the same CSV
    #[arg(long)]
    peers: Option<PathBuf>,
    /// The Python that runs the script; it must have the peers' packages
    #[arg(long, default_value = "python3")]
    python: PathBuf,
    /// Only names that contain this
    #[arg(default_value = "")]
    part: String,
}

/// Runs the benchmarks and prints one table.
pub(crate) fn run(arguments: &Arguments) -> Result {
    let environment = setup::run()?;
    let Arguments { device, size, part, .. } = arguments;
    let mut ours = cargo(&["bench", "--bench", "figures", "--", device, size, part]);
    let ours = Figures::read(&output(environment.apply(&mut ours))?);
    let peers = match &arguments.peers {
        None => Figures::default(),
        Some(script) => {
            let library = if device == "cpu" { "numpy" } else { "cupy" };
            let mut peers = Command::new(&arguments.python);
            peers.arg(script).args([library, size, part]);
            // Figures without peers are better than none.
            Figures::read(&output(&mut peers).unwrap_or_else(|error| {
                eprintln!("bench: no figures of peers: {error}");
                String::new()
            }))
        }
    };
    print!("{}", ours.beside(&peers));
    Ok(())
}
