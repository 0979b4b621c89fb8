//! Threads that each own a device: each makes a stream its default and works as if it were alone.
//!
//! ```text
//! cargo run --release --example thread_per_gpu -- --devices cuda:0,cuda:1
//! ```

use std::process::ExitCode;
use std::thread;
use std::time::Instant;

use arrayspan::prelude::*;
use clap::Parser;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// One inversion for each device, all at once.
#[derive(Debug, Parser)]
struct Arguments {
    /// One thread each [default: every accelerator, else the CPU twice]
    #[arg(long, value_delimiter = ',')]
    devices: Vec<Device>,
    /// Samples along both axes of the model
    #[arg(long, default_value_t = 300)]
    side: usize,
    /// CGLS iterations
    #[arg(long, default_value_t = 30)]
    iterations: usize,
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
    let Arguments { devices, side, iterations } = arguments;
    let devices = or_default(devices);
    let begin = Instant::now();
    let answers = thread::scope(|scope| {
        let start = |(number, device): (usize, &Device)| {
            let device = *device;
            scope.spawn(move || invert(number, device, side, iterations))
        };
        let threads: Vec<_> = devices.iter().enumerate().map(start).collect();
        let join = |thread: thread::ScopedJoinHandle<'_, Result<Vec<f32>>>| -> Result<_, Failure> {
            Ok(thread.join().map_err(|_| "a thread panicked")??)
        };
        threads.into_iter().map(join).collect::<Result<Vec<_>, _>>()
    })?;
    let took = begin.elapsed();

    for (number, (answer, device)) in answers.iter().zip(&devices).enumerate() {
        let expected = invert(number, Device::cpu(), side, iterations)?;
        let (mut difference, mut size) = (0.0, f64::MIN_POSITIVE);
        for (one, other) in answer.iter().zip(&expected) {
            difference += f64::from(one - other).powi(2);
            size += f64::from(*other).powi(2);
        }
        let relative = (difference / size).sqrt();
        println!("{device}: differs from the CPU's answer by {relative:.1e}");
        if relative.is_nan() || relative > 1e-2 {
            return Err(format!("{device}: the answer is wrong").into());
        }
    }
    println!("{} inversions at once in {:.1} ms", devices.len(), took.as_secs_f64() * 1e3);
    Ok(())
}

/// Finds model `number` from its derivative and a measure of its roughness, on the thread's own stream.
fn invert(number: usize, device: Device, side: usize, iterations: usize) -> Result<Vec<f32>> {
    let stream = device.new_stream()?;
    // All below names no stream, and goes to this one; it waits for no other thread's work.
    let _default = stream.as_default();
    let space = Space::new([side, side], DType::Float32)?;
    let slope = FirstDerivative::new(space.clone(), 0, 1.0, Scheme::Centered3, Edge::Reduced)?;
    let terms = [0, 1].map(|axis| Along { axis, step: 1.0, weight: 1.0 });
    let bend = Laplacian::new(space, &terms, Scheme::Centered3, Edge::Zero)?;
    let a = vstack![&slope, 0.5 * &bend]?;
    let value = |(i, j): (usize, usize)| ((i * (number + 2) + j * j) as f32 * 0.01).sin();
    let model = ndarray::Array2::from_shape_fn((side, side), value);
    let (model, _) = Array::from(model).into_device(device)?;
    let data = a.forward(&model)?;
    let solver = Cgls { stop: Stop::after(iterations), ..Cgls::default() };
    Ok(solver.solve(&a, &data)?.x.view().to_vec()?)
}

/// Every accelerator if none is named; the CPU twice if there is none.
fn or_default(devices: Vec<Device>) -> Vec<Device> {
    if !devices.is_empty() {
        return devices;
    }
    let found: Vec<_> = Device::all().into_iter().filter(|d| d.info().accelerator).collect();
    if found.is_empty() { vec![Device::cpu(); 2] } else { found }
}
