//! `cargo xtask bench`: our figures, beside those of the peers, measured in the same run.

use std::fs;
use std::path::{Path, PathBuf};
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
    /// Our figures as `figures` printed them elsewhere; nothing is timed then
    #[arg(long)]
    figures: Option<PathBuf>,
    /// The peers' figures as their script printed them elsewhere
    #[arg(long, conflicts_with = "peers")]
    peer_figures: Option<PathBuf>,
    /// Only names that contain this
    #[arg(default_value = "")]
    part: String,
}

/// Runs the benchmarks and prints one table.
pub(crate) fn run(arguments: &Arguments) -> Result {
    let ours = match &arguments.figures {
        Some(file) => fs::read_to_string(file)?,
        None => ours(arguments)?,
    };
    let peers = match (&arguments.peer_figures, &arguments.peers) {
        (Some(file), _) => fs::read_to_string(file)?,
        (None, Some(script)) => theirs(script, arguments),
        (None, None) => String::new(),
    };
    print!("{}", Figures::read(&ours).beside(&Figures::read(&peers)));
    Ok(())
}

fn ours(arguments: &Arguments) -> Result<String> {
    let environment = setup::run()?;
    let Arguments { device, size, part, .. } = arguments;
    output(
        environment.apply(&mut cargo(&["bench", "--bench", "figures", "--", device, size, part])),
    )
}

/// Nothing where the script fails: figures without peers are better than none.
fn theirs(script: &Path, arguments: &Arguments) -> String {
    let Arguments { device, size, part, python, .. } = arguments;
    let library = if device == "cpu" { "numpy" } else { "cupy" };
    output(Command::new(python).arg(script).args([library, size, part])).unwrap_or_else(|error| {
        eprintln!("bench: no figures of peers: {error}");
        String::new()
    })
}
