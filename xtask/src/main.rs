//! The chores of this repository: `cargo xtask CHORE`.
//!
//! Whatever is downloaded lies in `.arrayspan/`, which git ignores; deleting it is always safe. Compiled kernels lie
//! in the user's cache folder.
#![forbid(unsafe_code)]

mod bench;
mod catalogue;
mod circles;
mod docstrings;
mod documentation;
mod durations;
mod environment;
mod faults;
mod features;
mod fuzz;
mod golden;
mod gpu;
mod interop;
mod libtorch;
mod links;
mod memcheck;
mod miri;
mod nightly;
mod only;
mod optimisation;
mod package;
mod packages;
mod platforms;
mod process;
mod programs;
mod pylops_tests;
mod python;
mod python_package;
mod python_wheel;
mod report;
mod run_tests;
mod sample;
mod setup;
mod shards;
mod speed;
mod spent;
mod steps;
mod table;
mod test;
mod torch;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The chores of this repository.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Debug, Subcommand)]
enum Chore {
    /// Puts what the tests need into .arrayspan/: `PoCL`, NVRTC and libtorch.
    Setup,
    /// Format, lints, documentation and every test; what CI runs.
    Test(test::Arguments),
    /// Only the part of `test` where Python's libraries take arrays and hand them over.
    Interop,
    /// Only the part of `test` that tests the Python package; or builds its library for use.
    Python(python_package::Arguments),
    /// Only the part of `test` that runs `PyLops`' own tests on the Python package.
    PylopsTests(pylops_tests::Arguments),
    /// Only the part of `test` that packs what is published, and builds what is packed.
    Package,
    /// Only the part of `test` that checks what is built without back ends.
    Features,
    /// Only the part of `test` that checks other platforms.
    Platforms,
    /// Only the part of `test` that looks for files that import each other in a circle.
    Circles,
    /// Writes docs/operators.md and the docstrings in python/docs anew.
    Catalogue,
    /// Only the part of `test` that follows the links of the documentation that was built last.
    Links,
    /// Writes tests/golden/ anew with `PyLops`.
    Golden,
    /// Builds the tests and benchmarks for a machine with a GPU and without cargo.
    Gpu,
    /// The bridge's tests under Miri.
    Miri,
    /// The bridge's tests under valgrind.
    Memcheck,
    /// The tests once more, while allocations, launches, copies and builds fail on purpose.
    Faults,
    /// Hostile tensors for the bridge, from a fuzzer.
    Fuzz(fuzz::Arguments),
    /// Times operators and solvers, beside the peers where their script is given.
    Bench(bench::Arguments),
}

/// The failure of a chore, for a person.
type Result<T = (), E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

fn main() -> ExitCode {
    let done = match Arguments::parse().chore {
        Chore::Setup => setup::everything(),
        Chore::Test(arguments) => test::run(&arguments),
        Chore::Interop => interop::run(),
        Chore::Python(arguments) => python_package::run(&arguments),
        Chore::PylopsTests(arguments) => pylops_tests::run(&arguments),
        Chore::Package => package::run(),
        Chore::Features => features::run(),
        Chore::Platforms => platforms::run(),
        Chore::Circles => circles::run(),
        Chore::Catalogue => catalogue::run().and_then(|()| docstrings::write()),
        Chore::Links => links::run(),
        Chore::Golden => golden::run(),
        Chore::Gpu => gpu::run(),
        Chore::Miri => miri::run(),
        Chore::Memcheck => memcheck::run(),
        Chore::Faults => faults::run(),
        Chore::Fuzz(arguments) => fuzz::run(&arguments),
        Chore::Bench(arguments) => bench::run(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
