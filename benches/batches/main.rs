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

mod measure;
mod products;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use arrayspan::kernels::{Error, constant, input, previous};
use arrayspan::prelude::*;
use clap::Parser;
use measure::measure;
use products::Products;

type Failure = Box<dyn std::error::Error>;

/// Elementwise passes over a batch.
const PASSES: usize = 40;

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
