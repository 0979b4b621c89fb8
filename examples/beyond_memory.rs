//! A job that needs three times the memory it may have, and ends with the same result.
//!
//! ```text
//! cargo run --release --example beyond_memory -- --limit 2GiB --device cuda:0
//! ```
//!
//! The job differentiates many shots. All of them are held on the device, in parts that may wait on the host while
//! others need the room, and each part is worked on in pieces as large as fit. It runs twice: without a limit, then
//! under it. Says what that cost and what was done. Not for the CPU, whose memory is where the others' arrays wait.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use arrayspan::devices::{Limit, caches};
use arrayspan::pipeline::retry::{RecoveryPolicy, RetryStep, with_retry};
use arrayspan::pipeline::spill::{SpillStatistics, Spillable, statistics};
use arrayspan::prelude::*;
use clap::Parser;

/// A job that needs several times the memory it may have, and ends with the same result.
#[derive(Debug, Parser)]
#[command(name = "beyond_memory")]
struct Arguments {
    /// Where to compute: cuda:N or opencl:N [default: the best device found beside the CPU]
    #[arg(long)]
    device: Option<String>,
    /// What the job may have, as 2GiB, 512MiB or 10%
    #[arg(long, default_value = "2GiB")]
    limit: String,
    /// How many times the limit the job's inputs take
    #[arg(long, default_value_t = 3)]
    times: usize,
}

/// Samples of a trace, and traces of a shot.
const SAMPLES: usize = 1024;
const TRACES: usize = 64;
const SHOT_BYTES: usize = 4 * SAMPLES * TRACES;
/// Parts of the inputs for each time the limit.
const PARTS: usize = 8;

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn std::error::Error>> {
    let device = match &arguments.device {
        Some(name) => name.parse()?,
        None => best_beside_the_cpu(),
    };
    if device.is_cpu() {
        return Err(
            "arrays wait in the CPU's memory: a device beside it is needed, cuda:N or opencl:N"
                .into(),
        );
    }
    let limit = match arguments.limit.parse::<Limit>()? {
        Limit::Bytes(bytes) => bytes,
        Limit::Fraction(part) => (part * device.info().memory_bytes as f64) as usize,
    };
    let (parts, shots) = (arguments.times * PARTS, limit / PARTS / SHOT_BYTES);
    if parts == 0 || shots == 0 {
        let least = PARTS * SHOT_BYTES;
        return Err(format!("the limit is at least {least} bytes, taken at least once").into());
    }
    println!("{parts} parts of {shots} shots on {device}: {} bytes", parts * shots * SHOT_BYTES);

    // Kernels are built before anything is timed.
    drop(job(device, 1, 1)?);
    let free = job(device, parts, shots).map_err(|error| format!("without a limit: {error}"))?;
    println!("without a limit: {:.2?}", free.took);
    drop(caches::clear(device));
    device.set_limit(Some(Limit::Bytes(limit)))?;
    let limited = job(device, parts, shots);
    device.set_limit(None)?;
    let limited = limited?;
    println!("with {limit} bytes: {:.2?}", limited.took);
    println!("slower by a factor of {:.2}", limited.took.as_secs_f64() / free.took.as_secs_f64());
    println!("{}", limited.story());
    if limited.sums == free.sums {
        println!("both results are the same, bit by bit");
        Ok(())
    } else {
        Err("the results differ".into())
    }
}

/// The best device that is not the CPU, if there is one.
fn best_beside_the_cpu() -> Device {
    let best = Device::best();
    let others = || Device::all().into_iter().find(|device| !device.is_cpu());
    if best.is_cpu() { others().unwrap_or(best) } else { best }
}

/// What came of a job, and what it took.
struct Done {
    /// One number for the bits of each part's result.
    sums: Vec<u64>,
    took: Duration,
    spilled: SpillStatistics,
    splits: usize,
    retries: usize,
    moved: usize,
}

impl Done {
    fn story(&self) -> String {
        let SpillStatistics { spilled, spilled_bytes, returned, returned_bytes } = self.spilled;
        format!(
            "{spilled} parts ({spilled_bytes} bytes) waited on the host, {returned} \
             ({returned_bytes} bytes) came back; {} pieces were split, {} retried, {} moved",
            self.splits, self.retries, self.moved
        )
    }
}

/// Differentiates every part along time.
fn job(device: Device, parts: usize, shots: usize) -> Result<Done> {
    let (begin, before) = (Instant::now(), statistics());
    let inputs = (0..parts).map(|part| input(part, shots, device));
    let inputs = inputs.collect::<Result<Vec<Spillable>>>()?;
    let policy = RecoveryPolicy { cpu: true, ..RecoveryPolicy::default() };
    let (mut sums, mut steps) = (Vec::new(), Vec::new());
    for input in &inputs {
        let outcome = with_retry(input, device, &policy, |piece, _| differentiated(&piece.view()))?;
        steps.extend(outcome.steps.iter().cloned());
        let values = outcome.results().flatten();
        sums.push(
            values.fold(0_u64, |sum, value| {
                sum.rotate_left(5).wrapping_add(u64::from(value.to_bits()))
            }),
        );
    }
    let now = statistics();
    let count = |wanted: fn(&RetryStep) -> bool| steps.iter().filter(|step| wanted(step)).count();
    Ok(Done {
        sums,
        took: begin.elapsed(),
        spilled: SpillStatistics {
            spilled: now.spilled - before.spilled,
            spilled_bytes: now.spilled_bytes - before.spilled_bytes,
            returned: now.returned - before.returned,
            returned_bytes: now.returned_bytes - before.returned_bytes,
        },
        splits: count(|step| matches!(step, RetryStep::Split { .. })),
        retries: count(|step| matches!(step, RetryStep::Retried { .. })),
        moved: count(|step| matches!(step, RetryStep::Moved { .. })),
    })
}

/// One part of the shots, on the device.
fn input(part: usize, shots: usize, device: Device) -> Result<Spillable> {
    let len = shots * TRACES * SAMPLES;
    let values = (0..len).map(|i| ((i * 31 + part * 17) % 1009) as f32 / 1009.0).collect();
    let host = Array::from_vec(values, [shots, TRACES, SAMPLES])?;
    Ok(Spillable::new(host.into_device(device)?.0))
}

/// The derivative of some shots along time, on the host.
fn differentiated(shots: &View<'_>) -> Result<Vec<f32>> {
    let space = Space::new(shots.shape(), DType::Float32)?;
    let slope = FirstDerivative::new(space, 2, 0.004, Scheme::Centered5, Edge::Zero)?;
    let data = slope.forward(&shots.to_array()?)?;
    Ok(data.view().to(Device::cpu())?.0.view().to_vec()?)
}
