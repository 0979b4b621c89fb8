//! A chain too large for one device: its first part runs on one, its second on another, batch by batch in a pipeline.
//!
//! ```text
//! cargo run --release --example model_parallel -- --devices cuda:0,cuda:1
//! ```
//!
//! The host only enqueues. What it enqueues for a batch waits, on the devices, for what that batch needs; while the
//! second device works on one batch the first works on the next.

use std::process::ExitCode;
use std::time::Instant;

use arrayspan::prelude::*;
use clap::Parser;
use ndarray::Array2;

type Failure = Box<dyn std::error::Error>;

/// Two stages on two devices.
#[derive(Debug, Parser)]
struct Arguments {
    /// The devices of the two stages [default: the first two accelerators, else those there are and the CPU]
    #[arg(long, value_delimiter = ',')]
    devices: Vec<Device>,
    /// How many batches go through the chain
    #[arg(long, default_value_t = 12)]
    batches: usize,
    /// Samples along both axes of a batch
    #[arg(long, default_value_t = 1000)]
    side: usize,
}

/// A part of the chain, and the device whose executor runs it.
struct Stage {
    operator: Operator,
    on: std::sync::Arc<dyn Executor>,
    workspace: Workspace,
}

impl Stage {
    fn new(operator: Operator, device: Device) -> Result<Self> {
        let on = on_stream(&device.new_stream()?)?;
        let workspace = Workspace::of(&operator, &*on)?;
        Ok(Self { operator, on, workspace })
    }

    /// Enqueued; the result is an array already, and will have its elements.
    fn apply(&mut self, x: &Array) -> Result<Array> {
        let range = self.operator.range();
        let mut y = self.on.empty(range.shape(), range.dtype())?;
        let Self { operator, on, workspace } = self;
        operator.apply_with(workspace, &**on, x.view(), y.view_mut(), Update::set())?;
        Ok(y)
    }
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let &Arguments { ref devices, batches, side } = arguments;
    let [first, second] = pair(devices)?;
    println!("stage 1 on {first}, stage 2 on {second}");
    let space = Space::new([side, side], DType::Float32)?;
    let smooth = |space: &Space| Convolve1D::new(space.clone(), 0, &[0.25, 0.5, 0.25], 1);
    let slope =
        |space: &Space| FirstDerivative::new(space.clone(), 1, 1.0, Scheme::Centered3, Edge::Zero);
    let mut stages = (Stage::new(smooth(&space)?, first)?, Stage::new(slope(&space)?, second)?);
    // Bytes travel on streams of their own, so that neither device's work waits for those of the next batch.
    let [up, across, down] = [first, first, second].map(Device::new_stream);
    let (up, across, down) = (up?, across?, down?);
    let inputs: Vec<Array> = (0..batches).map(|batch| Array::from(section(batch, side))).collect();

    let begin = Instant::now();
    let (mut results, mut held) = (Vec::new(), Vec::new());
    for input in &inputs {
        let (x, _) = input.view().to_with(first, Transfer::CopyIfNeeded, &up)?;
        let there = stages.0.apply(&x)?;
        let (here, _) = there.view().to_with(second, Transfer::CopyIfNeeded, &across)?;
        let y = stages.1.apply(&here)?;
        results.push(y.view().to_with(Device::cpu(), Transfer::CopyIfNeeded, &down)?.0);
        // Given back here, each would have the stream it was written on wait for all that has been enqueued on those
        // that read it, and the stages would take turns.
        held.push([x, there, here, y]);
    }
    for device in [first, second] {
        device.synchronize()?;
    }
    let took = begin.elapsed();

    let (smooth, slope) = (smooth(&space)?, slope(&space)?);
    for (batch, (input, result)) in inputs.iter().zip(&results).enumerate() {
        let expected = slope.forward(&smooth.forward(input)?)?;
        let pairs = result.view().as_slice::<f32>()?.iter().zip(expected.view().as_slice::<f32>()?);
        let difference = pairs.map(|(one, other)| (one - other).abs()).fold(0.0, f32::max);
        if difference.is_nan() || difference > 1e-4 {
            return Err(format!("batch {batch} differs from the CPU's by {difference}").into());
        }
    }
    println!("{batches} batches in {:.1} ms; equal to the CPU's", took.as_secs_f64() * 1e3);
    Ok(())
}

fn section(batch: usize, side: usize) -> Array2<f32> {
    Array2::from_shape_fn((side, side), |(i, j)| ((i * i + 3 * j + 7 * batch) % 101) as f32 * 0.1)
}

/// The two devices named, or the first two found, accelerators first.
fn pair(named: &[Device]) -> Result<[Device; 2], Failure> {
    match named {
        [] => {
            let mut found: Vec<_> =
                Device::all().into_iter().filter(|d| d.info().accelerator).collect();
            found.extend([Device::cpu(); 2]);
            Ok([found[0], found[1]])
        }
        [first, second] => Ok([*first, *second]),
        _ => Err(format!("--devices: two are needed, {} are given", named.len()).into()),
    }
}
