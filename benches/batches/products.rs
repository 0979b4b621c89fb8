//! Products of square matrices: on one device and on several, by the settings of staged copies.

use std::sync::Arc;
use std::time::Duration;

use arrayspan::devices::staging::{self, Settings};
use arrayspan::kernels::Error;
use arrayspan::pipeline::batch::BatchReport;
use arrayspan::prelude::*;
use ndarray::Array2;

use super::measure::{measure, quickest};
use super::{Arguments, Executors, Failure};

/// Products x·xᵀ of square matrices.
pub(super) struct Products {
    side: usize,
    inputs: Vec<SharedArray>,
    executors: Executors,
    in_flight: usize,
}

impl Products {
    /// `count` matrices from ndarray, or in memory that is page-locked for a device.
    pub(super) fn new(
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
    pub(super) fn value(batch: usize, i: usize, j: usize) -> f32 {
        ((i + j) % 3 + batch % 4) as f32
    }

    /// Multiplies all of them, back to the host, and looks at some elements.
    pub(super) fn run(&self, devices: &[Device]) -> Result<BatchReport, Failure> {
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

    pub(super) fn measure(&self, devices: &[Device], from: &str) -> Result<Duration, Failure> {
        let names: Vec<String> = devices.iter().map(Device::to_string).collect();
        let (count, side) = (self.inputs.len(), self.side);
        let name = format!("products, {count} x {side}² {from} on {}", names.join(", "));
        measure(&name, &mut || self.run(devices))
    }

    /// On one device, on two, on four.
    pub(super) fn scaling(&self, devices: &[Device], from: &str) -> Result<(), Failure> {
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
    pub(super) fn sweep(&self, devices: &[Device]) -> Result<(), Failure> {
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
