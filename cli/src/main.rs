//! The command `arrayspan`.

#![forbid(unsafe_code)]

use std::io::{self, Write as _};
use std::time::Duration;

use arrayspan_cli::{Ask, answer, collect, text};
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "arrayspan", version, about = "Arrays across CPU, CUDA and OpenCL")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Lists devices, drivers and libraries, and says what is missing and how to get it
    ///
    /// Each driver is asked in a process of its own, so one that hangs or crashes is reported as broken.
    /// The exit status is 0 whatever is found.
    Info {
        /// Print JSON; `MachineReport` in the documentation of arrayspan-cli describes it
        #[arg(long)]
        json: bool,
        /// Seconds a driver may take to answer
        #[arg(long, value_name = "SECONDS", default_value_t = 30)]
        timeout: u64,
    },
    /// Asks one driver and prints what it says for `info`
    #[command(hide = true)]
    Probe { ask: Ask },
}

fn main() -> io::Result<()> {
    let text = match Arguments::parse().command {
        Command::Info { json, timeout } => {
            let own = std::env::current_exe()?;
            let report = collect(&own, Duration::from_secs(timeout));
            if json { serde_json::to_string_pretty(&report)? } else { text::render(&report) }
        }
        Command::Probe { ask } => serde_json::to_string(&answer(ask))?,
    };
    match writeln!(io::stdout(), "{}", text.trim_end()) {
        // Whoever reads the first lines only has seen what it wanted.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}
