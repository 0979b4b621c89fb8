//! Many batches over one GPU and over several: what overlap and more devices bring.
//!
//! ```text
//! cargo bench --bench batches -- cuda:0,cuda:1 [--in-flight 3] [--only elementwise|products|scaling] [--tiny]
//! ```
//!
//! * `elementwise`: 16 batches of 128 MiB in page-locked memory, 40 elementwise passes each, and back, on the first
//!   device; and the same bytes as 64 batches, which leave less time to the first upload and the last download.
//! * `products`: 8 batches of 4096 x 4096 `Float32` from ndarray, x·xᵀ, and back to ndarray, on the first two devices.
//! * `scaling`: 32 of those on one device, on two, on four.
//!
//! Best and median of 10 runs after two that are not counted; the report is that of the best run. `batches.py` beside
//! the peers does the same in torch.

#![allow(clippy::float_cmp, reason = "the numbers are chosen so that results are exact")]

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use arrayspan::kernels::{Error, constant, input, previous};
use arrayspan::pipeline::batch::BatchReport;
use arrayspan::prelude::*;
use clap::Parser;
use ndarray::ArcArray2;

type Failure = Box<dyn std::error::Error>;

/// Elementwise passes over a batch.
const PASSES: usize = 40;

/// Runs counted, and runs before them.
const RUNS: usize = 10;
const WARM_UP: usize = 2;

#[derive(Debug, Parser)]
struct Arguments {
    /// Devices, as cuda:0,cuda:1 [default: all accelerators, else the CPU]
    #[arg(value_delimiter = ',')]
    devices: Vec<Device>,
    /// Batches under way on each device
    #[arg(long, default_value_t = 3)]
    in_flight: usize,
    /// One of the figures: elementwise, products or scaling
    #[arg(long)]
    only: Option<String>,
    /// Small arrays, to try the program out
    #[arg(long)]
    tiny: bool,
    /// What cargo bench adds
    #[arg(long, hide = true)]
    bench: bool,
}

/// By device and the driver's handle of the stream.
type ByStream = HashMap<(Device, usize), Arc<dyn Executor>>;

/// The executors of slots, kept from run to run: a slot's stream is, too.
#[derive(Clone, Debug, Default)]
struct Executors(Arc<Mutex<ByStream>>);

impl Executors {
    fn of(&self, place: &BatchPlace) -> Result<Arc<dyn Executor>, Error> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (place.device, place.stream.raw());
        if let Some(executor) = kept.get(&key) {
            return Ok(executor.clone());
        }
        let executor = on_stream(&place.stream)?;
        kept.insert(key, executor.clone());
        Ok(executor)
    }
}

/// Runs `once` as often as is needed, and prints its times.
fn measure(
    name: &str,
    mut once: impl FnMut() -> Result<BatchReport, Failure>,
) -> Result<Duration, Failure> {
    for _ in 0..WARM_UP {
        once()?;
    }
    let mut runs = Vec::new();
    for _ in 0..RUNS {
        let begin = Instant::now();
        let report = once()?;
        runs.push((begin.elapsed(), report));
    }
    runs.sort_by_key(|(time, _)| *time);
    let (best, report) = &runs[0];
    let [least, median] = [best, &runs[RUNS / 2].0].map(|time| time.as_secs_f64() * 1e3);
    println!("{name}: best {least:.1} ms, median {median:.1} ms");
    println!("{report}\n");
    Ok(*best)
}

/// Page-locked memory with these numbers.
fn pinned(values: &[f32], device: Device) -> Result<SharedArray, Failure> {
    let mut array = Array::pinned([values.len()], DType::Float32, device)?;
    array.view_mut().as_mut_slice::<f32>()?.copy_from_slice(values);
    Ok(array.into_shared())
}

/// `count` batches of `len` numbers each: up, 40 passes, down.
fn elementwise(
    arguments: &Arguments,
    device: Device,
    executors: &Executors,
    [count, len]: [usize; 2],
) -> Result<(), Failure> {
    let values: Vec<f32> = (0..len).map(|i| (i % 1000) as f32).collect();
    let inputs = (0..count).map(|_| pinned(&values, device)).collect::<Result<Vec<_>, _>>()?;
    // Halves the distance to 1000 each time.
    let expected = |x: f32| (0..PASSES).fold(x, |x, _| 0.5 * x + 500.0);
    let name = format!("elementwise, {count} x {} MiB on {device}", (len * 4) >> 20);
    measure(&name, || {
        let executors = executors.clone();
        let init = move |place: &BatchPlace| executors.of(place);
        let compute = |on: &mut Arc<dyn Executor>, x: &Array, _: &BatchPlace| {
            let mut y = on.empty(x.shape(), x.dtype())?;
            let half = |x| constant(0.5) * x + constant(500.0);
            on.map(&half(input(0)), &[x.view()], y.view_mut())?;
            let again = half(previous());
            (1..PASSES).try_for_each(|_| on.map(&again, &[], y.view_mut()))?;
            Ok::<_, Error>(y)
        };
        let batches = inputs.clone().into_iter().across([device]).in_flight(arguments.in_flight);
        let mut run = batches.map_init(init, compute)?;
        for result in run.by_ref() {
            let result = result?;
            let result = result.view().as_slice::<f32>()?;
            for at in [0, len / 2, len - 1] {
                if result.get(at) != Some(&expected(values[at])) {
                    return Err(format!("element {at} is {:?}", result.get(at)).into());
                }
            }
        }
        Ok(run.report())
    })?;
    Ok(())
}

/// `count` products x·xᵀ of square matrices, from ndarray and to ndarray. Returns the best time.
fn products(
    arguments: &Arguments,
    devices: &[Device],
    executors: &Executors,
    [count, side]: [usize; 2],
) -> Result<Duration, Failure> {
    // Small whole numbers, so that products are exact: x[i, j] = (i + j) mod 3, plus the number of the batch.
    let value = |batch: usize, i: usize, j: usize| ((i + j) % 3 + batch % 4) as f32;
    let matrix = |batch| ArcArray2::from_shape_fn((side, side), |(i, j)| value(batch, i, j));
    let inputs: Vec<ArcArray2<f32>> = (0..count).map(matrix).collect();
    let dot =
        |batch, i, k| -> f32 { (0..side).map(|j| value(batch, i, j) * value(batch, k, j)).sum() };
    let names: Vec<String> = devices.iter().map(Device::to_string).collect();
    let name = format!("products, {count} x {side}² on {}", names.join(", "));
    measure(&name, || {
        let executors = executors.clone();
        let init = move |place: &BatchPlace| executors.of(place);
        let compute = |on: &mut Arc<dyn Executor>, x: &Array, _: &BatchPlace| {
            let mut y = on.empty(x.shape(), x.dtype())?;
            let transposed = x.view().permuted(&[1, 0])?;
            on.gemm(x.view(), false, transposed, y.view_mut(), Update::set())?;
            Ok::<_, Error>(y)
        };
        // The devices are alike, and so are the batches.
        let batches = inputs.clone().into_iter().across(devices.to_vec());
        let batches = batches.assign(Assignment::RoundRobin).in_flight(arguments.in_flight);
        let mut run = batches.map_init(init, compute)?;
        for (batch, result) in run.by_ref().enumerate() {
            let result = result?;
            let result = result.view().as_ndarray::<f32>()?;
            for (i, k) in [(0, 0), (side - 1, side / 2)] {
                if result[[i, k]] != dot(batch, i, k) {
                    return Err(format!("batch {batch}: ({i}, {k}) is {}", result[[i, k]]).into());
                }
            }
        }
        Ok(run.report())
    })
}

fn main() -> Result<(), Failure> {
    let mut arguments = Arguments::parse();
    if arguments.devices.is_empty() {
        arguments.devices = Device::all().into_iter().filter(|d| d.info().accelerator).collect();
    }
    if arguments.devices.is_empty() {
        arguments.devices.push(Device::cpu());
    }
    let devices = arguments.devices.clone();
    let wanted = |name: &str| arguments.only.as_deref().is_none_or(|only| only == name);
    let (len, side) = if arguments.tiny { (1 << 16, 128) } else { (32 << 20, 4096) };
    let executors = Executors::default();
    if wanted("elementwise") {
        elementwise(&arguments, devices[0], &executors, [16, len])?;
        elementwise(&arguments, devices[0], &executors, [64, len / 4])?;
    }
    if wanted("products") {
        let two = &devices[..devices.len().min(2)];
        products(&arguments, two, &executors, [8, side])?;
    }
    if wanted("scaling") {
        let mut before: Option<Duration> = None;
        for count in [1, 2, 4].into_iter().filter(|count| *count <= devices.len()) {
            let best = products(&arguments, &devices[..count], &executors, [32, side])?;
            if let Some(before) = before {
                let times = before.as_secs_f64() / best.as_secs_f64();
                println!("{} to {count} devices: {times:.2} times as fast\n", count / 2);
            }
            before = Some(best);
        }
    }
    Ok(())
}
