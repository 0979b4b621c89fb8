//! The same work on many arrays, spread over all devices: batches go up, are computed and come down at once.
//!
//! ```text
//! cargo run --release --example data_parallel -- --devices cuda:0,cuda:1
//! ```

use std::process::ExitCode;
use std::time::Instant;

use arrayspan::prelude::*;
use clap::Parser;
use ndarray::{ArcArray2, Array2};

type Failure = Box<dyn std::error::Error>;

/// The gradient of many sections, each a batch.
#[derive(Debug, Parser)]
struct Arguments {
    /// Where to compute [default: every accelerator, else the CPU twice]
    #[arg(long, value_delimiter = ',')]
    devices: Vec<Device>,
    /// How many sections
    #[arg(long, default_value_t = 24)]
    batches: usize,
    /// Samples along both axes of a section
    #[arg(long, default_value_t = 1000)]
    side: usize,
    /// Batches under way on each device
    #[arg(long, default_value_t = 3)]
    in_flight: usize,
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> Result<(), Failure> {
    let Arguments { devices, batches, side, in_flight } = arguments;
    let devices = or_default(devices);
    let space = Space::new([side, side], DType::Float32)?;
    let slopes = [0, 1].map(|axis| {
        let (scheme, edge) = (Scheme::Centered3, Edge::Zero);
        FirstDerivative::new(space.clone(), axis, 1.0, scheme, edge)
    });
    let gradient = vstack(slopes)?;
    let section = move |batch: usize| {
        Array2::from_shape_fn((side, side), |(i, j)| ((i + 3 * j + 7 * batch) % 101) as f32)
    };

    // Once to compile kernels, lock pages and find memory, then once to be timed.
    let inputs: Vec<ArcArray2<f32>> = (0..batches).map(|batch| section(batch).into()).collect();
    let pass = || -> Result<_, Failure> {
        let on_devices = gradient.clone();
        let begin = Instant::now();
        let batched = inputs.clone().into_iter().across(devices.clone()).in_flight(in_flight);
        // In the slots of the devices; operators use the stream of their slot there by themselves.
        let mut batched = batched.map(move |x, _| on_devices.forward(x))?;
        let results = batched.by_ref().collect::<Result<Vec<Array>, _>>()?;
        Ok((begin.elapsed(), results, batched.report()))
    };
    let (first, ..) = pass()?;
    let (took, results, report) = pass()?;

    // The same, one after the other, on the CPU.
    for (batch, result) in results.iter().enumerate() {
        let expected = gradient.forward(Array::from(section(batch)))?;
        let (result, expected) = (result.view(), expected.view());
        if result.as_slice::<f32>()? != expected.as_slice::<f32>()? {
            return Err(format!("batch {batch} differs from the CPU's").into());
        }
    }
    let bytes = batches * side * side * size_of::<f32>() * 3;
    println!("{report}");
    println!(
        "{batches} batches in {:.1} ms, {:.1} ms the first time: {:.2} GB/s in and out; equal to the CPU's",
        took.as_secs_f64() * 1e3,
        first.as_secs_f64() * 1e3,
        bytes as f64 / took.as_secs_f64() / 1e9,
    );
    Ok(())
}

/// Every accelerator if none is named; the CPU twice if there is none.
fn or_default(devices: Vec<Device>) -> Vec<Device> {
    if !devices.is_empty() {
        return devices;
    }
    let found: Vec<_> = Device::all().into_iter().filter(|d| d.info().accelerator).collect();
    if found.is_empty() { vec![Device::cpu(); 2] } else { found }
}
