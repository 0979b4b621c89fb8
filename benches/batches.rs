//! Many batches over one GPU and over several: what overlap and more devices bring.
//!
//! ```text
//! cargo bench --bench batches -- cuda:0,cuda:1 [--in-flight 3] [--count 32] [--only elementwise|products|scaling|locked|sweep] [--tiny]
//! ```
//!
//! * `elementwise`: 16 batches of 128 MiB in page-locked memory, 40 elementwise passes each, and back, on the first
//!   device; and the same bytes as 64 batches, which leave less time to the first upload and the last download.
//! * `products`: 8 batches of 4096 x 4096 `Float32` from ndarray, x·xᵀ, and back to ndarray, on the first two devices.
//! * `scaling`: 32 of those on one device, on two, on four; `locked`: the same from page-locked memory.
//! * `sweep` (only if asked for): the last of `scaling` by the settings of staged copies.
//!
//! Best and median of 10 runs after two that are not counted; the report is that of the best run. `batches.py` beside
//! the peers does the same in torch.

#![allow(clippy::float_cmp, reason = "the numbers are chosen so that results are exact")]

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use arrayspan::devices::staging::{self, Settings};
use arrayspan::kernels::{Error, constant, input, previous};
use arrayspan::pipeline::batch::BatchReport;
use arrayspan::prelude::*;
use clap::Parser;
use ndarray::Array2;

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
    /// One of the figures: elementwise, products, scaling, locked or sweep
    #[arg(long)]
    only: Option<String>,
    /// How many batches `scaling`, `locked` and `sweep` have
    #[arg(long, default_value_t = 32)]
    count: usize,
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

/// What a figure runs, and how long it took.
type Once<'a> = dyn FnMut() -> Result<BatchReport, Failure> + 'a;

/// The time of the best of some runs.
fn quickest(once: &mut Once<'_>) -> Result<Duration, Failure> {
    let mut best = Duration::MAX;
    for run in 0..=RUNS / 2 {
        let begin = Instant::now();
        once()?;
        if run > 0 {
            best = best.min(begin.elapsed());
        }
    }
    Ok(best)
}

/// Runs `once` as often as is needed, and prints its times.
fn measure(name: &str, once: &mut Once<'_>) -> Result<Duration, Failure> {
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
    measure(&name, &mut || {
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

/// Products x·xᵀ of square matrices.
struct Products {
    side: usize,
    inputs: Vec<SharedArray>,
    executors: Executors,
    in_flight: usize,
}

impl Products {
    /// `count` matrices from ndarray, or in memory that is page-locked for a device.
    fn new(
        arguments: &Arguments,
        executors: &Executors,
        [count, side]: [usize; 2],
        locked: Option<Device>,
    ) -> Result<Self, Failure> {
        let matrix = |batch| {
            let values = Array2::from_shape_fn((side, side), |(i, j)| Self::value(batch, i, j));
            let Some(device) = locked else { return Ok(values.into()) };
            let mut array = Array::pinned([side, side], DType::Float32, device)?;
            let mut target = array.view_mut();
            target.as_mut_slice::<f32>()?.copy_from_slice(values.as_slice().unwrap_or_default());
            Ok::<_, Failure>(array.into_shared())
        };
        let inputs = (0..count).map(matrix).collect::<Result<Vec<SharedArray>, _>>()?;
        Ok(Self { side, inputs, executors: executors.clone(), in_flight: arguments.in_flight })
    }

    /// Small whole numbers, so that products are exact: x[i, j] = (i + j) mod 3, plus the number of the batch.
    fn value(batch: usize, i: usize, j: usize) -> f32 {
        ((i + j) % 3 + batch % 4) as f32
    }

    /// Multiplies all of them, back to the host, and looks at some elements.
    fn run(&self, devices: &[Device]) -> Result<BatchReport, Failure> {
        let side = self.side;
        let executors = self.executors.clone();
        let init = move |place: &BatchPlace| executors.of(place);
        let compute = |on: &mut Arc<dyn Executor>, x: &Array, _: &BatchPlace| {
            let mut y = on.empty(x.shape(), x.dtype())?;
            let transposed = x.view().permuted(&[1, 0])?;
            on.gemm(x.view(), false, transposed, y.view_mut(), Update::set())?;
            Ok::<_, Error>(y)
        };
        let dot = |batch, i, k| -> f32 {
            (0..side).map(|j| Self::value(batch, i, j) * Self::value(batch, k, j)).sum()
        };
        // The devices are alike, and so are the batches.
        let batches = self.inputs.clone().into_iter().across(devices.to_vec());
        let batches = batches.assign(Assignment::RoundRobin).in_flight(self.in_flight);
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
    }

    fn measure(&self, devices: &[Device], from: &str) -> Result<Duration, Failure> {
        let names: Vec<String> = devices.iter().map(Device::to_string).collect();
        let (count, side) = (self.inputs.len(), self.side);
        let name = format!("products, {count} x {side}² {from} on {}", names.join(", "));
        measure(&name, &mut || self.run(devices))
    }

    /// On one device, on two, on four.
    fn scaling(&self, devices: &[Device], from: &str) -> Result<(), Failure> {
        let mut before: Option<Duration> = None;
        for count in [1, 2, 4].into_iter().filter(|count| *count <= devices.len()) {
            let best = self.measure(&devices[..count], from)?;
            if let Some(before) = before {
                let times = before.as_secs_f64() / best.as_secs_f64();
                println!("{from}, {} to {count} devices: {times:.2} times as fast\n", count / 2);
            }
            before = Some(best);
        }
        Ok(())
    }

    /// The best time by threads and chunks, in milliseconds.
    fn sweep(&self, devices: &[Device]) -> Result<(), Failure> {
        const MIB: usize = 1 << 20;
        let defaults = staging::settings();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let each = [2, 4, 6, 8, 12, 16].into_iter().filter(|each| each * devices.len() <= cores);
        let each: Vec<usize> = each.collect();
        println!("{} devices, milliseconds by threads of each: {each:?}", devices.len());
        for (chunk, slots) in [(8, 4), (4, 4), (2, 4), (2, 8), (1, 8)] {
            print!("{chunk} MiB x {slots}:");
            for &threads in &each {
                let most_threads = threads * devices.len();
                let new = Settings { chunk: chunk * MIB, slots, threads, ..defaults };
                staging::configure(Settings { most_threads, ..new });
                let best = quickest(&mut || self.run(devices))?;
                print!(" {:6.1}", best.as_secs_f64() * 1e3);
            }
            println!();
        }
        staging::configure(defaults);
        Ok(())
    }
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
    let asked = |name: &str| arguments.only.as_deref() == Some(name);
    let wanted = |name: &str| arguments.only.is_none() || asked(name);
    let (len, side) = if arguments.tiny { (1 << 16, 128) } else { (32 << 20, 4096) };
    let executors = Executors::default();
    if wanted("elementwise") {
        elementwise(&arguments, devices[0], &executors, [16, len])?;
        elementwise(&arguments, devices[0], &executors, [64, len / 4])?;
    }
    if wanted("products") {
        let two = &devices[..devices.len().min(2)];
        Products::new(&arguments, &executors, [8, side], None)?.measure(two, "from ndarray")?;
    }
    if wanted("scaling") || asked("sweep") {
        let products = Products::new(&arguments, &executors, [arguments.count, side], None)?;
        if wanted("scaling") {
            products.scaling(&devices, "from ndarray")?;
        } else {
            products.sweep(&devices)?;
        }
    }
    if wanted("locked") {
        let products =
            Products::new(&arguments, &executors, [arguments.count, side], Some(devices[0]))?;
        products.scaling(&devices, "from page-locked memory")?;
    }
    Ok(())
}
